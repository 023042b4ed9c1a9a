//! The shape of a pool: sizes and offsets, from what is asked for.

use super::PoolControl;
use crate::layout::CELL_SIZE;
use crate::shape::ShapeError;
use core::mem::{align_of, size_of};

/// The most slots a pool may have: links have 31 bits for them, and of a 32-bit word the tag keeps 8.
pub const MAX_COUNT: usize = if usize::BITS == 32 {
    (1 << 24) - 1
} else {
    1 << 30
};

/// The geometry of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolShape {
    pub(super) element_size: u32,
    pub(super) stride: u32,
    pub(super) slots_offset: u32,
    pub(super) log2_align: u8,
    pub(super) count: u32,
    whole_align: usize,
}

impl PoolShape {
    /// The shape of a pool of `count` slots for elements of this size and alignment: side by side, or `padded`, each on
    /// cache lines of its own.
    ///
    /// # Errors
    /// No pool can have this shape.
    pub const fn new(
        size: usize,
        align: usize,
        count: usize,
        padded: bool,
    ) -> Result<Self, ShapeError> {
        const FIELD_MAX: usize = u32::MAX as usize;
        if size == 0 || !align.is_power_of_two() || size % align != 0 {
            return Err(ShapeError::Element);
        }
        if count == 0 {
            return Err(ShapeError::Capacity);
        }
        let slot_align = if padded && align < CELL_SIZE {
            CELL_SIZE
        } else {
            align
        };
        let whole_align = if slot_align > align_of::<PoolControl>() {
            slot_align
        } else {
            align_of::<PoolControl>()
        };
        let (Some(stride), Some(slots_offset)) = (
            size.checked_next_multiple_of(slot_align),
            Self::slots_offset(count, slot_align),
        ) else {
            return Err(ShapeError::Overflow);
        };
        let end = match stride.checked_mul(count) {
            Some(slots) => slots.checked_add(slots_offset),
            None => None,
        };
        match end {
            Some(end)
                if end <= isize::MAX as usize - (whole_align - 1)
                    && stride <= FIELD_MAX
                    && slots_offset <= FIELD_MAX
                    && count <= MAX_COUNT =>
            {
                Ok(Self {
                    element_size: size as u32,
                    stride: stride as u32,
                    slots_offset: slots_offset as u32,
                    log2_align: align.trailing_zeros() as u8,
                    count: count as u32,
                    whole_align,
                })
            }
            _ => Err(ShapeError::Overflow),
        }
    }

    const fn slots_offset(count: usize, slot_align: usize) -> Option<usize> {
        match count.checked_mul(size_of::<u32>()) {
            Some(links) => match links.checked_add(size_of::<PoolControl>()) {
                Some(end) => end.checked_next_multiple_of(slot_align),
                None => None,
            },
            None => None,
        }
    }

    /// Bytes of the whole pool.
    pub const fn size(&self) -> usize {
        let end = self.slots_offset as usize + self.stride as usize * self.count as usize;
        // The alignment is a power of two, and `new` made sure that nothing overflows.
        (end + (self.whole_align - 1)) & !(self.whole_align - 1)
    }

    /// The alignment of the whole pool.
    pub const fn align(&self) -> usize {
        self.whole_align
    }

    /// How many slots.
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// Where the slots begin.
    pub const fn slots(&self) -> usize {
        self.slots_offset as usize
    }

    /// Bytes from one slot to the next.
    pub const fn stride(&self) -> usize {
        self.stride as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_lie_on_their_own_lines_or_side_by_side() {
        let padded = PoolShape::new(48, 8, 100, true).unwrap();
        assert_eq!((padded.stride(), padded.slots() % 64), (64, 0));
        assert!(padded.slots() >= size_of::<PoolControl>() + 400);
        let dense = PoolShape::new(48, 8, 100, false).unwrap();
        assert_eq!((dense.stride(), dense.slots() % 8), (48, 0));
        let large = PoolShape::new(256, 128, 3, true).unwrap();
        assert_eq!((large.stride(), large.slots() % 128), (256, 0));
        for shape in [padded, dense, large] {
            assert_eq!(shape.size() % shape.align(), 0);
            assert!(shape.size() >= shape.slots() + shape.count() * shape.stride());
        }
    }

    #[test]
    fn shapes_that_cannot_be_had_are_refused() {
        let refused = |size, align, count| PoolShape::new(size, align, count, true).unwrap_err();
        assert_eq!(refused(0, 1, 1), ShapeError::Element);
        assert_eq!(refused(8, 3, 1), ShapeError::Element);
        assert_eq!(refused(12, 8, 1), ShapeError::Element);
        assert_eq!(refused(8, 8, 0), ShapeError::Capacity);
        assert_eq!(refused(8, 8, MAX_COUNT + 1), ShapeError::Overflow);
        assert_eq!(refused(8, 8, usize::MAX), ShapeError::Overflow);
        assert_eq!(refused(usize::MAX, 1, 1), ShapeError::Overflow);
        assert_eq!(
            refused(1 << 31, 1 << 31, usize::MAX >> 30),
            ShapeError::Overflow
        );
    }
}
