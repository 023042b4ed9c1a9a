//! Waits cut into slices, between which an end looks after itself and its peer.

use crate::clock::tick;
use gimmal::wait::Deadline;

/// How long a waiting end goes without looking whether its peer lives, in nanoseconds.
const SLICE: u64 = 50_000_000;
/// A strategy that polls without sleeping asks for the time so rarely, in polls: a look at the clock is dearer than one at the ring.
const POLLS: u32 = 32;

/// A part of a wait: over after [`SLICE`], or when the deadline passes.
pub(crate) struct Slice<'d, D> {
    deadline: &'d mut D,
    /// When the slice is over.
    end: u64,
    /// The clock when it was last looked at.
    now: u64,
    /// Polls until the next look.
    polls: u32,
}

impl<'d, D: Deadline> Slice<'d, D> {
    /// Begins now.
    pub fn new(deadline: &'d mut D) -> Self {
        let now = tick();
        Self {
            deadline,
            end: now + SLICE,
            now,
            polls: 0,
        }
    }

    /// Whether the wait is over, not only the slice.
    pub fn ends_the_wait(self) -> bool {
        self.deadline.left() == 0
    }
}

impl<D: Deadline> Deadline for Slice<'_, D> {
    #[inline]
    fn left(&mut self) -> u64 {
        if self.polls > 0 {
            self.polls -= 1;
            return self.end - self.now;
        }
        let now = tick();
        // The clock has moved: whoever polls has slept, or has polled many times since it last did.
        if now == self.now {
            self.polls = POLLS;
        }
        self.now = now.min(self.end);
        (self.end - self.now).min(self.deadline.left())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimmal::wait::Never;

    struct Passed;

    impl Deadline for Passed {
        fn left(&mut self) -> u64 {
            0
        }
    }

    #[test]
    fn a_slice_ends_though_the_wait_does_not() {
        let mut never = Never;
        let mut slice = Slice::new(&mut never);
        while slice.left() > 0 {
            std::hint::spin_loop();
        }
        assert!(!slice.ends_the_wait());
    }

    #[test]
    fn a_deadline_that_passed_ends_the_slice() {
        let mut passed = Passed;
        let mut slice = Slice::new(&mut passed);
        assert_eq!(slice.left(), 0);
        assert!(slice.ends_the_wait());
    }
}
