//! The consumer's handle, the same for every kind of ring.

use crate::grant::Spans;
use crate::raw::mpsc::StalledCell;
use crate::raw::{self, Body, Ends, LineBody};
use crate::sync::Swapping;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// The consumer's end of a ring of `T`. Made by the ring's `split` or `consumer`; dropping it gives the end back.
///
/// One thread uses it at a time: it can be sent to another thread, but not shared. Every method is wait-free, and none
/// allocates or calls the operating system.
#[derive(Debug)]
pub struct Consumer<'a, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    end: E,
    ring: PhantomData<(&'a (), fn() -> T)>,
}

// SAFETY: the handle is the only consumer, and moving it to another thread orders what it did before; elements cross threads
// with the ring, so they must be `Send`.
unsafe impl<T: Send, E> Send for Consumer<'_, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
}

impl<'a, T, E> Consumer<'a, T, E>
where
    E: raw::Consumer,
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
    pub(crate) fn body(&self) -> &E::Body {
        self.end.body()
    }

    /// Takes the oldest element, or `None` if the ring is empty. Finding nothing takes some nanoseconds on x86-64: who polls many
    /// rings by turns asks [`is_empty`](Self::is_empty) first.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(rx.pop(), None);
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let slot = self.end.front()?;
        // SAFETY: the front slot holds a `T`, which is moved out before the slot is released.
        unsafe {
            let value = slot.cast::<T>().read();
            self.end.release();
            Some(value)
        }
    }

    /// Calls `visit` with the oldest element where it lies, then drops it; `None`, without a call, if the ring is empty. If
    /// `visit` panics, the element is dropped all the same.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<String, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.offer("gimmal".into());
    /// assert_eq!(rx.pop_with(|name| name.len()), Some(6));
    /// assert_eq!(rx.pop_with(|name| name.len()), None);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn pop_with<R>(&mut self, visit: impl FnOnce(&mut T) -> R) -> Option<R> {
        struct Front<'f, T, E: raw::Consumer>(&'f mut E, NonNull<T>);

        impl<T, E: raw::Consumer> Drop for Front<'_, T, E> {
            #[inline]
            fn drop(&mut self) {
                struct Release<'r, E: raw::Consumer>(&'r mut E);

                impl<E: raw::Consumer> Drop for Release<'_, E> {
                    #[inline]
                    fn drop(&mut self) {
                        // SAFETY: the front slot was found, and its element is dropped or, after a panic, given up.
                        unsafe { self.0.release() };
                    }
                }

                let _release = Release(self.0);
                // SAFETY: the front slot holds a `T`, which nobody uses after this.
                unsafe { self.1.drop_in_place() };
            }
        }

        let slot = self.end.front()?.cast::<T>();
        let mut front = Front(&mut self.end, slot);
        // SAFETY: the front slot holds a `T`, this end's alone until it is released.
        Some(visit(unsafe { front.1.as_mut() }))
    }

    /// The oldest element, left in the ring; `None` if the ring is empty.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.offer(7);
    /// assert_eq!(rx.peek(), Some(&7));
    /// assert_eq!(rx.pop(), Some(7)); // it was still there
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn peek(&mut self) -> Option<&T> {
        // SAFETY: the front slot holds a `T`, and the borrow of `self` keeps it from being released.
        self.end.front().map(|slot| unsafe { slot.cast().as_ref() })
    }

    /// Takes copies of the oldest elements into `values`, as many as there are and fit. Returns how many.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_slice(&[1, 2, 3]);
    /// let mut two = [0; 2];
    /// assert_eq!(rx.pop_slice(&mut two), 2);
    /// assert_eq!(two, [1, 2]);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline(always)]
    pub fn pop_slice(&mut self, values: &mut [T]) -> usize
    where
        T: Copy,
    {
        let whole = self.end.whole_run();
        let mut popped = 0;
        while popped < values.len() {
            let Some(runs) = self.end.front_runs(values.len() - popped) else {
                break;
            };
            let [first, second] = runs;
            let count = first.len + second.len;
            // SAFETY: the runs' slots hold elements, as many places are left, and the ring's memory is no part of a slice that
            // the caller holds; all are copied before they are released.
            unsafe {
                let to = NonNull::from(&mut *values).cast::<T>().add(popped);
                if whole == 0 {
                    to.copy_from_nonoverlapping(first.first.cast(), first.len);
                    to.add(first.len)
                        .copy_from_nonoverlapping(second.first.cast(), second.len);
                } else if count == whole {
                    to.copy_from_nonoverlapping(first.first.cast(), whole);
                    // Not by `count`: the next cell's address must not wait for this cell's stamp.
                    self.end.release_runs(whole);
                    popped += whole;
                    continue;
                } else {
                    // A part of a cell: cheaper one by one than by a call that copies a few bytes.
                    for at in 0..count {
                        to.add(at).write(first.first.cast::<T>().add(at).read());
                    }
                }
                self.end.release_runs(count);
            }
            popped += count;
        }
        popped
    }

    /// Lends up to `count` of the oldest elements in place; `None` if the ring is empty or `count` is 0. By index they may
    /// lie in two spans; by line they are the rest of one cell at most.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_slice(&[1, 2, 3]);
    /// let spans = rx.read(8).expect("there is something");
    /// let (first, second) = spans.slices();
    /// assert_eq!((first, second), (&[1, 2, 3][..], &[][..]));
    /// spans.release(2);
    /// assert_eq!(rx.pop(), Some(3));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn read(&mut self, count: usize) -> Option<Spans<'_, T, E>> {
        if count == 0 {
            return None;
        }
        let runs = self.end.front_runs(count)?;
        // SAFETY: the runs were found just now, in the ring that holds `T`.
        Some(unsafe { Spans::new(&mut self.end, runs) })
    }

    /// Takes elements until the ring is empty, or as many are taken as it can hold: a producer that keeps pushing does not keep
    /// the consumer. What was in the ring when it was closed is taken in one drain.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_slice(&[1, 2, 3]);
    /// assert_eq!(rx.drain().map(u32::from).sum::<u32>(), 6);
    /// assert!(rx.is_empty());
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, 'a, T, E> {
        let left = self.end.capacity() + self.end.whole_run();
        Drain {
            consumer: self,
            left,
        }
    }

    /// Elements in the ring. A producer may push more at any time. By index at least so many can be popped; by line the last
    /// few may still be on their way, and with many producers any of them.
    #[inline]
    pub fn len(&self) -> usize {
        self.end.stored()
    }

    /// Whether there is nothing to pop. If not, that stays true until the next pop.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.end.is_empty()
    }

    /// Whether the ring holds as much as it holds for certain. The producer's own `is_full` is exact.
    ///
    /// ```
    /// use gimmal::{line_ring, LineRing};
    ///
    /// let ring: line_ring!(u64, 8) = LineRing::new();
    /// let (mut tx, rx) = ring.split()?;
    /// while tx.push(0).is_ok() {}
    /// assert!(rx.is_full() && !rx.is_empty());
    /// assert!(rx.len() >= rx.capacity() && rx.capacity() >= 8);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity()
    }

    /// The elements that the ring holds for certain.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.end.capacity()
    }

    /// Elements dropped by a producer's `offer` since the ring was made, wrapping.
    #[inline]
    pub fn dropped(&self) -> usize {
        self.end.body().dropped()
    }

    /// Closes the ring: every later push is refused. What is in the ring can still be popped.
    ///
    /// ```
    /// use gimmal::{PushError, Ring};
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// rx.close(); // the consumer wants no more
    /// assert_eq!(tx.push(1), Err(PushError::Closed(1)));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn close(&mut self) {
        self.end.close();
    }

    /// Whether either end has closed the ring. If it was the producer, and the ring is empty *after* this returned true,
    /// everything has been seen. With many producers that holds whoever closed: the answer is yes only when no push that began before the
    /// close is under way, which takes a look at each element left.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.offer(1);
    /// tx.close();
    /// loop {
    ///     let closed = rx.is_closed(); // first
    ///     while rx.pop().is_some() {}
    ///     if closed {
    ///         break; // closed, then empty
    ///     }
    /// }
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.end.is_closed()
    }
}

