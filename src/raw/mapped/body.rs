//! A ring in memory that other processes can write, as the algorithms see it.

use super::{Declare, Intent, Place, Segment};
use crate::layout::{ConsumerWords, Header, ProducerWords};
use crate::raw::index::ByIndex;
use crate::raw::{Body, Geometry, InCells, IndexBody, LineBody, Memory};
use crate::sync::{Atomics, Native, Ordering};
use core::cell::Cell;
use core::ptr::NonNull;

/// A ring in memory that other processes can write.
///
/// One end's: it remembers whether that end has found the ring corrupt.
#[derive(Debug)]
pub struct Mapped<G, D = ()> {
    memory: Memory<G, Segment>,
    is_corrupt: Cell<bool>,
    intent: D,
}

/// A body that remembers whether its end has found the ring corrupt.
pub trait Doubt {
    /// Whether it has. It stays so.
    fn is_corrupt(&self) -> bool;
}

impl<G: Geometry> Mapped<G> {
    /// The ring at `control`, whose geometry was checked and is private from now on.
    ///
    /// # Safety
    /// `control` points to memory of a ring of this geometry, aligned, which stays mapped, readable and writable as long as the value is used. Other
    /// processes may write anything there; this one touches it by atomic accesses only.
    #[inline]
    pub unsafe fn new(control: NonNull<u8>, geometry: G) -> Self {
        Self {
            // SAFETY: the caller's word but for the protocol, which `Segment` does not rest on: the control block is read by atomic
            // accesses, whose values the checked ends do not trust, and elements through `Place` alone.
            memory: unsafe { Memory::new(control, geometry) },
            is_corrupt: Cell::new(false),
            intent: (),
        }
    }

    /// The ring at `control`, for a [`Tap`](crate::raw::Tap) alone.
    ///
    /// # Safety
    /// As for [`new`](Self::new), but the memory may be mapped for reading only if no end is made of the value.
    #[inline]
    pub unsafe fn watching(control: NonNull<u8>, geometry: G) -> Self {
        // SAFETY: the caller's word; a tap only loads.
        unsafe { Self::new(control, geometry) }
    }

    /// The same for a producer among many: without an intent its claims would be taken for those of a dead producer.
    #[inline]
    pub fn declaring(self, intent: Intent) -> Mapped<G, Intent> {
        Mapped {
            memory: self.memory,
            is_corrupt: self.is_corrupt,
            intent,
        }
    }
}

impl<G: Geometry, D> Mapped<G, D> {
    /// The geometry.
    pub fn geometry(&self) -> &G {
        self.memory.geometry()
    }
}

impl<G, D> Doubt for Mapped<G, D> {
    #[inline(always)]
    fn is_corrupt(&self) -> bool {
        self.is_corrupt.get()
    }
}

// SAFETY: it is the ring in `memory`.
unsafe impl<G: Geometry, D> Body for Mapped<G, D> {
    type Atomics = Native;
    type Policy = Segment;
    type Slot = Place;

    #[inline(always)]
    fn header(&self) -> &Header<Native> {
        self.memory.header()
    }

    #[inline(always)]
    fn producer(&self) -> &ProducerWords<Native> {
        self.memory.producer()
    }

    #[inline(always)]
    fn consumer(&self) -> &ConsumerWords<Native> {
        self.memory.consumer()
    }

    #[cold]
    fn corrupt(&self) {
        self.is_corrupt.set(true);
    }
}

// SAFETY: as for `Body`.
unsafe impl<G: Geometry<Protocol = ByIndex>, D> IndexBody for Mapped<G, D> {
    #[inline(always)]
    fn mask(&self) -> usize {
        IndexBody::mask(&self.memory)
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Place {
        // SAFETY: a slot of the ring, whose memory may be accessed atomically.
        unsafe { Place::new(IndexBody::slot(&self.memory, index)) }
    }

    #[inline(always)]
    fn won(&self, _: usize) {
        won();
    }
}

// SAFETY: as for `Body`.
unsafe impl<G: Geometry<Protocol: InCells>, D: Declare> LineBody for Mapped<G, D> {
    type Cell = NonNull<u8>;

    #[inline(always)]
    fn mask(&self) -> usize {
        LineBody::mask(&self.memory)
    }

    #[inline(always)]
    fn per_cell(&self) -> usize {
        self.memory.per_cell()
    }

    #[inline(always)]
    fn cell(&self, cursor: usize) -> NonNull<u8> {
        self.memory.cell(cursor)
    }

    #[inline(always)]
    fn stamp(&self, cell: NonNull<u8>) -> &<Native as Atomics>::Word {
        self.memory.stamp(cell)
    }

    #[inline(always)]
    fn slot(&self, cell: NonNull<u8>, position: usize) -> Place {
        // SAFETY: a slot of the ring, whose memory may be accessed atomically.
        unsafe { Place::new(LineBody::slot(&self.memory, cell, position)) }
    }

    #[inline(always)]
    fn prefetch(&self, cursor: usize) {
        self.memory.prefetch(cursor);
    }

    #[inline(always)]
    fn winning(&self, cursor: usize) {
        self.intent.declare(cursor);
    }

    #[inline(always)]
    fn lost(&self, _: usize) {
        self.intent.withdraw();
    }

    #[inline(always)]
    fn fulfilled(&self, _: usize) {
        self.intent.withdraw();
    }

    #[inline(always)]
    fn won(&self, _: usize) {
        won();
    }
}

/// Orders what a producer knows of a slot before its first write there.
#[inline(always)]
fn won() {
    // Pairs with the Acquire fence of a tap: a tap that has copied a part of what is written next finds that the slot was free.
    Native::fence(Ordering::Release);
}
