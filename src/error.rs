//! What can go wrong, with what was wrong in it.

pub use crate::raw::AttachError;
use core::fmt;

/// Why an element was not pushed. The element comes back.
///
/// ```
/// use gimmal::{PushError, Ring};
///
/// let ring = Ring::<String, 1>::new();
/// let (mut tx, _rx) = ring.split()?;
/// tx.push("first".into()).unwrap();
/// let refused = tx.push("second".into()).unwrap_err();
/// assert!(matches!(refused, PushError::Full(_)));
/// assert_eq!(refused.into_inner(), "second");
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PushError<T> {
    /// The ring is full: try again when the consumer has taken something (by line, the last element of a cell), or use `offer`
    /// to drop and count.
    Full(T),
    /// The ring is closed: nothing will ever be taken again.
    Closed(T),
}

impl<T> PushError<T> {
    /// The element that was not pushed.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(value) | Self::Closed(value) => value,
        }
    }

    fn what(&self) -> &'static str {
        match self {
            Self::Full(_) => "Full",
            Self::Closed(_) => "Closed",
        }
    }
}

impl<T> fmt::Debug for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", self.what())
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the ring is full",
            Self::Closed(_) => "the ring is closed",
        })
    }
}

impl<T> core::error::Error for PushError<T> {}

/// Why no slots were reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReserveError {
    /// Too few slots are free now.
    Full,
    /// The ring is closed.
    Closed,
    /// More slots than the ring has: this never succeeds.
    TooLarge {
        /// How many were asked for.
        asked: usize,
        /// How many the ring has.
        capacity: usize,
    },
}

impl fmt::Display for ReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("too few slots are free"),
            Self::Closed => f.write_str("the ring is closed"),
            Self::TooLarge { asked, capacity } => {
                write!(f, "{asked} slots asked of a ring of {capacity}")
            }
        }
    }
}

impl core::error::Error for ReserveError {}

/// An end of the ring is claimed already: by an earlier split that is still in use, or by another language or process.
///
/// ```
/// use gimmal::{AlreadySplit, Ring};
///
/// let ring = Ring::<u8, 4>::new();
/// let ends = ring.split()?;
/// assert_eq!(ring.split().unwrap_err(), AlreadySplit);
/// drop(ends);
/// assert!(ring.split().is_ok());
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadySplit;

impl fmt::Display for AlreadySplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an end of the ring is claimed already; drop its handle first")
    }
}

impl core::error::Error for AlreadySplit {}

/// The ring is closed, and everything in it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the ring is closed and empty")
    }
}

impl core::error::Error for Closed {}

/// Why a wait for an element ended without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitError {
    /// The ring is closed, and everything in it was taken.
    Closed,
    /// The deadline passed.
    TimedOut,
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "the ring is closed and empty",
            Self::TimedOut => "the ring was empty until the deadline",
        })
    }
}

impl core::error::Error for WaitError {}

/// The ring holds what no end of its protocol writes: another process has overwritten it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the ring's indices or stamps contradict each other: something else has written there",
        )
    }
}

impl core::error::Error for Corrupt {}

/// No slot of the pool is free. The value comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Exhausted<T>(
    /// The value that found no slot.
    pub T,
);

impl<T> fmt::Debug for Exhausted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exhausted(..)")
    }
}

impl<T> fmt::Display for Exhausted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no slot of the pool is free")
    }
}

impl<T> core::error::Error for Exhausted<T> {}
