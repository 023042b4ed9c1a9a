//! Slices are copied, so what owns something does not go by slices.

use gimmal::Ring;

fn main() {
    let ring = Ring::<String, 4>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    tx.push_slice(&[String::new()]);
    rx.pop_slice(&mut [String::new()]);
}
