//! What can go wrong with a segment, with what was wrong in it.

use crate::{Fault, Kind};
use gimmal::shape::ShapeError;
use rustix::io::Errno;
use std::fmt;

/// An end of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The one that pushes, or one of those.
    Producer,
    /// The one that pops.
    Consumer,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        })
    }
}

/// Why a segment cannot be created, attached to or used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No segment can have this name.
    Name(String),
    /// There is no such segment, and nothing was said of how to create it.
    NotFound(String),
    /// There is one of this name already.
    Exists(String),
    /// The end is held by a live process; with many producers, all of their places are.
    Busy {
        /// Which end.
        end: End,
        /// The holder's process, as it stated it in its own pid namespace; 0 if it has not yet.
        pid: u32,
    },
    /// Others have been replacing the segment for a second.
    Replacing,
    /// The segment was replaced by another of the same name: attach again.
    Superseded,
    /// The file is too short for a segment, or begins with zeros. A segment gets its name only once it is published, so waiting does not help.
    NotReady,
    /// The file is no segment.
    NotASegment {
        /// What stands in place of the magic number.
        magic: u64,
    },
    /// The name leads to no file: this is what it leads to. It is not followed.
    NotAFile(&'static str),
    /// Another version of the segment's layout.
    Version(u32),
    /// Made on a machine with another byte order, word size or distance of lines.
    Machine,
    /// The segment is not what was asked for.
    Mismatch {
        /// What differs.
        what: &'static str,
        /// As asked for.
        asked: u64,
        /// As the segment has it.
        found: u64,
    },
    /// The segment contradicts itself: a peer, or someone else, has written what no end writes.
    Corrupt(&'static str),
    /// The file system has too little room; the segment was not created.
    NoSpace {
        /// Bytes that the segment needs.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// No ring of this kind has this capacity.
    Capacity {
        /// The kind.
        kind: Kind,
        /// As asked for.
        asked: usize,
    },
    /// No ring has this shape.
    Shape(ShapeError),
    /// There must be 1 to 1024 producers.
    Producers(usize),
    /// The file belongs to another user than this process's, root, and those said to be trusted.
    Owner {
        /// The owner's user id.
        uid: u32,
    },
    /// A ring by index with one slot, which is always the next to be written, so that no copy of it could count.
    Unwatchable,
    /// The descriptor is not sealed against shrinking, so that its owner could make every access a fault.
    Unsealed,
    /// An end that was attached could not go on.
    Fault(Fault),
    /// The operating system refused.
    Os {
        /// What was tried.
        doing: &'static str,
        /// Its answer.
        errno: Errno,
    },
}

impl Error {
    /// For `map_err`: the operating system refused this.
    pub(crate) fn os(doing: &'static str) -> impl FnOnce(Errno) -> Self {
        move |errno| Self::Os { doing, errno }
    }

    /// The error in a sentence that has the segment's name in it: for people who do not see which was asked for.
    ///
    /// ```
    /// use gimmal_shm::Error;
    ///
    /// let told = Error::NotReady.about("ticks");
    /// assert!(told.starts_with("segment ticks: "));
    /// let told = Error::NotFound("ticks".into()).about("ticks");
    /// assert_eq!(told, "there is no segment ticks");
    /// ```
    pub fn about(&self, name: &str) -> String {
        match self {
            Self::Name(_) | Self::NotFound(_) | Self::Exists(_) => self.to_string(),
            _ => format!("segment {name}: {self}"),
        }
    }
}

/// What a [`Mismatch`](Error::Mismatch) of kinds says differs; its numbers are those of [`Kind`](crate::Kind).
pub(crate) const KIND: &str = "kind";

/// A kind in one word.
fn kind(number: u64) -> String {
    let kind = u8::try_from(number).ok().and_then(Kind::of);
    kind.map_or_else(|| number.to_string(), |kind| kind.to_string())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(
                f,
                "no segment can be called {name:?}: a name is 1 to 240 letters, digits, '-', '_' and '.', the first no '.'"
            ),
            Self::NotFound(name) => write!(f, "there is no segment {name}"),
            Self::Exists(name) => write!(f, "there is a segment {name} already"),
            Self::Busy { end, pid: 0 } => {
                write!(f, "the {end}'s end is held by a live process")
            }
            Self::Busy { end, pid } => {
                write!(f, "the {end}'s end is held by a live process, pid {pid}")
            }
            Self::Replacing => f.write_str(
                "other processes have been replacing the segment for a second",
            ),
            Self::Superseded => {
                f.write_str("the segment was replaced by another of its name: attach again")
            }
            Self::NotReady => f.write_str(
                "no segment of gimmal: it is too short, or begins with zeros, and stays so until it is replaced or removed",
            ),
            Self::NotASegment { magic } => {
                write!(f, "no segment of gimmal: it begins with {magic:#018x}")
            }
            Self::NotAFile(what) => write!(f, "no segment of gimmal: its name leads to {what}"),
            Self::Version(version) => write!(f, "a segment of layout version {version}, which this library does not know"),
            Self::Machine => {
                f.write_str("made on a machine with another byte order, word size or cache line")
            }
            Self::Mismatch { what: KIND, asked, found } => write!(
                f,
                "the segment is of kind {}, and {} was asked for",
                kind(*found),
                kind(*asked)
            ),
            Self::Mismatch { what, asked, found } => {
                write!(f, "the segment has {what} {found}, and {asked} was asked for")
            }
            Self::Unwatchable => f.write_str(
                "a ring by index of capacity 1 cannot be watched: its one slot is always the next to be written",
            ),
            Self::Corrupt(what) => write!(f, "the segment is corrupt: {what}"),
            Self::NoSpace { needed, free } => write!(
                f,
                "the segment needs {needed} bytes of shared memory, and {free} are free"
            ),
            Self::Capacity { kind: Kind::Line | Kind::Lanes, asked } => {
                write!(f, "the capacity must be at least 1, not {asked}")
            }
            Self::Capacity { kind, asked } => {
                write!(f, "the capacity of a segment of kind {kind} must be a power of two, not {asked}")
            }
            Self::Shape(error) => error.fmt(f),
            Self::Producers(count) => {
                write!(f, "there must be 1 to 1024 producers, not {count}")
            }
            Self::Owner { uid } => write!(
                f,
                "the file belongs to user {uid}, who is not trusted: not this process's user, not root"
            ),
            Self::Unsealed => {
                f.write_str("the descriptor is not sealed against shrinking: any access could fault")
            }
            Self::Fault(fault) => fault.fmt(f),
            Self::Os { doing, errno } => write!(f, "cannot {doing}: {errno}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Shape(error) => Some(error),
            Self::Fault(fault) => Some(fault),
            Self::Os { errno, .. } => Some(errno),
            _ => None,
        }
    }
}

impl From<ShapeError> for Error {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_names() {
        let error = Error::Mismatch {
            what: KIND,
            asked: Kind::Lanes as u64,
            found: Kind::Index as u64,
        };
        assert_eq!(
            error.to_string(),
            "the segment is of kind index, and lanes was asked for"
        );
        assert_eq!(kind(99), "99");
    }

    #[test]
    fn a_capacity_that_cannot_be_is_told_with_its_rule() {
        let told = |kind, asked| Error::Capacity { kind, asked }.to_string();
        assert_eq!(
            told(Kind::Index, 7),
            "the capacity of a segment of kind index must be a power of two, not 7"
        );
        assert_eq!(
            told(Kind::Lanes, 0),
            "the capacity must be at least 1, not 0"
        );
    }
}
