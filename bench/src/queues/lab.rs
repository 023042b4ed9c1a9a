//! Variants of the rings by policy, for the decisions in `docs/adr/`: measured only when they are named, or by a study.

use super::{every_benchmark, Queue};
use crate::abi::Kernel;
use crate::catalog::Benchmark;
use crate::kernels::entry;
use crate::kernels::round_trip::RoundTrip;
use crate::kernels::throughput::Throughput;
use crate::message::{Medium, Message, Small};
use gimmal::consumer::Consumer;
use gimmal::index::{cell_mask, cells_for, cells_of};
use gimmal::layout::Control;
use gimmal::policy::lab::{LookAhead, OneWay, PollAtWill, PollForReading};
use gimmal::policy::Policy;
use gimmal::producer::Producer;
use gimmal::raw::line::ByLine;
use gimmal::raw::{Cells, Geometry, Memory, Protocol, Slots};
use gimmal::sync::Native;
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
    /// How many slots or cells it has.
    fn count(&self) -> usize;
}

impl<M> ForCapacity for StampedSlots<M> {
    fn for_capacity(capacity: usize) -> Self {
        Self {
            mask: cell_mask(capacity.next_power_of_two()),
            message: PhantomData,
        }
    }

    fn count(&self) -> usize {
        cells_of(self.mask)
    }
}

impl<M> ForCapacity for Cells<M> {
    fn for_capacity(capacity: usize) -> Self {
        let per_cell = gimmal::shape::per_cell(size_of::<M>(), align_of::<M>());
        Self::new(cells_for(capacity, per_cell).expect("a capacity of the plan"))
    }

    fn count(&self) -> usize {
        cells_of(self.mask())
    }
}

impl<M> ForCapacity for Slots<M> {
    fn for_capacity(capacity: usize) -> Self {
        Self::new(capacity.next_power_of_two())
    }

    fn count(&self) -> usize {
        self.mask() + 1
    }
}

/// Far enough for two lines not to be fetched together, and a multiple of every padding.
const APART: usize = 256;

/// Where a ring's producer has its words, from the ring's beginning.
const fn words_at<P: Policy>() -> usize {
    Control::<Native, P::Padding>::PRODUCER_OFFSET
}

/// Another geometry, its slots as far from the ends' words as needed for a line of their own, whatever the padding.
#[derive(Clone, Copy)]
pub struct Apart<G>(G);

impl<G: Geometry> Geometry for Apart<G> {
    type Protocol = G::Protocol;

    #[inline(always)]
    fn mask(&self) -> usize {
        self.0.mask()
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        self.0.stride()
    }

    #[inline(always)]
    fn slots_offset<P: Policy>(&self) -> usize {
        let words = words_at::<P>();
        words + (self.0.slots_offset::<P>() - words).next_multiple_of(APART)
    }

    #[inline(always)]
    fn element_size(&self) -> usize {
        self.0.element_size()
    }

    #[inline(always)]
    fn element_offset(&self) -> usize {
        self.0.element_offset()
    }

    #[inline(always)]
    fn per_cell(&self) -> usize {
        self.0.per_cell()
    }
}

/// A ring of any geometry and policy. The producer's words and the slots start where lines do, so that the policy's padding
/// alone decides what shares one.
pub struct Variant<M, G: Geometry, P: Policy> {
    memory: Memory<Apart<G>, P>,
    allocated: NonNull<u8>,
    layout: Layout,
    message: PhantomData<fn(M) -> M>,
}

// SAFETY: the memory is used by the protocol, from one thread at each end.
unsafe impl<M: Send, G: Geometry, P: Policy> Sync for Variant<M, G, P> {}
// SAFETY: as above.
unsafe impl<M: Send, G: Geometry, P: Policy> Send for Variant<M, G, P> {}

type ProducerOf<G, P> = <<G as Geometry>::Protocol as Protocol<Memory<Apart<G>, P>>>::Producer;
type ConsumerOf<G, P> = <<G as Geometry>::Protocol as Protocol<Memory<Apart<G>, P>>>::Consumer;

impl<const WORDS: usize, G, P> Queue<Message<WORDS>> for Variant<Message<WORDS>, G, P>
where
    G: ForCapacity<Protocol: Protocol<Memory<Apart<G>, P>>> + 'static,
    P: Policy,
{
    type Producer<'a> = Producer<'a, Message<WORDS>, ProducerOf<G, P>>;
    type Consumer<'a> = Consumer<'a, Message<WORDS>, ConsumerOf<G, P>>;

    fn with_capacity(capacity: usize) -> Self {
        let geometry = G::for_capacity(capacity);
        let count = geometry.count();
        let geometry = Apart(geometry);
        let before = words_at::<P>().next_multiple_of(APART) - words_at::<P>();
        let size = before + geometry.slots_offset::<P>() + geometry.stride() * count;
        let layout = Layout::from_size_align(size, APART).expect("a size of the plan");
        // SAFETY: the size is not 0.
        let Some(allocated) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout)
        };
        // SAFETY: `before` is within what was allocated, and what follows it, zeroed memory of the geometry's size which
        // nobody else has, is an empty ring.
        let memory = unsafe { Memory::new(allocated.add(before), geometry) };
        Self {
            memory,
            allocated,
            layout,
            message: PhantomData,
        }
    }

    fn produce(&self) -> Self::Producer<'_> {
        // SAFETY: the kernels take each end once at a time.
        unsafe { Producer::from_raw(G::Protocol::producer(self.memory)) }
    }

    fn consume(&self) -> Self::Consumer<'_> {
        // SAFETY: the kernels take each end once at a time.
        unsafe { Consumer::from_raw(G::Protocol::consumer(self.memory)) }
    }
}

