//! [`Engine`]: the ring between the two ends, and what they count.

use crate::counters::{Counters, Tally};
use crate::evaluate::Hybrid;
use crate::model::{Ahead, Stamped};
use crate::rules::Standard;
#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
use crate::{submitter::Submitter, worker::Worker};
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use gimmal::LineRing;
#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
use gimmal::{
    line_ring::{Consumer, Producer},
    AlreadySplit,
};

/// A pipeline that scores events by the rule set `R`, in the way `V`: a ring of `CAPACITY` events, a power of two, and two
/// ends. The [`Submitter`] puts events in, the [`Worker`] takes them out, scores them and hands the results to a handler.
///
/// An engine runs once: when it has stopped, it stays so.
///
/// With threads, the worker has one of its own:
///
/// ```
/// # #[cfg(feature = "std")] {
/// use gimmal_engine::{Engine, Options, Price, Quantity, RiskEvent, Tier};
///
/// static ENGINE: Engine<1024> = Engine::new();
///
/// let (mut submitter, running) = ENGINE.start(&Options::new(), |evaluated| {
///     if evaluated.result.tier == Tier::Critical {
///         println!("event {} scores {}", evaluated.result.id, evaluated.result.score);
///     }
/// }).unwrap();
/// submitter.submit(&RiskEvent {
///     id: 1,
///     price: "0.50".parse().unwrap(),
///     quantity: Quantity::whole(20_000),
///     ..RiskEvent::default()
/// }, 0).unwrap();
/// let report = running.stop(submitter);
/// assert_eq!(report.counters.evaluated, 1);
/// # }
/// ```
///
/// Without, it is polled:
///
/// ```
/// use gimmal_engine::{Engine, RiskEvent};
///
/// static ENGINE: Engine<64> = Engine::new();
///
/// let (mut submitter, mut worker) = ENGINE.split().unwrap();
/// submitter.submit(&RiskEvent { id: 1, ..RiskEvent::default() }, 0).unwrap();
/// let mut seen = 0;
/// while worker.step(&mut |evaluated| seen = evaluated.result.id) {}
/// assert_eq!(seen, 1);
/// ```
pub struct Engine<const CAPACITY: usize, R = Standard, V = Hybrid> {
    ring: LineRing<Stamped, CAPACITY, Ahead>,
    tally: Tally,
    scoring: PhantomData<fn() -> (R, V)>,
}

impl<const CAPACITY: usize, R, V> Engine<CAPACITY, R, V> {
    /// An engine that holds nothing: all zeros, so that a `static` adds nothing to the program's file.
    pub const fn new() -> Self {
        Self {
            ring: LineRing::new(),
            tally: Tally::new(),
            scoring: PhantomData,
        }
    }

    /// Makes an engine in place: for one that is too large for the stack, on the heap say.
    ///
    /// ```
    /// let mut memory = Box::new_uninit();
    /// let engine: &mut gimmal_engine::Engine<65536> = gimmal_engine::Engine::init(&mut memory);
    /// assert_eq!(engine.capacity(), 65536);
    /// ```
    pub fn init(place: &mut MaybeUninit<Self>) -> &mut Self {
        // SAFETY: an empty ring and counts of 0 are all zeros.
        unsafe {
            place.as_mut_ptr().write_bytes(0, 1);
            place.assume_init_mut()
        }
    }

    /// Claims both ends.
    ///
    /// # Errors
    /// [`AlreadySplit`] if an end is claimed.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    pub fn split(&self) -> Result<(Submitter<'_>, Worker<'_, R, V>), AlreadySplit> {
        let (producer, consumer) = self.ends()?;
        Ok(self.dress(producer, consumer))
    }

    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    pub(crate) fn ends(
        &self,
    ) -> Result<(Producer<'_, Stamped, Ahead>, Consumer<'_, Stamped, Ahead>), AlreadySplit> {
        self.ring.split()
    }

    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    pub(crate) fn dress<'e>(
        &'e self,
        producer: Producer<'e, Stamped, Ahead>,
        consumer: Consumer<'e, Stamped, Ahead>,
    ) -> (Submitter<'e>, Worker<'e, R, V>) {
        (
            Submitter::new(producer, &self.tally),
            Worker::new(consumer, &self.tally),
        )
    }

    /// Tells the submitter to stop, from any thread: its next event is refused, and then nothing more comes. What was submitted
    /// until then is evaluated.
    ///
    /// ```
    /// use gimmal_engine::{Engine, RiskEvent, SubmitError};
    ///
    /// static ENGINE: Engine<4> = Engine::new();
    /// let (mut submitter, mut worker) = ENGINE.split().unwrap();
    /// submitter.submit(&RiskEvent::default(), 0).unwrap();
    /// ENGINE.request_stop();
    /// assert_eq!(submitter.submit(&RiskEvent::default(), 0), Err(SubmitError::Stopped));
    /// assert_eq!(worker.drain(&mut |_| ()), 1); // what was submitted before
    /// assert!(worker.is_done());
    /// ```
    pub fn request_stop(&self) {
        self.ring.view().close();
    }

    /// The events that the ring holds.
    pub fn capacity(&self) -> usize {
        self.ring.view().capacity()
    }

    /// What happened so far. Any thread may ask at any time.
    pub fn counters(&self) -> Counters {
        self.tally.read()
    }
}

impl<const CAPACITY: usize, R, V> Default for Engine<CAPACITY, R, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const CAPACITY: usize, R, V> fmt::Debug for Engine<CAPACITY, R, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("ring", &self.ring)
            .field("counters", &self.counters())
            .finish()
    }
}
