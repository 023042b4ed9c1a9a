//! `gimmal_line_ring_t` as an object of the calls.

use core::ptr::NonNull;

use gimmal::index::cells_of;
use gimmal::layout::{Header, Kind, Shape, ShapeError};
use gimmal::raw::line::ByLine;
use gimmal::raw::{Cells, ErasedCells, Geometry, Memory};
use gimmal::sync::Native;

use super::{run_apart, Object, Outcome, Task};
use crate::line_ring::gimmal_line_ring_t;

// SAFETY: the struct is a control block, and the geometry is that of the kind.
unsafe impl Object for gimmal_line_ring_t {
    const KIND: Kind = Kind::Line;
    type Geometry = ErasedCells;
    type Protocol = ByLine;

    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError> {
        Shape::by_line(size, align, capacity)
    }

    fn of_shape(shape: &Shape) -> ErasedCells {
        ErasedCells::new(shape)
    }

    #[inline(always)]
    fn geometry(header: &Header<Native>) -> ErasedCells {
        ErasedCells::of(header)
    }

    #[inline(always)]
    unsafe fn run<T: Task>(ring: NonNull<u8>, geometry: ErasedCells, task: T) -> Outcome {
        // Elements aligned to a word at most lie in a cell where bytes do.
        let (count, bytes) = (
            cells_of(geometry.mask()),
            geometry.element_offset() == size_of::<usize>(),
        );
        // SAFETY: the caller's word; the geometry of elements as long as these, so aligned, is the ring's own.
        unsafe {
            match geometry.element_size() {
                _ if !bytes => run_apart::<Self, T>(ring, task),
                1 => task.run(Memory::new(ring, Cells::<[u8; 1]>::new(count))),
                2 => task.run(Memory::new(ring, Cells::<[u8; 2]>::new(count))),
                4 => task.run(Memory::new(ring, Cells::<[u8; 4]>::new(count))),
                8 => task.run(Memory::new(ring, Cells::<[u8; 8]>::new(count))),
                16 => task.run(Memory::new(ring, Cells::<[u8; 16]>::new(count))),
                32 => task.run(Memory::new(ring, Cells::<[u8; 32]>::new(count))),
                48 => task.run(Memory::new(ring, Cells::<[u8; 48]>::new(count))),
                64 => task.run(Memory::new(ring, Cells::<[u8; 64]>::new(count))),
                _ => run_apart::<Self, T>(ring, task),
            }
        }
    }
}
