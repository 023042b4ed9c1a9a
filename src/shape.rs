//! The shape of a ring: what the published fields say, and what follows from them.

use crate::index::{cells_for, line_capacity, MAX_CELLS, MAX_SLOTS};
use crate::layout::{Control, Kind, CELL_SIZE};
use core::mem::{align_of, size_of};

const WORD: usize = size_of::<usize>();

/// Why no ring has the shape asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeError {
    /// The element's size is 0, or its alignment is not a power of two, or its size is no multiple of that.
    Element,
    /// The capacity is 0 or, by index and with many producers, not a power of two.
    Capacity,
    /// The ring or pool would not fit in memory, or in the layout's fields.
    Overflow,
}

impl core::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Element => {
                "the element's size must be a multiple of its alignment and not 0, its alignment a power of two"
            }
            Self::Capacity => {
                "the capacity must be a power of two, or of a pool and by line for one producer any number but 0"
            }
            Self::Overflow => "it would be larger than memory, or than the layout can describe",
        })
    }
}

impl core::error::Error for ShapeError {}

/// The geometry of a ring: the published fields, and what follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    kind: Kind,
    element_size: u32,
    stride: u32,
    slots_offset: u32,
    log2_align: u8,
    log2_count: u8,
    per_cell: u8,
}

impl Shape {
    /// The shape of a ring by index with `capacity` slots, a power of two, for elements of this size and alignment.
    pub const fn by_index(size: usize, align: usize, capacity: usize) -> Result<Self, ShapeError> {
        if !element_ok(size, align) {
            return Err(ShapeError::Element);
        }
        if !capacity.is_power_of_two() {
            return Err(ShapeError::Capacity);
        }
        if capacity > MAX_SLOTS {
            return Err(ShapeError::Overflow);
        }
        Self::new(Kind::Index, size, align, size, align, capacity, 1)
    }

    /// The shape of a ring by line that holds `capacity` elements of this size and alignment for certain.
    pub const fn by_line(size: usize, align: usize, capacity: usize) -> Result<Self, ShapeError> {
        if !element_ok(size, align) {
            return Err(ShapeError::Element);
        }
        if capacity == 0 {
            return Err(ShapeError::Capacity);
        }
        match cells_for(capacity, per_cell(size, align)) {
            Some(cells) => Self::with_cells(size, align, cells),
            None => Err(ShapeError::Overflow),
        }
    }

    /// The shape of a ring by line with exactly `cells` cells, a power of two.
    pub const fn with_cells(size: usize, align: usize, cells: usize) -> Result<Self, ShapeError> {
        if !element_ok(size, align) {
            return Err(ShapeError::Element);
        }
        if !cells.is_power_of_two() {
            return Err(ShapeError::Capacity);
        }
        Self::in_cells(Kind::Line, size, align, cells, per_cell(size, align))
    }

    /// The shape of a ring of many producers with exactly `cells` cells, a power of two, of one element each.
    pub const fn mpsc(size: usize, align: usize, cells: usize) -> Result<Self, ShapeError> {
        if !element_ok(size, align) {
            return Err(ShapeError::Element);
        }
        if !cells.is_power_of_two() {
            return Err(ShapeError::Capacity);
        }
        if cells > MAX_CELLS {
            return Err(ShapeError::Overflow);
        }
        Self::in_cells(Kind::Mpsc, size, align, cells, 1)
    }

    const fn in_cells(
        kind: Kind,
        size: usize,
        align: usize,
        cells: usize,
        held: usize,
    ) -> Result<Self, ShapeError> {
        let used = match size.checked_mul(held) {
            Some(elements) => elements.checked_add(element_offset(align)),
            None => None,
        };
        let cell_align = if align > CELL_SIZE { align } else { CELL_SIZE };
        match used {
            Some(used) => match used.checked_next_multiple_of(cell_align) {
                Some(stride) => Self::new(kind, size, align, stride, cell_align, cells, held),
                None => Err(ShapeError::Overflow),
            },
            None => Err(ShapeError::Overflow),
        }
    }

