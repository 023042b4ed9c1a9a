//! Where slots and cells lie: as constants where the element's type is known, as fields where it is erased.

use super::index::ByIndex;
use super::line::ByLine;
use super::mpsc::ByCell;
use crate::index::cell_mask;
use crate::layout::{Control, Header, Kind, CELL_SIZE};
use crate::policy::Policy;
use crate::shape::{element_offset, per_cell, Shape};
use crate::sync::{Native, Ordering};
use core::marker::PhantomData;
use core::mem::{align_of, size_of};

/// The sizes and offsets of a ring in memory.
pub trait Geometry: Copy {
    /// How the ring publishes its elements.
    type Protocol;

    /// By index the number of slots less 1; by line the bits of a cursor that say which cell it is in.
    fn mask(&self) -> usize;
    /// Bytes from one slot or cell to the next.
    fn stride(&self) -> usize;
    /// Where slots or cells begin, in a ring whose control block has the policy's padding.
    fn slots_offset<P: Policy>(&self) -> usize;
    /// Bytes of an element.
    fn element_size(&self) -> usize;
    /// Where the first element lies in a cell; 0 by index.
    fn element_offset(&self) -> usize;
    /// Elements in a cell; 1 by index.
    fn per_cell(&self) -> usize;
}

const fn slots_offset<P: Policy>(slot_align: usize) -> usize {
    size_of::<Control<Native, P::Padding>>().next_multiple_of(slot_align)
}

const fn slot_mask(slots: usize) -> usize {
    slots - 1
}

const fn cell_align<T>() -> usize {
    if align_of::<T>() > CELL_SIZE {
        align_of::<T>()
    } else {
        CELL_SIZE
    }
}

macro_rules! typed_slots {
    () => {
        type Protocol = ByIndex;

        #[inline(always)]
        fn stride(&self) -> usize {
            size_of::<T>()
        }

        #[inline(always)]
        fn slots_offset<P: Policy>(&self) -> usize {
            const { slots_offset::<P>(align_of::<T>()) }
        }

        #[inline(always)]
        fn element_size(&self) -> usize {
            size_of::<T>()
        }

        #[inline(always)]
        fn element_offset(&self) -> usize {
            0
        }

        #[inline(always)]
        fn per_cell(&self) -> usize {
            1
        }
    };
}

/// A protocol whose elements lie in cells.
pub trait InCells {}

impl InCells for ByLine {}
impl InCells for ByCell {}

macro_rules! typed_cells {
    () => {
        typed_cells!(ByLine, per_cell(size_of::<T>(), align_of::<T>()));
    };
    ($protocol:ident, $held:expr) => {
        type Protocol = $protocol;

        #[inline(always)]
        fn stride(&self) -> usize {
            const {
                let end = element_offset(align_of::<T>()) + size_of::<T>() * $held;
                end.next_multiple_of(cell_align::<T>())
            }
        }

        #[inline(always)]
        fn slots_offset<P: Policy>(&self) -> usize {
            const { slots_offset::<P>(cell_align::<T>()) }
        }

        #[inline(always)]
        fn element_size(&self) -> usize {
            size_of::<T>()
        }

        #[inline(always)]
        fn element_offset(&self) -> usize {
            const { element_offset(align_of::<T>()) }
        }

        #[inline(always)]
        fn per_cell(&self) -> usize {
            const { $held }
        }
    };
}

macro_rules! typed_single_cells {
    () => {
        typed_cells!(ByCell, 1);
    };
}

