//! The rings of a segment, whatever they hold.

use crate::header::shown;
use crate::mapped::Mapped;
use gimmal::index::{elements_between, numbers_between, NUMBER};
use gimmal::layout::Kind as Ring;
use gimmal::policy::Shared;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mpsc::{ByCell, ErasedSingleCells};
use gimmal::raw::{Body, Ends, ErasedCells, ErasedSlots, Memory, Protocol};
use gimmal::shape::Shape;
use gimmal::sync::Native;
use gimmal::wait::{Bell, Notify, Park};

/// Calls `$do` with the body of each ring and the protocol of its kind.
macro_rules! each_ring {
    ($mapped:expr, $do:ident $(, $argument:expr)*) => {
        for ring in 0..$mapped.geometry.rings() {
            let at = $mapped.ring(ring);
            let shape = &$mapped.geometry.shape;
            // SAFETY: the ring has this shape and lies in the mapping, as the geometry was checked; it is zeroed or was published.
            unsafe {
                match shape.kind() {
                    Ring::Index => {
                        $do::<_, ByIndex>(&Memory::<_, Shared>::new(at, ErasedSlots::new(shape)) $(, $argument)*)
                    }
                    Ring::Line => {
                        $do::<_, ByLine>(&Memory::<_, Shared>::new(at, ErasedCells::new(shape)) $(, $argument)*)
                    }
                    Ring::Mpsc => {
                        $do::<_, ByCell>(&Memory::<_, Shared>::new(at, ErasedSingleCells::new(shape)) $(, $argument)*)
                    }
                }
            }
        }
    };
}

/// Publishes the geometry of all rings.
pub(crate) fn publish(mapped: &Mapped) {
    fn one<B: Body, P: Protocol<B>>(body: &B, shape: &Shape) {
        debug_assert_eq!(P::capacity(body), shape.capacity());
        body.publish(shape);
    }
    each_ring!(mapped, one, &mapped.geometry.shape);
}

/// Closes all rings, and wakes whoever sleeps at one.
pub(crate) fn close(mapped: &Mapped) {
    fn one<B: Body<Atomics = Native>, P: Protocol<B>>(body: &B) {
        P::close(body);
        let park = Park::shared();
        for word in [&body.header().consumer_bell, &body.header().producer_bell] {
            let bell = Bell::new(word);
            bell.ring(park.is_reached(), || park.wake(bell));
        }
    }
    each_ring!(mapped, one);
}

/// What a third party can tell of one ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingState {
    /// Elements in it: a snapshot that may be out of date.
    pub len: usize,
    /// Elements refused by `offer`, wrapping.
    pub dropped: usize,
    /// Whether it is closed.
    pub is_closed: bool,
    /// The producer's place, a word of the core's layout: it moves when something is pushed.
    pub tail: usize,
    /// The consumer's place.
    pub head: usize,
}

impl RingState {
    /// Elements that were pushed since an earlier look; 0 if the places are no such ring's.
    pub(crate) fn pushed_since(&self, earlier: &Self, shape: &Shape) -> usize {
        match shape.kind() {
            Ring::Index => match self.tail.wrapping_sub(earlier.tail) {
                pushed if pushed > usize::MAX / 2 => 0,
                pushed => pushed,
            },
            Ring::Line => elements_between(earlier.tail, self.tail, shape.per_cell()),
            Ring::Mpsc => numbers_between(earlier.tail & NUMBER, self.tail & NUMBER),
        }
    }
}

/// Hands over what a third party can tell of each ring, the first first.
pub(crate) fn look(mapped: &Mapped, mut each: impl FnMut(RingState)) {
    fn one<B: Body<Atomics = Native>, P: Protocol<B>>(body: &B, each: &mut dyn FnMut(RingState)) {
        each(RingState {
            len: P::stored(body),
            dropped: body.dropped(),
            is_closed: Ends::is_closed(body),
            tail: shown(&body.producer().tail),
            head: shown(&body.consumer().head),
        });
    }
    each_ring!(mapped, one, &mut each);
}

/// What a third party can tell of each ring.
pub(crate) fn states(mapped: &Mapped) -> Vec<RingState> {
    let mut states = Vec::with_capacity(mapped.geometry.rings());
    look(mapped, |state| states.push(state));
    states
}