    const fn new(
        kind: Kind,
        size: usize,
        align: usize,
        stride: usize,
        slot_align: usize,
        count: usize,
        per_cell: usize,
    ) -> Result<Self, ShapeError> {
        const FIELD_MAX: usize = u32::MAX as usize;
        let offset = match size_of::<Control>().checked_next_multiple_of(slot_align) {
            Some(offset) if offset <= FIELD_MAX => offset,
            _ => return Err(ShapeError::Overflow),
        };
        if stride > FIELD_MAX {
            return Err(ShapeError::Overflow);
        }
        let end = match stride.checked_mul(count) {
            Some(slots) => slots.checked_add(offset),
            None => None,
        };
        let whole_align = if slot_align > align_of::<Control>() {
            slot_align
        } else {
            align_of::<Control>()
        };
        match end {
            Some(end) if end <= isize::MAX as usize - (whole_align - 1) => Ok(Self {
                kind,
                element_size: size as u32,
                stride: stride as u32,
                slots_offset: offset as u32,
                log2_align: align.trailing_zeros() as u8,
                log2_count: count.trailing_zeros() as u8,
                per_cell: per_cell as u8,
            }),
            _ => Err(ShapeError::Overflow),
        }
    }

    /// By index, by line, or by line for many producers.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Bytes of an element.
    pub const fn element_size(&self) -> usize {
        self.element_size as usize
    }

    /// The element's alignment.
    pub const fn element_align(&self) -> usize {
        1 << self.log2_align
    }

    /// Bytes from one slot or cell to the next.
    pub const fn stride(&self) -> usize {
        self.stride as usize
    }

    /// Where the slots or cells begin.
    pub const fn slots_offset(&self) -> usize {
        self.slots_offset as usize
    }

    /// Slots, or cells.
    pub const fn count(&self) -> usize {
        1 << self.log2_count
    }

    /// Elements in a cell; 1 by index.
    pub const fn per_cell(&self) -> usize {
        self.per_cell as usize
    }

    /// The elements that the ring holds for certain.
    pub const fn capacity(&self) -> usize {
        match self.kind {
            Kind::Index => self.count(),
            Kind::Line | Kind::Mpsc => line_capacity(self.count(), self.per_cell()),
        }
    }

    /// The alignment of the whole ring.
    pub const fn align(&self) -> usize {
        let slots = match self.kind {
            Kind::Index => 1,
            Kind::Line | Kind::Mpsc => CELL_SIZE,
        };
        let mut align = align_of::<Control>();
        if slots > align {
            align = slots;
        }
        if self.element_align() > align {
            align = self.element_align();
        }
        align
    }

    /// Bytes of the whole ring.
    pub const fn size(&self) -> usize {
        (self.slots_offset() + self.stride() * self.count()).next_multiple_of(self.align())
    }

    pub(crate) const fn raw_fields(&self) -> ([u32; 3], [u8; 3]) {
        (
            [self.element_size, self.stride, self.slots_offset],
            [self.log2_align, self.log2_count, self.per_cell],
        )
    }
}

const fn element_ok(size: usize, align: usize) -> bool {
    size != 0 && align.is_power_of_two() && size % align == 0
}

/// Where a cell's first element lies for elements of this alignment.
pub const fn element_offset(align: usize) -> usize {
    if align > WORD {
        align
    } else {
        WORD
    }
}

