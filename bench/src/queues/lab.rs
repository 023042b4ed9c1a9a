//! Variants of the ring by line, for the decisions in `docs/adr/`: measured only when they are named.

use super::{every_benchmark, Queue};
use crate::abi::Kernel;
use crate::message::{Medium, Message, Small};
use gimmal::consumer::Consumer;
use gimmal::index::{cell_mask, cells_for};
use gimmal::policy::lab::{LookAhead, OneWay};
use gimmal::policy::Policy;
use gimmal::producer::Producer;
use gimmal::raw::line::{self, ByLine};
use gimmal::raw::{Cells, Geometry, Memory};
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A stamp beside every element, side by side: the next power of two above both.
pub struct StampedSlots<M> {
    mask: usize,
    message: PhantomData<fn() -> M>,
}

impl<M> Clone for StampedSlots<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for StampedSlots<M> {}

impl<M> Geometry for StampedSlots<M> {
    type Protocol = ByLine;

    #[inline(always)]
    fn mask(&self) -> usize {
        self.mask
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        (size_of::<usize>() + size_of::<M>()).next_power_of_two()
    }

    #[inline(always)]
    fn slots_offset<P: Policy>(&self) -> usize {
        Cells::<M>::new(1).slots_offset::<P>()
    }

    #[inline(always)]
    fn element_size(&self) -> usize {
        size_of::<M>()
    }

    #[inline(always)]
    fn element_offset(&self) -> usize {
        size_of::<usize>()
    }

    #[inline(always)]
    fn per_cell(&self) -> usize {
        1
    }
}

/// A geometry that can be made for a capacity.
pub trait ForCapacity: Geometry {
    /// Holds this many elements.
    fn for_capacity(capacity: usize) -> Self;
}

impl<M> ForCapacity for StampedSlots<M> {
    fn for_capacity(capacity: usize) -> Self {
        Self {
            mask: cell_mask(capacity.next_power_of_two()),
            message: PhantomData,
        }
    }
}

impl<M> ForCapacity for Cells<M> {
    fn for_capacity(capacity: usize) -> Self {
        let per_cell = gimmal::shape::per_cell(size_of::<M>(), align_of::<M>());
        Self::new(cells_for(capacity, per_cell).expect("a capacity of the plan"))
    }
}

/// A ring by line of any geometry and policy.
pub struct Variant<M, G: Geometry, P: Policy> {
    memory: Memory<G, P>,
    layout: Layout,
    message: PhantomData<fn(M) -> M>,
}

// SAFETY: the memory is used by the protocol, from one thread at each end.
unsafe impl<M: Send, G: Geometry, P: Policy> Sync for Variant<M, G, P> {}
// SAFETY: as above.
unsafe impl<M: Send, G: Geometry, P: Policy> Send for Variant<M, G, P> {}

impl<const WORDS: usize, G, P> Queue<Message<WORDS>> for Variant<Message<WORDS>, G, P>
where
    G: ForCapacity<Protocol = ByLine> + 'static,
    P: Policy,
{
    type Producer<'a> = Producer<'a, Message<WORDS>, line::Producer<Memory<G, P>>>;
    type Consumer<'a> = Consumer<'a, Message<WORDS>, line::Consumer<Memory<G, P>>>;

    fn with_capacity(capacity: usize) -> Self {
        const ALIGN: usize = 256;
        let geometry = G::for_capacity(capacity);
        let size = geometry.slots_offset::<P>()
            + geometry.stride() * gimmal::index::cells_of(geometry.mask());
        let layout = Layout::from_size_align(size, ALIGN).expect("a size of the plan");
        // SAFETY: the size is not 0.
        let Some(at) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout)
        };
        // SAFETY: zeroed memory of the geometry's size, which nobody else has, is an empty ring.
        let memory = unsafe { Memory::new(at, geometry) };
        Self {
            memory,
            layout,
            message: PhantomData,
        }
    }

    fn produce(&self) -> Self::Producer<'_> {
        // SAFETY: the kernels take each end once at a time.
        unsafe { Producer::from_raw(line::Producer::enter(self.memory)) }
    }

    fn consume(&self) -> Self::Consumer<'_> {
        // SAFETY: the kernels take each end once at a time.
        unsafe { Consumer::from_raw(line::Consumer::enter(self.memory)) }
    }
}

impl<M, G: Geometry, P: Policy> Drop for Variant<M, G, P> {
    fn drop(&mut self) {
        let Self { memory, layout, .. } = self;
        // SAFETY: allocated in `with_capacity` with this layout; messages need no drop.
        unsafe { dealloc(memory.as_ptr().as_ptr(), *layout) };
    }
}

type ByCells<M, P> = Variant<M, Cells<M>, P>;
type BySlots<M, P> = Variant<M, StampedSlots<M>, P>;

/// The kernels of every variant.
pub fn kernels() -> Vec<Kernel> {
    let mut all = Vec::new();
    macro_rules! variant {
        ($id:literal, $queue:ident, $policy:ty) => {
            all.extend(every_benchmark::<1, $queue<Small, $policy>>($id));
            all.extend(every_benchmark::<6, $queue<Medium, $policy>>($id));
        };
    }
    variant!(c"lab-ahead-0", ByCells, LookAhead<0>);
    variant!(c"lab-ahead-1", ByCells, LookAhead<1>);
    variant!(c"lab-ahead-2", ByCells, LookAhead<2>);
    variant!(c"lab-ahead-4", ByCells, LookAhead<4>);
    variant!(c"lab-ahead-8", ByCells, LookAhead<8>);
    variant!(c"lab-one-way-0", BySlots, OneWay<0>);
    variant!(c"lab-one-way-4", BySlots, OneWay<4>);
    all
}
