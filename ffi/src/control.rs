//! The control block as C sees it: plain fields, each at the offset that `docs/LAYOUT.md` gives.
//!
//! C and C++ access every field through the compiler's atomic operations; the Rust side never
//! reads one through these types, but hands the address on to the core.

/// The producer's group, on a cache line of its own where there is a cache.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_producer_t {
    /// Where the producer stands: a count by index, a cursor by line.
    pub tail: usize,
    /// Private to the producer: by line the first cursor at which to look at a stamp, by index a
    /// copy of `head`.
    pub stop: usize,
    /// Elements refused by an offer, wrapping.
    pub dropped: usize,
}

/// The consumer's group, on a cache line of its own where there is a cache.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_consumer_t {
    /// Where the consumer stands: a count by index, a cursor by line.
    pub head: usize,
    /// Private to the consumer: by line the cursor after the last element seen, by index a copy
    /// of `tail`.
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
    /// GIMMAL_KIND_INDEX or GIMMAL_KIND_LINE.
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
    /// 1 while a producer holds its end.
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
