//! A ring in memory: a pointer to its control block, and the geometry of what follows.

use super::index::ByIndex;
use super::prefetch::for_writing;
use super::{Body, Geometry, InCells, IndexBody, LineBody};
use crate::index::cell_number;
use crate::layout::{ConsumerWords, Control, Header, ProducerWords};
use crate::policy::Policy;
use crate::sync::{Atomics, Native};
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A ring in memory, with the machine's own atomics.
pub struct Memory<G, P> {
    /// The control block, and with it the provenance of the whole ring.
    control: NonNull<u8>,
    /// The first slot or cell.
    slots: NonNull<u8>,
    geometry: G,
    policy: PhantomData<P>,
}

impl<G: Geometry, P: Policy> Memory<G, P> {
    /// The ring at `control`.
    ///
    /// # Safety
    /// `control` points to a ring of this geometry, laid out as `docs/LAYOUT.md` says with the policy's padding, aligned,
    /// and either zeroed or initialised. It may be read and written through the pointer for the whole of its size, as
    /// long as the value and its copies are used, and nobody touches it in any other way than by the protocol.
    #[inline(always)]
    pub unsafe fn new(control: NonNull<u8>, geometry: G) -> Self {
        // SAFETY: the slots lie in the ring, whose size covers them, by the caller's word.
        let slots = unsafe { control.add(geometry.slots_offset::<P>()) };
        Self {
            control,
            slots,
            geometry,
            policy: PhantomData,
        }
    }

    /// The control block's address.
    #[inline(always)]
    pub fn as_ptr(&self) -> NonNull<u8> {
        self.control
    }

    /// The geometry.
    #[inline(always)]
    pub fn geometry(&self) -> &G {
        &self.geometry
    }

    #[inline(always)]
    fn control(&self) -> &Control<Native, P::Padding> {
        // SAFETY: `new` was promised an aligned ring, whose control block is all atomics, valid for every bit pattern.
        unsafe { self.control.cast().as_ref() }
    }

    /// Slot or cell number `masked`, below their count.
    #[inline(always)]
    fn at(&self, masked: usize) -> NonNull<u8> {
        // SAFETY: the callers mask, so the slot or cell lies in the ring that `new` was promised.
        unsafe { self.slots.add(masked * self.geometry.stride()) }
    }
}

impl<G: Copy, P> Clone for Memory<G, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Copy, P> Copy for Memory<G, P> {}

impl<G, P> fmt::Debug for Memory<G, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.control).finish()
    }
}

// SAFETY: the control block and slots are those of the one ring that `new` was promised.
unsafe impl<G: Geometry, P: Policy> Body for Memory<G, P> {
    type Atomics = Native;
    type Policy = P;
    type Slot = NonNull<u8>;

    #[inline(always)]
    fn header(&self) -> &Header<Native> {
        self.control().header()
    }

    #[inline(always)]
    fn producer(&self) -> &ProducerWords<Native> {
        self.control().producer()
    }

    #[inline(always)]
    fn consumer(&self) -> &ConsumerWords<Native> {
        self.control().consumer()
    }
}

// SAFETY: as for `Body`; slots of different indices modulo the count are a stride apart.
unsafe impl<G: Geometry<Protocol = ByIndex>, P: Policy> IndexBody for Memory<G, P> {
    #[inline(always)]
    fn mask(&self) -> usize {
        self.geometry.mask()
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> NonNull<u8> {
        self.at(index & self.geometry.mask())
    }
}

// SAFETY: as for `Body`; cells of different numbers modulo the count are a stride apart, elements in a cell a size.
unsafe impl<G: Geometry<Protocol: InCells>, P: Policy> LineBody for Memory<G, P> {
    type Cell = NonNull<u8>;

    #[inline(always)]
    fn mask(&self) -> usize {
        self.geometry.mask()
    }

    #[inline(always)]
    fn per_cell(&self) -> usize {
        self.geometry.per_cell()
    }

    #[inline(always)]
    fn cell(&self, cursor: usize) -> NonNull<u8> {
        self.at(cell_number(cursor & self.geometry.mask()))
    }

    #[inline(always)]
    fn stamp(&self, cell: NonNull<u8>) -> &<Native as Atomics>::Word {
        // SAFETY: a cell begins with its stamp, aligned, an atomic.
        unsafe { cell.cast().as_ref() }
    }

    #[inline(always)]
    fn slot(&self, cell: NonNull<u8>, position: usize) -> NonNull<u8> {
        let offset = self.geometry.element_offset() + position * self.geometry.element_size();
        // SAFETY: positions are below the elements in a cell, so the slot lies in the cell.
        unsafe { cell.add(offset) }
    }

    #[inline(always)]
    fn prefetch(&self, cursor: usize) {
        for_writing(self.cell(cursor).as_ptr());
    }
}
