//! [`Pool`]: slots for values that many threads take and give back, in place of an allocator.

mod handle;
mod owner;
mod spacing;

pub use handle::{Pooled, Vacant};
pub use owner::Owner;
pub use spacing::{Dense, Padded, Spacing};

use crate::error::{AttachError, Exhausted};
use crate::raw::pool::{
    attach_pool, publish_pool, FreeSlots, PoolBody, PoolControl, PoolShape, Tagged,
};
use crate::shape::ShapeError;
use crate::sync::{Atomics, Native};
use core::cell::UnsafeCell;
use core::fmt;
use core::mem::{align_of, size_of, MaybeUninit};
use core::ptr::NonNull;

/// `N` slots for values of type `T`, handed out one by one to any thread and given back by any other.
///
/// A handle, [`Pooled`], is to its slot what a `Box` is to its memory, and `Send`: to pass a large message between threads, pass the
/// handle, and nothing is copied. Taking a slot and giving it back are lock-free, never allocate and never call the operating
/// system. A pool that is used up says so: [`acquire`](Self::acquire) gives `None`.
///
/// Slots come in any order. `T` must not be zero-sized. With `S` = [`Padded`], the default, every slot has cache lines of
/// its own, so that threads do not disturb each other's; with [`Dense`], slots lie side by side.
///
/// ```
/// use gimmal::pool::Pooled;
/// use gimmal::{Pool, Ring};
///
/// type Frame = [u8; 1500];
/// static FRAMES: Pool<Frame, 64> = Pool::new();
/// static FULL: Ring<Pooled<'static, Frame, 64>, 64> = Ring::new();
///
/// let (mut tx, mut rx) = FULL.split()?;
/// let reader = std::thread::spawn(move || {
///     let mut sum = 0;
///     for _ in 0..1000 {
///         let frame = loop {
///             match rx.pop() {
///                 Some(frame) => break frame,
///                 None => std::thread::yield_now(),
///             }
///         };
///         sum += u64::from(frame[0]);
///     } // dropping the handle gives the slot back
///     sum
/// });
/// for id in 0..1000 {
///     let slot = loop {
///         match FRAMES.acquire() {
///             Some(slot) => break slot,
///             None => std::thread::yield_now(),
///         }
///     };
///     let frame = slot.write([id as u8; 1500]);
///     assert!(tx.push(frame).is_ok(), "the ring has room for all handles there are");
/// }
/// assert_eq!(reader.join().unwrap(), (0..1000).map(|id| u64::from(id as u8)).sum());
/// assert_eq!(FRAMES.available(), 64);
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
///
/// # ABA
/// The free slots are a stack of slot numbers, whose word holds the first number and a tag that every removal raises. A thread that stalls in
/// the middle of taking a slot can be misled only if meanwhile others take slots so often that the tag comes back to the same value, and
/// at that very moment the same slot is first again. In a pool of N slots the number has as many bits as N, and the tag has the rest: of 64 bits, 53 for
/// N = 1024 (an uninterrupted stall of more than a year, at 200 million a second); of 32 bits, 21 (two million acquisitions), so there a
/// stalled thread must not sleep through so many.
#[repr(C)]
pub struct Pool<T, const N: usize, S: Spacing = Padded> {
    control: PoolControl,
    links: [<Native as Atomics>::Half; N],
    slots: UnsafeCell<[S::Slot<MaybeUninit<T>>; N]>,
}

// SAFETY: a slot belongs to whoever took it, and to nobody else, by the protocol of its free list; values cross threads, so they
// must be `Send`.
unsafe impl<T: Send, const N: usize, S: Spacing> Sync for Pool<T, N, S> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send, const N: usize, S: Spacing> Send for Pool<T, N, S> {}

