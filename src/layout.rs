//! The control block: the frozen byte layout, version 1. What follows it is in [`shape`](crate::shape).
//!
//! `docs/LAYOUT.md` is the specification. The structures here are that layout for [`Native`] atomics; a model's atomics
//! give them other sizes, which only the model sees.

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
/// Groups that many bytes apart, whatever lines they fall on: for measuring what sharing a line costs.
#[cfg(feature = "lab")]
#[derive(Debug, Clone, Copy)]
pub enum Gap<const BYTES: usize> {}

/// A group and the gap after it.
#[cfg(feature = "lab")]
#[derive(Debug)]
#[repr(C)]
pub struct Gapped<T, const BYTES: usize>(T, [u8; BYTES]);

#[cfg(feature = "lab")]
impl<const BYTES: usize> Padding for Gap<BYTES> {
    const LOG2_LINE: u8 = 0;
    type Line<T> = Gapped<T, BYTES>;

    #[inline(always)]
    fn group<T>(line: &Gapped<T, BYTES>) -> &T {
        &line.0
    }
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
    /// Where the producer's words begin: the study puts them at the start of a line.
    #[cfg(feature = "lab")]
    pub const PRODUCER_OFFSET: usize = offset_of!(Self, producer);

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

#[cfg(feature = "lab")]
mod gaps {
    use super::{const_assert, offset_of, Control, Gap, Native, WORD};

    type With<const BYTES: usize> = Control<Native, Gap<BYTES>>;

    /// From the end of the producer's words to the consumer's.
    const fn gap<const BYTES: usize>() -> usize {
        offset_of!(With<BYTES>, consumer) - offset_of!(With<BYTES>, producer) - 3 * WORD
    }

    const_assert!(gap::<0>() == 0);
    const_assert!(gap::<16>() == 16);
    const_assert!(gap::<32>() == 32);
    const_assert!(gap::<64>() == 64);
    const_assert!(gap::<128>() == 128);
    const_assert!(gap::<256>() == 256);
}
