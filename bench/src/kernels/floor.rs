//! The least round trip between the two processors: a number goes there and back, with no queue between. It is the twin
//! of `cxx/adapters/floor.cpp`: where the two differ, so would everything else that the two languages are compared on.

use super::{entry, Benchmark};
use crate::abi::{Kernel, Line, Run};
use crate::clock::now;
use crate::hint::Relax;
use std::ffi::CStr;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the numbers are put.
pub trait Lines: Default + Sync {
    /// For the leader's.
    fn there(&self) -> &AtomicU64;
    /// For the follower's.
    fn back(&self) -> &AtomicU64;
}

/// A line for each direction.
#[derive(Default)]
pub struct TwoLines {
    there: Line<AtomicU64>,
    back: Line<AtomicU64>,
}

/// Both directions through one line: it changes hands with every message.
#[derive(Default)]
pub struct OneLine(Line<[AtomicU64; 2]>);

impl Lines for TwoLines {
    fn there(&self) -> &AtomicU64 {
        &self.there.0
    }

    fn back(&self) -> &AtomicU64 {
        &self.back.0
    }
}

impl Lines for OneLine {
    fn there(&self) -> &AtomicU64 {
        &self.0 .0[0]
    }

    fn back(&self) -> &AtomicU64 {
        &self.0 .0[1]
    }
}

/// The bare round trip; messages count from 1, since memory begins at 0.
pub struct Bare<L>(PhantomData<L>);

impl<L: Lines> Benchmark for Bare<L> {
    const NAME: &'static CStr = c"round_trip";
    const FOLLOWED: bool = true;
    type Context = L;

    fn create(_: usize) -> Self::Context {
        L::default()
    }

    fn lead<H: Relax>(lines: &Self::Context, run: &Run) {
        let (there, back) = (lines.there(), lines.back());
        let mut sequence = back.load(Ordering::Relaxed);
        let per_sample = run.batch;
        run.await_ready();
        let mut before = now();
        for sample in 0..run.messages / per_sample {
            for _ in 0..per_sample {
                sequence += 1;
                // Pairs with the Acquire in the follower.
                there.store(sequence, Ordering::Release);
                // Pairs with the Release in the follower.
                while back.load(Ordering::Acquire) != sequence {
                    H::relax();
                }
            }
            let after = now();
            // SAFETY: `sample` is below messages / batch, and the harness keeps the slice alive during the run.
            unsafe { run.keep(sample, after - before) };
            before = after;
        }
    }

    fn follow<H: Relax>(lines: &Self::Context, run: &Run) {
        let (there, back) = (lines.there(), lines.back());
        let mut sequence = back.load(Ordering::Relaxed);
        run.set_ready();
        for _ in 0..run.messages / run.batch * run.batch {
            sequence += 1;
            // Pairs with the Release in the leader.
            while there.load(Ordering::Acquire) != sequence {
                H::relax();
            }
            // Pairs with the Acquire in the leader.
            back.store(sequence, Ordering::Release);
        }
    }
}

/// The bare round trips.
pub const KERNELS: [Kernel; 2] = [
    entry::<Bare<OneLine>>(c"floor-rust-one", 8),
    entry::<Bare<TwoLines>>(c"floor-rust-two", 8),
];
