//! The sender's own counts, for others to look at.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a sender has counted. Only it writes here, and on a line of its own: so to tell costs it a store, and no other core's line.
///
/// Relaxed throughout: the counts are to be shown, and order nothing. A record that was taken was counted before, as publishing it orders
/// the store of its number too.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Tally {
    produced: AtomicU64,
    dropped: AtomicU64,
}

impl Tally {
    /// So many were offered.
    pub fn tell_produced(&self, produced: u64) {
        // Read by `read`.
        self.produced.store(produced, Ordering::Relaxed);
    }

    /// So many were offered, and so many of them dropped.
    pub fn tell_dropped(&self, produced: u64, dropped: u64) {
        self.tell_produced(produced);
        // Read by `read`.
        self.dropped.store(dropped, Ordering::Relaxed);
    }

    /// Messages offered, and those of them dropped.
    pub fn read(&self) -> (u64, u64) {
        // Written by `tell_dropped` and `tell_produced`.
        let dropped = self.dropped.load(Ordering::Relaxed);
        (self.produced.load(Ordering::Relaxed), dropped)
    }
}
