//! Two producers and a consumer on two cores, each free to run on either.

use crate::abi::{Kernel, Run};
use crate::threads::{free, settle, Crew};
use anyhow::{ensure, Result};
use nix::time::{clock_gettime, ClockId};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// What the three threads share.
struct Shared {
    kernel: Kernel,
    context: *mut c_void,
    run: Run,
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
        self.gate.wait();
    }

    /// Returns what of the two cores' time others had meanwhile: the three threads together leave none of it.
    fn consume(&self) -> f64 {
        self.gate.wait();
        let (wall, charged) = (Instant::now(), processor_time());
        if let Some(consume) = self.kernel.by_hint[0].follow {
            // SAFETY: the context is this kernel's, and this is its one consumer.
            unsafe { consume(self.context, &self.run) };
        }
        let charged = (processor_time() - charged).as_secs_f64();
        let others = 1.0 - charged / (2.0 * wall.elapsed().as_secs_f64());
        self.gate.wait();
        others
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: made by `create` of this kernel, and used no more.
        unsafe { (self.kernel.destroy)(self.context) };
    }
}

/// What all threads of this process were charged so far.
fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// What it took.
    pub ticks: u64,
    /// What of the two cores' time others had meanwhile, as a share.
    pub others: f64,
}

/// Passes so many messages of each of two producers through a queue of that capacity; what that took.
///
/// # Errors
///
/// If a core cannot be had, or what came is not what was sent.
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
    ensure!(wrong == 0, "bits of messages are wrong: {wrong:x}");
    let ticks = shared.run.ticks.load(Ordering::Relaxed);
    Ok(Outcome { ticks, others })
}