impl<T, E> Consumer<'_, T, E>
where
    E: raw::OneProducer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    /// Whether the producer's end is claimed. If not, and the ring is empty *after* this returned false, everything that the last
    /// producer pushed has been seen: it may have gone without closing, by a panic say.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.offer(1);
    /// drop(tx); // without closing
    /// assert!(!rx.has_producer() && !rx.is_closed());
    /// assert_eq!(rx.pop(), Some(1));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn has_producer(&self) -> bool {
        self.end.body().has_producer()
    }
}

impl<T, B> Consumer<'_, T, raw::mpsc::Consumer<B>>
where
    B: LineBody<Slot = NonNull<u8>, Atomics: Swapping>,
{
    /// The cell that keeps [`pop`](Self::pop) from elements that lie behind it: a producer has claimed it and not published it yet. None if there is
    /// an element to pop, or nothing was claimed.
    ///
    /// In passing this is the state of every push. A cell that is named again and again belongs to a producer that was
    /// interrupted, or is gone. The query reads what producers write, which `pop` does not.
    ///
    /// ```
    /// use gimmal::Mpsc;
    ///
    /// let ring = Mpsc::<u8, 4>::new();
    /// let (mut tx, rx) = ring.split()?;
    /// assert!(rx.stalled().is_none()); // nothing is claimed
    /// tx.offer(1);
    /// assert!(rx.stalled().is_none()); // and this one is published
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn stalled(&self) -> Option<StalledCell> {
        self.end.stalled()
    }
}

impl<T, E> Drop for Consumer<'_, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    fn drop(&mut self) {
        self.end.suspend();
        self.end.body().give_up_consumer();
    }
}

/// Takes the elements of a ring, a ringful at most; made by [`Consumer::drain`].
#[must_use = "elements are taken as they are asked for, and nobody asks"]
#[derive(Debug)]
pub struct Drain<'c, 'a, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    consumer: &'c mut Consumer<'a, T, E>,
    left: usize,
}

impl<T, E> Iterator for Drain<'_, '_, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        self.consumer.pop()
    }
}
