//! [`Ring`]: elements side by side, published by index.

#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
use crate::error::AlreadySplit;
use crate::layout::{Control, Kind};
use crate::policy::{Policy, Shared, Sound};
use crate::raw::{attach, Attach, AttachError, FixedSlots, Memory, Protocol, Slots};
use crate::shape::{Shape, ShapeError};
use crate::sync::Native;
use crate::view::{self, ConsumerOf, ProducerOf};
use core::cell::UnsafeCell;
use core::fmt;
use core::mem::{align_of, needs_drop, size_of, MaybeUninit};
use core::ptr::NonNull;

/// A borrowed ring published by index.
pub type View<'a, T, P = Shared> = view::View<'a, T, Slots<T>, P>;
/// The producer's end of a ring published by index.
pub type Producer<'a, T, P = Shared> = ProducerOf<'a, T, Slots<T>, P>;
/// The consumer's end of a ring published by index.
pub type Consumer<'a, T, P = Shared> = ConsumerOf<'a, T, Slots<T>, P>;

/// A ring of `N` elements, a power of two, published by index: dense and exact.
///
/// For bytes, bulk copies, contiguous reserve and commit, and small memories. For the least latency of single messages take
/// [`LineRing`](crate::LineRing). `T` must not be zero-sized.
///
/// ```
/// use gimmal::Ring;
///
/// static BYTES: Ring<u8, 256> = Ring::new();
///
/// let (mut tx, mut rx) = BYTES.split()?;
/// assert_eq!(tx.push_slice(b"gimmal"), 6);
/// assert_eq!(rx.pop(), Some(b'g'));
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[repr(C)]
pub struct Ring<T, const N: usize, P: Policy = Shared> {
    control: Control<Native, P::Padding>,
    slots: UnsafeCell<[MaybeUninit<T>; N]>,
}

// SAFETY: the ends are handed out once each, and synchronise by the protocol; elements cross threads, so they must be `Send`.
unsafe impl<T: Send, const N: usize, P: Policy> Sync for Ring<T, N, P> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send, const N: usize, P: Policy> Send for Ring<T, N, P> {}

impl<T, const N: usize, P: Policy> Ring<T, N, P> {
    /// The ring's geometry.
    pub const SHAPE: Shape = match Shape::by_index(size_of::<T>(), align_of::<T>(), N) {
        Ok(shape) => shape,
        Err(ShapeError::Element) => panic!("a ring's element must not be zero-sized"),
        Err(ShapeError::Capacity) => panic!("a Ring's capacity N must be a power of two"),
        Err(ShapeError::Overflow) => panic!("the ring would not fit in memory"),
    };

    /// An empty ring: all zeros, so that a `static` of any size adds nothing to the program's file.
    #[inline]
    pub const fn new() -> Self
    where
        P: Sound,
    {
        // SAFETY: a sound policy promises nothing that its user could break.
        unsafe { Self::with_policy() }
    }

    /// An empty ring under a policy that makes a promise, as [`SingleCore`](crate::policy::SingleCore) does.
    ///
    /// ```
    /// use gimmal::policy::SingleCore;
    /// use gimmal::Ring;
    ///
    /// // SAFETY: both ends are used by this thread, on whichever core it runs.
    /// let ring = unsafe { Ring::<u8, 4, SingleCore>::with_policy() };
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Safety
    /// The promise is kept as long as the ring is used.
    #[inline]
    pub const unsafe fn with_policy() -> Self {
        let _ = Self::SHAPE;
        // SAFETY: zeros are valid for the atomics of the control block and for uninitialised slots.
        unsafe { MaybeUninit::zeroed().assume_init() }
    }

    /// Makes an empty ring in place: for one that is too large for the stack, on the heap say.
    ///
    /// ```
    /// let mut memory = Box::new_uninit();
    /// let ring: &mut gimmal::Ring<u64, 65536> = gimmal::Ring::init(&mut memory);
    /// assert!(ring.view().is_empty());
    /// ```
    #[inline]
    pub fn init(place: &mut MaybeUninit<Self>) -> &mut Self
    where
        P: Sound,
    {
        let _ = Self::SHAPE;
        // SAFETY: zeros are a valid ring, as in `new`.
        unsafe {
            place.as_mut_ptr().write_bytes(0, 1);
            place.assume_init_mut()
        }
    }

