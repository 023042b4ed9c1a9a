//! What the exported functions do, for any kind of ring: check, instantiate the core's algorithm on the geometry that
//! the ring states, and report a status. The orderings and the algorithm are the core's.

mod consumer;
mod copy;
mod ends;
mod line_ring;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
mod mpsc;
mod producer;
mod query;
mod ring;
mod stateless;
mod storage;
mod wait;

pub(crate) use consumer::{peek, pop, pop_n, read, release};
pub(crate) use ends::{claim_consumer, claim_producer, close, release_consumer, release_producer};
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub(crate) use mpsc::stalled;
pub(crate) use producer::{commit, offer, push, push_n, reserve};
pub(crate) use query::{capacity, dropped, is_closed, is_empty, is_full, len};
pub(crate) use stateless::Stateless;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub(crate) use storage::refused_shape;
pub(crate) use storage::{attach, deinit, init, layout};
pub(crate) use wait::{close_notify, declare, pop_notify, pop_wait, push_notify, push_wait};

use core::num::NonZeroU32;
use core::ptr::NonNull;

use gimmal::layout::{Header, Kind};
use gimmal::policy::Shared;
use gimmal::raw::{expect_kind, AttachError, Geometry, Memory, Runs};
use gimmal::shape::{Shape, ShapeError};
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
    type Protocol: Stateless<Erased<Self>>;

    /// The geometry of a ring for `capacity` elements.
    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError>;

    /// The geometry of a ring of this shape.
    fn of_shape(shape: &Shape) -> Self::Geometry;

    /// The geometry that a published control block states.
    fn geometry(header: &Header<Native>) -> Self::Geometry;

    /// Runs a task on a ring. Where its elements are of a common size, the geometry is that of so many bytes, all of it
    /// constant but the count, and the task takes about as long as inlined.
    ///
    /// # Safety
    /// `ring` is a ring of this kind that begins with this header, and the task may be run on it.
    unsafe fn run<T: Task>(ring: NonNull<u8>, header: &Header<Native>, task: T) -> Outcome;
}

/// A ring in memory whose element type is erased.
pub(crate) type Erased<O> = Memory<<O as Object>::Geometry, Shared>;

/// What an end does to a ring, whatever its geometry.
pub(crate) trait Task {
    /// Does it.
    ///
    /// # Safety
    /// What the task says.
    unsafe fn run<G>(self, ring: Memory<G, Shared>) -> Outcome
    where
        G: Geometry,
        G::Protocol: Stateless<Memory<G, Shared>>;
}

/// Why a call does nothing: a status other than `GIMMAL_OK`. An outcome is then one word, and to report it costs nothing.
#[derive(Clone, Copy)]
pub(crate) struct Refusal(NonZeroU32);

impl From<gimmal_status_t> for Refusal {
    #[inline(always)]
    fn from(status: gimmal_status_t) -> Self {
        debug_assert!(status != GIMMAL_OK);
        Self(NonZeroU32::new(status).unwrap_or(NonZeroU32::MAX))
    }
}

/// Done, or why not.
pub(crate) type Outcome = Result<(), Refusal>;

/// The status of an outcome.
#[inline(always)]
pub(crate) fn status(outcome: Outcome) -> gimmal_status_t {
    match outcome {
        Ok(()) => GIMMAL_OK,
        Err(Refusal(status)) => status.get(),
    }
}

/// The ring and its header, if that states one of this kind.
///
/// # Safety
/// `ring` is NULL or points to a ring that outlives `'a`.
#[inline(always)]
unsafe fn find<'a, O: Object>(
    ring: *const O,
) -> Result<(NonNull<u8>, &'a Header<Native>), gimmal_status_t> {
    let ring = not_null(ring.cast_mut())?.cast();
    // SAFETY: a ring begins with a control block, by the caller's word.
    let header = unsafe { expect_kind::<Shared>(ring, O::KIND) }.map_err(refusal)?;
    Ok((ring, header))
}

/// The ring, if its control block states one of this kind.
///
/// # Safety
/// `ring` is NULL or points to a ring that outlives the value.
#[inline(always)]
unsafe fn open<O: Object>(ring: *const O) -> Result<Erased<O>, gimmal_status_t> {
    // SAFETY: the caller's word; the control block states the geometry of the ring that it begins.
    unsafe {
        let (ring, header) = find(ring)?;
        Ok(Memory::new(ring, O::geometry(header)))
    }
}

/// Runs a task on a ring.
///
/// # Safety
/// `ring` is NULL or a ring, and the task may be run on it.
#[inline(always)]
unsafe fn run<O: Object>(ring: *mut O, task: impl Task) -> Outcome {
    // SAFETY: the caller's word.
    unsafe {
        let (ring, header) = find(ring)?;
        O::run(ring, header, task)
    }
}

/// Runs a task on a ring of any geometry. Apart, so that what it needs costs the common sizes nothing.
///
/// # Safety
/// `ring` is a ring, and the task may be run on it.
#[inline(never)]
pub(crate) unsafe fn run_apart<O: Object, T: Task>(ring: NonNull<u8>, task: T) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { task.run(open(ring.cast::<O>().as_ptr())?) }
}

#[inline(always)]
pub(crate) fn not_null<T>(pointer: *mut T) -> Result<NonNull<T>, gimmal_status_t> {
    NonNull::new(pointer).ok_or(GIMMAL_NULL_POINTER)
}

#[inline(always)]
pub(crate) fn refusal(error: AttachError) -> gimmal_status_t {
    match error {
        AttachError::Misaligned => GIMMAL_MISALIGNED,
        AttachError::TooSmall { .. } => GIMMAL_TOO_SMALL,
        AttachError::Uninitialised => GIMMAL_UNINITIALISED,
        AttachError::WrongKind(_) => GIMMAL_WRONG_KIND,
        AttachError::Version(_)
        | AttachError::Machine { .. }
        | AttachError::Element { .. }
        | AttachError::Slots { .. } => GIMMAL_MISMATCH,
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
