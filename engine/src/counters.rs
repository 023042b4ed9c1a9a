//! What the two ends count, readable by anybody while they run.

use core::sync::atomic::{AtomicUsize, Ordering};

/// What happened so far. Each number is exact, but they are read one after the other. All wrap at the size of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Events that were submitted and not refused.
    pub submitted: usize,
    /// Events refused, because the ring was full or the engine stopped.
    pub refused: usize,
    /// Events that were evaluated.
    pub evaluated: usize,
    /// Events whose handler panicked, and for which that was caught.
    pub panicked: usize,
}

/// A count that one thread at a time adds to. It tells of nothing but itself, so it orders nothing.
#[derive(Debug)]
pub(crate) struct Count(AtomicUsize);

impl Count {
    const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    #[inline]
    pub(crate) fn add_one(&self) {
        let next = self.0.load(Ordering::Relaxed).wrapping_add(1);
        self.0.store(next, Ordering::Relaxed);
    }

    fn read(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of one end, which share no cache line with the other's.
#[derive(Debug)]
#[repr(align(128))]
struct End {
    done: Count,
    not_done: Count,
}

impl End {
    const fn new() -> Self {
        Self {
            done: Count::new(),
            not_done: Count::new(),
        }
    }
}

/// The counts of both ends.
#[derive(Debug)]
pub(crate) struct Tally {
    submitter: End,
    worker: End,
}

impl Tally {
    pub(crate) const fn new() -> Self {
        Self {
            submitter: End::new(),
            worker: End::new(),
        }
    }

    pub(crate) fn submitted(&self) -> &Count {
        &self.submitter.done
    }

    pub(crate) fn refused(&self) -> &Count {
        &self.submitter.not_done
    }

    pub(crate) fn evaluated(&self) -> &Count {
        &self.worker.done
    }

    pub(crate) fn panicked(&self) -> &Count {
        &self.worker.not_done
    }

    pub(crate) fn read(&self) -> Counters {
        Counters {
            submitted: self.submitted().read(),
            refused: self.refused().read(),
            evaluated: self.evaluated().read(),
            panicked: self.panicked().read(),
        }
    }
}
