//! A slot goes back to its pool, so it does not outlive it; and it goes back once.

use gimmal::pool::Pooled;
use gimmal::Pool;

fn slot<'a>() -> Pooled<'a, u8, 4> {
    let pool = Pool::<u8, 4>::new();
    pool.insert(1).unwrap()
}

fn main() {
    let pool = Pool::<u8, 4>::new();
    let slot_of_pool = pool.insert(1).unwrap();
    drop(slot_of_pool);
    drop(slot_of_pool);
    slot();
}
