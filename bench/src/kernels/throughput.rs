//! One message at a time, as fast as they go.

use super::{touched, Benchmark};
use crate::abi::{Line, Run};
use crate::clock::now;
use crate::hint::Relax;
use crate::message::Message;
use crate::queues::{Push, Queue, Take};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;

/// Over queue `Q`.
pub struct Throughput<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for Throughput<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = c"throughput";
    const FOLLOWED: bool = true;
    type Context = Line<Q>;

    fn create(capacity: usize) -> Self::Context {
        touched(capacity)
    }

    fn lead<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut tx = queue.0.produce();
        let messages = run.messages;
        run.await_ready();
        let before = now();
        for sequence in 0..messages {
            while !tx.push(sequence) {
                H::relax();
            }
        }
        run.await_finished();
        run.ticks.store(now() - before, Relaxed);
    }

    fn follow<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut rx = queue.0.consume();
        let messages = run.messages;
        let mut wrong = 0;
        run.set_ready();
        for sequence in 0..messages {
            while !rx.take(|got| wrong |= got.differs(sequence)) {
                H::relax();
            }
        }
        run.set_finished();
        run.wrong_followed.0.store(wrong, Relaxed);
    }
}
