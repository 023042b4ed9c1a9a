//! Handles on slots of a pool.

use super::{Padded, Pool, Spacing};
use crate::raw::pool::FreeSlots;
use core::fmt;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};

/// A slot taken from a pool and not yet written. Dropped, it goes back.
#[must_use = "dropped, the slot goes back to the pool"]
pub struct Vacant<'a, T, const N: usize, S: Spacing = Padded> {
    pool: &'a Pool<T, N, S>,
    /// Below `N`; the slot is taken, by this value.
    index: u32,
}

impl<'a, T, const N: usize, S: Spacing> Vacant<'a, T, N, S> {
    /// # Safety
    /// The slot is taken, and the caller gives it to the value.
    #[inline(always)]
    pub(super) unsafe fn new(pool: &'a Pool<T, N, S>, index: usize) -> Self {
        Self {
            pool,
            index: index as u32,
        }
    }

    /// Writes the value.
    #[inline(always)]
    pub fn write(mut self, value: T) -> Pooled<'a, T, N, S> {
        self.uninit().write(value);
        // SAFETY: it was written just now.
        unsafe { self.assume_init() }
    }

    /// Writes the value that a function makes. If it panics, the slot goes back.
    ///
    /// ```
    /// let pool = gimmal::Pool::<[u8; 1500], 2>::new();
    /// let frame = pool.acquire().unwrap().write_with(|| [7; 1500]);
    /// assert_eq!(frame[0], 7);
    /// ```
    #[inline(always)]
    pub fn write_with(self, make: impl FnOnce() -> T) -> Pooled<'a, T, N, S> {
        self.write(make())
    }

    /// The memory, to be filled in place. What it holds is left over from its last use, or zeros.
    #[inline(always)]
    pub fn uninit(&mut self) -> &mut MaybeUninit<T> {
        // SAFETY: the slot is this value's alone, which is borrowed exclusively.
        unsafe { &mut *self.pool.slot(self.index as usize) }
    }

    /// The slot as one that holds a value.
    ///
    /// # Safety
    /// The memory was filled with a valid value.
    #[inline(always)]
    pub unsafe fn assume_init(self) -> Pooled<'a, T, N, S> {
        Pooled {
            slot: ManuallyDrop::new(self),
        }
    }
}

impl<T, const N: usize, S: Spacing> Drop for Vacant<'_, T, N, S> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the slot is taken, by this value, which is gone.
        unsafe { self.pool.put(self.index as usize) };
    }
}

impl<T, const N: usize, S: Spacing> fmt::Debug for Vacant<'_, T, N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Vacant").field(&self.index).finish()
    }
}

/// A value in a slot of a pool, and the only way to it. Dropped, it drops the value and gives the slot back, on whichever thread.
///
/// A handle that is forgotten keeps its slot for good.
pub struct Pooled<'a, T, const N: usize, S: Spacing = Padded> {
    /// The slot, which holds a value.
    slot: ManuallyDrop<Vacant<'a, T, N, S>>,
}

// SAFETY: a handle owns its value as a `Box` does, and the pool may be used by any thread.
unsafe impl<T: Send, const N: usize, S: Spacing> Send for Pooled<'_, T, N, S> {}
// SAFETY: as for `Send`; a shared handle gives shared references only.
unsafe impl<T: Sync, const N: usize, S: Spacing> Sync for Pooled<'_, T, N, S> {}

impl<'a, T, const N: usize, S: Spacing> Pooled<'a, T, N, S> {
    /// The slot, as one whose value is no more.
    #[inline(always)]
    fn into_slot(this: Self) -> Vacant<'a, T, N, S> {
        let mut this = ManuallyDrop::new(this);
        // SAFETY: the handle is forgotten, so the slot is taken out once.
        unsafe { ManuallyDrop::take(&mut this.slot) }
    }

    /// Takes the value out, and gives the slot back.
    ///
    /// An associated function, as with `Box`, so that it hides no method of the value.
    ///
    /// ```
    /// use gimmal::pool::Pooled;
    /// use gimmal::Pool;
    ///
    /// let pool = Pool::<String, 2>::new();
    /// let name = pool.insert("gimmal".into()).unwrap();
    /// assert_eq!(Pooled::into_inner(name), "gimmal");
    /// assert_eq!(pool.available(), 2);
    /// ```
    #[inline(always)]
    pub fn into_inner(this: Self) -> T {
        let mut slot = Self::into_slot(this);
        // SAFETY: the slot held a value, which is nobody's but the caller's now.
        unsafe { slot.uninit().assume_init_read() }
    }

    /// The slot's number, under which another language can have it, or [`Pool::from_index`]; the value stays, and the slot is out of the pool
    /// until it comes back so.
    #[inline]
    #[must_use = "without its number the slot never comes back"]
    pub fn into_index(this: Self) -> u32 {
        let slot = ManuallyDrop::new(Self::into_slot(this));
        // SAFETY: the slot was taken, by the handle.
        unsafe { slot.pool.hand_out(slot.index as usize) };
        slot.index
    }

    /// Whether the value lies in this pool.
    #[inline(always)]
    pub(super) fn is_from(this: &Self, pool: &Pool<T, N, S>) -> bool {
        core::ptr::eq(this.slot.pool, pool)
    }

    /// Drops the value and keeps the slot, which goes back to the pool if that panics.
    #[inline(always)]
    pub(super) fn into_taken(this: Self) -> usize {
        let mut slot = Self::into_slot(this);
        // SAFETY: the slot held a value, to which nobody else has a way.
        unsafe { slot.uninit().assume_init_drop() };
        ManuallyDrop::new(slot).index as usize
    }
}

impl<T, const N: usize, S: Spacing> Deref for Pooled<'_, T, N, S> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the slot holds a value, which is this handle's.
        unsafe { (*self.slot.pool.slot(self.slot.index as usize)).assume_init_ref() }
    }
}

impl<T, const N: usize, S: Spacing> DerefMut for Pooled<'_, T, N, S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the slot holds a value, which is this handle's, and that is borrowed exclusively.
        unsafe { self.slot.uninit().assume_init_mut() }
    }
}

impl<T, const N: usize, S: Spacing> Drop for Pooled<'_, T, N, S> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the handle is gone, so the slot is taken out once. It goes back when `slot` is dropped, even if dropping the value
        // panics.
        let mut slot = unsafe { ManuallyDrop::take(&mut self.slot) };
        // SAFETY: the slot held a value, to which nobody else has a way.
        unsafe { slot.uninit().assume_init_drop() };
    }
}

impl<T: fmt::Debug, const N: usize, S: Spacing> fmt::Debug for Pooled<'_, T, N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}
