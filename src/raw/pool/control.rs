//! A pool's control block in memory, and pools whose element type is erased.

use super::{PoolBody, PoolShape, Tagged};
use crate::layout::{Header, Padding, TargetPadding, VERSION};
use crate::raw::control::{learn, state};
use crate::raw::{AcquireRelease, AttachError};
use crate::shape::ShapeError;
use crate::sync::{Atomics, Native, Ordering};
use core::mem::{align_of, offset_of, size_of};
use core::num::{NonZeroU32, NonZeroUsize};
use core::ptr::NonNull;
use static_assertions::const_assert;

/// The byte `kind` of a pool.
pub const KIND: u8 = 6;

type Byte = <Native as Atomics>::Byte;
type Half = <Native as Atomics>::Half;
type Word = <Native as Atomics>::Word;
type Line<T> = <TargetPadding as Padding>::Line<T>;

/// A ring's header, whose fields of bells and ends but `producer_claimed` are 0, and the number of slots.
#[repr(C)]
struct PoolHeader {
    header: Header<Native>,
    count: Half,
}

/// The start of every pool. The links follow, and then the slots.
#[repr(C)]
pub struct PoolControl {
    header: Line<PoolHeader>,
    shared: Line<Word>,
    owned: Line<Word>,
}

impl PoolControl {
    /// Where the stack's word lies.
    pub const SHARED: usize = offset_of!(Self, shared);
    /// Where the owner's word lies.
    pub const OWNED: usize = offset_of!(Self, owned);

    /// The header that pools share with rings.
    #[inline(always)]
    fn header(&self) -> &Header<Native> {
        &TargetPadding::group(&self.header).header
    }

    /// Whether the private list has an owner.
    #[inline(always)]
    pub fn claimed(&self) -> &Byte {
        &self.header().producer_claimed
    }

    /// The number of slots, once published.
    #[inline(always)]
    fn count(&self) -> &Half {
        &TargetPadding::group(&self.header).count
    }

    /// The stack's word.
    #[inline(always)]
    pub fn shared(&self) -> &Word {
        TargetPadding::group(&self.shared)
    }

    /// The owner's word.
    #[inline(always)]
    pub fn owned(&self) -> &Word {
        TargetPadding::group(&self.owned)
    }
}

const WORD: usize = size_of::<usize>();
const LINE: usize = 1 << TargetPadding::LOG2_LINE;

const_assert!(offset_of!(PoolHeader, count) == 36);
const_assert!(size_of::<PoolHeader>() == 40);
const_assert!(LINE == 1 || offset_of!(PoolControl, shared) == LINE);
const_assert!(LINE == 1 || offset_of!(PoolControl, owned) == 2 * LINE);
const_assert!(LINE == 1 || size_of::<PoolControl>() == 3 * LINE);
const_assert!(LINE == 1 || align_of::<PoolControl>() == LINE);
const_assert!(LINE > 1 || offset_of!(PoolControl, shared) == 40);
const_assert!(LINE > 1 || size_of::<PoolControl>() == 40 + 2 * WORD);

/// Publishes the geometry for parties that do not know the element's type. Two publishers write identical values.
pub fn publish_pool(control: &PoolControl, shape: &PoolShape) {
    let header = control.header();
    state::<AcquireRelease, _>(header, || {
        // Relaxed: ordered by the store of `magic`.
        header.version.store(VERSION, Ordering::Relaxed);
        header.kind.store(KIND, Ordering::Relaxed);
        header.word_size.store(WORD as u8, Ordering::Relaxed);
        header
            .log2_line
            .store(TargetPadding::LOG2_LINE, Ordering::Relaxed);
        header
            .element_size
            .store(shape.element_size, Ordering::Relaxed);
        header.stride.store(shape.stride, Ordering::Relaxed);
        header
            .slots_offset
            .store(shape.slots_offset, Ordering::Relaxed);
        header.log2_align.store(shape.log2_align, Ordering::Relaxed);
        header.per_cell.store(1, Ordering::Relaxed);
        control.count().store(shape.count, Ordering::Relaxed);
    });
}

/// A pool whose element is known by the sizes that the pool states.
#[derive(Debug, Clone, Copy)]
pub struct ErasedPool {
    /// The control block, and with it the provenance of the whole pool.
    memory: NonNull<u8>,
    count: usize,
    stride: usize,
    slots_offset: usize,
}

impl ErasedPool {
    /// A pool of this shape, all of its slots free, in memory that is at least as large and so aligned.
    ///
    /// # Safety
    /// The memory may be written, nobody else uses it, and it is used only through the value and as a pool as long as the value is.
    pub unsafe fn init(memory: NonNull<u8>, shape: &PoolShape) -> Self {
        // SAFETY: the caller's word; zeros are a full pool.
        let control = unsafe {
            memory.write_bytes(0, shape.slots());
            memory.cast::<PoolControl>().as_ref()
        };
        publish_pool(control, shape);
        Self {
            memory,
            count: shape.count(),
            stride: shape.stride(),
            slots_offset: shape.slots(),
        }
    }

    #[inline(always)]
    fn control(&self) -> &PoolControl {
        // SAFETY: whoever made the value promised a pool, whose control block is all atomics.
        unsafe { self.memory.cast().as_ref() }
    }

    /// Takes the pool for none from now on, until it is laid out again.
    ///
    /// # Safety
    /// Nobody else uses the pool.
    pub unsafe fn deinit(self) {
        // Relaxed: nobody else looks.
        self.control().header().magic.store(0, Ordering::Relaxed);
    }

