//! Sleeping and waking by functions of the user: an RTOS's semaphore or notification, `WFI` and an interrupt.

use super::sleeper::{asleep, Sleeper};
use super::{Bell, Deadline, Notify, Wait};

/// Sleeps in a function of yours, which gets the nanoseconds that it may sleep at most and returns when it was woken, when
/// these have passed, or for no reason.
///
/// A wake that comes after the bell was armed and before the function sleeps must end the sleep at once: a binary semaphore
/// or a task notification does so, and so does `WFI` with interrupts masked around it.
///
/// ```
/// use gimmal::wait::{Sleep, Wake};
/// use gimmal::Ring;
/// use std::time::Duration;
///
/// static RING: Ring<u32, 4> = Ring::new();
///
/// let (mut tx, mut rx) = RING.split().unwrap();
/// let consumer = std::thread::spawn(move || {
///     let mut sleep = Sleep::new(|ns| std::thread::park_timeout(Duration::from_nanos(ns)));
///     rx.pop_wait(&mut sleep)
/// });
/// let wake = Wake::new(|| consumer.thread().unpark());
/// tx.push_notify(7, &wake).unwrap();
/// assert_eq!(consumer.join().unwrap(), Ok(7));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sleep<F>(F);

impl<F: FnMut(u64)> Sleep<F> {
    /// Sleeps by this function.
    pub const fn new(function: F) -> Self {
        Self(function)
    }
}

impl<F: FnMut(u64)> Sleeper for Sleep<F> {
    fn arm(&mut self, bell: Bell<'_>) {
        bell.arm();
    }

    fn sleep(&mut self, _: Bell<'_>, nanoseconds: u64) {
        (self.0)(nanoseconds);
    }

    fn disarm(&mut self, bell: Bell<'_>) {
        bell.disarm();
    }
}

impl<F: FnMut(u64)> Wait for Sleep<F> {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        asleep(self, bell, deadline, poll)
    }
}

/// Wakes the other end by a function of yours, which may be called in whatever context rings the bell: if that is an
/// interrupt handler, it must be fit for one.
#[derive(Debug, Clone, Copy)]
pub struct Wake<F>(F);

impl<F: Fn()> Wake<F> {
    /// Wakes by this function.
    pub const fn new(function: F) -> Self {
        Self(function)
    }
}

impl<F: Fn()> Notify for Wake<F> {
    fn wake(&self, _: Bell<'_>) {
        (self.0)();
    }
}
