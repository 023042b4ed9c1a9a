//! Batches, copied or made in the queue's own memory.

use super::{touched, Benchmark, BATCH};
use crate::abi::{Line, Run};
use crate::clock::now;
use crate::hint::Relax;
use crate::message::Message;
use crate::queues::{Fill, Push, Queue, Take, Visit};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;

/// A batch is made in an array, copied in, copied out and looked at.
pub struct Copied<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for Copied<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = c"bulk_throughput";
    const FOLLOWED: bool = true;
    type Context = Line<Q>;

    fn create(capacity: usize) -> Self::Context {
        touched(capacity)
    }

    fn lead<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut tx = queue.0.produce();
        let messages = run.messages;
        let mut out = [Message::new(0); BATCH];
        run.await_ready();
        let before = now();
        let mut sequence = 0;
        while sequence < messages {
            for (message, n) in out.iter_mut().zip(0..) {
                *message = Message::new(sequence + n);
            }
            let mut sent = 0;
            while sent < BATCH {
                let count = tx.push_n(&out[sent..]);
                if count == 0 {
                    H::relax();
                }
                sent += count;
            }
            sequence += BATCH as u64;
        }
        run.await_finished();
        run.ticks.store(now() - before, Relaxed);
    }

    fn follow<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut rx = queue.0.consume();
        let messages = run.messages;
        let mut buffer = [Message::new(0); BATCH];
        let mut wrong = 0;
        run.set_ready();
        let mut sequence = 0;
        while sequence < messages {
            let count = rx.pop_n(&mut buffer);
            if count == 0 {
                H::relax();
            }
            for (message, n) in buffer[..count].iter().zip(0..) {
                wrong |= message.differs(sequence + n);
            }
            sequence += count as u64;
        }
        run.set_finished();
        run.wrong_followed.0.store(wrong, Relaxed);
    }
}

/// A batch is made in the queue's own memory and looked at there.
pub struct InPlace<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for InPlace<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
    for<'a> Q::Producer<'a>: Fill,
    for<'a> Q::Consumer<'a>: Visit,
{
    const NAME: &'static CStr = c"bulk_throughput";
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
        let mut sequence = 0;
        while sequence < messages {
            let count = tx.fill(BATCH, sequence);
            if count == 0 {
                H::relax();
            }
            sequence += count as u64;
        }
        run.await_finished();
        run.ticks.store(now() - before, Relaxed);
    }

    fn follow<H: Relax>(queue: &Self::Context, run: &Run) {
        let mut rx = queue.0.consume();
        let messages = run.messages;
        let mut wrong = 0;
        run.set_ready();
        let mut sequence = 0;
        while sequence < messages {
            let count = rx.visit(BATCH, sequence, &mut wrong);
            if count == 0 {
                H::relax();
            }
            sequence += count as u64;
        }
        run.set_finished();
        run.wrong_followed.0.store(wrong, Relaxed);
    }
}
