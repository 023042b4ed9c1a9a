//! The control block as C sees it: plain fields, each at the offset that `docs/LAYOUT.md` gives.
//!
//! C and C++ access every field through the compiler's atomic operations; the Rust side never
//! reads one through these types, but hands the address on to the core.

use core::mem::offset_of;

use gimmal::layout::{
    self, ConsumerWords, Control, Header, Kind, Padding, ProducerWords, TargetPadding,
};
use gimmal::sync::Native;
use static_assertions::{assert_eq_align, assert_eq_size, const_assert_eq};

/// The producer's group, on a cache line of its own where there is a cache.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_producer_t {
    /// Where the producer stands: a count by index, a cursor by line; with many producers
    /// the number of the next cell, and the top bit once the ring is closed.
    pub tail: usize,
    /// Private to the producer: by line the first cursor at which to look at a stamp, by index a
    /// copy of `head`. Not used with many producers.
    pub stop: usize,
    /// Elements refused by an offer, wrapping.
    pub dropped: usize,
}

/// The consumer's group, on a cache line of its own where there is a cache.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_consumer_t {
    /// Where the consumer stands: a count by index, a cursor by line, a cell number with many
    /// producers.
    pub head: usize,
    /// Private to the consumer: by line the cursor after the last element seen, by index a copy
    /// of `tail`. Not used with many producers.
    pub seen: usize,
}

/// The control block at the start of every ring. All zeros is a valid empty ring whose geometry
/// is not published. Read a ring through the functions; the fields are here because the library
/// and the inline header share them.
#[repr(C)]
pub struct gimmal_control_t {
    /// GIMMAL_MAGIC, or 0 while the geometry is not published.
    pub magic: u32,
    /// GIMMAL_LAYOUT_VERSION.
    pub version: u8,
    /// GIMMAL_KIND_INDEX, GIMMAL_KIND_LINE or GIMMAL_KIND_MPSC.
    pub kind: u8,
    /// The size of a word: 4 or 8.
    pub word_size: u8,
    /// The base-2 logarithm of GIMMAL_LINE, 0 when packed.
    pub log2_line: u8,
    /// Bytes in an element.
    pub element_size: u32,
    /// Bytes from one slot or cell to the next.
    pub stride: u32,
    /// Where the slots or cells begin.
    pub slots_offset: u32,
    /// The base-2 logarithm of an element's alignment.
    pub log2_align: u8,
    /// The base-2 logarithm of the number of slots or cells.
    pub log2_count: u8,
    /// Elements in a cell; 1 by index.
    pub per_cell: u8,
    /// Zero.
    pub reserved_geometry: u8,
    /// 1 while a producer holds its end. Not used with many producers.
    pub producer_claimed: u8,
    /// 1 while a consumer holds its end.
    pub consumer_claimed: u8,
    /// 1 once the ring is closed.
    pub closed: u8,
    /// Zero.
    pub reserved_state: u8,
    /// For a waiting consumer.
    pub consumer_bell: u32,
    /// For a waiting producer.
    pub producer_bell: u32,
    /// The producer's group.
    pub producer: gimmal_producer_t,
    /// The consumer's group.
    pub consumer: gimmal_consumer_t,
}

/// What `magic` holds once the geometry is published.
pub const GIMMAL_MAGIC: u32 = 0x4C4D_4D47;
/// What `version` holds.
pub const GIMMAL_LAYOUT_VERSION: u8 = 1;
/// What `kind` holds in a ring published by index.
pub const GIMMAL_KIND_INDEX: u8 = 1;
/// What `kind` holds in a ring published by line.
pub const GIMMAL_KIND_LINE: u8 = 2;
/// What `kind` holds in a ring of many producers.
pub const GIMMAL_KIND_MPSC: u8 = 3;

const_assert_eq!(GIMMAL_MAGIC, layout::MAGIC);
const_assert_eq!(GIMMAL_LAYOUT_VERSION, layout::VERSION);
const_assert_eq!(GIMMAL_KIND_INDEX, Kind::Index as u8);
const_assert_eq!(GIMMAL_KIND_LINE, Kind::Line as u8);
const_assert_eq!(GIMMAL_KIND_MPSC, Kind::Mpsc as u8);

assert_eq_size!(gimmal_control_t, Control);
assert_eq_align!(gimmal_control_t, Control);
const_assert_eq!(
    offset_of!(gimmal_control_t, magic),
    offset_of!(Header<Native>, magic)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, version),
    offset_of!(Header<Native>, version)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, kind),
    offset_of!(Header<Native>, kind)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, word_size),
    offset_of!(Header<Native>, word_size)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, log2_line),
    offset_of!(Header<Native>, log2_line)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, element_size),
    offset_of!(Header<Native>, element_size)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, stride),
    offset_of!(Header<Native>, stride)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, slots_offset),
    offset_of!(Header<Native>, slots_offset)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, log2_align),
    offset_of!(Header<Native>, log2_align)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, log2_count),
    offset_of!(Header<Native>, log2_count)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, per_cell),
    offset_of!(Header<Native>, per_cell)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, producer_claimed),
    offset_of!(Header<Native>, producer_claimed)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, consumer_claimed),
    offset_of!(Header<Native>, consumer_claimed)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, closed),
    offset_of!(Header<Native>, closed)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, consumer_bell),
    offset_of!(Header<Native>, consumer_bell)
);
const_assert_eq!(
    offset_of!(gimmal_control_t, producer_bell),
    offset_of!(Header<Native>, producer_bell)
);
const_assert_eq!(
    offset_of!(gimmal_producer_t, tail),
    offset_of!(ProducerWords<Native>, tail)
);
const_assert_eq!(
    offset_of!(gimmal_producer_t, stop),
    offset_of!(ProducerWords<Native>, stop)
);
const_assert_eq!(
    offset_of!(gimmal_producer_t, dropped),
    offset_of!(ProducerWords<Native>, dropped)
);
const_assert_eq!(
    offset_of!(gimmal_consumer_t, head),
    offset_of!(ConsumerWords<Native>, head)
);
const_assert_eq!(
    offset_of!(gimmal_consumer_t, seen),
    offset_of!(ConsumerWords<Native>, seen)
);

const LINE: usize = 1 << TargetPadding::LOG2_LINE;
const WORD: usize = size_of::<usize>();
const GROUPS: [usize; 2] = match TargetPadding::LOG2_LINE {
    0 => [36, 36 + 3 * WORD],
    _ => [LINE, 2 * LINE],
};
const_assert_eq!(offset_of!(gimmal_control_t, producer), GROUPS[0]);
const_assert_eq!(offset_of!(gimmal_control_t, consumer), GROUPS[1]);
