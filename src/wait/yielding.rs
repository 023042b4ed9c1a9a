//! Polling, with other threads let run between.

use super::{Bell, Deadline, Wait};

/// Polls, and between polls calls a function that lets other threads run: `std::thread::yield_now`, an RTOS's yield. Where
/// nothing else is ready to run it is a dear [`Spin`](super::Spin); where both ends share a core it is the least that works.
///
/// ```
/// use gimmal::wait::Yield;
/// use gimmal::Ring;
///
/// let ring = Ring::<u32, 4>::new();
/// let (mut tx, mut rx) = ring.split().unwrap();
/// tx.push(7).unwrap();
/// assert_eq!(rx.pop_wait(&mut Yield::by(std::thread::yield_now)), Ok(7));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Yield<F>(F);

impl<F: FnMut()> Yield<F> {
    /// Yields by this function.
    pub const fn by(function: F) -> Self {
        Self(function)
    }
}

#[cfg(all(feature = "linux", target_os = "linux"))]
impl Yield<fn()> {
    /// Yields to the system's other threads.
    pub const fn new() -> Self {
        Self(rustix::thread::sched_yield)
    }
}

#[cfg(all(feature = "linux", target_os = "linux"))]
impl Default for Yield<fn()> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: FnMut()> Wait for Yield<F> {
    #[inline]
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        deadline: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        loop {
            if let Some(found) = poll() {
                return Some(found);
            }
            if deadline.left() == 0 {
                return None;
            }
            (self.0)();
        }
    }
}
