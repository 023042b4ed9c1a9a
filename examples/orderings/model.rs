//! The same protocols in a model: how many of the executions that the language's memory model permits have a message that is
//! stale or torn.
//!
//! A message is two relaxed words, as hardware has them. (An access that is a data race would end the exploration at the first
//! fault: `tests/loom.rs` does that.)

#[path = "../../tests/common/modelled.rs"]
mod modelled;

use gimmal::policy::lab::WithEdges;
use gimmal::policy::Policy;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::{Body, Consumer, Edges, Producer, Protocol};
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use modelled::{Modelled, Shared};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Enough to go round a ring of two and to write a slot again.
const MESSAGES: usize = 3;

/// Executions explored.
#[derive(Clone, Copy, Default)]
pub struct Explored {
    /// In all.
    pub executions: u64,
    /// With a stale message.
    pub stale: u64,
    /// With a torn one.
    pub torn: u64,
    /// Whether the time sufficed for all there are.
    pub complete: bool,
}

#[derive(Default)]
pub struct Words([AtomicUsize; 2]);

/// A model whose messages can be reached, by whichever protocol.
trait Worded: Clone + Send + 'static {
    fn words(&self, slot: usize) -> &[AtomicUsize; 2];
}

impl<P: Policy, const COUNT: usize, const PER_CELL: usize> Worded
    for Shared<P, COUNT, PER_CELL, Words>
{
    fn words(&self, slot: usize) -> &[AtomicUsize; 2] {
        &self.0.slots[slot].0
    }
}

/// Passes the messages once; whether one was stale, and whether one was torn.
fn pass<K, B>(ring: B) -> [bool; 2]
where
    B: Body<Slot = usize, Atomics = Modelled> + Worded,
    K: Protocol<B>,
{
    let at_producer = ring.clone();
    let producer = loom::thread::spawn(move || {
        // SAFETY: the only producer.
        let mut tx = unsafe { K::producer(at_producer) };
        for number in 1..=MESSAGES {
            let slot = loop {
                match tx.claim() {
                    Ok(slot) => break slot,
                    Err(_) => loom::thread::yield_now(),
                }
            };
            for word in tx.body().words(slot) {
                word.store(number, Relaxed);
            }
            // SAFETY: the claimed slot was written.
            unsafe { tx.publish() };
        }
    });
    // SAFETY: the only consumer.
    let mut rx = unsafe { K::consumer(ring) };
    let (mut stale, mut torn) = (false, false);
    for number in 1..=MESSAGES {
        let slot = loop {
            match rx.front() {
                Some(slot) => break slot,
                None => loom::thread::yield_now(),
            }
        };
        let [first, second] = rx
            .body()
            .words(slot)
            .each_ref()
            .map(|word| word.load(Relaxed));
        torn |= first != second;
        stale |= first == second && first != number;
        // SAFETY: the front slot was read.
        unsafe { rx.release() };
    }
    producer.join().unwrap();
    [stale, torn]
}

fn explore<K, B>(make: fn() -> B, limit: Duration) -> Explored
where
    B: Body<Slot = usize, Atomics = Modelled> + Worded,
    K: Protocol<B>,
{
    let explored = Arc::new(Mutex::new(Explored::default()));
    let count = Arc::clone(&explored);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 100_000;
    builder.max_duration = Some(limit);
    builder.checkpoint_interval = 1000;
    let start = Instant::now();
    builder.check(move || {
        let [stale, torn] = pass::<K, B>(make());
        let mut count = count.lock().unwrap();
        count.executions += 1;
        count.stale += u64::from(stale);
        count.torn += u64::from(torn);
    });
    let explored = *explored.lock().unwrap();
    Explored {
        complete: start.elapsed() < limit,
        ..explored
    }
}

/// By index, two slots.
pub fn by_index<E: Edges>(limit: Duration) -> Explored {
    explore::<ByIndex, _>(Shared::<WithEdges<E>, 2, 1, Words>::new, limit)
}

/// By line, two cells of one message.
pub fn by_line<E: Edges>(limit: Duration) -> Explored {
    explore::<ByLine, _>(Shared::<WithEdges<E>, 2, 1, Words>::new, limit)
}