    /// The slot at `index`, below the count.
    ///
    /// # Panics
    /// In debug builds, if the index is not below the count.
    #[inline(always)]
    pub fn slot(&self, index: usize) -> NonNull<u8> {
        debug_assert!(index < self.count);
        // SAFETY: the slot lies in the pool.
        unsafe { self.memory.add(self.slots_offset + index * self.stride) }
    }

    /// The index of the slot at an address, if one begins there.
    #[inline(always)]
    pub fn index_of(&self, element: *const u8) -> Option<usize> {
        let slots = self.memory.addr().get() + self.slots_offset;
        let offset = element.addr().wrapping_sub(slots);
        if offset >= self.count * self.stride {
            return None;
        }
        // A division of 32 bits where that does is several times faster.
        let (index, rest) = match u32::try_from(offset) {
            Ok(offset) => {
                let stride = NonZeroU32::new(self.stride as u32)?;
                ((offset / stride) as usize, (offset % stride) as usize)
            }
            Err(_) => {
                let stride = NonZeroUsize::new(self.stride)?;
                (offset / stride, offset % stride)
            }
        };
        (rest == 0).then_some(index)
    }
}

// SAFETY: everything belongs to the one pool that the maker of the value promised.
unsafe impl PoolBody for ErasedPool {
    type Atomics = Native;
    type Edges = Tagged;

    #[inline(always)]
    fn claimed(&self) -> &Byte {
        self.control().claimed()
    }

    #[inline(always)]
    fn shared(&self) -> &Word {
        self.control().shared()
    }

    #[inline(always)]
    fn owned(&self) -> &Word {
        self.control().owned()
    }

    #[inline(always)]
    fn link(&self, index: usize) -> &Half {
        let offset = size_of::<PoolControl>() + index * size_of::<u32>();
        // SAFETY: the callers' indices are below the count, so the link lies in the pool; an aligned atomic.
        unsafe { self.memory.add(offset).cast().as_ref() }
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }
}

/// Checks that `memory` begins with a published pool, and reads its geometry: what an untyped call asks first.
///
/// # Errors
/// The memory does not begin with a published pool of this layout version.
///
/// # Safety
/// `memory` points to a control block, aligned, which others access atomically at most, and to the pool that it states if it
/// states one; both are used through the pointer as long as the value is.
#[inline(always)]
pub unsafe fn open_pool(memory: NonNull<u8>) -> Result<ErasedPool, AttachError> {
    // SAFETY: the caller promises an aligned control block, which is all atomics.
    let control = unsafe { memory.cast::<PoolControl>().as_ref() };
    let header = control.header();
    learn::<AcquireRelease, _>(header)?;
    // Relaxed, like those below: ordered by the load of `magic`.
    let kind = header.kind.load(Ordering::Relaxed);
    if kind != KIND {
        return Err(AttachError::WrongKind(kind));
    }
    Ok(ErasedPool {
        memory,
        count: control.count().load(Ordering::Relaxed) as usize,
        stride: header.stride.load(Ordering::Relaxed) as usize,
        slots_offset: header.slots_offset.load(Ordering::Relaxed) as usize,
    })
}

/// Reads and checks the geometry of the pool published at `memory`, `len` bytes long, for elements of this size and
/// alignment. The pool that is returned lies wholly in the memory, whatever the bytes were.
///
/// # Errors
/// What of the memory is not as it must be.
///
/// # Safety
/// `memory` may be read for `len` bytes, and others access it atomically at most.
pub unsafe fn attach_pool(
    memory: NonNull<u8>,
    len: usize,
    size: usize,
    align: usize,
) -> Result<PoolShape, AttachError> {
    let needed = size_of::<PoolControl>();
    if memory.addr().get() % align_of::<PoolControl>() != 0 {
        return Err(AttachError::Misaligned);
    }
    if len < needed {
        return Err(AttachError::TooSmall { needed, given: len });
    }
    // SAFETY: aligned and long enough for a control block; of the rest only numbers are read.
    let found = unsafe { open_pool(memory) }?;
    let header = found.control().header();
    // Relaxed: ordered by the load of `magic` in `open_pool`.
    let version = header.version.load(Ordering::Relaxed);
    if version != VERSION {
        return Err(AttachError::Version(version));
    }
    let word_size = header.word_size.load(Ordering::Relaxed);
    let log2_line = header.log2_line.load(Ordering::Relaxed);
    if usize::from(word_size) != WORD || log2_line != TargetPadding::LOG2_LINE {
        return Err(AttachError::Machine {
            word_size,
            log2_line,
        });
    }
    let element_size = header.element_size.load(Ordering::Relaxed);
    let log2_align = header.log2_align.load(Ordering::Relaxed);
    if element_size as usize != size || 1usize.checked_shl(log2_align.into()) != Some(align) {
        return Err(AttachError::Element {
            size: element_size,
            log2_align,
        });
    }
    let agrees =
        |shape: &PoolShape| (shape.stride(), shape.slots()) == (found.stride, found.slots_offset);
    let shape = [true, false]
        .map(|padded| PoolShape::new(size, align, found.count, padded))
        .into_iter()
        .filter_map(|shape: Result<_, ShapeError>| shape.ok())
        .find(agrees)
        .ok_or(AttachError::Corrupt)?;
    // A power of two: a remainder would bring the panic of a division by 0 into the C library.
    if memory.addr().get() & (shape.align() - 1) != 0 {
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
