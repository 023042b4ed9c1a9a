//! `gimmal_line_ring_t` as an object of the calls.

use core::ptr::NonNull;

use gimmal::layout::{Header, Kind};
use gimmal::raw::line::ByLine;
use gimmal::raw::{stated_element, Cells, ErasedCells, Memory};
use gimmal::shape::{Shape, ShapeError};
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
    unsafe fn run<T: Task>(ring: NonNull<u8>, header: &Header<Native>, task: T) -> Outcome {
        let (size, log2_align) = stated_element(header);
        // Elements aligned to a word at most lie in a cell where bytes do. One code does for all on the smallest processors, whose flash is scarce.
        let aligned = log2_align <= size_of::<usize>().trailing_zeros();
        // SAFETY: the caller's word; the geometry of elements as long as these, so aligned, is the ring's own.
        unsafe {
            match size {
                _ if cfg!(not(target_has_atomic = "ptr")) || !aligned => {
                    run_apart::<Self, T>(ring, task)
                }
                1 => task.run(Memory::new(ring, Cells::<[u8; 1]>::of(header))),
                2 => task.run(Memory::new(ring, Cells::<[u8; 2]>::of(header))),
                4 => task.run(Memory::new(ring, Cells::<[u8; 4]>::of(header))),
                8 => task.run(Memory::new(ring, Cells::<[u8; 8]>::of(header))),
                16 => task.run(Memory::new(ring, Cells::<[u8; 16]>::of(header))),
                32 => task.run(Memory::new(ring, Cells::<[u8; 32]>::of(header))),
                48 => task.run(Memory::new(ring, Cells::<[u8; 48]>::of(header))),
                64 => task.run(Memory::new(ring, Cells::<[u8; 64]>::of(header))),
                _ => run_apart::<Self, T>(ring, task),
            }
        }
    }
}
