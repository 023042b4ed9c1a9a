//! Cells of one element, known by its size alone.

use super::ByCell;
use crate::layout::Header;
use crate::policy::Policy;
use crate::raw::{ErasedCells, Geometry};
use crate::shape::Shape;
use crate::sync::Native;

/// Cells for one element each, known by its size alone.
#[derive(Debug, Clone, Copy)]
pub struct ErasedSingleCells(ErasedCells);

impl ErasedSingleCells {
    /// The cells of a ring of this shape, for many producers.
    #[inline]
    pub fn new(shape: &Shape) -> Self {
        Self(ErasedCells::new(shape))
    }

    /// The cells that a published header of kind [`Kind::Mpsc`](crate::layout::Kind::Mpsc) states, unchecked.
    #[inline]
    pub fn of(header: &Header<Native>) -> Self {
        Self(ErasedCells::of(header))
    }
}

impl Geometry for ErasedSingleCells {
    type Protocol = ByCell;

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
        self.0.slots_offset::<P>()
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
        1
    }
}
