//! Whole chunks in and out, as `heapless::Vec` (feature `heapless`).

use crate::consumer::Consumer;
use crate::error::PushError;
use crate::producer::Producer;
use crate::raw::{self, Body};
use core::ptr::NonNull;
use heapless::Vec;

impl<T, E> Producer<'_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    /// Pushes the whole of `chunk`, in order, or nothing of it: then the error gives it back.
    ///
    /// ```
    /// use gimmal::{PushError, Ring};
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let chunk: heapless::Vec<u8, 3> = [1, 2, 3].into();
    /// tx.push_chunk(chunk.clone()).unwrap();
    /// assert_eq!(tx.push_chunk(chunk.clone()), Err(PushError::Full(chunk)));
    /// assert_eq!(rx.pop_chunk::<8>(), [1, 2, 3]);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    pub fn push_chunk<const K: usize>(
        &mut self,
        chunk: Vec<T, K>,
    ) -> Result<(), PushError<Vec<T, K>>> {
        let end = self.raw();
        if raw::refuses(end.body()) {
            return Err(PushError::Closed(chunk));
        }
        if !end.has_room(chunk.len()) {
            return Err(PushError::Full(chunk));
        }
        for value in chunk {
            // A close that comes in between must not cut the chunk.
            let slot = end.claim_even_closed();
            debug_assert!(slot.is_some(), "there was room for the whole chunk");
            if let Some(slot) = slot {
                // SAFETY: a claimed slot is free, aligned and as large as a `T`; it is written, then published.
                unsafe {
                    slot.cast::<T>().write(value);
                    end.publish();
                }
            }
        }
        Ok(())
    }
}

impl<T, E> Consumer<'_, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    /// Takes up to `K` of the oldest elements.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_slice(&[1, 2, 3]);
    /// assert_eq!(rx.pop_chunk::<2>(), [1, 2]);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    pub fn pop_chunk<const K: usize>(&mut self) -> Vec<T, K> {
        self.drain().take(K).collect()
    }
}
