//! What is done at a ring's control block besides messages: claiming an end, closing, publishing and checking geometry.

use super::edges::{receive, send};
use super::{Body, Edges};
use crate::layout::{Header, Kind, Padding, MAGIC, VERSION};
use crate::policy::Policy;
use crate::shape::{Shape, ShapeError};
use crate::sync::{Atomic, Atomics, Exchange, Ordering};
use core::fmt;
use core::mem::{align_of, size_of};
use core::ptr::NonNull;

type EdgesOf<B> = <<B as Body>::Policy as Policy>::Edges;

/// Claims, the close, drops and geometry of any ring.
pub trait Ends: Body {
    /// Claims the producer's end; false if it is claimed already.
    #[inline]
    fn claim_producer(&self) -> bool
    where
        <Self::Atomics as Atomics>::Byte: Exchange<u8>,
    {
        // Pairs with the GIVE_UP store in `give_up_producer`: the new producer goes on where the last one stopped.
        self.header()
            .producer_claimed
            .swap(1, EdgesOf::<Self>::CLAIM)
            == 0
    }

    /// Claims the consumer's end; false if it is claimed already.
    #[inline]
    fn claim_consumer(&self) -> bool
    where
        <Self::Atomics as Atomics>::Byte: Exchange<u8>,
    {
        // Pairs with the GIVE_UP store in `give_up_consumer`: the new consumer goes on where the last one stopped.
        self.header()
            .consumer_claimed
            .swap(1, EdgesOf::<Self>::CLAIM)
            == 0
    }

    /// Claims the producer's end where there is no exchange; false if it is claimed already.
    ///
    /// # Safety
    /// Nobody else claims the producer's end of this ring at the same time.
    #[inline]
    unsafe fn claim_producer_alone(&self) -> bool {
        claim_alone::<Self>(&self.header().producer_claimed)
    }

    /// Claims the consumer's end where there is no exchange; false if it is claimed already.
    ///
    /// # Safety
    /// Nobody else claims the consumer's end of this ring at the same time.
    #[inline]
    unsafe fn claim_consumer_alone(&self) -> bool {
        claim_alone::<Self>(&self.header().consumer_claimed)
    }

    /// Gives the producer's end up to the next claimer.
    #[inline]
    fn give_up_producer(&self) {
        // Pairs with the CLAIM exchange in `claim_producer`.
        send::<Self::Atomics, EdgesOf<Self>, _>(
            &self.header().producer_claimed,
            0,
            EdgesOf::<Self>::GIVE_UP,
        );
    }

    /// Gives the consumer's end up to the next claimer.
    #[inline]
    fn give_up_consumer(&self) {
        // Pairs with the CLAIM exchange in `claim_consumer`.
        send::<Self::Atomics, EdgesOf<Self>, _>(
            &self.header().consumer_claimed,
            0,
            EdgesOf::<Self>::GIVE_UP,
        );
    }

    /// Whether the producer's end is claimed.
    #[inline]
    fn has_producer(&self) -> bool {
        // Pairs with the GIVE_UP store in `give_up_producer`: without a producer, all that it pushed can be seen.
        receive::<Self::Atomics, EdgesOf<Self>, u8>(
            &self.header().producer_claimed,
            EdgesOf::<Self>::CLAIM,
        ) != 0
    }

    /// Whether the consumer's end is claimed.
    #[inline]
    fn has_consumer(&self) -> bool {
        // Pairs with the GIVE_UP store in `give_up_consumer`.
        receive::<Self::Atomics, EdgesOf<Self>, u8>(
            &self.header().consumer_claimed,
            EdgesOf::<Self>::CLAIM,
        ) != 0
    }

    /// Closes the ring: pushes are refused from now on, what is in it is still delivered.
    #[inline]
    fn close(&self) {
        // Pairs with the SEE_CLOSED load in `is_closed`: who sees the close and then an empty ring has seen everything.
        send::<Self::Atomics, EdgesOf<Self>, _>(&self.header().closed, 1, EdgesOf::<Self>::CLOSE);
    }

    /// Whether the ring is closed.
    #[inline]
    fn is_closed(&self) -> bool {
        // Pairs with the CLOSE store in `close`.
        receive::<Self::Atomics, EdgesOf<Self>, u8>(
            &self.header().closed,
            EdgesOf::<Self>::SEE_CLOSED,
        ) != 0
    }

    /// Elements refused by `offer`, wrapping.
    #[inline]
    fn dropped(&self) -> usize {
        // Relaxed: a count, from which nothing is read.
        self.producer().dropped.load(Ordering::Relaxed)
    }

    /// Counts an element refused. Only a ring's one producer may.
    #[inline]
    fn count_dropped(&self) {
        // Relaxed, and no exchange: the producer alone writes the count.
        let dropped = self.dropped();
        self.producer()
            .dropped
            .store(dropped.wrapping_add(1), Ordering::Relaxed);
    }

