//! Slots reserved to be written in place, and elements lent to be read in place.

use crate::raw::{Body, Consumer, Producer, Run, Runs};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Slots reserved by the producer. Dropped without a commit it publishes nothing, and nothing is lost.
#[derive(Debug)]
pub struct Grant<'g, T, E>
where
    E: Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    end: &'g mut E,
    runs: Runs<NonNull<u8>>,
    slots: PhantomData<&'g mut [MaybeUninit<T>]>,
}

impl<'g, T, E> Grant<'g, T, E>
where
    E: Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    /// # Safety
    /// `runs` are what `end` claimed last, and its slots hold `T`.
    #[inline]
    pub(crate) unsafe fn new(end: &'g mut E, runs: Runs<NonNull<u8>>) -> Self {
        Self {
            end,
            runs,
            slots: PhantomData,
        }
    }

    /// How many slots there are.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // Never empty, unless 0 slots were asked for.
    pub fn len(&self) -> usize {
        self.runs[0].len + self.runs[1].len
    }

    /// The slots in order: the second span is empty unless the ring wraps between them.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let mut grant = tx.reserve(2).unwrap();
    /// let (first, _second) = grant.slices();
    /// first[0].write(1);
    /// // SAFETY: the first slot was written.
    /// unsafe { grant.commit(1) };
    /// assert_eq!(rx.pop(), Some(1));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn slices(&mut self) -> (&mut [MaybeUninit<T>], &mut [MaybeUninit<T>]) {
        let [first, second] = self.runs;
        // SAFETY: claimed slots are this end's alone, the two runs do not overlap, and they may be uninitialised.
        unsafe { (slice_mut(first), slice_mut(second)) }
    }

    /// Publishes the first `count` elements.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let mut grant = tx.reserve(2).unwrap();
    /// let (slots, _) = grant.slices();
    /// slots[0].write(1);
    /// slots[1].write(2);
    /// // SAFETY: both slots were written.
    /// unsafe { grant.commit(2) };
    /// assert_eq!((rx.pop(), rx.pop()), (Some(1), Some(2)));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Safety
    /// The first `count` slots hold elements.
    ///
    /// # Panics
    /// If `count` is more than [`len`](Self::len); then nothing is published.
    #[inline]
    pub unsafe fn commit(self, count: usize) {
        assert!(
            count <= self.len(),
            "commit of {count} elements out of {} reserved",
            self.len()
        );
        // SAFETY: the runs are the last that were claimed, and the caller wrote `count` of them.
        unsafe { self.end.publish_runs(count) };
    }

    /// Writes and publishes elements from `from` until the slots or the elements run out. Returns how many. If `from`
    /// panics, nothing is published, and what was written is dropped.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let grant = tx.reserve(4).unwrap();
    /// assert_eq!(grant.fill(b'a'..=b'c'), 3);
    /// assert_eq!(rx.pop(), Some(b'a'));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn fill(mut self, from: impl IntoIterator<Item = T>) -> usize {
        struct Written<'w, T> {
            first: &'w mut [MaybeUninit<T>],
            second: &'w mut [MaybeUninit<T>],
            count: usize,
        }

        impl<T> Drop for Written<'_, T> {
            fn drop(&mut self) {
                let slots = self.first.iter_mut().chain(self.second.iter_mut());
                for slot in slots.take(self.count) {
                    // SAFETY: the first `count` slots were written and not published.
                    unsafe { slot.assume_init_drop() };
                }
            }
        }

        let (first, second) = self.slices();
        let mut written = Written {
            first,
            second,
            count: 0,
        };
        let len = written.first.len() + written.second.len();
        let mut from = from.into_iter();
        while written.count < len {
            let Some(value) = from.next() else { break };
            let at = written.count;
            let split = written.first.len();
            let slot = if at < split {
                &mut written.first[at]
            } else {
                &mut written.second[at - split]
            };
            slot.write(value);
            written.count += 1;
        }
        let count = written.count;
        core::mem::forget(written);
        // SAFETY: the first `count` slots were written.
        unsafe { self.commit(count) };
        count
    }

    /// Copies and publishes elements from `from` until the slots or the elements run out. Returns how many.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(tx.reserve(4).unwrap().copy_from(b"gimmal"), 4);
    /// assert_eq!(rx.drain().count(), 4);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn copy_from(self, from: &[T]) -> usize
    where
        T: Copy,
    {
        let count = from.len().min(self.len());
        let first = count.min(self.runs[0].len);
        // SAFETY: the claimed slots are this end's alone and no part of a slice that the caller holds; `count` elements lie in
        // both, and all of them are written before they are published.
        unsafe {
            let source = NonNull::from(from).cast::<T>();
            self.runs[0]
                .first
                .cast::<T>()
                .copy_from_nonoverlapping(source, first);
            self.runs[1]
                .first
                .cast::<T>()
                .copy_from_nonoverlapping(source.add(first), count - first);
            self.commit(count);
        }
        count
    }
}

