//! How the process at the other end fares.

use crate::geometry::end_lock;
use crate::lock::is_locked;
use crate::mapped::Mapped;
use std::fmt;
use std::os::fd::BorrowedFd;

/// How an end's holder fares. Its lock decides between life and death; the rest is what it stated of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// It holds the end.
    Alive,
    /// It holds the end, and is stopped by a signal or a debugger.
    Stopped,
    /// It is gone and has not given the end back. What it pushed is still there, and another may take its place.
    Dead,
    /// Nobody has claimed the end yet, or whoever did gave it back.
    Absent,
}

impl Peer {
    pub(crate) fn at(file: BorrowedFd<'_>, mapped: &Mapped, entry: usize) -> Self {
        let holder = mapped.entry(entry).holder();
        // A lock that cannot be looked at is no reason to think its holder dead.
        if !is_locked(file, end_lock(entry)).unwrap_or(true) {
            return if holder.is_some() {
                Self::Dead
            } else {
                Self::Absent
            };
        }
        match holder {
            Some(holder) if holder.is_stopped() => Self::Stopped,
            _ => Self::Alive,
        }
    }

    /// Whether there is a live process at the end, stopped or not.
    pub fn is_alive(self) -> bool {
        matches!(self, Self::Alive | Self::Stopped)
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Alive => "alive",
            Self::Stopped => "stopped",
            Self::Dead => "dead",
            Self::Absent => "absent",
        })
    }
}
