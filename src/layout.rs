//! The control block and the shape of what follows it: the frozen byte layout, version 1.
//!
//! `docs/LAYOUT.md` is the specification. The structures here are that layout for [`Native`] atomics; a model's atomics
//! give them other sizes, which only the model sees.

use crate::index::{cells_for, line_capacity, MAX_SLOTS};
use crate::sync::{Atomics, Native};
use core::mem::{align_of, offset_of, size_of};
use static_assertions::const_assert;

/// The value of `magic` once a ring's geometry is published: the bytes `GMML` on a little-endian machine.
pub const MAGIC: u32 = u32::from_le_bytes(*b"GMML");

/// The version of the layout.
pub const VERSION: u8 = 1;

/// A cell is this long, and aligned to it, unless its element is larger.
pub const CELL_SIZE: usize = 64;

/// How a ring tells its reader of a message; the byte `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// By index: the producer publishes `tail`.
    Index = 1,
    /// By line: the producer publishes a stamp in the cell itself.
    Line = 2,
    /// By line, one element a cell, for many producers.
    Mpsc = 3,
}

/// Everything before the groups. All fields are atomic, so that looking at a ring is never a data race.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct Header<A: Atomics> {
    /// [`MAGIC`], stored last, or 0 while the fields up to `per_cell` are not published.
    pub magic: A::Half,
    pub version: A::Byte,
    pub kind: A::Byte,
    pub word_size: A::Byte,
    pub log2_line: A::Byte,
    pub element_size: A::Half,
    pub stride: A::Half,
    pub slots_offset: A::Half,
    pub log2_align: A::Byte,
    pub log2_count: A::Byte,
    pub per_cell: A::Byte,
    pub reserved: A::Byte,
    pub producer_claimed: A::Byte,
    pub consumer_claimed: A::Byte,
    pub closed: A::Byte,
    pub reserved2: A::Byte,
    pub consumer_bell: A::Half,
    pub producer_bell: A::Half,
}

/// The words that the producer writes.
#[derive(Debug)]
#[repr(C)]
pub struct ProducerWords<A: Atomics> {
    /// The producer's place: an index, or a cursor by line. Written by the producer at every message.
    pub tail: A::Word,
    /// By line the first cursor at which the producer must look at a stamp; by index an older value of `head`. Only the
    /// producer reads it.
    pub stop: A::Word,
    /// Elements refused by `offer`, wrapping.
    pub dropped: A::Word,
}

/// The words that the consumer writes.
#[derive(Debug)]
#[repr(C)]
pub struct ConsumerWords<A: Atomics> {
    /// The consumer's place: an index, or a cursor by line. Written by the consumer at every message.
    pub head: A::Word,
    /// By line the cursor after the last element that the consumer knows of; by index an older value of `tail`. Only
    /// the consumer reads it.
    pub seen: A::Word,
}

/// How the control block's groups are kept apart.
pub trait Padding: 'static {
    /// log2 of the distance between groups; 0 when they are packed.
    const LOG2_LINE: u8;
    /// A group, padded.
    type Line<T>;

    /// The group inside.
    fn group<T>(line: &Self::Line<T>) -> &T;
}

macro_rules! padding {
    ($(#[$doc:meta])* $name:ident, $line:ident, $align:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $name {}

        #[doc = concat!("A group on a line of ", $align, " bytes.")]
        #[derive(Debug)]
        #[repr(C, align($align))]
        pub struct $line<T>(T);

        impl Padding for $name {
            const LOG2_LINE: u8 = ($align as u32).trailing_zeros() as u8;
            type Line<T> = $line<T>;

            #[inline(always)]
            fn group<T>(line: &$line<T>) -> &T {
                &line.0
            }
        }
    };
}

padding! {
    /// Groups 128 bytes apart: two cache lines of 64, because adjacent lines are fetched in pairs (Intel) and because
    /// some AArch64 cores have lines of 128.
    Pad128, Line128, 128
}
padding! {
    /// Groups 64 bytes apart.
    Pad64, Line64, 64
}
#[cfg(feature = "lab")]
padding! {
    /// Groups 256 bytes apart.
    Pad256, Line256, 256
}
#[cfg(feature = "lab")]
padding! {
    /// Groups 32 bytes apart: two share a line.
    Pad32, Line32, 32
}

/// Groups side by side: for processors with no data cache.
#[derive(Debug, Clone, Copy)]
pub enum Packed {}

impl Padding for Packed {
    const LOG2_LINE: u8 = 0;
    type Line<T> = T;

    #[inline(always)]
    fn group<T>(line: &T) -> &T {
        line
    }
}

/// The padding of the frozen layout on this target.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub type TargetPadding = Pad128;
/// The padding of the frozen layout on this target.
#[cfg(all(
    target_os = "none",
    any(
        all(target_arch = "arm", not(target_has_atomic = "64")),
        target_arch = "riscv32"
    )
))]
pub type TargetPadding = Packed;
/// The padding of the frozen layout on this target.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(
        target_os = "none",
        any(
            all(target_arch = "arm", not(target_has_atomic = "64")),
            target_arch = "riscv32"
        )
    )
)))]
pub type TargetPadding = Pad64;

