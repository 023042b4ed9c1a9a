//! Memory for a ring, as a segment has it: raw, zeroed, and nobody's.
#![allow(dead_code)]

use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{Corrupt, Mapped, Segment};
use gimmal::raw::mpsc::{ByCell, ErasedSingleCells};
use gimmal::raw::{
    attach, Attach, AttachError, Ends, ErasedCells, ErasedSlots, Geometry, Protocol,
};
use gimmal::shape::Shape;
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout};
use std::ptr::NonNull;

/// How a kind of ring is found in a segment.
pub trait Kind: Protocol<Mapped<Self::Geometry>> {
    type Geometry: Geometry<Protocol = Self>;
    fn shape(size: usize, align: usize, count: usize) -> Shape;
    fn geometry(shape: &Shape) -> Self::Geometry;
}

macro_rules! kind {
    ($protocol:ty, $geometry:ty, $shape:expr) => {
        impl Kind for $protocol {
            type Geometry = $geometry;

            fn shape(size: usize, align: usize, count: usize) -> Shape {
                $shape(size, align, count).unwrap()
            }

            fn geometry(shape: &Shape) -> $geometry {
                <$geometry>::new(shape)
            }
        }
    };
}

kind!(ByIndex, ErasedSlots, Shape::by_index);
kind!(ByLine, ErasedCells, Shape::with_cells);
kind!(ByCell, ErasedSingleCells, Shape::mpsc);

/// A ring's memory with guard bytes on both sides, which nobody may write.
pub struct Memory {
    allocation: NonNull<u8>,
    layout: Layout,
    shape: Shape,
}

const GUARD: u8 = 0xa5;

impl Memory {
    pub fn new(shape: Shape) -> Self {
        let around = shape.align().max(4096);
        let layout = Layout::from_size_align(shape.size() + 2 * around, around).unwrap();
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let allocation = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        let memory = Self {
            allocation,
            layout,
            shape,
        };
        for guard in memory.guards() {
            // SAFETY: the guards are in the allocation.
            unsafe { guard.write_bytes(GUARD, around) };
        }
        memory
    }

    /// A ring of `count` slots or cells, published, with both ends at `start`.
    pub fn of<K: Kind>(size: usize, align: usize, count: usize, start: usize) -> Self {
        let memory = Self::new(K::shape(size, align, count));
        let body = memory.body::<K>();
        body.publish(&memory.shape);
        assert_eq!(memory.attach(), Ok(memory.shape));
        // SAFETY: there are no ends yet.
        unsafe { K::start_at(&body, start) };
        memory
    }

    fn guards(&self) -> [*mut u8; 2] {
        let around = self.layout.align();
        let start = self.allocation.as_ptr();
        [start, start.wrapping_add(around + self.shape.size())]
    }

    pub fn ring(&self) -> NonNull<u8> {
        // SAFETY: the ring begins a guard into the allocation.
        unsafe { self.allocation.add(self.layout.align()) }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn body<K: Kind>(&self) -> Mapped<K::Geometry> {
        // SAFETY: the memory is that of a ring of this shape, zeroed, and tests keep it as long as its ends.
        unsafe { Mapped::new(self.ring(), K::geometry(&self.shape)) }
    }

    /// The shape as a process finds it that knows nothing of the ring but its kind and the memory's length.
    pub fn attach(&self) -> Result<Shape, AttachError> {
        let expected = Attach {
            kind: self.shape.kind(),
            element: None,
        };
        // SAFETY: the memory is as long as the ring.
        unsafe { attach::<Segment>(self.ring(), self.shape.size(), expected) }
    }

    /// Takes the producer's end over from whoever had it; its handle is not used any more.
    pub fn producer<K: Kind>(&self) -> Result<K::Producer, Corrupt> {
        // SAFETY: each test keeps one producer of a ring at work, or several where that is allowed.
        unsafe { K::recover_producer(self.body::<K>()) }
    }

    /// Takes the consumer's end over from whoever had it; its handle is not used any more.
    pub fn consumer<K: Kind>(&self) -> Result<K::Consumer, Corrupt> {
        // SAFETY: each test keeps one consumer of a ring at work.
        unsafe { K::recover_consumer(self.body::<K>()) }
    }

    /// Panics if something was written beside the ring.
    pub fn check_guards(&self) {
        for guard in self.guards() {
            // SAFETY: the guards are in the allocation, and no end has a pointer there.
            let bytes = unsafe { std::slice::from_raw_parts(guard, self.layout.align()) };
            assert!(
                bytes.iter().all(|&byte| byte == GUARD),
                "a guard was written"
            );
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated so, and no end is left.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) };
    }
}
