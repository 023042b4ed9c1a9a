//! There through one queue and back through another.

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
pub struct RoundTrip<Q>(PhantomData<Q>);

impl<Q, const WORDS: usize> Benchmark for RoundTrip<(Message<WORDS>, Q)>
where
    Q: Queue<Message<WORDS>>,
{
    const NAME: &'static CStr = c"round_trip";
    const FOLLOWED: bool = true;
    type Context = [Line<Q>; 2];

    fn create(capacity: usize) -> Self::Context {
        [touched(capacity), touched(capacity)]
    }

    fn lead<H: Relax>([there, back]: &Self::Context, run: &Run) {
        let mut tx = there.0.produce();
        let mut rx = back.0.consume();
        let mut sequence = 0;
        let mut wrong = 0;
        let per_sample = run.batch;
        run.await_ready();
        let mut before = now();
        for sample in 0..run.messages / per_sample {
            for _ in 0..per_sample {
                while !tx.push(sequence) {
                    H::relax();
                }
                while !rx.take(|got| wrong |= got.differs(sequence)) {
                    H::relax();
                }
                sequence += 1;
            }
            let after = now();
            // SAFETY: `sample` is below messages / batch, and the harness keeps the slice alive during the run.
            unsafe { run.keep(sample, after - before) };
            before = after;
        }
        run.wrong_led.store(wrong, Relaxed);
    }

    fn follow<H: Relax>([there, back]: &Self::Context, run: &Run) {
        let mut rx = there.0.consume();
        let mut tx = back.0.produce();
        let mut wrong = 0;
        run.set_ready();
        for sequence in 0..run.messages / run.batch * run.batch {
            while !rx.take(|got| wrong |= got.differs(sequence)) {
                H::relax();
            }
            while !tx.push(sequence) {
                H::relax();
            }
        }
        run.wrong_followed.0.store(wrong, Relaxed);
    }
}