/// The start of every ring.
#[derive(Debug)]
#[repr(C)]
pub struct Control<A: Atomics = Native, L: Padding = TargetPadding> {
    header: L::Line<Header<A>>,
    producer: L::Line<ProducerWords<A>>,
    consumer: L::Line<ConsumerWords<A>>,
}

impl<A: Atomics, L: Padding> Control<A, L> {
    /// Geometry, claims, the close and the bells.
    #[inline(always)]
    pub fn header(&self) -> &Header<A> {
        L::group(&self.header)
    }

    /// The producer's words.
    #[inline(always)]
    pub fn producer(&self) -> &ProducerWords<A> {
        L::group(&self.producer)
    }

    /// The consumer's words.
    #[inline(always)]
    pub fn consumer(&self) -> &ConsumerWords<A> {
        L::group(&self.consumer)
    }
}

const WORD: usize = size_of::<usize>();
const LINE: usize = 1 << TargetPadding::LOG2_LINE;

const_assert!(offset_of!(Header<Native>, magic) == 0);
const_assert!(offset_of!(Header<Native>, version) == 4);
const_assert!(offset_of!(Header<Native>, kind) == 5);
const_assert!(offset_of!(Header<Native>, word_size) == 6);
const_assert!(offset_of!(Header<Native>, log2_line) == 7);
const_assert!(offset_of!(Header<Native>, element_size) == 8);
const_assert!(offset_of!(Header<Native>, stride) == 12);
const_assert!(offset_of!(Header<Native>, slots_offset) == 16);
const_assert!(offset_of!(Header<Native>, log2_align) == 20);
const_assert!(offset_of!(Header<Native>, log2_count) == 21);
const_assert!(offset_of!(Header<Native>, per_cell) == 22);
const_assert!(offset_of!(Header<Native>, producer_claimed) == 24);
const_assert!(offset_of!(Header<Native>, consumer_claimed) == 25);
const_assert!(offset_of!(Header<Native>, closed) == 26);
const_assert!(offset_of!(Header<Native>, consumer_bell) == 28);
const_assert!(offset_of!(Header<Native>, producer_bell) == 32);
const_assert!(size_of::<Header<Native>>() == 36);
const_assert!(offset_of!(ProducerWords<Native>, tail) == 0);
const_assert!(offset_of!(ProducerWords<Native>, stop) == WORD);
const_assert!(offset_of!(ProducerWords<Native>, dropped) == 2 * WORD);
const_assert!(offset_of!(ConsumerWords<Native>, head) == 0);
const_assert!(offset_of!(ConsumerWords<Native>, seen) == WORD);
const_assert!(LINE == 1 || offset_of!(Control, producer) == LINE);
const_assert!(LINE == 1 || offset_of!(Control, consumer) == 2 * LINE);
const_assert!(LINE == 1 || size_of::<Control>() == 3 * LINE);
const_assert!(LINE == 1 || align_of::<Control>() == LINE);
const_assert!(LINE > 1 || offset_of!(Control, producer) == 36);
const_assert!(LINE > 1 || size_of::<Control>() == 36 + 5 * WORD);

/// Why no ring has the shape asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeError {
    /// The element's size is 0, or its alignment is not a power of two, or its size is no multiple of that.
    Element,
    /// The capacity is 0 or, by index, not a power of two.
    Capacity,
    /// The ring would not fit in memory, or in the layout's fields.
    Overflow,
}

impl core::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Element => {
                "the element's size must be a multiple of its alignment and not 0, its alignment a power of two"
            }
            Self::Capacity => "the capacity must not be 0 and, by index, must be a power of two",
            Self::Overflow => "the ring would be larger than memory or the layout can describe",
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
        let held = per_cell(size, align);
        let used = match size.checked_mul(held) {
            Some(elements) => elements.checked_add(element_offset(align)),
            None => None,
        };
        let cell_align = if align > CELL_SIZE { align } else { CELL_SIZE };
        match used {
            Some(used) => match used.checked_next_multiple_of(cell_align) {
                Some(stride) => Self::new(Kind::Line, size, align, stride, cell_align, cells, held),
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

    /// By index or by line.
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