impl<M, G: Geometry, P: Policy> Drop for Variant<M, G, P> {
    fn drop(&mut self) {
        // SAFETY: allocated in `with_capacity` with this layout; messages need no drop.
        unsafe { dealloc(self.allocated.as_ptr(), self.layout) };
    }
}

type ByCells<M, P> = Variant<M, Cells<M>, P>;
type BySlots<M, P> = Variant<M, StampedSlots<M>, P>;

/// How a variant publishes its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By index.
    Index,
    /// By line.
    Line,
}

/// Both kinds.
pub const KINDS: [Kind; 2] = [Kind::Index, Kind::Line];

impl Kind {
    /// As in the studies' tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "by index",
            Self::Line => "by line",
        }
    }

    /// The kernel of a ring of this kind under policy `P`; any capacity. `None` for a benchmark or a size that no study takes.
    pub fn kernel<P: Policy>(self, benchmark: Benchmark, payload: u32) -> Option<Kernel> {
        match (self, payload) {
            (Self::Index, 8) => kernel::<1, Slots<Small>, P>(benchmark),
            (Self::Index, 48) => kernel::<6, Slots<Medium>, P>(benchmark),
            (Self::Line, 8) => kernel::<1, Cells<Small>, P>(benchmark),
            (Self::Line, 48) => kernel::<6, Cells<Medium>, P>(benchmark),
            _ => None,
        }
    }
}

fn kernel<const WORDS: usize, G, P>(benchmark: Benchmark) -> Option<Kernel>
where
    G: ForCapacity<Protocol: Protocol<Memory<Apart<G>, P>>> + 'static,
    P: Policy,
{
    type Of<const WORDS: usize, G, P> = (Message<WORDS>, Variant<Message<WORDS>, G, P>);
    let payload = size_of::<Message<WORDS>>();
    match benchmark {
        Benchmark::RoundTrip => Some(entry::<RoundTrip<Of<WORDS, G, P>>>(c"study", payload)),
        Benchmark::Throughput => Some(entry::<Throughput<Of<WORDS, G, P>>>(c"study", payload)),
        _ => None,
    }
}

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
    variant!(c"lab-poll-for-reading", ByCells, PollForReading);
    variant!(c"lab-poll-at-will", ByCells, PollAtWill);
    variant!(c"lab-one-way-0", BySlots, OneWay<0>);
    variant!(c"lab-one-way-4", BySlots, OneWay<4>);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimmal::layout::Gap;
    use gimmal::policy::lab::WithPadding;
    use gimmal::policy::Shared;
    use gimmal::raw::{Body, IndexBody, LineBody};

    /// Where the parts of a ring lie: the two indices and the first slot or cell, by their distance from a border that no two
    /// lines are fetched across; and how far the indices are from each other.
    fn places<G: ForCapacity, P: Policy>(slot: impl Fn(&Memory<Apart<G>, P>) -> usize) -> [usize; 3]
    where
        Variant<Small, G, P>: Queue<Small>,
    {
        let ring = Variant::<Small, G, P>::with_capacity(64);
        let tail = std::ptr::from_ref(&ring.memory.producer().tail).addr();
        let head = std::ptr::from_ref(&ring.memory.consumer().head).addr();
        [tail % APART, slot(&ring.memory) % APART, head - tail]
    }

    fn by_index<P: Policy>() -> [usize; 3] {
        places::<Slots<Small>, P>(|memory| memory.slot(0).addr().get())
    }

    fn by_line<P: Policy>() -> [usize; 3] {
        places::<Cells<Small>, P>(|memory| memory.cell(0).addr().get())
    }

    #[test]
    fn the_gap_alone_decides_what_shares_a_line() {
        const GROUP: usize = 3 * size_of::<usize>();
        macro_rules! gaps {
            ($($gap:literal),*) => {$(
                assert_eq!(by_index::<WithPadding<Gap<$gap>>>(), [0, 0, GROUP + $gap]);
                assert_eq!(by_line::<WithPadding<Gap<$gap>>>(), [0, 0, GROUP + $gap]);
            )*};
        }
        gaps!(0, 16, 32, 64, 128, 256);
        assert_eq!(by_index::<Shared>(), [0, 0, 128], "the frozen layout");
        assert_eq!(by_line::<Shared>(), [0, 0, 128], "the frozen layout");
    }

    #[test]
    fn there_is_a_kernel_for_what_the_studies_ask() {
        for kind in KINDS {
            for payload in [8, 48] {
                for benchmark in [Benchmark::RoundTrip, Benchmark::Throughput] {
                    assert!(kind.kernel::<Shared>(benchmark, payload).is_some());
                }
            }
            assert!(kind.kernel::<Shared>(Benchmark::PopEmpty, 8).is_none());
            assert!(kind.kernel::<Shared>(Benchmark::RoundTrip, 16).is_none());
        }
    }
}