    /// A view of the ring, which claims its ends and answers questions.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let view = ring.view();
    /// assert!(view.is_empty() && !view.is_closed());
    /// let mut tx = view.producer()?; // one end alone
    /// tx.offer(7);
    /// assert_eq!(view.len(), 1);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn view(&self) -> View<'_, T, P> {
        // SAFETY: the ring is what its shape says, holds `T`, and is borrowed as long as the view; the pointer comes from the
        // whole of it, all of which lies in atomics and an `UnsafeCell`.
        unsafe { View::new(Memory::new(self.address(), Slots::new(N)), Self::SHAPE) }
    }

    /// A view with everything constant, `N` too, whose ends need the fewest instructions: for firmware.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.fixed().split()?;
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn fixed(&self) -> view::View<'_, T, FixedSlots<T, N>, P> {
        // SAFETY: as in `view`.
        unsafe { view::View::new(Memory::new(self.address(), FixedSlots::new()), Self::SHAPE) }
    }

    /// Claims both ends. They are given back when the handles are dropped.
    ///
    /// # Errors
    /// [`AlreadySplit`] if an end is claimed.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    #[inline]
    pub fn split(&self) -> Result<(Producer<'_, T, P>, Consumer<'_, T, P>), AlreadySplit> {
        self.view().split()
    }

    #[inline]
    fn address(&self) -> NonNull<u8> {
        NonNull::from(self).cast()
    }

    /// Makes both ends of an empty ring start at element number `index`: for tests of the wrap.
    #[doc(hidden)]
    pub fn start_at(&mut self, index: usize) {
        assert!(self.view().is_empty(), "the ring holds elements");
        // SAFETY: no end exists, since the ring is borrowed exclusively, and it is empty.
        unsafe {
            <crate::raw::index::ByIndex as Protocol<_>>::start_at(&self.view().body(), index)
        };
    }
}

impl<T, const N: usize, P: Sound> Default for Ring<T, N, P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize, P: Policy> Drop for Ring<T, N, P> {
    fn drop(&mut self) {
        if needs_drop::<T>() {
            // SAFETY: no handle exists, since the ring is borrowed exclusively.
            unsafe { self.view().drop_leftovers() };
        }
    }
}

impl<T, const N: usize, P: Policy> fmt::Debug for Ring<T, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt_ring("Ring", f)
    }
}

impl<'a, T, P: Policy> View<'a, T, P> {
    /// Attaches to a ring laid out elsewhere, by another language perhaps: `len` bytes at `memory`.
    ///
    /// ```
    /// use gimmal::ring::View;
    ///
    /// // As C or C++ would hand it over: an address and a size.
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let (address, size) = (ring.view().publish(), size_of_val(&ring));
    ///
    /// // SAFETY: the ring outlives the view, and holds bytes.
    /// let view = unsafe { View::<u8>::attach(address, size) }?;
    /// assert_eq!(view.capacity(), ring.view().capacity());
    ///
    /// // SAFETY: as above.
    /// let wrong = unsafe { View::<u64>::attach(address, size) };
    /// assert!(wrong.is_err());
    /// # Ok::<(), gimmal::AttachError>(())
    /// ```
    ///
    /// # Errors
    /// An [`AttachError`] if the memory does not hold a published ring by index of elements with `T`'s size and alignment.
    ///
    /// # Safety
    /// The memory stays valid and is touched only by the protocol for `'a`. What the other end pushes is valid as a `T`,
    /// and what this end pushes is valid for the other: plain data with no padding bytes and no pointers if the other is in another
    /// language.
    pub unsafe fn attach(memory: NonNull<u8>, len: usize) -> Result<Self, AttachError> {
        let expected = Attach {
            kind: Kind::Index,
            element: Some((size_of::<T>(), align_of::<T>())),
        };
        // SAFETY: the caller's word is stronger.
        let shape = unsafe { attach::<P>(memory, len, expected) }?;
        // SAFETY: the shape was checked against the memory and `T`; the rest is the caller's word.
        Ok(unsafe { Self::new(Memory::new(memory, Slots::new(shape.count())), shape) })
    }
}
