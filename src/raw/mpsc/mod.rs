//! Many producers, one consumer: cells of one element, published by their stamps as by line, and claimed by a compare-and-swap on
//! `tail`.
//!
//! The bounded queue of Vyukov (2010) with one consumer, on the cells and stamps of [`line`](super::line). `tail` and `head` hold the
//! numbers of cells, and the top bit of `tail` is set when the ring is closed, so that no claim can come after the close.

mod cells;
mod consumer;
mod intent;
mod producer;

pub use cells::ErasedSingleCells;
pub use consumer::{Consumer, StalledCell};
pub use intent::{declare, is_declared, withdraw};
pub use producer::{Claim, Producer};

use super::edges::receive;
use super::{Body, Edges, Ends, LineBody, Protocol};
use crate::error::Corrupt;
use crate::index::{
    cells_of, handed_back, next_number, numbered, numbers_between, stamp, NUMBER, SEALED,
};
use crate::policy::Policy;
use crate::sync::{Accumulate, Atomic, Ordering, Swapping};

type EdgesOf<B> = <<B as Body>::Policy as Policy>::Edges;

/// The cell of a number.
#[inline(always)]
fn cell<B: LineBody>(body: &B, number: usize) -> B::Cell {
    body.cell(numbered(number))
}

/// The stamp of cell `number` while it is not published: free, or claimed.
#[inline(always)]
fn unpublished<B: LineBody>(body: &B, number: usize) -> usize {
    stamp(numbered(number), body.mask())
}

/// The stamp of cell `number` once it is published.
#[inline(always)]
fn published<B: LineBody>(body: &B, number: usize) -> usize {
    unpublished(body, number) + 1
}

/// The stamp of a cell that a producer wants to claim.
#[inline(always)]
fn stamp_before_claim<B: LineBody>(body: &B, cell: B::Cell) -> usize {
    // Pairs with the HAND_BACK store in `Consumer::hand_back`: the consumer read the cell before a producer writes it.
    receive::<B::Atomics, EdgesOf<B>, _>(body.stamp(cell), EdgesOf::<B>::REUSE)
}

/// Whether the cell of `number` may be written by whoever claims it.
#[inline(always)]
fn is_free<B: LineBody>(body: &B, cell: B::Cell, number: usize) -> bool {
    stamp_before_claim(body, cell) == unpublished(body, number)
}

/// The number of the next cell to claim, closed or not. Relaxed: a count, from which nothing is read.
#[inline(always)]
fn claimed<B: LineBody>(body: &B) -> usize {
    body.producer().tail.load(Ordering::Relaxed) & NUMBER
}

/// Elements from `head` on, claimed cells included.
#[inline(always)]
fn stored<B: LineBody>(body: &B, head: usize) -> usize {
    numbers_between(head, claimed(body)).min(cells_of(body.mask()))
}

/// Refuses every later claim, then tells of it.
#[inline]
fn close<B: LineBody<Atomics: Swapping>>(body: &B) {
    // Relaxed: a producer that finds the bit reads nothing that the closer wrote, and the store of `closed` orders it for others.
    body.producer().tail.fetch_or(SEALED, Ordering::Relaxed);
    Ends::close(body);
}

/// Whether the ring is closed and no push is under way: each claimed cell from `head` on is published or handed back.
fn is_closed<B: LineBody>(body: &B, head: usize) -> bool {
    // After the load of `closed`, which pairs with the store in `close`, `tail` is its last value.
    if !Ends::is_closed(body) {
        return false;
    }
    let tail = claimed(body);
    let mut number = tail.wrapping_sub(stored(body, head)) & NUMBER;
    while number != tail {
        // Pairs with the PUBLISH store in `Producer::publish`: who has seen the stamp here will find the element.
        let seen = receive::<B::Atomics, EdgesOf<B>, _>(
            body.stamp(cell(body, number)),
            EdgesOf::<B>::OBSERVE,
        );
        let done = handed_back(numbered(number), body.mask());
        if seen != published(body, number) && seen != done {
            return false;
        }
        number = next_number(number);
    }
    true
}

/// Many producers and one consumer.
#[derive(Debug, Clone, Copy)]
pub enum ByCell {}

impl<B: LineBody<Atomics: Swapping>> Protocol<B> for ByCell {
    type Producer = Producer<B>;
    type Consumer = Consumer<B>;

    #[inline]
    unsafe fn producer(body: B) -> Producer<B> {
        Producer::enter(body)
    }

    #[inline]
    unsafe fn consumer(body: B) -> Consumer<B> {
        // SAFETY: the caller's word is the same.
        unsafe { Consumer::enter(body) }
    }

    unsafe fn recover_producer(body: B) -> Result<Producer<B>, Corrupt> {
        // Where a producer stands is in `tail`, and what it has claimed is the consumer's affair.
        Ok(Producer::enter(body))
    }

    unsafe fn recover_consumer(body: B) -> Result<Consumer<B>, Corrupt> {
        // SAFETY: the caller's word is the same.
        unsafe { Consumer::recover(body) }
    }

    fn stored(body: &B) -> usize {
        // Relaxed, head first: the two may be of different moments, and the difference is clamped.
        let head = body.consumer().head.load(Ordering::Relaxed);
        stored(body, head)
    }

    fn is_full(body: &B) -> bool {
        let next = claimed(body);
        // A cell that was claimed meanwhile is not free, and does not make the ring full.
        !is_free(body, cell(body, next), next) && claimed(body) == next
    }

    #[inline]
    fn capacity(body: &B) -> usize {
        cells_of(body.mask())
    }

    fn close(body: &B) {
        close(body);
    }

    fn is_closed(body: &B) -> bool {
        // Relaxed: an older place makes the look longer, by a lap at most.
        let head = body.consumer().head.load(Ordering::Relaxed);
        is_closed(body, head)
    }

    fn count_dropped(body: &B) {
        // Relaxed: a count, from which nothing is read.
        body.producer().dropped.fetch_add(1, Ordering::Relaxed);
    }

    unsafe fn start_at(body: &B, index: usize) {
        let start = index & NUMBER;
        let mut number = start;
        // Relaxed: whoever gets to the ring is ordered after this by what hands the ring over.
        for _ in 0..cells_of(body.mask()) {
            body.stamp(cell(body, number))
                .store(unpublished(body, number), Ordering::Relaxed);
            number = next_number(number);
        }
        body.producer().tail.store(start, Ordering::Relaxed);
        body.consumer().head.store(start, Ordering::Relaxed);
    }
}
