//! Memory for a ring, which any language may lay out and any may find.

use super::end::{End, Kind, CAPACITY};
use gimmal::policy::Shared;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mpsc::{ByCell, ErasedSingleCells};
use gimmal::raw::{ErasedCells, ErasedSlots, Memory, Protocol};
use gimmal::shape::Shape;
use gimmal_ffi::GIMMAL_OK;
use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ffi::c_void;
use std::ptr::NonNull;

/// The memory of one ring, full of old bytes until it is laid out.
pub struct Place {
    memory: NonNull<u8>,
    layout: Layout,
    shape: Shape,
}

// SAFETY: the memory is reached by the ends of the ring in it only, which synchronise by its protocol.
unsafe impl Sync for Place {}

impl Place {
    /// A ring for elements like those of `end`, laid out by it, whose ends start at slot or cell number `start`.
    pub fn new(end: End, kind: Kind, start: usize) -> Self {
        let (size, align) = (end.element_size, end.element_align);
        let shape = match kind {
            Kind::Ring => Shape::by_index(size, align, CAPACITY),
            Kind::LineRing => Shape::by_line(size, align, CAPACITY),
            Kind::Mpsc => Shape::mpsc(size, align, CAPACITY),
        }
        .unwrap();
        let layout = Layout::from_size_align(shape.size(), shape.align()).unwrap();
        // SAFETY: no ring is empty.
        let memory = unsafe { alloc(layout) };
        let Some(memory) = NonNull::new(memory) else {
            handle_alloc_error(layout)
        };
        // SAFETY: the memory is this long; nobody else knows it yet.
        unsafe {
            memory.write_bytes(0xA5, layout.size());
            assert_eq!(
                (end.lay_out)(memory.as_ptr().cast(), layout.size()),
                GIMMAL_OK
            );
        }
        // SAFETY: a ring of this shape was laid out just now; it is empty, and nobody has an end of it.
        unsafe {
            match kind {
                Kind::Ring => {
                    let ring = Memory::<_, Shared>::new(memory, ErasedSlots::new(&shape));
                    ByIndex::start_at(&ring, start);
                }
                Kind::LineRing => {
                    let ring = Memory::<_, Shared>::new(memory, ErasedCells::new(&shape));
                    ByLine::start_at(&ring, start);
                }
                Kind::Mpsc => {
                    let ring = Memory::<_, Shared>::new(memory, ErasedSingleCells::new(&shape));
                    ByCell::start_at(&ring, start);
                }
            }
        }
        Self {
            memory,
            layout,
            shape,
        }
    }

    pub fn memory(&self) -> *mut c_void {
        self.memory.as_ptr().cast()
    }

    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// The elements that the ring holds for certain, and those that it holds at most.
    pub fn capacity(&self) -> (usize, usize) {
        (
            self.shape.capacity(),
            self.shape.per_cell() * self.shape.count(),
        )
    }

    /// The bytes that state the ring's geometry.
    pub fn geometry(&self) -> [u8; 24] {
        // SAFETY: a control block is longer, and nobody changes its geometry once it is published.
        unsafe { self.memory.cast().read() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout, and every end was given back.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}
