//! A ring of 4 MiB in a `static`: it lies in `.bss` and adds nothing to the program's file (`size` and `ls -l` show it).

use gimmal::{line_ring, LineRing};

static LARGE: line_ring!(u64, 400_000) = LineRing::new();

fn main() {
    let bytes = std::mem::size_of_val(&LARGE);
    let (mut tx, mut rx) = LARGE.split().expect("nobody else has the ring");
    tx.push(bytes as u64).expect("the ring is empty");
    println!("{} bytes of ring", rx.pop().expect("one was pushed"));
}
