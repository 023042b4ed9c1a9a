//! `gimmal_ring_t` as an object of the calls.

use core::ptr::NonNull;

use gimmal::layout::{Header, Kind, Shape, ShapeError};
use gimmal::policy::Shared;
use gimmal::raw::index::ByIndex;
use gimmal::raw::{ErasedSlots, Geometry, Memory, Slots};
use gimmal::sync::Native;

use super::{run_apart, Object, Outcome, Task};
use crate::control::gimmal_control_t;
use crate::ring::gimmal_ring_t;

// SAFETY: the struct is a control block, and the geometry is that of the kind.
unsafe impl Object for gimmal_ring_t {
    const KIND: Kind = Kind::Index;
    type Geometry = ErasedSlots;
    type Protocol = ByIndex;

    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError> {
        Shape::by_index(size, align, capacity)
    }

    fn of_shape(shape: &Shape) -> ErasedSlots {
        ErasedSlots::new(shape)
    }

    #[inline(always)]
    fn geometry(header: &Header<Native>) -> ErasedSlots {
        ErasedSlots::of(header)
    }

    #[inline(always)]
    unsafe fn run<T: Task>(ring: NonNull<u8>, geometry: ErasedSlots, task: T) -> Outcome {
        // Slots of elements aligned to a word at most begin where those of bytes do.
        let (count, bytes) = (
            geometry.mask() + 1,
            geometry.slots_offset::<Shared>() == size_of::<gimmal_control_t>(),
        );
        // SAFETY: the caller's word; the geometry of elements as long as these, so aligned, is the ring's own.
        unsafe {
            match geometry.element_size() {
                _ if !bytes => run_apart::<Self, T>(ring, task),
                1 => task.run(Memory::new(ring, Slots::<[u8; 1]>::new(count))),
                2 => task.run(Memory::new(ring, Slots::<[u8; 2]>::new(count))),
                4 => task.run(Memory::new(ring, Slots::<[u8; 4]>::new(count))),
                8 => task.run(Memory::new(ring, Slots::<[u8; 8]>::new(count))),
                16 => task.run(Memory::new(ring, Slots::<[u8; 16]>::new(count))),
                32 => task.run(Memory::new(ring, Slots::<[u8; 32]>::new(count))),
                48 => task.run(Memory::new(ring, Slots::<[u8; 48]>::new(count))),
                64 => task.run(Memory::new(ring, Slots::<[u8; 64]>::new(count))),
                _ => run_apart::<Self, T>(ring, task),
            }
        }
    }
}