impl<T, const N: usize, S: Spacing> Pool<T, N, S> {
    /// The pool's geometry.
    pub const SHAPE: PoolShape = match PoolShape::new(size_of::<T>(), align_of::<T>(), N, S::PADDED)
    {
        Ok(shape) => {
            assert!(size_of::<Self>() == shape.size());
            assert!(align_of::<Self>() == shape.align());
            assert!(core::mem::offset_of!(Self, slots) == shape.slots());
            shape
        }
        Err(ShapeError::Element) => panic!("a pool's values must not be zero-sized"),
        Err(ShapeError::Capacity) => panic!("a pool must have a slot"),
        Err(ShapeError::Overflow) => panic!("the pool would be too large"),
    };

    /// A pool with every slot free: all zeros, so that a `static` of any size adds nothing to the program's file.
    #[inline]
    pub const fn new() -> Self {
        let _ = Self::SHAPE;
        // SAFETY: zeros are valid for atomics and for uninitialised slots.
        unsafe { MaybeUninit::zeroed().assume_init() }
    }

    /// Makes a pool in place: for one that is too large for the stack, on the heap say.
    ///
    /// ```
    /// let mut memory = Box::new_uninit();
    /// let pool: &mut gimmal::Pool<[u8; 4096], 4096> = gimmal::Pool::init(&mut memory);
    /// assert_eq!(pool.available(), 4096);
    /// ```
    #[inline]
    pub fn init(place: &mut MaybeUninit<Self>) -> &mut Self {
        let _ = Self::SHAPE;
        // SAFETY: zeros are a valid pool, as in `new`.
        unsafe {
            place.as_mut_ptr().write_bytes(0, 1);
            place.assume_init_mut()
        }
    }

