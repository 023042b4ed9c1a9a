//! What the harness and the kernels agree on; the twin of `cxx/abi.hpp`.

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Two lines: processors fetch them in pairs.
#[derive(Default)]
#[repr(C, align(128))]
pub struct Line<T>(pub T);

/// The schedule of `one_way`, in ticks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// From one message to the next.
    pub period: u64,
    /// By how much a message may be sent late without that being anybody's doing: the step of the loop that waits for its time.
    pub grain: u64,
    /// Not 0: the follower produces.
    pub reversed: u64,
}

impl Pace {
    /// Where a message's latency begins: when it was sent, but when it was due if its producer came to it late, so that a
    /// queue that holds up the producer is not excused from what it held up.
    #[inline(always)]
    pub const fn counted_from(&self, due: u64, sent: u64) -> u64 {
        if sent.wrapping_sub(due) > self.grain {
            due
        } else {
            sent
        }
    }
}

/// One run of a kernel, shared by the thread that leads and the one that follows.
#[repr(C)]
pub struct Run {
    /// How many messages pass.
    pub messages: u64,
    /// How many of them make one sample of `round_trip`.
    pub batch: u64,
    /// Where `round_trip` puts its samples in ticks: `messages / batch` of them.
    pub samples: *const AtomicU64,
    /// From the first message to the last, in ticks.
    pub ticks: AtomicU64,
    /// Bits that differed between what came and what should have, at the leader.
    pub wrong_led: AtomicU64,
    /// The schedule of `one_way`.
    pub pace: Pace,
    /// Where `one_way` puts when each message arrived; when its latency begins is in `samples`.
    pub arrivals: *const AtomicU64,
    /// Messages of `one_way` that found the queue full.
    pub dropped: AtomicU64,
    /// The same as `wrong_led` at the follower.
    pub wrong_followed: Line<AtomicU64>,
    ready: Line<AtomicU32>,
    finished: Line<AtomicU32>,
}

// SAFETY: `samples` and `arrivals` point at atomics.
unsafe impl Sync for Run {}

impl Run {
    /// A run that puts its samples, one for each `batch` messages, in `samples`.
    ///
    /// # Panics
    ///
    /// If `samples` is too short.
    pub fn new(messages: u64, batch: u64, samples: &[AtomicU64]) -> Self {
        assert!(
            samples.len() as u64 >= messages / batch,
            "too few places for the samples"
        );
        Self {
            messages,
            batch,
            samples: samples.as_ptr(),
            ticks: AtomicU64::new(0),
            wrong_led: AtomicU64::new(0),
            pace: Pace::default(),
            arrivals: std::ptr::null(),
            dropped: AtomicU64::new(0),
            wrong_followed: Line(AtomicU64::new(0)),
            ready: Line(AtomicU32::new(0)),
            finished: Line(AtomicU32::new(0)),
        }
    }

    /// A run on a schedule, which puts where each message's latency begins and ends in `starts` and `arrivals`.
    ///
    /// # Panics
    ///
    /// If either is too short.
    pub fn paced(messages: u64, pace: Pace, starts: &[AtomicU64], arrivals: &[AtomicU64]) -> Self {
        assert!(
            arrivals.len() as u64 >= messages,
            "too few places for the arrivals"
        );
        Self {
            pace,
            arrivals: arrivals.as_ptr(),
            ..Self::new(messages, 1, starts)
        }
    }

    /// The follower is in place: the clock may start.
    pub fn set_ready(&self) {
        // Pairs with the Acquire in `await_ready`, in either language.
        self.ready.0.store(1, Ordering::Release);
    }

    /// Waits for the follower to be in place.
    pub fn await_ready(&self) {
        // Pairs with the Release in `set_ready`.
        while self.ready.0.load(Ordering::Acquire) == 0 {}
    }

    /// The follower has everything: the clock may stop.
    pub fn set_finished(&self) {
        // Pairs with the Acquire in `await_finished`.
        self.finished.0.store(1, Ordering::Release);
    }

    /// Waits for the follower to have everything.
    pub fn await_finished(&self) {
        // Pairs with the Release in `set_finished`.
        while self.finished.0.load(Ordering::Acquire) == 0 {}
    }

    /// Keeps sample number `index`.
    ///
    /// # Safety
    ///
    /// `index` is below `messages / batch`, and the slice that the run was made with is alive.
    pub unsafe fn keep(&self, index: u64, ticks: u64) {
        // SAFETY: `new` made sure of this many places, and the caller vouches for the rest.
        let place = unsafe { &*self.samples.add(index as usize) };
        // Read after the run, which ends by an acquire.
        place.store(ticks, Ordering::Relaxed);
    }

    /// Keeps when message number `index` arrived.
    ///
    /// # Safety
    ///
    /// The run is paced, `index` is below `messages`, and the slice that the run was made with is alive.
    pub unsafe fn keep_arrival(&self, index: u64, ticks: u64) {
        // SAFETY: `paced` made sure of this many places, and the caller vouches for the rest.
        let place = unsafe { &*self.arrivals.add(index as usize) };
        // Read after the run, which ends by an acquire.
        place.store(ticks, Ordering::Relaxed);
    }
}

/// One thread's part of a kernel.
pub type Side = unsafe extern "C" fn(context: *mut c_void, run: *const Run);

/// What the two threads do; a kernel for one thread has no follower.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// On the thread that keeps the time.
    pub lead: Side,
    /// On the other.
    pub follow: Option<Side>,
}

/// One kernel for one queue, one size of message, and one capacity or any (0).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The queue's id.
    pub queue: *const c_char,
    /// The benchmark's name.
    pub benchmark: *const c_char,
    /// Bytes of a message.
    pub payload: u32,
    /// The capacity that it is for, or 0.
    pub capacity: u32,
    /// Makes the queues, their memory touched.
    pub create: unsafe extern "C" fn(capacity: usize) -> *mut c_void,
    /// Takes back what `create` gave.
    pub destroy: unsafe extern "C" fn(context: *mut c_void),
    /// In the order of [`crate::hint::Hint`].
    pub by_hint: [Sides; 3],
}

// SAFETY: the strings are constants, and the functions may be called from any thread.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

/// A list of kernels, as the C++ side hands it over.
#[repr(C)]
pub struct Kernels {
    /// The first of them.
    pub first: *const Kernel,
    /// How many there are.
    pub count: usize,
}

const _: () = assert!(
    size_of::<Run>() == 4 * 128 && align_of::<Run>() == 128,
    "laid out as in cxx/abi.hpp"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_counts_from_the_schedule_and_the_clocks_step_does_not() {
        let pace = Pace {
            grain: 50,
            ..Pace::default()
        };
        assert_eq!(pace.counted_from(1000, 1000), 1000);
        assert_eq!(pace.counted_from(1000, 1050), 1050);
        assert_eq!(pace.counted_from(1000, 1051), 1000);
        assert_eq!(pace.counted_from(1000, 9000), 1000);
        // A counter may wrap.
        assert_eq!(pace.counted_from(u64::MAX, 9), 9);
        assert_eq!(pace.counted_from(u64::MAX, 99), u64::MAX);
    }
}
