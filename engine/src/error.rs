//! What can go wrong before an engine runs.

use crate::options::PrepareError;
use core::fmt;
use gimmal::AlreadySplit;

/// Why an engine was not started. It can be tried again.
#[derive(Debug)]
pub enum StartError {
    /// It was started or split before.
    AlreadySplit,
    /// An option could not be had.
    Prepare(PrepareError),
    /// There is no thread to be had.
    #[cfg(feature = "std")]
    Thread(std::io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadySplit => {
                f.write_str("the engine's ends are taken: it was started already")
            }
            Self::Prepare(error) => error.fmt(f),
            #[cfg(feature = "std")]
            Self::Thread(error) => write!(f, "cannot start the worker's thread: {error}"),
        }
    }
}

impl core::error::Error for StartError {}

impl From<AlreadySplit> for StartError {
    fn from(_: AlreadySplit) -> Self {
        Self::AlreadySplit
    }
}
