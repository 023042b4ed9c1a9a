//! Why an end cannot push or pop just now, or any more.

use std::fmt;

/// Why nothing was pushed or popped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The ring is full: try again when the consumer has taken something (by line, the last element of a cell).
    Full,
    /// The ring is closed, which it stays; for a consumer, also empty. To push again, replace the segment
    /// ([`Segment::replace`](crate::Segment::replace)), or remove it and begin anew.
    Closed,
    /// The segment was replaced or removed; for a consumer, nothing is left in it either. Attach again.
    Superseded,
    /// The process at the other end died; for a consumer, everything that it had pushed is taken. Another may take its place.
    PeerDied,
    /// The deadline passed.
    TimedOut,
    /// The ring holds what no end writes: another process has overwritten it. Replace the segment.
    Corrupt,
    /// The end was given to inlined code ([`ErasedProducer::passage`](crate::ErasedProducer::passage)), which alone moves elements.
    Given,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "the ring is full",
            Self::Closed => {
                "the ring is closed for good: for more, replace the segment, or remove it first"
            }
            Self::Superseded => "the segment was replaced or removed: attach again",
            Self::PeerDied => "the process at the other end died",
            Self::TimedOut => "the deadline passed",
            Self::Corrupt => {
                "the ring holds what no end writes: another process has overwritten it"
            }
            Self::Given => "the end was given to inlined code, which alone moves elements",
        })
    }
}

impl std::error::Error for Fault {}
