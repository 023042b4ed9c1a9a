//! The ends of a pipeline over whatever ring: the same code for all that are compared.

use super::memory::Zeros;
use gimmal::consumer::Consumer;
use gimmal::policy::lab::LookAhead;
use gimmal::producer::Producer;
use gimmal::raw::{self, Body};
use gimmal::{LineRing, Ring};
use gimmal_engine::{
    Engine, Evaluator, RiskEvent, RiskResult, Stamped, Standard, Submitter, Worker,
};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The places of every ring.
pub const PLACES: usize = 65536;

/// By line.
pub type ByLine = LineRing<Stamped, PLACES>;
/// By line, looking so many cells ahead.
pub type Ahead<const CELLS: usize> = LineRing<Stamped, PLACES, LookAhead<CELLS>>;
/// By index, a line each.
pub type ByIndex = Ring<Aligned, PLACES>;
/// By index, side by side.
pub type SideBySide = Ring<Stamped, PLACES>;
/// The engine itself.
pub type Whole = Engine<PLACES>;

// SAFETY: zeros are an empty ring.
unsafe impl Zeros for ByLine {}
// SAFETY: as above.
unsafe impl<const CELLS: usize> Zeros for Ahead<CELLS> {}
// SAFETY: as above.
unsafe impl Zeros for ByIndex {}
// SAFETY: as above.
unsafe impl Zeros for SideBySide {}
// SAFETY: an empty ring and counts of 0.
unsafe impl Zeros for Whole {}

/// An event that has a line to itself.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Aligned(Stamped);

/// What lies in a ring's place.
pub trait Place: Copy + Send {
    /// With this in it.
    fn of(stamped: Stamped) -> Self;
    /// What is in it.
    fn stamped(&self) -> &Stamped;
}

impl Place for Stamped {
    #[inline(always)]
    fn of(stamped: Stamped) -> Self {
        stamped
    }

    #[inline(always)]
    fn stamped(&self) -> &Stamped {
        self
    }
}

impl Place for Aligned {
    #[inline(always)]
    fn of(stamped: Stamped) -> Self {
        Self(stamped)
    }

    #[inline(always)]
    fn stamped(&self) -> &Stamped {
        &self.0
    }
}

/// Where events go in.
pub trait Inlet: Send {
    /// Tells whether there was room.
    fn submit(&mut self, event: &RiskEvent, enqueued: u64) -> bool;
}

/// Where they come out, evaluated.
pub trait Outlet: Send {
    /// Hands over the oldest one's stamp and result. Tells whether there was one.
    fn step(&mut self, handler: &mut impl FnMut(u64, RiskResult)) -> bool;
}

impl<T: Place, E> Inlet for Producer<'_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    #[inline(always)]
    fn submit(&mut self, event: &RiskEvent, enqueued: u64) -> bool {
        let place = || {
            T::of(Stamped {
                event: *event,
                enqueued,
            })
        };
        self.push_with(place).is_ok()
    }
}

/// A consumer that evaluates so.
pub struct Evaluating<C, V> {
    consumer: C,
    evaluator: PhantomData<fn() -> V>,
}

impl<C, V> Evaluating<C, V> {
    /// With this consumer.
    pub fn new(consumer: C) -> Self {
        Self {
            consumer,
            evaluator: PhantomData,
        }
    }
}

impl<T: Place, E, V: Evaluator<Standard>> Outlet for Evaluating<Consumer<'_, T, E>, V>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    #[inline(always)]
    fn step(&mut self, handler: &mut impl FnMut(u64, RiskResult)) -> bool {
        let evaluate = |place: &mut T| {
            let stamped = place.stamped();
            handler(stamped.enqueued, V::evaluate(&stamped.event));
        };
        self.consumer.pop_with(evaluate).is_some()
    }
}

impl Inlet for Submitter<'_> {
    #[inline(always)]
    fn submit(&mut self, event: &RiskEvent, enqueued: u64) -> bool {
        Self::submit(self, event, enqueued).is_ok()
    }
}

impl<V: Evaluator<Standard>> Outlet for Worker<'_, Standard, V> {
    #[inline(always)]
    fn step(&mut self, handler: &mut impl FnMut(u64, RiskResult)) -> bool {
        Self::step(self, &mut |evaluated| {
            handler(evaluated.enqueued, evaluated.result)
        })
    }
}
