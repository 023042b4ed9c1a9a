//! The sleeper's half of the doorbell: arm, look once more, sleep, disarm.

use super::{Bell, Deadline, LONGEST_SLEEP};
use crate::sync::{Atomics, Native};

/// What sleeps behind a bell. Public for the models.
pub trait Sleeper<A: Atomics = Native> {
    /// Arms the bell, so that whoever publishes later sees it armed or is seen.
    fn arm(&mut self, bell: Bell<'_, A>);
    /// Sleeps until woken, `nanoseconds` at most, and not at all if the bell was rung since it was armed.
    fn sleep(&mut self, bell: Bell<'_, A>, nanoseconds: u64);
    /// Disarms the bell.
    fn disarm(&mut self, bell: Bell<'_, A>);
}

/// Polls, and sleeps between polls.
#[inline]
pub fn asleep<A: Atomics, R>(
    sleeper: &mut impl Sleeper<A>,
    bell: Bell<'_, A>,
    deadline: &mut impl Deadline,
    mut poll: impl FnMut() -> Option<R>,
) -> Option<R> {
    loop {
        if let Some(found) = poll() {
            return Some(found);
        }
        let left = deadline.left();
        if left == 0 {
            return None;
        }
        sleeper.arm(bell);
        // What was published by somebody who did not see the bell armed is seen now.
        let found = poll();
        if found.is_none() {
            sleeper.sleep(bell, left.min(LONGEST_SLEEP));
        }
        sleeper.disarm(bell);
        if found.is_some() {
            return found;
        }
    }
}
