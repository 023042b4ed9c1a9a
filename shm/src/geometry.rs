//! Where everything lies in a segment: a private copy, computed and checked once, and never read from the segment again.

use crate::clock::TICKS_PER_SECOND;
use crate::header::{Fields, Header, BYTE_ORDER, LOCK, VERSION};
use crate::identity::{self, Identity};
use crate::lock::Span;
use crate::{Error, Kind};
use gimmal::layout::{Padding, TargetPadding};
use gimmal::raw::mapped::Table;
use gimmal::shape::Shape;
use std::mem::size_of;

/// The most producers of a segment.
const MOST_PRODUCERS: usize = 1024;
/// Segments are whole pages.
const PAGE: usize = 4096;

/// A segment's layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub kind: Kind,
    /// Of each ring.
    pub shape: Shape,
    /// How many producers may be there at a time.
    pub producers: usize,
    /// Where the first ring begins.
    pub rings_offset: usize,
    /// From one ring to the next.
    pub ring_size: usize,
    /// Of the whole segment.
    pub size: usize,
}

impl Geometry {
    /// Of a segment of this kind, with rings of this shape.
    pub fn new(kind: Kind, shape: Shape, producers: usize) -> Result<Self, Error> {
        let most = if kind.has_many_producers() {
            MOST_PRODUCERS
        } else {
            1
        };
        if producers == 0 || producers > most {
            return Err(Error::Producers(producers));
        }
        Self::lay_out(kind, shape, producers)
            .ok_or(Error::Shape(gimmal::shape::ShapeError::Overflow))
    }

    fn lay_out(kind: Kind, shape: Shape, producers: usize) -> Option<Self> {
        let rings_offset = size_of::<Header>()
            .checked_add(Table::size(producers)?)?
            .checked_next_multiple_of(shape.align())?;
        let rings = if kind == Kind::Lanes { producers } else { 1 };
        let size = shape
            .size()
            .checked_mul(rings)?
            .checked_add(rings_offset)?
            .checked_next_multiple_of(PAGE)?;
        (size <= isize::MAX as usize && shape.align() <= PAGE).then_some(Self {
            kind,
            shape,
            producers,
            rings_offset,
            ring_size: shape.size(),
            size,
        })
    }

    /// How many rings there are.
    pub fn rings(&self) -> usize {
        if self.kind == Kind::Lanes {
            self.producers
        } else {
            1
        }
    }

    /// The fields that state it.
    pub fn fields(&self, type_tag: u64, epoch: u64) -> Fields {
        Fields {
            version: VERSION,
            byte_order: BYTE_ORDER,
            word_size: size_of::<usize>() as u8,
            log2_line: TargetPadding::LOG2_LINE,
            kind: self.kind as u8,
            log2_align: self.shape.element_align().trailing_zeros() as u8,
            element_size: self.shape.element_size() as u32,
            type_tag,
            producers: self.producers as u32,
            log2_count: self.shape.count().trailing_zeros(),
            rings_offset: self.rings_offset as u64,
            ring_size: self.ring_size as u64,
            size: self.size as u64,
            epoch,
            ticks_per_second: TICKS_PER_SECOND,
            creator: Identity::own(),
            boot: identity::boot(),
        }
    }

    /// What published fields state, if a file of `len` bytes can hold it. Every field that follows from others must be what follows.
    pub fn stated(fields: &Fields, len: u64) -> Result<Self, Error> {
        if fields.byte_order != BYTE_ORDER {
            return Err(Error::Machine);
        }
        if fields.version != VERSION {
            return Err(Error::Version(fields.version));
        }
        if usize::from(fields.word_size) != size_of::<usize>()
            || fields.log2_line != TargetPadding::LOG2_LINE
        {
            return Err(Error::Machine);
        }
        let kind = Kind::of(fields.kind).ok_or(Error::Corrupt("of no known kind"))?;
        let shape = stated_shape(kind, fields)
            .ok_or(Error::Corrupt("its elements' size, alignment or number"))?;
        let geometry = Self::new(kind, shape, fields.producers as usize)
            .map_err(|_| Error::Corrupt("its number of producers, or its size"))?;
        if fields.rings_offset != geometry.rings_offset as u64
            || fields.ring_size != geometry.ring_size as u64
            || fields.size != geometry.size as u64
        {
            return Err(Error::Corrupt(
                "its offsets do not follow from its elements",
            ));
        }
        if len < fields.size {
            return Err(Error::Corrupt("its file is shorter than it says"));
        }
        if fields.ticks_per_second == 0 {
            return Err(Error::Corrupt("its heartbeat has no frequency"));
        }
        Ok(geometry)
    }
}

