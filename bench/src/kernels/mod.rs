//! The benchmarks, one kernel each, over any queue that has an adapter; the twin of `cxx/kernel.hpp`.

pub mod bulk;
pub mod floor;
pub mod many;
pub mod one_way;
pub mod round_trip;
pub mod single_thread;
pub mod throughput;

use crate::abi::{Kernel, Line, Run, Side, Sides};
use crate::hint::{LfenceHint, NoHint, PauseHint, Relax};
use crate::queues::{Push, Queue, Take};
use std::ffi::{c_void, CStr};

/// The messages that a bulk operation is asked for at most.
pub const BATCH: usize = 32;

/// A benchmark over some queue.
pub trait Benchmark {
    /// Its name.
    const NAME: &'static CStr;
    /// Whether it takes a second thread.
    const FOLLOWED: bool;
    /// What the two threads share.
    type Context: Sync;

    /// Makes the queues, their memory touched.
    fn create(capacity: usize) -> Self::Context;
    /// On the thread that keeps the time.
    fn lead<H: Relax>(context: &Self::Context, run: &Run);
    /// On the other.
    fn follow<H: Relax>(context: &Self::Context, run: &Run);
}

/// The entry of benchmark `B` for the table.
pub const fn entry<B: Benchmark>(queue: &'static CStr, payload: usize) -> Kernel {
    Kernel {
        queue: queue.as_ptr(),
        benchmark: B::NAME.as_ptr(),
        payload: payload as u32,
        capacity: 0,
        create: create::<B>,
        destroy: destroy::<B>,
        by_hint: [
            sides::<B, NoHint>(),
            sides::<B, PauseHint>(),
            sides::<B, LfenceHint>(),
        ],
    }
}

const fn sides<B: Benchmark, H: Relax>() -> Sides {
    let follow: Option<Side> = if B::FOLLOWED {
        Some(follow::<B, H>)
    } else {
        None
    };
    Sides {
        lead: lead::<B, H>,
        follow,
    }
}

unsafe extern "C" fn create<B: Benchmark>(capacity: usize) -> *mut c_void {
    Box::into_raw(Box::new(B::create(capacity))).cast()
}

unsafe extern "C" fn destroy<B: Benchmark>(context: *mut c_void) {
    // SAFETY: the harness gives back what `create` of the same kernel gave, once.
    drop(unsafe { Box::from_raw(context.cast::<B::Context>()) });
}

unsafe extern "C" fn lead<B: Benchmark, H: Relax>(context: *mut c_void, run: *const Run) {
    // SAFETY: the harness passes what `create` gave, and a run that outlives the call; both are shared only.
    let (context, run) = unsafe { (&*context.cast::<B::Context>(), &*run) };
    B::lead::<H>(context, run);
}

unsafe extern "C" fn follow<B: Benchmark, H: Relax>(context: *mut c_void, run: *const Run) {
    // SAFETY: as in `lead`.
    let (context, run) = unsafe { (&*context.cast::<B::Context>(), &*run) };
    B::follow::<H>(context, run);
}

/// One queue on lines of its own, its memory touched.
pub fn touched<M, Q: Queue<M>>(capacity: usize) -> Line<Q> {
    let queue = Q::with_capacity(capacity);
    {
        // Every place that the queue has is passed at least once.
        let mut tx = queue.produce();
        let mut rx = queue.consume();
        for sequence in 0..2 * capacity as u64 + 64 {
            while !tx.push(sequence) {}
            while !rx.take(|_| {}) {}
        }
    }
    Line(queue)
}
