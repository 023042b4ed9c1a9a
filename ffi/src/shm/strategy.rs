//! Waiting across processes with the strategies of `gimmal_wait_t`.

use std::time::{Duration, Instant};

use gimmal::wait::{Bell, Deadline, Notify};

use crate::status::*;
use crate::wait::{gimmal_wait_t, State, GIMMAL_WAIT_FOREVER};

impl gimmal_wait_t {
    /// That the strategy was initialised, and does not sleep where no other process can wake it.
    fn crosses(&self) -> Result<(), gimmal_status_t> {
        if self.is_known() && !self.wakes_within_process() {
            Ok(())
        } else {
            Err(GIMMAL_BAD_STRATEGY)
        }
    }
}

/// The strategy by which a segment's end wakes the other.
///
/// # Safety
/// `wait` is NULL or a strategy.
pub(super) unsafe fn waking<'a>(
    wait: *const gimmal_wait_t,
) -> Result<&'a gimmal_wait_t, gimmal_status_t> {
    // SAFETY: the caller's word.
    let wait = unsafe { wait.as_ref() }.ok_or(GIMMAL_NULL_POINTER)?;
    wait.crosses().map(|()| wait)
}

/// The strategy by which a segment's end waits.
///
/// # Safety
/// `wait` is NULL or a strategy that nobody else uses.
pub(super) unsafe fn waiting<'a>(
    wait: *mut gimmal_wait_t,
) -> Result<&'a mut State, gimmal_status_t> {
    // SAFETY: the caller's word.
    let wait = unsafe { wait.as_mut() }.ok_or(GIMMAL_NULL_POINTER)?;
    wait.crosses()?;
    // SAFETY: the strategy was initialised.
    unsafe { wait.state() }
}

impl Notify for gimmal_wait_t {
    fn is_reached(&self) -> bool {
        self.reached != 0
    }

    fn wake(&self, bell: Bell<'_>) {
        if let Some(wake) = self.wake {
            // SAFETY: `gimmal_wait_init` was promised a function that may be called with this context; the bell is a word.
            unsafe { wake(self.context, super::word(bell)) };
        }
    }
}

/// When a wait ends, by the system's clock.
pub(super) enum Until {
    Forever,
    At(Instant),
}

impl Until {
    pub fn after(nanoseconds: u64) -> Self {
        if nanoseconds == GIMMAL_WAIT_FOREVER {
            return Self::Forever;
        }
        // A time that no clock will show is as good as never.
        Instant::now()
            .checked_add(Duration::from_nanos(nanoseconds))
            .map_or(Self::Forever, Self::At)
    }
}

impl Deadline for Until {
    fn left(&mut self) -> u64 {
        match self {
            Self::Forever => u64::MAX,
            Self::At(at) => {
                let left = at.saturating_duration_since(Instant::now()).as_nanos();
                u64::try_from(left).unwrap_or(u64::MAX)
            }
        }
    }
}
