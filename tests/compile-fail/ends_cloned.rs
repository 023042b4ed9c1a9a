//! There is one of each end, save for the producers of an `Mpsc`.

use gimmal::{Mpsc, Ring};

fn main() {
    let ring = Ring::<u8, 4>::new();
    let (tx, rx) = ring.split().unwrap();
    let _ = (tx.clone(), rx.clone());

    let many = Mpsc::<u8, 4>::new();
    let (tx, rx) = many.split().unwrap();
    let _ = (tx.clone(), rx.clone());
}
