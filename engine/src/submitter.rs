//! The end that events go into.

use crate::counters::Tally;
use crate::model::{Ahead, RiskEvent, Stamped};
use core::fmt;
use gimmal::line_ring::Producer;
use gimmal::PushError;

/// Why an event was refused. It was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmitError {
    /// The ring is full: the worker is behind by its whole capacity.
    Full,
    /// The engine was told to stop.
    Stopped,
}

impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "the engine's ring is full",
            Self::Stopped => "the engine was told to stop",
        })
    }
}

impl core::error::Error for SubmitError {}

/// Submits events to an engine. Dropping it stops the engine, as [`stop`](Self::stop) does.
///
/// One thread uses it at a time: it can be sent to another, but not shared.
#[derive(Debug)]
pub struct Submitter<'a> {
    /// Given up at the first event that is refused for good, by which the worker knows that nothing more comes.
    producer: Option<Producer<'a, Stamped, Ahead>>,
    tally: &'a Tally,
}

impl<'a> Submitter<'a> {
    pub(crate) fn new(producer: Producer<'a, Stamped, Ahead>, tally: &'a Tally) -> Self {
        Self {
            producer: Some(producer),
            tally,
        }
    }

    /// Submits an event, with the moment at which that was, by any clock that the handler understands; 0 if it does not care.
    /// What is submitted is evaluated, whatever happens after.
    ///
    /// Wait-free: it never blocks, allocates or calls the system.
    ///
    /// ```
    /// use gimmal_engine::{Engine, RiskEvent, SubmitError};
    ///
    /// static ENGINE: Engine<1> = Engine::new();
    /// let (mut submitter, _worker) = ENGINE.split().unwrap();
    /// assert_eq!(submitter.submit(&RiskEvent::default(), 0), Ok(()));
    /// assert_eq!(submitter.submit(&RiskEvent::default(), 0), Err(SubmitError::Full));
    /// assert_eq!(ENGINE.counters().refused, 1);
    /// ```
    ///
    /// # Errors
    /// [`SubmitError`] if it is refused. That is counted.
    #[inline]
    pub fn submit(&mut self, event: &RiskEvent, enqueued: u64) -> Result<(), SubmitError> {
        let refused = match &mut self.producer {
            Some(producer) => match producer.push_with(|| Stamped {
                event: *event,
                enqueued,
            }) {
                Ok(()) => {
                    self.tally.submitted().add_one();
                    return Ok(());
                }
                Err(PushError::Full(_)) => SubmitError::Full,
                Err(PushError::Closed(_)) => self.give_up(),
            },
            None => SubmitError::Stopped,
        };
        self.tally.refused().add_one();
        Err(refused)
    }

    #[cold]
    fn give_up(&mut self) -> SubmitError {
        self.producer = None;
        SubmitError::Stopped
    }

    /// Stops the engine: nothing more is submitted, and the worker is done when it has evaluated what was.
    pub fn stop(self) {}
}

impl Drop for Submitter<'_> {
    fn drop(&mut self) {
        if let Some(producer) = &mut self.producer {
            producer.close();
        }
    }
}
