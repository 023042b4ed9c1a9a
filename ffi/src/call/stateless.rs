//! Ends that live for one call: what they know stays in the control block.

use gimmal::raw::index::{self, ByIndex};
use gimmal::raw::line::{self, ByLine};
use gimmal::raw::mpsc::{self, ByCell};
use gimmal::raw::{Body, IndexBody, LineBody, Protocol};
use gimmal::sync::Swapping;

/// A protocol whose ends go on where the last call suspended them.
pub(crate) trait Stateless<B: Body>: Protocol<B> {
    /// The producer's end.
    ///
    /// # Safety
    /// No other party is the producer of a ring that has one.
    unsafe fn resume_producer(ring: B) -> Self::Producer;

    /// The consumer's end.
    ///
    /// # Safety
    /// No other party is the ring's consumer.
    unsafe fn resume_consumer(ring: B) -> Self::Consumer;
}

impl<B: IndexBody> Stateless<B> for ByIndex {
    #[inline(always)]
    unsafe fn resume_producer(ring: B) -> Self::Producer {
        // SAFETY: the caller's word; every call suspends the end that it moves.
        unsafe { index::Producer::resume(ring) }
    }

    #[inline(always)]
    unsafe fn resume_consumer(ring: B) -> Self::Consumer {
        // SAFETY: the caller's word; every call suspends the end that it moves.
        unsafe { index::Consumer::resume(ring) }
    }
}

impl<B: LineBody> Stateless<B> for ByLine {
    #[inline(always)]
    unsafe fn resume_producer(ring: B) -> Self::Producer {
        // SAFETY: the caller's word; every call suspends the end that it moves.
        unsafe { line::Producer::resume(ring) }
    }

    #[inline(always)]
    unsafe fn resume_consumer(ring: B) -> Self::Consumer {
        // SAFETY: the caller's word; every call suspends the end that it moves.
        unsafe { line::Consumer::resume(ring) }
    }
}

impl<B: LineBody<Atomics: Swapping>> Stateless<B> for ByCell {
    #[inline(always)]
    unsafe fn resume_producer(ring: B) -> Self::Producer {
        mpsc::Producer::enter(ring)
    }

    #[inline(always)]
    unsafe fn resume_consumer(ring: B) -> Self::Consumer {
        // SAFETY: the caller's word.
        unsafe { mpsc::Consumer::enter(ring) }
    }
}
