//! A message at a time, sent on a schedule whether or not the reader keeps up.

use super::{touched, Benchmark};
use crate::abi::{Line, Run};
use crate::clock::stamp;
use crate::hint::Relax;
use crate::message::Message;
use crate::queues::{Push, Queue, Take};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Over queue `Q`.
pub struct OneWay<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for OneWay<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = c"one_way";
    const FOLLOWED: bool = true;
    type Context = Line<Q>;

    fn create(capacity: usize) -> Self::Context {
        touched(capacity)
    }

    fn lead<H: Relax>(queue: &Self::Context, run: &Run) {
        if run.pace.reversed == 0 {
            produce::<_, _, H>(&queue.0, run);
        } else {
            consume::<Q, H, WORDS>(&queue.0, run, &run.wrong_led);
        }
    }

    fn follow<H: Relax>(queue: &Self::Context, run: &Run) {
        if run.pace.reversed == 0 {
            consume::<Q, H, WORDS>(&queue.0, run, &run.wrong_followed.0);
        } else {
            produce::<_, _, H>(&queue.0, run);
        }
    }
}

/// Sends each message when it is due. One that finds the queue full is counted as dropped, and sent when it fits, so that the
/// reader does not wait for it in vain.
#[inline(always)]
fn produce<M, Q: Queue<M>, H: Relax>(queue: &Q, run: &Run) {
    let mut tx = queue.produce();
    let pace = run.pace;
    let mut dropped = 0;
    run.await_ready();
    let mut due = stamp() + pace.period;
    for sequence in 0..run.messages {
        let mut sent = stamp();
        while sent < due {
            sent = stamp();
        }
        if !tx.push(sequence) {
            dropped += 1;
            while !tx.push(sequence) {
                H::relax();
            }
        }
        // SAFETY: `sequence` is below `messages`, and the harness keeps the slice alive during the run.
        unsafe { run.keep(sequence, pace.counted_from(due, sent)) };
        due += pace.period;
    }
    run.dropped.store(dropped, Relaxed);
}

#[inline(always)]
fn consume<Q, H, const WORDS: usize>(queue: &Q, run: &Run, into: &AtomicU64)
where
    Q: Queue<Message<WORDS>>,
    H: Relax,
{
    let mut rx = queue.consume();
    let mut wrong = 0;
    run.set_ready();
    for sequence in 0..run.messages {
        while !rx.take(|got| wrong |= got.differs(sequence)) {
            H::relax();
        }
        // SAFETY: as in `produce`.
        unsafe { run.keep_arrival(sequence, stamp()) };
    }
    into.store(wrong, Relaxed);
}
