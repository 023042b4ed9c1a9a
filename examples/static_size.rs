//! A ring and a pool of 4 MiB each in a `static`: they lie in `.bss` and add nothing to the program's file (`size` and `ls -l`
//! show it).

use gimmal::{line_ring, LineRing, Pool};

static RING: line_ring!(u64, 400_000) = LineRing::new();
static POOL: Pool<[u64; 6], 65_536> = Pool::new();

fn main() {
    let bytes = std::mem::size_of_val(&RING);
    let (mut tx, mut rx) = RING.split().expect("nobody else has the ring");
    tx.push(bytes as u64).expect("the ring is empty");
    println!("{} bytes of ring", rx.pop().expect("one was pushed"));
    let bytes = std::mem::size_of_val(&POOL);
    let value = POOL.insert([bytes as u64; 6]).expect("the pool is full");
    println!("{} bytes of pool", value[0]);
}
