//! Watching the elements of a segment pass, read only and noticed by nobody.

use crate::mapped::Mapped;
use crate::{Error, Inspection};
use gimmal::layout::Kind as Ring;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{self, Place};
use gimmal::raw::mpsc::{ByCell, ErasedSingleCells};
use gimmal::raw::{self, ErasedCells, ErasedSlots, Sight};
use std::fmt;
use std::marker::PhantomData;

/// A reader that only watches, from the oldest element on.
///
/// It copies elements as they pass, and a copy counts only if it was not overwritten meanwhile; it cannot hold anybody up, so it may miss some.
pub struct Tap<'i> {
    rings: Vec<OfRing>,
    element_size: usize,
    next: usize,
    /// The mapping is the inspection's.
    inspection: PhantomData<&'i Inspection>,
}

enum OfRing {
    Index(raw::Tap<mapped::Mapped<ErasedSlots>, ByIndex>),
    Line(raw::Tap<mapped::Mapped<ErasedCells>, ByLine>),
    Mpsc(raw::Tap<mapped::Mapped<ErasedSingleCells>, ByCell>),
}

/// What a [`Tap`] has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// An element of this ring; it was copied. With lanes, the ring is the producer's place.
    Element {
        /// Its ring.
        ring: usize,
    },
    /// Elements of this ring passed before they could be copied.
    Missed {
        /// Their ring.
        ring: usize,
        /// How many.
        count: usize,
    },
    /// Nothing new.
    Nothing,
}

/// A [`Tap`] that keeps the view of the segment itself.
#[derive(Debug)]
pub struct OwnedTap {
    tap: Tap<'static>,
    inspection: Inspection,
}

impl OwnedTap {
    pub(crate) fn new(
        inspection: Inspection,
        segment: fn(&Inspection) -> &Mapped,
    ) -> Result<Self, Error> {
        // It looks at the mapping, which moves with the inspection and stays where it is.
        let tap = Tap::of(segment(&inspection))?;
        Ok(Self { tap, inspection })
    }

    /// The view of the segment.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// As [`Tap::next_to`].
    ///
    /// # Panics
    /// `bytes` is not as long as an element.
    pub fn next_to(&mut self, bytes: &mut [u8]) -> Seen {
        self.tap.next_to(bytes)
    }
}

impl<'i> Tap<'i> {
    pub(crate) fn new(segment: &'i Mapped) -> Result<Self, Error> {
        Self::of(segment)
    }

    /// The mapping must last as long as the tap.
    fn of(segment: &Mapped) -> Result<Self, Error> {
        let shape = &segment.geometry.shape;
        if shape.kind() == Ring::Index && shape.count() == 1 {
            return Err(Error::Unwatchable);
        }
        let rings = (0..segment.geometry.rings()).map(|ring| {
            let at = segment.ring(ring);
            // SAFETY: the ring has this shape and lies in the mapping, which the inspection keeps as long as the tap; no end is made of it.
            unsafe {
                match shape.kind() {
                    Ring::Index => OfRing::Index(raw::Tap::new(mapped::Mapped::watching(
                        at,
                        ErasedSlots::new(shape),
                    ))),
                    Ring::Line => OfRing::Line(raw::Tap::new(mapped::Mapped::watching(
                        at,
                        ErasedCells::new(shape),
                    ))),
                    Ring::Mpsc => OfRing::Mpsc(raw::Tap::new(mapped::Mapped::watching(
                        at,
                        ErasedSingleCells::new(shape),
                    ))),
                }
            }
        });
        Ok(Self {
            rings: rings.collect(),
            element_size: shape.element_size(),
            next: 0,
            inspection: PhantomData,
        })
    }

    /// Copies the next element to `bytes`, which gets its length. The rings of lanes take turns.
    pub fn next(&mut self, bytes: &mut Vec<u8>) -> Seen {
        bytes.resize(self.element_size, 0);
        self.next_to(bytes)
    }

    /// As [`next`](Self::next), to a place that is as long as an element. It may be written whether or not the copy counts.
    ///
    /// # Panics
    /// `bytes` is not as long as an element.
    pub fn next_to(&mut self, bytes: &mut [u8]) -> Seen {
        assert_eq!(bytes.len(), self.element_size);
        for _ in 0..self.rings.len() {
            let ring = self.next;
            self.next = (ring + 1) % self.rings.len();
            // SAFETY: places are those of elements of this size.
            let copy = |place: Place| unsafe { place.read_bytes(bytes) };
            let sight = match &mut self.rings[ring] {
                OfRing::Index(tap) => tap.look(copy),
                OfRing::Line(tap) => tap.look(copy),
                OfRing::Mpsc(tap) => tap.look(copy),
            };
            match sight {
                Sight::Element => return Seen::Element { ring },
                Sight::Missed(count) => return Seen::Missed { ring, count },
                Sight::Nothing => {}
            }
        }
        Seen::Nothing
    }
}

impl fmt::Debug for Tap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap")
            .field("rings", &self.rings.len())
            .field("element_size", &self.element_size)
            .finish_non_exhaustive()
    }
}