    /// Publishes the geometry for ends that do not know the element's type. Two publishers write identical values.
    fn publish(&self, shape: &Shape) {
        let header = self.header();
        let ([element_size, stride, slots_offset], [log2_align, log2_count, per_cell]) =
            shape.raw_fields();
        let log2_line = <Self::Policy as Policy>::Padding::LOG2_LINE;
        state::<EdgesOf<Self>, _>(header, || {
            // Relaxed: ordered by the store of `magic`.
            header.version.store(VERSION, Ordering::Relaxed);
            header.kind.store(shape.kind() as u8, Ordering::Relaxed);
            header
                .word_size
                .store(size_of::<usize>() as u8, Ordering::Relaxed);
            header.log2_line.store(log2_line, Ordering::Relaxed);
            header.element_size.store(element_size, Ordering::Relaxed);
            header.stride.store(stride, Ordering::Relaxed);
            header.slots_offset.store(slots_offset, Ordering::Relaxed);
            header.log2_align.store(log2_align, Ordering::Relaxed);
            header.log2_count.store(log2_count, Ordering::Relaxed);
            header.per_cell.store(per_cell, Ordering::Relaxed);
        });
    }
}

impl<B: Body> Ends for B {}

#[inline]
fn claim_alone<B: Body + ?Sized>(flag: &<B::Atomics as Atomics>::Byte) -> bool {
    // Pairs with the GIVE_UP store of the last end.
    let free = receive::<B::Atomics, EdgesOf<B>, u8>(flag, EdgesOf::<B>::CLAIM) == 0;
    if free {
        // Relaxed: nobody else claims at the same time.
        flag.store(1, Ordering::Relaxed);
    }
    free
}

/// Why memory is not taken for a ring, or for a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachError {
    /// The memory is not aligned as the layout asks.
    Misaligned,
    /// The memory is shorter than the ring or pool that it states, or than a control block.
    TooSmall {
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that there are.
        given: usize,
    },
    /// The geometry is not published (yet).
    Uninitialised,
    /// The memory begins neither with a ring nor with a pool.
    NotARing {
        /// What stands in place of the magic number.
        magic: u32,
    },
    /// Another version of the layout.
    Version(u8),
    /// Made for another word size or distance of lines.
    Machine {
        /// Its word size in bytes.
        word_size: u8,
        /// Its log2 of LINE.
        log2_line: u8,
    },
    /// A ring of another kind, or a pool in place of a ring or the other way round.
    WrongKind(u8),
    /// Elements of another size or alignment.
    Element {
        /// Their size in bytes.
        size: u32,
        /// The log2 of their alignment.
        log2_align: u8,
    },
    /// A pool of another number of slots, or of slots spaced otherwise.
    Slots {
        /// How many there are.
        count: usize,
        /// Bytes from one to the next.
        stride: usize,
    },
    /// The fields contradict each other.
    Corrupt,
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misaligned => f.write_str("the memory is not aligned as the layout asks"),
            Self::TooSmall { needed, given } => {
                write!(f, "{needed} bytes are needed, the memory has {given}")
            }
            Self::Uninitialised => f.write_str(
                "no geometry is published there: claim an end of the ring, or publish the pool, where its type is known",
            ),
            Self::NotARing { magic } => {
                write!(f, "neither a ring nor a pool: magic is {magic:#010x}, not {MAGIC:#010x}")
            }
            Self::Version(version) => {
                write!(f, "layout version {version}, this library has {VERSION}")
            }
            Self::Machine {
                word_size,
                log2_line,
            } => write!(
                f,
                "made for words of {word_size} bytes and lines of 2^{log2_line}: another target"
            ),
            Self::WrongKind(1) => f.write_str("a ring published by index"),
            Self::WrongKind(2) => f.write_str("a ring published by line, of one producer"),
            Self::WrongKind(3) => f.write_str("a ring of many producers"),
            Self::WrongKind(6) => f.write_str("a pool"),
            Self::WrongKind(kind) => write!(f, "of kind {kind}, which this library does not know"),
            Self::Element { size, log2_align } => write!(
                f,
                "of elements of {size} bytes aligned to 2^{log2_align}: another type"
            ),
            Self::Slots { count, stride } => write!(
                f,
                "a pool of {count} slots, {stride} bytes from one to the next: another type"
            ),
            Self::Corrupt => f.write_str("the fields of the control block contradict each other"),
        }
    }
}

impl core::error::Error for AttachError {}

/// What an end expects of the memory that it attaches to.
#[derive(Debug, Clone, Copy)]
pub struct Attach {
    /// The kind of ring.
    pub kind: Kind,
    /// The element's size and alignment; `None` takes any.
    pub element: Option<(usize, usize)>,
}

