//! `gimmal_mpsc_t` as an object of the calls, and what it alone is asked.

use core::ptr::NonNull;

use gimmal::layout::{Header, Kind};
use gimmal::raw::mpsc::{ByCell, ErasedSingleCells};
use gimmal::raw::{stated_element, Memory, SingleCells};
use gimmal::shape::{Shape, ShapeError};
use gimmal::sync::Native;

use super::{not_null, open, run_apart, Object, Outcome, Stateless, Task};
use crate::mpsc::gimmal_mpsc_t;
use crate::status::GIMMAL_EMPTY;

// SAFETY: the struct is a control block, and the geometry is that of the kind.
unsafe impl Object for gimmal_mpsc_t {
    const KIND: Kind = Kind::Mpsc;
    type Geometry = ErasedSingleCells;
    type Protocol = ByCell;

    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError> {
        Shape::mpsc(size, align, capacity)
    }

    fn of_shape(shape: &Shape) -> ErasedSingleCells {
        ErasedSingleCells::new(shape)
    }

    #[inline(always)]
    fn geometry(header: &Header<Native>) -> ErasedSingleCells {
        ErasedSingleCells::of(header)
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
                1 => task.run(Memory::new(ring, SingleCells::<[u8; 1]>::of(header))),
                2 => task.run(Memory::new(ring, SingleCells::<[u8; 2]>::of(header))),
                4 => task.run(Memory::new(ring, SingleCells::<[u8; 4]>::of(header))),
                8 => task.run(Memory::new(ring, SingleCells::<[u8; 8]>::of(header))),
                16 => task.run(Memory::new(ring, SingleCells::<[u8; 16]>::of(header))),
                32 => task.run(Memory::new(ring, SingleCells::<[u8; 32]>::of(header))),
                48 => task.run(Memory::new(ring, SingleCells::<[u8; 48]>::of(header))),
                64 => task.run(Memory::new(ring, SingleCells::<[u8; 64]>::of(header))),
                _ => run_apart::<Self, T>(ring, task),
            }
        }
    }
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `number` is NULL or writable.
pub(crate) unsafe fn stalled(ring: *const gimmal_mpsc_t, number: *mut usize) -> Outcome {
    let number = not_null(number)?;
    // SAFETY: the caller's word: the only consumer.
    let end = unsafe { ByCell::resume_consumer(open(ring)?) };
    let cell = end.stalled().ok_or(GIMMAL_EMPTY)?;
    // SAFETY: the caller's word; it is not NULL.
    unsafe { number.write(cell.number) };
    Ok(())
}
