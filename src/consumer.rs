//! The consumer's handle, the same for every kind of ring.

use crate::grant::{copy_run, Spans};
use crate::raw::{self, Body, Ends};
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

    /// Takes the oldest element, or `None` if the ring is empty.
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

    /// The oldest element, left in the ring; `None` if the ring is empty.
    #[inline]
    pub fn peek(&mut self) -> Option<&T> {
        // SAFETY: the front slot holds a `T`, and the borrow of `self` keeps it from being released.
        self.end.front().map(|slot| unsafe { slot.cast().as_ref() })
    }

    /// Takes copies of the oldest elements into `values`, as many as there are and fit. Returns how many.
    #[inline]
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
            let mut to = popped;
            for run in runs {
                // SAFETY: the run's slots hold elements side by side, `to + run.len` is at most `values.len()`, and the ring's
                // memory is no part of a slice that the caller holds.
                unsafe {
                    let place = NonNull::from(&mut values[to..]).cast();
                    copy_run(run.first.cast::<T>(), place, run.len, whole);
                }
                to += run.len;
            }
            // SAFETY: all of both runs was copied out.
            unsafe { self.end.release_runs(to - popped) };
            popped = to;
        }
        popped
    }

    /// Lends up to `count` of the oldest elements in place; `None` if the ring is empty or `count` is 0. By index they may
    /// lie in two spans; by line they are the rest of one cell at most.
    #[inline]
    pub fn read(&mut self, count: usize) -> Option<Spans<'_, T, E>> {
        if count == 0 {
            return None;
        }
        let runs = self.end.front_runs(count)?;
        // SAFETY: the runs were found just now, in the ring that holds `T`.
        Some(unsafe { Spans::new(&mut self.end, runs) })
    }

    /// Takes elements until the ring is empty.
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, 'a, T, E> {
        Drain { consumer: self }
    }

    /// Elements in the ring. The producer may push more at any time. By index at least so many can be popped; by line the last
    /// few may still be on their way.
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
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity()
    }

    /// The elements that the ring holds for certain.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.end.capacity()
    }

    /// Elements dropped by the producer's `offer` since the ring was made, wrapping.
    #[inline]
    pub fn dropped(&self) -> usize {
        self.end.body().dropped()
    }

    /// Closes the ring: every later push is refused. What is in the ring can still be popped.
    #[inline]
    pub fn close(&mut self) {
        self.end.body().close();
    }

    /// Whether either end has closed the ring. If it was the producer, and the ring is empty *after* this returned true,
    /// everything has been seen.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.end.body().is_closed()
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

/// Takes elements until the ring is empty; made by [`Consumer::drain`].
#[derive(Debug)]
pub struct Drain<'c, 'a, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    consumer: &'c mut Consumer<'a, T, E>,
}

impl<T, E> Iterator for Drain<'_, '_, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.consumer.pop()
    }
}