/// How many elements of this size and alignment a cell holds.
pub const fn per_cell(size: usize, align: usize) -> usize {
    let offset = element_offset(align);
    if offset >= CELL_SIZE || size == 0 {
        return 1;
    }
    let fit = (CELL_SIZE - offset) / size;
    if fit == 0 {
        1
    } else {
        fit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_as_many_elements_as_the_specification_says() {
        #[cfg(target_pointer_width = "64")]
        for (size, align, held, stride) in [
            (1, 1, 56, 64),
            (4, 4, 14, 64),
            (7, 1, 8, 64),
            (8, 8, 7, 64),
            (16, 16, 3, 64),
            (28, 4, 2, 64),
            (29, 1, 1, 64),
            (48, 8, 1, 64),
            (56, 8, 1, 64),
            (57, 1, 1, 128),
            (100, 4, 1, 128),
            (64, 64, 1, 128),
            (256, 8, 1, 320),
            (128, 128, 1, 256),
        ] {
            let shape = Shape::with_cells(size, align, 8).unwrap();
            assert_eq!(
                (shape.per_cell(), shape.stride()),
                (held, stride),
                "{size} bytes"
            );
        }
    }

    #[test]
    fn cells_of_many_producers_hold_one_element() {
        #[cfg(target_pointer_width = "64")]
        for (size, align, stride) in [
            (1, 1, 64),
            (8, 8, 64),
            (56, 8, 64),
            (57, 1, 128),
            (64, 64, 128),
            (128, 128, 256),
        ] {
            let shape = Shape::mpsc(size, align, 8).unwrap();
            assert_eq!((shape.per_cell(), shape.stride()), (1, stride));
            assert_eq!((shape.capacity(), shape.kind()), (8, Kind::Mpsc));
        }
    }

    #[test]
    fn shapes_that_overflow_are_refused() {
        let max = usize::MAX;
        assert_eq!(Shape::by_index(0, 1, 8), Err(ShapeError::Element));
        assert_eq!(Shape::by_index(8, 3, 8), Err(ShapeError::Element));
        assert_eq!(Shape::by_index(12, 8, 8), Err(ShapeError::Element));
        assert_eq!(Shape::by_index(8, 8, 0), Err(ShapeError::Capacity));
        assert_eq!(Shape::by_index(8, 8, 3), Err(ShapeError::Capacity));
        assert_eq!(
            Shape::by_index(8, 8, 1 << (usize::BITS - 1)),
            Err(ShapeError::Overflow)
        );
        assert_eq!(Shape::by_index(8, 8, MAX_SLOTS), Err(ShapeError::Overflow));
        assert_eq!(Shape::by_index(max, 1, 1), Err(ShapeError::Overflow));
        assert_eq!(Shape::by_line(max, 1, 1), Err(ShapeError::Overflow));
        assert_eq!(Shape::by_line(8, 8, 0), Err(ShapeError::Capacity));
        assert_eq!(Shape::by_line(8, 8, max), Err(ShapeError::Overflow));
        assert_eq!(Shape::by_line(0, 1, 1), Err(ShapeError::Element));
        assert_eq!(Shape::with_cells(8, 8, 3), Err(ShapeError::Capacity));
        assert_eq!(Shape::mpsc(0, 1, 8), Err(ShapeError::Element));
        assert_eq!(Shape::mpsc(8, 8, 0), Err(ShapeError::Capacity));
        assert_eq!(Shape::mpsc(8, 8, 3), Err(ShapeError::Capacity));
        assert_eq!(Shape::mpsc(8, 8, MAX_CELLS * 2), Err(ShapeError::Overflow));
        assert_eq!(Shape::mpsc(max, 1, 1), Err(ShapeError::Overflow));
        assert_eq!(
            Shape::by_index(1 << (usize::BITS - 1), 1 << (usize::BITS - 1), 1),
            Err(ShapeError::Overflow)
        );
    }

    #[test]
    fn sizes_are_whole_multiples_of_the_alignment() {
        for align in [1, 2, 8, 64, 128, 4096] {
            for times in [1, 3] {
                for capacity in [1, 2, 64] {
                    for shape in [
                        Shape::by_index(align * times, align, capacity).unwrap(),
                        Shape::by_line(align * times, align, capacity).unwrap(),
                        Shape::mpsc(align * times, align, capacity).unwrap(),
                    ] {
                        assert_eq!(shape.size() % shape.align(), 0);
                        assert_eq!(shape.slots_offset() % align, 0);
                        assert!(shape.capacity() >= capacity);
                    }
                }
            }
        }
    }
}
