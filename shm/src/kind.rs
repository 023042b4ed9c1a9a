//! The kinds of segments.

use gimmal::layout;
use std::fmt;

/// How a segment carries messages; the header's byte `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// One ring by index: one producer, one consumer.
    Index = 1,
    /// One ring by line: one producer, one consumer.
    Line = 2,
    /// One ring by line for many producers.
    Mpsc = 3,
    /// A ring by line for each of many producers. Messages of one producer keep their order; those of two have none.
    Lanes = 18,
}

impl Kind {
    /// The kind of the rings in such a segment.
    pub fn ring(self) -> layout::Kind {
        match self {
            Self::Index => layout::Kind::Index,
            Self::Line | Self::Lanes => layout::Kind::Line,
            Self::Mpsc => layout::Kind::Mpsc,
        }
    }

    /// The kind with this number.
    pub(crate) fn of(byte: u8) -> Option<Self> {
        [Self::Index, Self::Line, Self::Mpsc, Self::Lanes]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }

    /// Whether any number of producers may be there.
    pub(crate) fn has_many_producers(self) -> bool {
        matches!(self, Self::Mpsc | Self::Lanes)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Index => "index",
            Self::Line => "line",
            Self::Mpsc => "mpsc",
            Self::Lanes => "lanes",
        })
    }
}