/// Elements lent by the consumer. Dropped without a release it takes nothing.
#[derive(Debug)]
pub struct Spans<'s, T, E>
where
    E: Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    end: &'s mut E,
    runs: Runs<NonNull<u8>>,
    elements: PhantomData<&'s mut [T]>,
}

impl<'s, T, E> Spans<'s, T, E>
where
    E: Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    /// # Safety
    /// `runs` are what `end` found last, and its slots hold `T`.
    #[inline]
    pub(crate) unsafe fn new(end: &'s mut E, runs: Runs<NonNull<u8>>) -> Self {
        Self {
            end,
            runs,
            elements: PhantomData,
        }
    }

    /// How many elements there are; at least one.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // Never empty: `read` gives none instead.
    pub fn len(&self) -> usize {
        self.runs[0].len + self.runs[1].len
    }

    /// The elements in order: the second span is empty unless the ring wraps between them.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_slice(&[1, 2, 3]);
    /// rx.pop();
    /// tx.push_slice(&[4, 5]);
    /// let spans = rx.read(4).unwrap();
    /// let (first, second) = spans.slices();
    /// assert_eq!((first, second), (&[2, 3, 4][..], &[5][..])); // the ring wraps between them
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn slices(&self) -> (&[T], &[T]) {
        let [first, second] = self.runs;
        // SAFETY: the slots hold elements that stay until they are released.
        unsafe { (slice(first), slice(second)) }
    }

    /// Drops the first `count` elements and gives their slots back, each exactly once even if a drop panics.
    ///
    /// ```
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_slice(&[1, 2, 3]);
    /// rx.read(3).unwrap().release(2);
    /// drop(rx.read(1)); // takes nothing
    /// assert_eq!(rx.pop(), Some(3));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Panics
    /// If `count` is more than [`len`](Self::len); then nothing is released.
    #[inline]
    pub fn release(self, count: usize) {
        struct Released<'r, E: Consumer>(&'r mut E, usize);

        impl<E: Consumer> Drop for Released<'_, E> {
            fn drop(&mut self) {
                // SAFETY: the runs are the last that were found, and their first elements are dropped or, after a panic,
                // given up.
                unsafe { self.0.release_runs(self.1) };
            }
        }

        assert!(
            count <= self.len(),
            "release of {count} elements out of {} lent",
            self.len()
        );
        let [first, second] = self.runs;
        let _released = Released(self.end, count);
        let in_first = count.min(first.len);
        // SAFETY: the first `count` slots hold elements, which nobody uses after this: the guard releases them whatever
        // happens. A slice's drop goes on with the rest after one panic.
        unsafe {
            NonNull::slice_from_raw_parts(first.first.cast::<T>(), in_first).drop_in_place();
            NonNull::slice_from_raw_parts(second.first.cast::<T>(), count - in_first)
                .drop_in_place();
        }
    }
}

/// # Safety
/// The run's slots hold `T`s that outlive `'a` unchanged.
#[inline]
unsafe fn slice<'a, T>(run: Run<NonNull<u8>>) -> &'a [T] {
    // SAFETY: the run's slots lie side by side; the rest is the caller's word.
    unsafe { NonNull::slice_from_raw_parts(run.first.cast(), run.len).as_ref() }
}

/// # Safety
/// The run's slots are nobody else's for `'a`.
#[inline]
unsafe fn slice_mut<'a, T>(run: Run<NonNull<u8>>) -> &'a mut [MaybeUninit<T>] {
    // SAFETY: the run's slots lie side by side; the rest is the caller's word.
    unsafe { NonNull::slice_from_raw_parts(run.first.cast(), run.len).as_mut() }
}
