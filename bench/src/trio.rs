//! Two producers and a consumer on two cores, each free to run on either.

use crate::abi::{Kernel, Run};
use crate::threads::{free, settle, Crew};
use anyhow::Result;
use nix::time::{clock_gettime, ClockId};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the three threads share.
struct Shared {
    kernel: Kernel,
    context: *mut c_void,
    run: Run,
    /// What the process had been charged and what time it was when the second thread was done: until then two at least had something
    /// to do, and left neither core to others.
    filled: Mutex<Filled>,
    /// Where all meet before the run and after it. Who is done sleeps here: a thread that spun on its core, as the crew's do
    /// between jobs, would keep under SCHED_FIFO whoever is queued there from ever running.
    gate: Barrier,
}

// SAFETY: a kernel's sides take its context from any thread, and the context outlives the threads.
unsafe impl Sync for Shared {}

impl Shared {
    fn produce(&self) {
        self.gate.wait();
        // SAFETY: the context is this kernel's; as many producers come as it is for.
        unsafe { (self.kernel.by_hint[0].lead)(self.context, &self.run) };
        self.filled().one_done();
        self.gate.wait();
    }

    /// Returns what of the two cores' time others had while two threads at least were at work. A queue with no bound lets the producers
    /// finish early, and then one core is idle with nobody to blame.
    fn consume(&self) -> f64 {
        self.gate.wait();
        let start = Moment::now();
        if let Some(consume) = self.kernel.by_hint[0].follow {
            // SAFETY: the context is this kernel's, and this is its one consumer.
            unsafe { consume(self.context, &self.run) };
        }
        self.filled().one_done();
        self.gate.wait();
        self.filled().end.map_or(0.0, |end| end.left_since(start))
    }

    fn filled(&self) -> MutexGuard<'_, Filled> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A point in time, and what all threads of this process were charged until then.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Instant,
    charged: Duration,
}

impl Moment {
    fn now() -> Self {
        Self {
            charged: clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
                .map_or(Duration::ZERO, Duration::from),
            time: Instant::now(),
        }
    }

    /// What this process left of two cores' time since `start`, as a share: none of it where `start` was later.
    fn left_since(self, start: Self) -> f64 {
        let charged = self.charged.saturating_sub(start.charged).as_secs_f64();
        let both = 2.0
            * self
                .time
                .saturating_duration_since(start.time)
                .as_secs_f64();
        if both > 0.0 {
            1.0 - charged / both
        } else {
            0.0
        }
    }
}

/// Until when the threads filled both cores.
#[derive(Debug, Default)]
struct Filled {
    done: u32,
    end: Option<Moment>,
}

impl Filled {
    fn one_done(&mut self) {
        self.done += 1;
        if self.done == 2 {
            self.end = Some(Moment::now());
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: made by `create` of this kernel, and used no more.
        unsafe { (self.kernel.destroy)(self.context) };
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// What it took.
    pub ticks: u64,
    /// What of the two cores' time others had meanwhile, as a share.
    pub others: f64,
    /// The bits in which messages differed from those that were due.
    pub wrong: u64,
}

/// Passes so many messages of each of two producers through a queue of that capacity; what that took.
///
/// # Errors
///
/// If a core cannot be had.
pub fn run(
    crew: &mut Crew,
    cores: [usize; 2],
    kernel: &Kernel,
    capacity: u32,
    each: u64,
) -> Result<Outcome> {
    // SAFETY: the table's functions take any capacity that the kernel is for.
    let context = unsafe { (kernel.create)(capacity as usize) };
    let sample = [AtomicU64::new(0)];
    let shared = Shared {
        kernel: *kernel,
        context,
        run: Run::new(each, each, &sample),
        filled: Mutex::default(),
        gate: Barrier::new(3),
    };
    let (mut led, mut followed) = (Ok(()), Ok(()));
    let mut others = 0.0;
    let third = std::thread::scope(|scope| {
        let third = scope.spawn(|| {
            let outcome = free(&cores);
            shared.produce();
            outcome
        });
        // The two threads of the crew are set free for this, and then go back to their cores.
        crew.both(
            || {
                led = free(&cores);
                others = shared.consume();
                led = std::mem::replace(&mut led, Ok(())).and(settle(cores[0]));
            },
            || {
                followed = free(&cores);
                shared.produce();
                followed = std::mem::replace(&mut followed, Ok(())).and(settle(cores[1]));
            },
        );
        third.join()
    });
    led.and(followed)?;
    third.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    // Relaxed: written by this thread.
    let wrong = shared.run.wrong_followed.0.load(Ordering::Relaxed);
    let ticks = shared.run.ticks.load(Ordering::Relaxed);
    Ok(Outcome {
        ticks,
        others,
        wrong,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_idle_after_two_are_done_is_nobodys_doing() {
        let start = Moment::now();
        let at = |wall, charged| Moment {
            time: start.time + Duration::from_millis(wall),
            charged: start.charged + Duration::from_millis(charged),
        };
        assert!(at(10, 20).left_since(start).abs() < 1e-9);
        assert!((at(10, 15).left_since(start) - 0.25).abs() < 1e-9);
        assert_eq!(start.left_since(at(10, 20)), 0.0);

        let mut filled = Filled::default();
        filled.one_done();
        assert!(filled.end.is_none(), "two are still at work");
        filled.one_done();
        let end = filled.end.expect("two are done").time;
        filled.one_done();
        assert_eq!(filled.end.map(|end| end.time), Some(end));
    }
}
