//! The owner's list of free slots.

use super::{Padded, Pool, Pooled, Spacing, Vacant};
use crate::error::Exhausted;
use crate::raw::pool::FreeSlots;
use core::fmt;

/// The owner of a pool's private list of free slots: for one thread that takes slots while others give them back.
///
/// It takes a slot off its list with no atomic exchange. When the list is used up, it moves all the slots that were given back meanwhile to
/// it, in one step. Others may still take slots from the pool itself, but not those on the list.
///
/// ```
/// use gimmal::Pool;
///
/// static POOL: Pool<[u64; 6], 1024> = Pool::new();
///
/// let mut owner = POOL.owner().expect("nobody else owns the list");
/// let message = owner.insert([7; 6]).expect("slots are free");
/// std::thread::spawn(move || assert_eq!(message[0], 7)).join().unwrap();
/// let another = owner.insert([8; 6]).expect("slots are free");
/// owner.release(another);
/// ```
pub struct Owner<'a, T, const N: usize, S: Spacing = Padded> {
    /// Whose list belongs to this value.
    pool: &'a Pool<T, N, S>,
}

impl<'a, T, const N: usize, S: Spacing> Owner<'a, T, N, S> {
    /// # Safety
    /// The caller has claimed the list, and gives it to the value.
    #[inline]
    pub(super) unsafe fn new(pool: &'a Pool<T, N, S>) -> Self {
        Self { pool }
    }

    /// Takes a free slot, to be written; `None` if none is on the list and none was given back.
    #[inline(always)]
    pub fn acquire(&mut self) -> Option<Vacant<'a, T, N, S>> {
        // SAFETY: the list belongs to this value, borrowed exclusively; the slot was taken just now.
        unsafe {
            let index = self.pool.take_owned()?;
            Some(Vacant::new(self.pool, index))
        }
    }

    /// Moves a value into a free slot.
    ///
    /// # Errors
    /// [`Exhausted`], with the value, if no slot is free.
    #[inline(always)]
    pub fn insert(&mut self, value: T) -> Result<Pooled<'a, T, N, S>, Exhausted<T>> {
        match self.acquire() {
            Some(slot) => Ok(slot.write(value)),
            None => Err(Exhausted(value)),
        }
    }

    /// Drops a value, and puts its slot on the list. A value of another pool goes back to that.
    #[inline(always)]
    pub fn release(&mut self, value: Pooled<'_, T, N, S>) {
        if Pooled::is_from(&value, self.pool) {
            let index = Pooled::into_taken(value);
            // SAFETY: the list belongs to this value, borrowed exclusively; the slot was taken, by the handle.
            unsafe { self.pool.put_owned(index) };
        }
    }
}

impl<T, const N: usize, S: Spacing> Drop for Owner<'_, T, N, S> {
    fn drop(&mut self) {
        // SAFETY: the list belonged to this value, which is gone.
        unsafe { self.pool.disown() };
    }
}

impl<T, const N: usize, S: Spacing> fmt::Debug for Owner<'_, T, N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Owner").field(self.pool).finish()
    }
}
