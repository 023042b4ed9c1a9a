//! Ends of elements that are known by their size and alignment alone: what other languages use.

/// Calls `$do` with the end of whichever kind.
macro_rules! each {
    ($of:ident, $end:expr, $name:ident => $do:expr) => {
        match $end {
            $of::Index($name) => $do,
            $of::Line($name) => $do,
            $of::Mpsc($name) => $do,
        }
    };
}

mod consumer;
mod producer;

pub use consumer::ErasedConsumer;
pub use producer::ErasedProducer;

use crate::held::Held;
use gimmal::raw::mapped::Mapped;
use gimmal::raw::mpsc::ErasedSingleCells;
use gimmal::raw::{ErasedCells, ErasedSlots};
use std::ptr::NonNull;

type Slots = Mapped<ErasedSlots>;
type Cells = Mapped<ErasedCells>;
type SingleCells<D = ()> = Mapped<ErasedSingleCells, D>;

/// Where inlined code of another language finds an end's ring, and what it must know of it without asking the segment.
#[derive(Debug, Clone, Copy)]
pub struct Passage {
    /// The ring's control block.
    pub ring: NonNull<u8>,
    /// log2 of the ring's slots or cells.
    pub log2_count: u32,
    /// Where the end stands: an index, or by line a cursor.
    pub place: usize,
}

fn passage(held: &Held, number: usize, place: usize) -> Passage {
    let mapped = held.mapped();
    Passage {
        ring: mapped.ring(number),
        log2_count: mapped.geometry.shape.count().trailing_zeros(),
        place,
    }
}
