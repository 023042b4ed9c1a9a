//! The producer's handle, the same for every kind of ring.

use crate::error::{PushError, ReserveError};
use crate::grant::Grant;
use crate::policy::Policy;
use crate::raw::{self, Body, Ends, Refused};
use core::marker::PhantomData;
use core::ptr::NonNull;

/// The producer's end of a ring of `T`. Made by the ring's `split` or `producer`; dropping it gives the end back.
///
/// One thread uses it at a time: it can be sent to another thread, but not shared. Every method is wait-free, and none
/// allocates or calls the operating system.
#[derive(Debug)]
pub struct Producer<'a, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    end: E,
    ring: PhantomData<(&'a (), fn(T))>,
}

// SAFETY: the handle is the only producer, and moving it to another thread orders what it did before; elements cross threads
// with the ring, so they must be `Send`.
unsafe impl<T: Send, E> Send for Producer<'_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
}

impl<'a, T, E> Producer<'a, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    /// A handle on a raw end.
    ///
    /// # Safety
    /// The end is claimed for the handle alone, its ring lives for `'a`, and its slots hold `T`.
    #[inline]
    pub unsafe fn from_raw(end: E) -> Self {
        Self {
            end,
            ring: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn raw(&mut self) -> &mut E {
        &mut self.end
    }

    #[inline]
    pub(crate) fn body(&self) -> &E::Body {
        self.end.body()
    }

    /// Pushes `value`; if the ring is full or closed, the error gives it back and nothing is counted.
    ///
    /// ```
    /// use gimmal::{PushError, Ring};
    ///
    /// let ring = Ring::<u8, 2>::new();
    /// let (mut tx, _rx) = ring.split()?;
    /// assert_eq!(tx.push(1), Ok(()));
    /// assert_eq!(tx.push(2), Ok(()));
    /// assert_eq!(tx.push(3), Err(PushError::Full(3)));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), PushError<T>> {
        match self.end.claim() {
            Ok(slot) => {
                // SAFETY: a claimed slot is free, aligned and as large as a `T`; it is written, then published.
                unsafe {
                    slot.cast::<T>().write(value);
                    self.end.publish();
                }
                Ok(())
            }
            Err(Refused::Full) => Err(PushError::Full(value)),
            Err(Refused::Closed) => Err(PushError::Closed(value)),
        }
    }

    /// Pushes what `make` returns, built in the slot where the compiler can; `make` is not called if the ring is full or
    /// closed. If `make` panics, nothing is published.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<[u8; 1500], 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert!(tx.push_with(|| [7; 1500]).is_ok());
    /// assert_eq!(rx.pop_with(|frame| frame[0]), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn push_with<F: FnOnce() -> T>(&mut self, make: F) -> Result<(), PushError<F>> {
        match self.end.claim() {
            Ok(slot) => {
                // SAFETY: as in `push`; a panic in `make` leaves the slot claimed and unpublished.
                unsafe {
                    slot.cast::<T>().write(make());
                    self.end.publish();
                }
                Ok(())
            }
            Err(Refused::Full) => Err(PushError::Full(make)),
            Err(Refused::Closed) => Err(PushError::Closed(make)),
        }
    }

    /// Pushes `value`, or drops it and counts it in [`dropped`](Self::dropped). Returns whether it was pushed.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 1>::new();
    /// let (mut tx, rx) = ring.split()?;
    /// assert!(tx.offer(1));
    /// assert!(!tx.offer(2));
    /// assert_eq!(rx.dropped(), 1);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn offer(&mut self, value: T) -> bool {
        let pushed = self.push(value).is_ok();
        if !pushed {
            self.end.body().count_dropped();
        }
        pushed
    }

    /// Pushes copies of as many of `values`, from the first, as there is room for. Returns how many.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(tx.push_slice(b"gimmal"), 4);
    /// let mut copy = [0; 8];
    /// assert_eq!(rx.pop_slice(&mut copy), 4);
    /// assert_eq!(&copy[..4], b"gimm");
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline(always)]
    pub fn push_slice(&mut self, values: &[T]) -> usize
    where
        T: Copy,
    {
        let whole = self.end.whole_run();
        let mut pushed = 0;
        while pushed < values.len() {
            let Ok(runs) = self.end.claim_runs(values.len() - pushed) else {
                break;
            };
            let [first, second] = runs;
            let count = first.len + second.len;
            // SAFETY: the runs' slots are claimed, as many values are left, and the ring's memory is no part of a slice that
            // the caller holds; all are written before they are published.
            unsafe {
                let from = NonNull::from(values).cast::<T>().add(pushed);
                if whole == 0 {
                    from.copy_to_nonoverlapping(first.first.cast(), first.len);
                    from.add(first.len)
                        .copy_to_nonoverlapping(second.first.cast(), second.len);
                } else if count == whole {
                    from.copy_to_nonoverlapping(first.first.cast(), whole);
                    self.end.publish_runs(whole);
                    pushed += whole;
                    continue;
                } else {
                    // A part of a cell: cheaper one by one than by a call that copies a few bytes.
                    first.first.cast::<T>().write(from.read());
                    self.end.publish_runs(1);
                    pushed += 1;
                    continue;
                }
                self.end.publish_runs(count);
            }
            pushed += count;
        }
        pushed
    }

    /// Reserves up to `count` slots, at least one unless `count` is 0, to be written in place. By index they may lie in two
    /// spans; by line they are the rest of one cell at most.
    ///
    /// ```
    /// use gimmal::{ReserveError, Ring};
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let grant = tx.reserve(3).unwrap();
    /// assert_eq!(grant.fill([1, 2, 3]), 3);
    /// assert_eq!(tx.reserve(4).unwrap().len(), 1); // what is left
    /// assert_eq!(tx.reserve(5).err(), Some(ReserveError::TooLarge { asked: 5, capacity: 4 }));
    /// assert_eq!(rx.len(), 3);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`ReserveError::Full`] or [`ReserveError::Closed`] if there is not one slot, [`ReserveError::TooLarge`] if `count`
    /// is more than the ring has.
    #[inline]
    pub fn reserve(&mut self, count: usize) -> Result<Grant<'_, T, E>, ReserveError> {
        let capacity = self.end.capacity();
        if count > capacity {
            // No size would do once the ring is closed.
            let closed = <E::Body as Body>::Policy::CLOSE && self.is_closed();
            return Err(if closed {
                ReserveError::Closed
            } else {
                ReserveError::TooLarge {
                    asked: count,
                    capacity,
                }
            });
        }
        match self.end.claim_runs(count) {
            // SAFETY: the runs were claimed just now, from the ring that holds `T`.
            Ok(runs) => Ok(unsafe { Grant::new(&mut self.end, runs) }),
            Err(Refused::Full) => Err(ReserveError::Full),
            Err(Refused::Closed) => Err(ReserveError::Closed),
        }
    }

    /// Elements in the ring. The consumer may take some at any time, so there may be fewer by now, never more.
    #[inline]
    pub fn len(&self) -> usize {
        self.end.stored()
    }

    /// Whether the consumer has taken everything. If so, that stays true until the next push.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the next push would be refused for want of room. If not, that stays true until the next push.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(tx.push_slice(&[1, 2, 3, 4]), tx.capacity());
    /// assert!(tx.is_full());
    /// rx.pop();
    /// assert!(!tx.is_full() && !tx.is_empty());
    /// assert_eq!(tx.len(), 3);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn is_full(&self) -> bool {
        !self.end.has_room(1)
    }

    /// The elements that the ring holds for certain.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.end.capacity()
    }

    /// Elements dropped by [`offer`](Self::offer) since the ring was made, wrapping.
    #[inline]
    pub fn dropped(&self) -> usize {
        self.end.body().dropped()
    }

    /// Whether the consumer's end is claimed.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (tx, rx) = ring.split()?;
    /// assert!(tx.has_consumer());
    /// drop(rx);
    /// assert!(!tx.has_consumer());
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn has_consumer(&self) -> bool {
        self.end.body().has_consumer()
    }

    /// Closes the ring, for good: every later push is refused, and the consumer, once it has taken what is left, knows that it has seen
    /// everything.
    ///
    /// ```
    /// use gimmal::{PushError, Ring};
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push(1).unwrap();
    /// tx.close();
    /// assert_eq!(tx.push(2), Err(PushError::Closed(2)));
    /// assert!(rx.is_closed());
    /// assert_eq!(rx.pop(), Some(1)); // what is left
    /// assert_eq!(rx.pop(), None); // and nothing more comes
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn close(&mut self) {
        self.end.body().close();
    }

    /// Whether either end has closed the ring.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.end.body().is_closed()
    }
}

impl<T, E> Drop for Producer<'_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    fn drop(&mut self) {
        self.end.suspend();
        self.end.body().give_up_producer();
    }
}
