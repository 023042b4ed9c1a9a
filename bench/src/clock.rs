//! The invariant counter that every kernel reads, its rate, its step and its cost; the twin of `cxx/timing.hpp`.

use anyhow::{ensure, Result};
use std::time::{Duration, Instant};

/// The counter, neither before what precedes it nor after what follows.
#[inline(always)]
pub fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_lfence, _rdtsc};
        // SAFETY: every x86-64 processor has both instructions.
        unsafe {
            _mm_lfence();
            let ticks = _rdtsc();
            _mm_lfence();
            ticks
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: reads the virtual counter, which the kernel lets programs read.
        unsafe { core::arch::asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks) };
        ticks
    }
}

/// The counter, not before what precedes it: what follows need not wait for the reading.
#[inline(always)]
pub fn stamp() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_lfence, _rdtsc};
        // SAFETY: every x86-64 processor has both instructions.
        unsafe {
            _mm_lfence();
            _rdtsc()
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: reads the virtual counter, which the kernel lets programs read.
        unsafe { core::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks) };
        ticks
    }
}

/// The counter without fences, for its step.
fn bare() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    now()
}

/// What is known of the counter.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds in a tick.
    pub ns_per_tick: f64,
    /// The least that two readings differ by, in nanoseconds.
    pub step_ns: f64,
    /// What a reading costs, in nanoseconds.
    pub cost_ns: f64,
}

impl Clock {
    /// Measures the counter against the system's clock.
    ///
    /// # Errors
    ///
    /// If the counter is not invariant: it would not tell time.
    pub fn measure() -> Result<Self> {
        ensure!(
            is_invariant(),
            "this processor's time-stamp counter is not invariant, so nothing can be timed by it"
        );
        let ns_per_tick = rate(Duration::from_millis(100));
        Ok(Self {
            ns_per_tick,
            step_ns: step() * ns_per_tick,
            cost_ns: cost() * ns_per_tick,
        })
    }

    /// Nanoseconds as ticks.
    pub fn ticks(&self, ns: f64) -> u64 {
        (ns / self.ns_per_tick) as u64
    }

    /// Ticks as nanoseconds.
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick
    }
}

/// Whether the counter runs at one rate whatever the processor does.
#[allow(unused_unsafe, reason = "newer compilers know that `cpuid` is safe")]
fn is_invariant() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        const POWER_MANAGEMENT: u32 = 0x8000_0007;
        const INVARIANT: u32 = 1 << 8;
        // SAFETY: every x86-64 processor has the instruction; the leaf is read only if there is one.
        unsafe {
            __cpuid(0x8000_0000).eax >= POWER_MANAGEMENT
                && __cpuid(POWER_MANAGEMENT).edx & INVARIANT != 0
        }
    }
    #[cfg(target_arch = "aarch64")]
    true
}

fn rate(over: Duration) -> f64 {
    let (start, first) = (Instant::now(), now());
    while start.elapsed() < over {}
    let (elapsed, last) = (start.elapsed(), now());
    elapsed.as_nanos() as f64 / (last - first) as f64
}

fn step() -> f64 {
    let mut least = u64::MAX;
    for _ in 0..10_000 {
        let first = bare();
        let difference = bare() - first;
        if difference != 0 {
            least = least.min(difference);
        }
    }
    least as f64
}

fn cost() -> f64 {
    const READINGS: u32 = 10_000;
    let first = now();
    for _ in 0..READINGS {
        std::hint::black_box(now());
    }
    (now() - first) as f64 / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_never_runs_back_and_its_figures_are_of_this_world() {
        let clock = Clock::measure().unwrap();
        let first = now();
        assert!(now() >= first && stamp() >= first);
        assert!(clock.ns_per_tick > 0.0 && clock.step_ns > 0.0 && clock.cost_ns > 0.0);
        assert!((clock.ns(1_000_000) / clock.ns_per_tick - 1e6).abs() < 1.0);
        assert!((clock.ns(clock.ticks(1e6)) - 1e6).abs() < 10.0);
    }
}
