//! By line: the producer publishes a stamp beside the elements of a cell, the consumer hands the whole cell back by it.
//!
//! A stamp per cell and a lap in it is the sequence of Vyukov's bounded queue (2010); several elements under one stamp, so that
//! a message costs one transfer and small messages share it, are this crate's own.

mod consumer;
mod producer;
pub(super) mod recover;

pub use consumer::Consumer;
pub use producer::Producer;

use super::{Body, LineBody, Protocol};
use crate::error::Corrupt;
use crate::index::{cells_of, elements_between, line_capacity, position, stamp, CELL};
use crate::policy::Policy;
use crate::sync::{Atomic, Ordering};

type EdgesOf<B> = <<B as Body>::Policy as Policy>::Edges;

/// The slot of `cursor`, which lies in `cell`; with one element a cell the position is known to be 0.
#[inline(always)]
fn slot<B: LineBody>(body: &B, cell: B::Cell, cursor: usize) -> B::Slot {
    body.slot(cell, place(body, cursor))
}

#[inline(always)]
fn place<B: LineBody>(body: &B, cursor: usize) -> usize {
    if body.per_cell() == 1 {
        0
    } else {
        position(cursor)
    }
}

/// The protocol by line.
#[derive(Debug, Clone, Copy)]
pub enum ByLine {}

impl<B: LineBody> Protocol<B> for ByLine {
    type Producer = Producer<B>;
    type Consumer = Consumer<B>;

    #[inline]
    unsafe fn producer(body: B) -> Producer<B> {
        // SAFETY: the caller's word is the same.
        unsafe { Producer::enter(body) }
    }

    #[inline]
    unsafe fn consumer(body: B) -> Consumer<B> {
        // SAFETY: the caller's word is the same.
        unsafe { Consumer::enter(body) }
    }

    unsafe fn recover_producer(body: B) -> Result<Producer<B>, Corrupt> {
        // SAFETY: the caller's word is the same.
        unsafe { Producer::recover(body) }
    }

    unsafe fn recover_consumer(body: B) -> Result<Consumer<B>, Corrupt> {
        // SAFETY: the caller's word is the same.
        unsafe { Consumer::recover(body) }
    }

    fn stored(body: &B) -> usize {
        // Relaxed, head first: the two may be of different moments, and the difference is clamped.
        let head = body.consumer().head.load(Ordering::Relaxed);
        let tail = body.producer().tail.load(Ordering::Relaxed);
        elements_between(head, tail, body.per_cell()).min(body.per_cell() * cells_of(body.mask()))
    }

    fn is_full(body: &B) -> bool {
        let tail = body.producer().tail.load(Ordering::Relaxed);
        // Relaxed: nothing is written on the strength of it.
        let seen = body.stamp(body.cell(tail)).load(Ordering::Relaxed);
        position(tail) == 0 && seen != stamp(tail, body.mask())
    }

    #[inline]
    fn capacity(body: &B) -> usize {
        line_capacity(cells_of(body.mask()), body.per_cell())
    }

    unsafe fn start_at(body: &B, index: usize) {
        let start = index.wrapping_mul(CELL);
        let mut cursor = start;
        // Relaxed: whoever claims an end is ordered after this by what hands the ring over.
        for _ in 0..cells_of(body.mask()) {
            body.stamp(body.cell(cursor))
                .store(stamp(cursor, body.mask()), Ordering::Relaxed);
            cursor = cursor.wrapping_add(CELL);
        }
        body.producer().tail.store(start, Ordering::Relaxed);
        body.producer().stop.store(start, Ordering::Relaxed);
        body.consumer().head.store(start, Ordering::Relaxed);
        body.consumer().seen.store(start, Ordering::Relaxed);
    }
}
