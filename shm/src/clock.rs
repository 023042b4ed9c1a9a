//! The clock of heartbeats.

use rustix::time::{clock_gettime, ClockId};

/// The ticks are nanoseconds: the kernel's coarse clock, which no step of the wall clock moves and every process reads alike. It
/// moves some hundred times a second and costs a few nanoseconds to read.
pub(crate) const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// Now.
pub(crate) fn tick() -> u64 {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    now.tv_sec as u64 * TICKS_PER_SECOND + now.tv_nsec as u64
}
