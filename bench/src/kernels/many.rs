//! Two producers and a consumer, every thread yielding when it cannot progress; the twin of `cxx/many.hpp`.

use super::{touched, Benchmark};
use crate::abi::{Line, Run};
use crate::clock::now;
use crate::hint::Relax;
use crate::message::Message;
use crate::queues::{Push, Queue, Take};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::yield_now;

/// How many producers there are.
pub const PRODUCERS: usize = 2;

/// The benchmark's name in the tables of kernels.
pub const NAME: &CStr = c"mpsc_throughput";

/// One message at a time, as fast as they go, over queue `Q`. Each producer leads, the consumer follows and keeps the time. A
/// message's number is its producer's, 32 bits up, and its own among that one's.
pub struct ManyThroughput<Q>(PhantomData<Q>);

/// A queue, and how many producers have come to it.
pub struct Shared<Q> {
    queue: Line<Q>,
    joined: Line<AtomicU64>,
}

impl<Q, const WORDS: usize> Benchmark for ManyThroughput<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = NAME;
    const FOLLOWED: bool = true;
    type Context = Shared<Q>;

    fn create(capacity: usize) -> Self::Context {
        Shared {
            queue: touched(capacity),
            joined: Line(AtomicU64::new(0)),
        }
    }

    fn lead<H: Relax>(shared: &Self::Context, run: &Run) {
        let mut tx = shared.queue.0.produce();
        // A number and nothing else.
        let producer = shared.joined.0.fetch_add(1, Relaxed) % PRODUCERS as u64;
        let first = producer << 32;
        for sequence in first..first + run.messages {
            while !tx.push(sequence) {
                yield_now();
            }
        }
    }

    fn follow<H: Relax>(shared: &Self::Context, run: &Run) {
        let mut rx = shared.queue.0.consume();
        let mut next: [u64; PRODUCERS] = std::array::from_fn(|producer| (producer as u64) << 32);
        let mut left = PRODUCERS as u64 * run.messages;
        let mut wrong = 0;
        let before = now();
        while left > 0 {
            let taken = rx.take(|got| {
                let producer = &mut next[(got.sequence() >> 32) as usize % PRODUCERS];
                wrong |= got.differs(*producer);
                *producer += 1;
            });
            if taken {
                left -= 1;
            } else {
                yield_now();
            }
        }
        run.ticks.store(now() - before, Relaxed);
        run.wrong_followed.0.store(wrong, Relaxed);
    }
}