/// Reads and checks the geometry published at `memory`, `len` bytes long.
///
/// Every field is read once and checked against the others with checked arithmetic, so the shape that is returned describes
/// a ring that lies wholly in the memory, whatever the bytes were.
///
/// # Safety
/// `memory` may be read for `len` bytes, and others access it atomically at most.
pub unsafe fn attach<P: Policy>(
    memory: NonNull<u8>,
    len: usize,
    expected: Attach,
) -> Result<Shape, AttachError> {
    use crate::layout::Control;
    use crate::sync::Native;

    type ControlOf<P> = Control<Native, <P as Policy>::Padding>;
    let needed = size_of::<ControlOf<P>>();
    if memory.addr().get() % align_of::<ControlOf<P>>() != 0 {
        return Err(AttachError::Misaligned);
    }
    if len < needed {
        return Err(AttachError::TooSmall { needed, given: len });
    }
    // SAFETY: aligned, long enough, and a control block is all atomics, valid for every bit pattern.
    let control = unsafe { memory.cast::<ControlOf<P>>().as_ref() };
    let shape = published::<P, Native>(control.header(), expected)?;
    if memory.addr().get() % shape.align() != 0 {
        return Err(AttachError::Misaligned);
    }
    if len < shape.size() {
        return Err(AttachError::TooSmall {
            needed: shape.size(),
            given: len,
        });
    }
    Ok(shape)
}

/// States the geometry that `fields` writes, unless it is stated already: then it is complete, and needs no second store.
#[inline(always)]
pub(super) fn state<E: Edges, A: Atomics>(header: &Header<A>, fields: impl FnOnce()) {
    // Pairs with the STATE store below.
    if header.magic.load(E::LEARN) == MAGIC {
        return;
    }
    fields();
    // Pairs with the LEARN loads above and in `learn`.
    header.magic.store(MAGIC, E::STATE);
}

/// Learns that the geometry is stated: the other fields are complete.
#[inline(always)]
pub(super) fn learn<E: Edges, A: Atomics>(header: &Header<A>) -> Result<(), AttachError> {
    // Pairs with the STATE store in `state`.
    match header.magic.load(E::LEARN) {
        MAGIC => Ok(()),
        0 => Err(AttachError::Uninitialised),
        magic => Err(AttachError::NotARing { magic }),
    }
}

/// Reads and checks the geometry stated in a header.
///
/// # Errors
/// What of the header is not as it must be.
pub fn published<P: Policy, A: Atomics>(
    header: &Header<A>,
    expected: Attach,
) -> Result<Shape, AttachError> {
    learn::<P::Edges, A>(header)?;
    // Relaxed: ordered by the load of `magic`.
    let version = header.version.load(Ordering::Relaxed);
    if version != VERSION {
        return Err(AttachError::Version(version));
    }
    let word_size = header.word_size.load(Ordering::Relaxed);
    let log2_line = header.log2_line.load(Ordering::Relaxed);
    if usize::from(word_size) != size_of::<usize>() || log2_line != P::Padding::LOG2_LINE {
        return Err(AttachError::Machine {
            word_size,
            log2_line,
        });
    }
    let kind = header.kind.load(Ordering::Relaxed);
    if kind != expected.kind as u8 {
        return Err(AttachError::WrongKind(kind));
    }
    let size = header.element_size.load(Ordering::Relaxed);
    let log2_align = header.log2_align.load(Ordering::Relaxed);
    let align = 1usize
        .checked_shl(u32::from(log2_align))
        .ok_or(AttachError::Corrupt)?;
    if let Some((wanted_size, wanted_align)) = expected.element {
        if (size as usize, align) != (wanted_size, wanted_align) {
            return Err(AttachError::Element { size, log2_align });
        }
    }
    let count = 1usize
        .checked_shl(u32::from(header.log2_count.load(Ordering::Relaxed)))
        .ok_or(AttachError::Corrupt)?;
    let shape = match expected.kind {
        Kind::Index => Shape::by_index(size as usize, align, count),
        Kind::Line => Shape::with_cells(size as usize, align, count),
        Kind::Mpsc => Shape::mpsc(size as usize, align, count),
    }
    .map_err(|_: ShapeError| AttachError::Corrupt)?;
    let stated = (
        [
            size,
            header.stride.load(Ordering::Relaxed),
            header.slots_offset.load(Ordering::Relaxed),
        ],
        [
            log2_align,
            header.log2_count.load(Ordering::Relaxed),
            header.per_cell.load(Ordering::Relaxed),
        ],
    );
    if stated != shape.raw_fields() {
        return Err(AttachError::Corrupt);
    }
    Ok(shape)
}

/// Checks that `memory` begins with a published ring of this kind: what an untyped call asks before it trusts the rest.
///
/// # Safety
/// `memory` points to a control block, aligned, that others access atomically at most and that outlives `'a`.
#[inline]
pub unsafe fn expect_kind<'a, P: Policy>(
    memory: NonNull<u8>,
    kind: Kind,
) -> Result<&'a Header<crate::sync::Native>, AttachError> {
    use crate::layout::Control;
    // SAFETY: the caller promises an aligned control block, which is all atomics.
    let header = unsafe {
        memory
            .cast::<Control<crate::sync::Native, P::Padding>>()
            .as_ref()
    }
    .header();
    learn::<P::Edges, _>(header)?;
    // Relaxed: ordered by the load of `magic`.
    let found = header.kind.load(Ordering::Relaxed);
    if found != kind as u8 {
        return Err(AttachError::WrongKind(found));
    }
    Ok(header)
}