fn stated_shape(kind: Kind, fields: &Fields) -> Option<Shape> {
    let size = fields.element_size as usize;
    let align = 1usize.checked_shl(u32::from(fields.log2_align))?;
    let count = 1usize.checked_shl(fields.log2_count)?;
    match kind {
        Kind::Index => Shape::by_index(size, align, count),
        Kind::Line | Kind::Lanes => Shape::with_cells(size, align, count),
        Kind::Mpsc => Shape::mpsc(size, align, count),
    }
    .ok()
}

/// The consumer's entry; the producers' follow.
pub(crate) const CONSUMER: usize = 0;

/// Where the ends' entries begin.
pub(crate) const TABLE: usize = size_of::<Header>();

/// Where an end's entry begins.
pub(crate) const fn entry_offset(entry: usize) -> usize {
    match entry {
        CONSUMER => TABLE,
        _ => TABLE + Table::line(entry - 1),
    }
}

/// The byte whose lock is the end's.
pub(crate) const fn end_lock(entry: usize) -> Span {
    Span::byte((entry_offset(entry) + LOCK) as u64)
}

/// The locks of all producers, however many there are.
pub(crate) const ALL_PRODUCERS: Span = Span::from(end_lock(CONSUMER + 1).start);

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Fields {
        let shape = Shape::by_line(16, 8, 100).unwrap();
        Geometry::new(Kind::Lanes, shape, 3).unwrap().fields(7, 1)
    }

    #[test]
    fn stated_geometry_is_what_was_laid_out() {
        for kind in [Kind::Index, Kind::Line, Kind::Mpsc, Kind::Lanes] {
            for (size, align, count) in [(1, 1, 1), (8, 8, 64), (48, 8, 1024), (512, 256, 4)] {
                let shape = match kind {
                    Kind::Index => Shape::by_index(size, align, count),
                    Kind::Line | Kind::Lanes => Shape::with_cells(size, align, count),
                    Kind::Mpsc => Shape::mpsc(size, align, count),
                }
                .unwrap();
                let producers = if kind.has_many_producers() { 5 } else { 1 };
                let made = Geometry::new(kind, shape, producers).unwrap();
                let fields = made.fields(0, 1);
                assert_eq!(Geometry::stated(&fields, fields.size), Ok(made));
                assert!(Geometry::stated(&fields, fields.size - 1).is_err());
                let end = made.rings_offset + made.rings() * made.ring_size;
                assert!(end <= made.size);
            }
        }
    }

    #[test]
    fn a_field_that_does_not_follow_from_the_others_is_refused() {
        let good = fields();
        let len = u64::MAX;
        assert!(Geometry::stated(&good, len).is_ok());
        let corrupt = |change: fn(&mut Fields)| {
            let mut bad = good;
            change(&mut bad);
            assert_ne!(bad, good);
            Geometry::stated(&bad, len).unwrap_err()
        };
        assert_eq!(corrupt(|f| f.byte_order = 0x0403_0201), Error::Machine);
        assert_eq!(corrupt(|f| f.version = 2), Error::Version(2));
        assert_eq!(corrupt(|f| f.word_size = 4), Error::Machine);
        assert_eq!(corrupt(|f| f.log2_line = 6), Error::Machine);
        let changes: [fn(&mut Fields); 15] = [
            |f| f.kind = 0,
            |f| f.kind = 4,
            |f| f.element_size = 0,
            |f| f.element_size = 17,
            |f| f.element_size = !7,
            |f| f.log2_align = 64,
            |f| f.log2_align = 5,
            |f| f.log2_count = 63,
            |f| f.log2_count = u32::MAX,
            |f| f.producers = 0,
            |f| f.producers = 4,
            |f| f.producers = u32::MAX,
            |f| f.rings_offset += 128,
            |f| f.ring_size = u64::MAX,
            |f| f.size -= 4096,
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let error = corrupt(change);
            assert!(matches!(error, Error::Corrupt(_)), "{index}: {error:?}");
        }
        let error = corrupt(|f| f.ticks_per_second = 0);
        assert!(matches!(error, Error::Corrupt(_)));
    }

    #[test]
    fn too_many_producers_and_too_much_memory_are_refused() {
        let shape = Shape::by_line(8, 8, 64).unwrap();
        let new = |kind, producers| Geometry::new(kind, shape, producers);
        assert_eq!(new(Kind::Line, 2), Err(Error::Producers(2)));
        assert_eq!(new(Kind::Lanes, 0), Err(Error::Producers(0)));
        assert_eq!(new(Kind::Lanes, 1025), Err(Error::Producers(1025)));
        assert!(new(Kind::Lanes, 1024).is_ok());
        let vast = Shape::by_index(1 << 30, 1, 1 << 31).unwrap();
        let overflow = Err(Error::Shape(gimmal::shape::ShapeError::Overflow));
        assert_eq!(Geometry::new(Kind::Index, vast, 1).map(|_| ()), Ok(()));
        let lanes = Shape::with_cells(1 << 30, 1, 1 << 31).unwrap();
        assert_eq!(Geometry::new(Kind::Lanes, lanes, 1024), overflow);
    }
}