    /// Takes a free slot, to be written; `None` if there is none. Any thread; lock-free.
    ///
    /// ```
    /// use gimmal::Pool;
    ///
    /// let pool = Pool::<u64, 2>::new();
    /// let slot = pool.acquire().expect("slots are free");
    /// let value = slot.write(7);
    /// assert_eq!((*value, pool.available()), (7, 1));
    /// drop(value); // the slot goes back
    /// assert_eq!(pool.available(), 2);
    /// ```
    #[inline(always)]
    pub fn acquire(&self) -> Option<Vacant<'_, T, N, S>> {
        let index = self.take()?;
        // SAFETY: the slot was taken just now.
        Some(unsafe { Vacant::new(self, index) })
    }

    /// Moves a value into a free slot. Any thread; lock-free.
    ///
    /// ```
    /// use gimmal::Pool;
    ///
    /// let pool = Pool::<u64, 2>::new();
    /// let held = [pool.insert(1).unwrap(), pool.insert(2).unwrap()];
    /// assert_eq!(pool.insert(3).unwrap_err().0, 3); // no slot is free: it comes back
    /// drop(held);
    /// assert!(pool.insert(3).is_ok());
    /// ```
    ///
    /// # Errors
    /// [`Exhausted`], with the value, if no slot is free.
    #[inline(always)]
    pub fn insert(&self, value: T) -> Result<Pooled<'_, T, N, S>, Exhausted<T>> {
        match self.acquire() {
            Some(slot) => Ok(slot.write(value)),
            None => Err(Exhausted(value)),
        }
    }

    /// The handle of the slot that is out under this number, by [`Pooled::into_index`] or in another language; `None` if
    /// no slot is.
    ///
    /// ```
    /// use gimmal::pool::Pooled;
    /// use gimmal::Pool;
    ///
    /// let pool = Pool::<u64, 2>::new();
    /// let index = Pooled::into_index(pool.insert(7).unwrap()); // a number, for another language say
    /// // SAFETY: the slot holds the number that was put there, and nobody else has it.
    /// let value = unsafe { pool.from_index(index) }.expect("it is out");
    /// assert_eq!(*value, 7);
    /// ```
    ///
    /// # Safety
    /// If a slot is out under the number, it holds a valid `T`, and the caller is entitled to it: nobody else uses it.
    #[inline]
    pub unsafe fn from_index(&self, index: u32) -> Option<Pooled<'_, T, N, S>> {
        let index = index as usize;
        // SAFETY: the slot is taken, by the party that had its number, and that is the caller now.
        self.take_back(index)
            .then(|| unsafe { Vacant::new(self, index).assume_init() })
    }

    /// Claims the owner's list of free slots, for the one thread that takes most; `None` if it has an owner. It is given up
    /// when the [`Owner`] is dropped.
    #[inline]
    pub fn owner(&self) -> Option<Owner<'_, T, N, S>> {
        // SAFETY: the list was claimed just now.
        self.claim_owner().then(|| unsafe { Owner::new(self) })
    }

    /// How many slots are free. Exact while nobody takes or gives back any, and else a guess. Takes time in proportion to the
    /// answer.
    pub fn available(&self) -> usize {
        FreeSlots::available(self)
    }

    /// The number of slots, `N`.
    #[inline]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// Publishes the geometry, for parties that do not know the type, and gives the pool's address.
    pub fn publish(&self) -> NonNull<u8> {
        publish_pool(&self.control, &Self::SHAPE);
        NonNull::from(self).cast()
    }

    /// The pool of this type that another party laid out, in another language perhaps: `len` bytes at `memory`.
    ///
    /// # Errors
    /// An [`AttachError`] if the memory does not hold a published pool of `N` slots, spaced as `S` says, of values with
    /// `T`'s size and alignment.
    ///
    /// # Safety
    /// The memory stays valid and is touched only by the protocol for `'a`.
    pub unsafe fn attach<'a>(memory: NonNull<u8>, len: usize) -> Result<&'a Self, AttachError> {
        // SAFETY: the caller's word is stronger.
        let shape = unsafe { attach_pool(memory, len, size_of::<T>(), align_of::<T>()) }?;
        if shape != Self::SHAPE {
            return Err(AttachError::Slots {
                count: shape.count(),
                stride: shape.stride(),
            });
        }
        // SAFETY: the memory holds a pool of this very shape, all of it atomics and slots; the rest is the caller's word.
        Ok(unsafe { memory.cast().as_ref() })
    }

    /// Where the value in the slot at `index` lies.
    #[inline(always)]
    fn slot(&self, index: usize) -> *mut MaybeUninit<T> {
        let slots = self.slots.get().cast::<S::Slot<MaybeUninit<T>>>();
        // SAFETY: indices of taken slots are below `N`; the value lies at the beginning of its slot.
        unsafe { slots.add(index).cast() }
    }

    /// Makes the tag start at `tag`: for tests of its wrap.
    #[doc(hidden)]
    pub fn start_at(&mut self, tag: usize) {
        // SAFETY: nobody uses the pool, which is borrowed exclusively.
        unsafe { self.set_tag(tag) };
    }
}

// SAFETY: everything belongs to this pool.
unsafe impl<T, const N: usize, S: Spacing> PoolBody for Pool<T, N, S> {
    type Atomics = Native;
    type Edges = Tagged;

    #[inline(always)]
    fn claimed(&self) -> &<Native as Atomics>::Byte {
        self.control.claimed()
    }

    #[inline(always)]
    fn shared(&self) -> &<Native as Atomics>::Word {
        self.control.shared()
    }

    #[inline(always)]
    fn owned(&self) -> &<Native as Atomics>::Word {
        self.control.owned()
    }

    #[inline(always)]
    fn link(&self, index: usize) -> &<Native as Atomics>::Half {
        debug_assert!(index < N);
        // SAFETY: the algorithm's indices are below the count, `N`.
        unsafe { self.links.get_unchecked(index) }
    }

    #[inline(always)]
    fn count(&self) -> usize {
        N
    }
}

impl<T, const N: usize, S: Spacing> Default for Pool<T, N, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize, S: Spacing> fmt::Debug for Pool<T, N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("available", &self.available())
            .field("capacity", &N)
            .finish()
    }
}
