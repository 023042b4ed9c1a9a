//! The clocks that there are, each as a type, so that a loop over one has it inlined.

use crate::clock::{self, Clock};
use nix::time::{clock_gettime, ClockId};

/// A clock.
pub trait Source {
    /// What it is called.
    const NAME: &'static str;
    /// Whether it counts nanoseconds, and not the invariant counter's ticks.
    const IN_NS: bool = false;

    /// A reading.
    fn now() -> u64;

    /// Nanoseconds in one of its units.
    fn ns_per_unit(clock: &Clock) -> f64 {
        if Self::IN_NS {
            1.0
        } else {
            clock.ns_per_tick
        }
    }
}

/// The invariant counter, fenced before and after: how the kernels time themselves.
pub struct Fenced;

impl Source for Fenced {
    #[cfg(target_arch = "x86_64")]
    const NAME: &'static str = "lfence; rdtsc; lfence";
    #[cfg(target_arch = "aarch64")]
    const NAME: &'static str = "isb; cntvct_el0; isb";

    #[inline(always)]
    fn now() -> u64 {
        clock::now()
    }
}

/// The invariant counter, fenced before only: how the kernels stamp a message.
pub struct FencedBefore;

impl Source for FencedBefore {
    #[cfg(target_arch = "x86_64")]
    const NAME: &'static str = "lfence; rdtsc";
    #[cfg(target_arch = "aarch64")]
    const NAME: &'static str = "isb; cntvct_el0";

    #[inline(always)]
    fn now() -> u64 {
        clock::stamp()
    }
}

/// The invariant counter, not fenced.
pub struct Plain;

#[cfg(target_arch = "x86_64")]
mod counter {
    use super::{Plain, Source};
    use core::arch::x86_64::{__rdtscp, _rdtsc};

    impl Source for Plain {
        const NAME: &'static str = "rdtsc";

        #[inline(always)]
        fn now() -> u64 {
            // SAFETY: every x86-64 processor has the instruction.
            unsafe { _rdtsc() }
        }
    }

    /// Waits for what precedes it, not for stores, and holds nothing back that follows.
    pub struct Rdtscp;

    impl Source for Rdtscp {
        const NAME: &'static str = "rdtscp";

        #[inline(always)]
        fn now() -> u64 {
            let mut core = 0;
            // SAFETY: every processor with an invariant counter has the instruction, and `Clock` refuses others.
            unsafe { __rdtscp(&raw mut core) }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub use counter::Rdtscp;

#[cfg(target_arch = "aarch64")]
mod counter {
    use super::{Plain, Source};
    use core::arch::asm;

    impl Source for Plain {
        const NAME: &'static str = "cntvct_el0";

        #[inline(always)]
        fn now() -> u64 {
            let ticks: u64;
            // SAFETY: reads the virtual counter, which the kernel lets programs read.
            unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks) };
            ticks
        }
    }
}

/// The system's clock, kept in step with the world's.
pub struct Monotonic;

/// The system's clock as the hardware has it.
pub struct MonotonicRaw;

impl Source for Monotonic {
    const NAME: &'static str = "CLOCK_MONOTONIC";
    const IN_NS: bool = true;

    #[inline(always)]
    fn now() -> u64 {
        system(ClockId::CLOCK_MONOTONIC)
    }
}

impl Source for MonotonicRaw {
    const NAME: &'static str = "CLOCK_MONOTONIC_RAW";
    const IN_NS: bool = true;

    #[inline(always)]
    fn now() -> u64 {
        system(ClockId::CLOCK_MONOTONIC_RAW)
    }
}

#[inline(always)]
fn system(clock: ClockId) -> u64 {
    const NS_PER_S: u64 = 1_000_000_000;
    // Linux has had both clocks since 2.6.28.
    let time = clock_gettime(clock).expect("the system has this clock");
    time.tv_sec() as u64 * NS_PER_S + time.tv_nsec() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// What a clock makes of 20 ms, in nanoseconds.
    fn elapsed<S: Source>(clock: &Clock) -> f64 {
        let before = S::now();
        std::thread::sleep(Duration::from_millis(20));
        (S::now() - before) as f64 * S::ns_per_unit(clock)
    }

    #[test]
    fn every_clock_tells_nanoseconds() {
        let clock = Clock::measure().unwrap();
        let mut all = vec![
            elapsed::<Plain>(&clock),
            elapsed::<FencedBefore>(&clock),
            elapsed::<Fenced>(&clock),
            elapsed::<Monotonic>(&clock),
            elapsed::<MonotonicRaw>(&clock),
        ];
        #[cfg(target_arch = "x86_64")]
        all.push(elapsed::<Rdtscp>(&clock));
        // At least what was slept, whatever the machine does beside.
        assert!(all.iter().all(|&ns| ns > 19e6), "{all:?}");
    }
}
