//! When a wait gives up: time comes from the user, in nanoseconds.

/// A clock that never runs back. Any function that returns nanoseconds is one.
pub trait Clock {
    /// Nanoseconds since some fixed moment.
    fn now(&mut self) -> u64;
}

impl<F: FnMut() -> u64> Clock for F {
    #[inline]
    fn now(&mut self) -> u64 {
        self()
    }
}

/// When a wait gives up.
pub trait Deadline {
    /// Nanoseconds left; 0 if it has passed.
    fn left(&mut self) -> u64;
}

/// No deadline.
#[derive(Debug, Clone, Copy, Default)]
pub struct Never;

impl Deadline for Never {
    #[inline]
    fn left(&mut self) -> u64 {
        u64::MAX
    }
}

/// A moment on a clock.
///
/// ```
/// use gimmal::wait::{At, Sleep};
/// use gimmal::{Ring, WaitError};
/// use std::time::Instant;
///
/// let ring = Ring::<u32, 4>::new();
/// let (_tx, mut rx) = ring.split().unwrap();
/// let start = Instant::now();
/// let mut deadline = At::after(2_000_000, || start.elapsed().as_nanos() as u64);
/// let mut nap = Sleep::new(|ns| std::thread::sleep(std::time::Duration::from_nanos(ns)));
/// assert_eq!(rx.pop_wait_until(&mut nap, &mut deadline), Err(WaitError::TimedOut));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct At<C> {
    clock: C,
    at: u64,
}

impl<C: Clock> At<C> {
    /// The moment `at` on `clock`.
    pub fn new(at: u64, clock: C) -> Self {
        Self { clock, at }
    }

    /// The moment in so many nanoseconds.
    pub fn after(nanoseconds: u64, mut clock: C) -> Self {
        Self {
            at: clock.now().saturating_add(nanoseconds),
            clock,
        }
    }
}

impl<C: Clock> Deadline for At<C> {
    #[inline]
    fn left(&mut self) -> u64 {
        self.at.saturating_sub(self.clock.now())
    }
}
