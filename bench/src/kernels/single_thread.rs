//! What a queue costs when nobody is at its other end.

use super::{touched, Benchmark};
use crate::abi::{Line, Run};
use crate::clock::now;
use crate::hint::Relax;
use crate::message::Message;
use crate::queues::{Push, Queue, Take};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;

/// Push and pop by turns on one thread.
pub struct SingleThread<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for SingleThread<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = c"single_thread";
    const FOLLOWED: bool = false;
    type Context = Line<Q>;

    fn create(capacity: usize) -> Self::Context {
        touched(capacity)
    }

    fn lead<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut tx = queue.0.produce();
        let mut rx = queue.0.consume();
        let messages = run.messages;
        let mut wrong = 0;
        let before = now();
        for sequence in 0..messages {
            let pushed = tx.push(sequence);
            let taken = rx.take(|got| wrong |= got.differs(sequence));
            wrong |= u64::from(!pushed | !taken);
        }
        run.ticks.store(now() - before, Relaxed);
        run.wrong_led.store(wrong, Relaxed);
    }

    fn follow<H: Relax>(_: &Self::Context, _: &Run) {}
}

/// What it costs to find nothing.
pub struct PopEmpty<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for PopEmpty<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = c"pop_empty";
    const FOLLOWED: bool = false;
    type Context = Line<Q>;

    fn create(capacity: usize) -> Self::Context {
        touched(capacity)
    }

    fn lead<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut rx = queue.0.consume();
        let messages = run.messages;
        let mut wrong = 0;
        let before = now();
        for _ in 0..messages {
            wrong |= u64::from(rx.take(|_| {}));
        }
        run.ticks.store(now() - before, Relaxed);
        run.wrong_led.store(wrong, Relaxed);
    }

    fn follow<H: Relax>(_: &Self::Context, _: &Run) {}
}
