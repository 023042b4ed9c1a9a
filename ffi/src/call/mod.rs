//! What the exported functions do, for either kind of ring: check, instantiate the core's algorithm on the geometry that
//! the ring states, and report a status. The orderings and the algorithm are the core's.

mod consumer;
mod copy;
mod ends;
mod producer;
mod query;
mod storage;

pub(crate) use consumer::{peek, pop, pop_n, read, release};
pub(crate) use ends::{claim_consumer, claim_producer, close, release_consumer, release_producer};
pub(crate) use producer::{commit, offer, push, push_n, reserve};
pub(crate) use query::{capacity, dropped, is_closed, is_empty, is_full, len};
pub(crate) use storage::{attach, deinit, init, layout};

use core::ptr::NonNull;

use gimmal::layout::{Header, Kind, Shape, ShapeError};
use gimmal::policy::Shared;
use gimmal::raw::{expect_kind, AttachError, Geometry, Memory, Protocol, Runs};
use gimmal::sync::Native;

use crate::spans::gimmal_spans_t;
use crate::status::*;

/// A C object: a ring of one kind whose elements are known by their size and alignment alone.
///
/// # Safety
/// The type begins with a control block, and `geometry` gives what a ring of `KIND` states in it.
pub(crate) unsafe trait Object: Sized {
    /// What the control block states as its kind.
    const KIND: Kind;
    /// The core's geometry.
    type Geometry: Geometry<Protocol = Self::Protocol>;
    /// The core's algorithm.
    type Protocol: Protocol<Erased<Self>>;

    /// The geometry of a ring for `capacity` elements.
    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError>;

    /// The geometry of a ring of this shape.
    fn of_shape(shape: &Shape) -> Self::Geometry;

    /// The geometry that a published control block states.
    fn geometry(header: &Header<Native>) -> Self::Geometry;

    /// The producer's end, as the last call left it.
    ///
    /// # Safety
    /// No other party is the ring's producer.
    unsafe fn producer(ring: Erased<Self>) -> ProducerOf<Self>;

    /// The consumer's end, as the last call left it.
    ///
    /// # Safety
    /// No other party is the ring's consumer.
    unsafe fn consumer(ring: Erased<Self>) -> ConsumerOf<Self>;
}

/// A ring in memory whose element type is erased.
pub(crate) type Erased<O> = Memory<<O as Object>::Geometry, Shared>;
pub(crate) type ProducerOf<O> = <<O as Object>::Protocol as Protocol<Erased<O>>>::Producer;
pub(crate) type ConsumerOf<O> = <<O as Object>::Protocol as Protocol<Erased<O>>>::Consumer;

/// Done, or the status that says why not.
pub(crate) type Outcome = Result<(), gimmal_status_t>;

/// The status of an outcome.
#[inline(always)]
pub(crate) fn status(outcome: Outcome) -> gimmal_status_t {
    match outcome {
        Ok(()) => GIMMAL_OK,
        Err(status) => status,
    }
}

/// The ring, if its control block states one of this kind.
///
/// # Safety
/// `ring` is NULL or points to a ring that outlives the value.
#[inline(always)]
unsafe fn open<O: Object>(ring: *const O) -> Result<Erased<O>, gimmal_status_t> {
    let ring = not_null(ring.cast_mut())?.cast::<u8>();
    // SAFETY: a ring begins with a control block, by the caller's word.
    let header = unsafe { expect_kind::<Shared>(ring, O::KIND) }.map_err(refusal)?;
    // SAFETY: the control block states the geometry of the ring that it begins.
    Ok(unsafe { Memory::new(ring, O::geometry(header)) })
}

#[inline(always)]
fn not_null<T>(pointer: *mut T) -> Result<NonNull<T>, gimmal_status_t> {
    NonNull::new(pointer).ok_or(GIMMAL_NULL_POINTER)
}

#[inline(always)]
fn refusal(error: AttachError) -> gimmal_status_t {
    match error {
        AttachError::Misaligned => GIMMAL_MISALIGNED,
        AttachError::TooSmall { .. } => GIMMAL_TOO_SMALL,
        AttachError::Uninitialised => GIMMAL_UNINITIALISED,
        AttachError::WrongKind(_) => GIMMAL_WRONG_KIND,
        AttachError::Version(_) | AttachError::Machine { .. } | AttachError::Element { .. } => {
            GIMMAL_MISMATCH
        }
        AttachError::NotARing { .. } | AttachError::Corrupt => GIMMAL_CORRUPT,
    }
}

fn spans([first, second]: Runs<NonNull<u8>>) -> gimmal_spans_t {
    gimmal_spans_t {
        first: first.first.as_ptr().cast(),
        first_count: first.len,
        second: second.first.as_ptr().cast(),
        second_count: second.len,
    }
}
