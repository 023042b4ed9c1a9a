//! Waits cut into slices, between which an end looks after itself and its peer.

use crate::clock::tick;
use gimmal::wait::Deadline;

/// How long a waiting end goes without looking whether its peer lives, in nanoseconds.
const SLICE: u64 = 50_000_000;

/// A part of a wait: over after [`SLICE`], or when the deadline passes.
pub(crate) struct Slice<'d, D> {
    deadline: &'d mut D,
    /// When the slice is over.
    end: u64,
}

impl<'d, D: Deadline> Slice<'d, D> {
    /// Begins now.
    pub fn new(deadline: &'d mut D) -> Self {
        Self {
            deadline,
            end: tick() + SLICE,
        }
    }

    /// Whether the wait is over, not only the slice.
    pub fn ends_the_wait(self) -> bool {
        self.deadline.left() == 0
    }
}

impl<D: Deadline> Deadline for Slice<'_, D> {
    // Asked at every call: whoever sleeps for what is left calls once a sleep.
    #[inline]
    fn left(&mut self) -> u64 {
        self.end.saturating_sub(tick()).min(self.deadline.left())
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

    #[test]
    fn a_sleep_is_seen_whenever_it_began() {
        let mut never = Never;
        for _ in 0..3 {
            let mut slice = Slice::new(&mut never);
            let left = slice.left();
            assert!((1..=SLICE).contains(&left), "{left}");
            // The coarse clock is behind by some milliseconds at most.
            std::thread::sleep(std::time::Duration::from_nanos(left + 20_000_000));
            assert_eq!(slice.left(), 0);
        }
    }

    #[test]
    fn the_deadline_is_asked_at_every_call() {
        struct Looks(u64);
        impl Deadline for Looks {
            fn left(&mut self) -> u64 {
                self.0 -= 1;
                self.0
            }
        }
        let mut looks = Looks(4);
        let mut slice = Slice::new(&mut looks);
        assert_eq!([3, 2, 1, 0], [(); 4].map(|()| slice.left()));
    }
}