macro_rules! geometry_of_type {
    ($(#[$doc:meta])* $name:ident, $mask:ident, $members:ident) => {
        $(#[$doc])*
        pub struct $name<T> {
            mask: usize,
            element: PhantomData<fn() -> T>,
        }

        impl<T> $name<T> {
            /// For this number, a power of two.
            #[inline]
            pub const fn new(count: usize) -> Self {
                debug_assert!(count.is_power_of_two());
                Self {
                    mask: $mask(count),
                    element: PhantomData,
                }
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> Geometry for $name<T> {
            #[inline(always)]
            fn mask(&self) -> usize {
                self.mask
            }

            $members!();
        }
    };
}

geometry_of_type! {
    /// Slots for `T`, their number known at run time.
    Slots, slot_mask, typed_slots
}
geometry_of_type! {
    /// Cells for `T`, their number known at run time.
    Cells, cell_mask, typed_cells
}
geometry_of_type! {
    /// Cells for one `T` each, their number known at run time.
    SingleCells, cell_mask, typed_single_cells
}

macro_rules! fixed_geometry {
    ($(#[$doc:meta])* $name:ident, $mask:ident, $members:ident) => {
        $(#[$doc])*
        pub struct $name<T, const N: usize>(PhantomData<fn() -> T>);

        impl<T, const N: usize> $name<T, N> {
            /// The only value.
            #[inline]
            pub const fn new() -> Self {
                const { assert!(N.is_power_of_two()) };
                Self(PhantomData)
            }
        }

        impl<T, const N: usize> Default for $name<T, N> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T, const N: usize> Clone for $name<T, N> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T, const N: usize> Copy for $name<T, N> {}

        impl<T, const N: usize> Geometry for $name<T, N> {
            #[inline(always)]
            fn mask(&self) -> usize {
                const { $mask(N) }
            }

            $members!();
        }
    };
}

fixed_geometry! {
    /// `N` slots for `T`: everything is a constant.
    FixedSlots, slot_mask, typed_slots
}
fixed_geometry! {
    /// `N` cells for `T`: everything is a constant.
    FixedCells, cell_mask, typed_cells
}
fixed_geometry! {
    /// `N` cells for one `T` each: everything is a constant.
    FixedSingleCells, cell_mask, typed_single_cells
}

impl<T> Slots<T> {
    /// Their number as a published header of kind [`Kind::Index`] states it, unchecked.
    #[inline(always)]
    pub fn of(header: &Header<Native>) -> Self {
        // Relaxed: ordered by the Acquire load of `magic` that found the ring published.
        Self::new(1 << header.log2_count.load(Ordering::Relaxed))
    }
}

impl<T> Cells<T> {
    /// Their number as a published header of kind [`Kind::Line`] states it, unchecked.
    #[inline(always)]
    pub fn of(header: &Header<Native>) -> Self {
        // Relaxed: ordered by the Acquire load of `magic` that found the ring published.
        Self::new(1 << header.log2_count.load(Ordering::Relaxed))
    }
}

impl<T> SingleCells<T> {
    /// Their number as a published header of kind [`Kind::Mpsc`] states it, unchecked.
    #[inline(always)]
    pub fn of(header: &Header<Native>) -> Self {
        // Relaxed: ordered by the Acquire load of `magic` that found the ring published.
        Self::new(1 << header.log2_count.load(Ordering::Relaxed))
    }
}

/// The size of the elements and the log2 of their alignment, as a published header states them, unchecked.
#[inline(always)]
pub fn stated_element(header: &Header<Native>) -> (usize, u32) {
    // Relaxed: ordered by the Acquire load of `magic` that found the ring published.
    let size = header.element_size.load(Ordering::Relaxed);
    let log2_align = header.log2_align.load(Ordering::Relaxed);
    (size as usize, u32::from(log2_align))
}

/// Slots for elements known by their size alone.
#[derive(Debug, Clone, Copy)]
pub struct ErasedSlots {
    mask: usize,
    size: usize,
    offset: usize,
}

impl ErasedSlots {
    /// The slots of a ring of this shape, by index.
    #[inline]
    pub fn new(shape: &Shape) -> Self {
        debug_assert!(shape.kind() == Kind::Index);
        Self {
            mask: shape.count() - 1,
            size: shape.element_size(),
            offset: shape.slots_offset(),
        }
    }
}

impl ErasedSlots {
    /// The slots that a published header of kind [`Kind::Index`] states, unchecked.
    #[inline]
    pub fn of(header: &Header<Native>) -> Self {
        // Relaxed: ordered by the Acquire load of `magic` that found the ring published.
        Self {
            mask: (1 << header.log2_count.load(Ordering::Relaxed)) - 1,
            size: header.element_size.load(Ordering::Relaxed) as usize,
            offset: header.slots_offset.load(Ordering::Relaxed) as usize,
        }
    }
}

impl Geometry for ErasedSlots {
    type Protocol = ByIndex;

    #[inline(always)]
    fn mask(&self) -> usize {
        self.mask
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        self.size
    }

    #[inline(always)]
    fn slots_offset<P: Policy>(&self) -> usize {
        self.offset
    }

    #[inline(always)]
    fn element_size(&self) -> usize {
        self.size
    }

    #[inline(always)]
    fn element_offset(&self) -> usize {
        0
    }

    #[inline(always)]
    fn per_cell(&self) -> usize {
        1
    }
}

/// Cells for elements known by their size alone.
#[derive(Debug, Clone, Copy)]
pub struct ErasedCells {
    mask: usize,
    stride: usize,
    offset: usize,
    size: usize,
    element_offset: usize,
    per_cell: usize,
}

impl ErasedCells {
    /// The cells of a ring of this shape.
    #[inline]
    pub fn new(shape: &Shape) -> Self {
        debug_assert!(shape.kind() != Kind::Index);
        Self {
            mask: cell_mask(shape.count()),
            stride: shape.stride(),
            offset: shape.slots_offset(),
            size: shape.element_size(),
            element_offset: element_offset(shape.element_align()),
            per_cell: shape.per_cell(),
        }
    }
}

impl ErasedCells {
    /// The cells that a published header of such a kind states, unchecked.
    #[inline]
    pub fn of(header: &Header<Native>) -> Self {
        // Relaxed: ordered by the Acquire load of `magic` that found the ring published.
        Self {
            mask: cell_mask(1 << header.log2_count.load(Ordering::Relaxed)),
            stride: header.stride.load(Ordering::Relaxed) as usize,
            offset: header.slots_offset.load(Ordering::Relaxed) as usize,
            size: header.element_size.load(Ordering::Relaxed) as usize,
            element_offset: element_offset(1 << header.log2_align.load(Ordering::Relaxed)),
            per_cell: usize::from(header.per_cell.load(Ordering::Relaxed)),
        }
    }
}

impl Geometry for ErasedCells {
    type Protocol = ByLine;

    #[inline(always)]
    fn mask(&self) -> usize {
        self.mask
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        self.stride
    }

    #[inline(always)]
    fn slots_offset<P: Policy>(&self) -> usize {
        self.offset
    }

    #[inline(always)]
    fn element_size(&self) -> usize {
        self.size
    }

    #[inline(always)]
    fn element_offset(&self) -> usize {
        self.element_offset
    }

    #[inline(always)]
    fn per_cell(&self) -> usize {
        self.per_cell
    }
}
