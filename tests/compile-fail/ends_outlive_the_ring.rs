//! An end holds on to its ring.

use gimmal::ring::Producer;
use gimmal::Ring;

fn end<'a>() -> Producer<'a, u8> {
    let ring = Ring::<u8, 4>::new();
    let (tx, _rx) = ring.split().unwrap();
    tx
}

fn main() {
    end();
}
