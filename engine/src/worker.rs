//! The end that evaluates.

use crate::counters::Tally;
use crate::evaluate::Evaluator;
use crate::model::{Ahead, RiskEvent, RiskResult, Stamped};
use crate::rules::Rules;
use core::fmt;
use core::marker::PhantomData;
use gimmal::line_ring::Consumer;
use gimmal::producer::Producer;
use gimmal::raw::{self, Body};

/// What a handler gets of each event.
#[derive(Debug, Clone, Copy)]
pub struct Evaluated<'e> {
    /// The event, in the ring: its place is free when the handler returns.
    pub event: &'e RiskEvent,
    /// When it was submitted, by the submitter's clock.
    pub enqueued: u64,
    /// What it scores.
    pub result: RiskResult,
}

/// Takes events out of an engine and evaluates them, in the order in which they were submitted.
///
/// One thread uses it at a time: it can be sent to another, but not shared.
pub struct Worker<'a, R, V> {
    consumer: Consumer<'a, Stamped, Ahead>,
    tally: &'a Tally,
    scoring: PhantomData<fn() -> (R, V)>,
}

impl<'a, R, V> Worker<'a, R, V> {
    pub(crate) fn new(consumer: Consumer<'a, Stamped, Ahead>, tally: &'a Tally) -> Self {
        Self {
            consumer,
            tally,
            scoring: PhantomData,
        }
    }

    /// Whether everything was evaluated and nothing more comes: the submitter stopped, or noticed that it was told to.
    pub fn is_done(&self) -> bool {
        // First gone, and only then found empty: nothing is left.
        !self.consumer.has_producer() && self.consumer.is_empty()
    }

    /// Counts an event whose handler panicked.
    #[cfg(feature = "std")]
    pub(crate) fn count_panic(&self) {
        self.tally.panicked().add_one();
    }
}

impl<R: Rules, V: Evaluator<R>> Worker<'_, R, V> {
    /// Evaluates the oldest event, if there is one, and hands it to `handler`. Tells whether there was one.
    ///
    /// If the handler panics, the event counts as evaluated, and the next step takes the one after it.
    #[inline]
    pub fn step(&mut self, handler: &mut impl FnMut(&Evaluated<'_>)) -> bool {
        let tally = self.tally;
        let evaluate = |stamped: &mut Stamped| {
            let result = V::evaluate(&stamped.event);
            tally.evaluated().add_one();
            handler(&Evaluated {
                event: &stamped.event,
                enqueued: stamped.enqueued,
                result,
            });
        };
        self.consumer.pop_with(evaluate).is_some()
    }

    /// Evaluates events until there are none, or as many as the ring holds. Tells how many.
    ///
    /// ```
    /// use gimmal_engine::{Engine, RiskEvent};
    ///
    /// static ENGINE: Engine<8> = Engine::new();
    /// let (mut submitter, mut worker) = ENGINE.split().unwrap();
    /// for id in 0..3 {
    ///     submitter.submit(&RiskEvent { id, ..RiskEvent::default() }, 0).unwrap();
    /// }
    /// let mut ids = Vec::new();
    /// assert_eq!(worker.drain(&mut |evaluated| ids.push(evaluated.result.id)), 3);
    /// assert_eq!(ids, [0, 1, 2]);
    /// ```
    pub fn drain(&mut self, handler: &mut impl FnMut(&Evaluated<'_>)) -> usize {
        let most = self.consumer.capacity();
        let mut evaluated = 0;
        while evaluated < most && self.step(handler) {
            evaluated += 1;
        }
        evaluated
    }

    /// Evaluates events until it [is done](Self::is_done). While there are none it calls `idle`, again and again:
    /// [`core::hint::spin_loop`], or what lets other threads run.
    ///
    /// ```
    /// use gimmal_engine::{Engine, RiskEvent};
    ///
    /// static ENGINE: Engine<8> = Engine::new();
    /// let (mut submitter, mut worker) = ENGINE.split().unwrap();
    /// submitter.submit(&RiskEvent::default(), 0).unwrap();
    /// submitter.stop();
    /// let mut count = 0;
    /// worker.run(&mut std::hint::spin_loop, &mut |_| count += 1);
    /// assert_eq!(count, 1);
    /// ```
    pub fn run(&mut self, idle: &mut impl FnMut(), handler: &mut impl FnMut(&Evaluated<'_>)) {
        while !self.is_done() {
            while self.step(handler) {}
            idle();
        }
    }
}

impl<R, V> fmt::Debug for Worker<'_, R, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("consumer", &self.consumer)
            .field("counters", &self.tally.read())
            .finish_non_exhaustive()
    }
}

/// A handler that offers every result to a ring, of any kind. Results that find it full are dropped, and counted by
/// the ring: [`dropped`](gimmal::consumer::Consumer::dropped) tells how many.
///
/// ```
/// use gimmal::{line_ring, LineRing};
/// use gimmal_engine::{into_ring, Engine, RiskEvent, RiskResult};
///
/// static ENGINE: Engine<64> = Engine::new();
/// static RESULTS: line_ring!(RiskResult, 64) = LineRing::new();
///
/// let (mut submitter, mut worker) = ENGINE.split().unwrap();
/// let (tx, mut results) = RESULTS.split().unwrap();
/// submitter.submit(&RiskEvent { id: 7, ..RiskEvent::default() }, 0).unwrap();
/// worker.step(&mut into_ring(tx));
/// assert_eq!(results.pop().map(|result| result.id), Some(7));
/// ```
pub fn into_ring<E>(
    mut results: Producer<'_, RiskResult, E>,
) -> impl FnMut(&Evaluated<'_>) + use<'_, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = core::ptr::NonNull<u8>>,
{
    move |evaluated| {
        results.offer(evaluated.result);
    }
}
