//! The clock of a queue's users.

use gimmal::wait::{At, Clock};
use std::time::{Duration, Instant};

/// The clock of both ends: nanoseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Ticks(Instant);

impl Ticks {
    /// Starts a clock.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Nanoseconds since the start.
    pub fn now(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    /// A deadline in so long a time.
    pub fn after(&self, time: Duration) -> At<impl Clock> {
        let clock = *self;
        At::after(time.as_nanos() as u64, move || clock.now())
    }
}
