//! While slots are lent, their end does nothing else.

use gimmal::Ring;

fn main() {
    let ring = Ring::<u8, 4>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let grant = tx.reserve(2).unwrap();
    let _ = tx.push(1);
    grant.fill([1, 2]);

    let oldest = rx.peek();
    rx.pop();
    println!("{oldest:?}");

    let spans = rx.read(1).unwrap();
    rx.pop();
    spans.release(1);
}
