//! The waiting and the notifying forms of what the ends do.

use super::{Bell, Deadline, Never, Notify, Wait};
use crate::consumer::Consumer;
use crate::error::{Closed, PushError, WaitError};
use crate::policy::Policy;
use crate::producer::Producer;
use crate::raw::{self, Body, Geometry, Memory, Protocol, Refused};
use crate::sync::Native;
use crate::view::View;
use core::ptr::NonNull;

/// Rings the bell after something was published.
#[inline(always)]
pub(super) fn ring(bell: Bell<'_>, notify: &impl Notify) {
    bell.ring(notify.is_reached(), || notify.wake(bell));
}

/// The bell that wakes a ring's consumer.
#[inline(always)]
pub(crate) fn consumer_bell(body: &impl Body<Atomics = Native>) -> Bell<'_> {
    Bell::new(&body.header().consumer_bell)
}

/// The bell that wakes a ring's producer.
#[inline(always)]
pub(crate) fn producer_bell(body: &impl Body<Atomics = Native>) -> Bell<'_> {
    Bell::new(&body.header().producer_bell)
}

impl<T, E> Consumer<'_, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>, Atomics = Native> + Clone,
{
    /// Takes the oldest element, and waits for one as `strategy` does.
    ///
    /// The wait ends when the ring is closed, not when its producer is gone: one that may be gone without closing takes
    /// [`pop_wait_until`](Self::pop_wait_until) and [`has_producer`](Self::has_producer).
    ///
    /// ```
    /// use gimmal::wait::Yield;
    /// use gimmal::{Closed, Ring};
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let mut wait = Yield::by(std::thread::yield_now);
    /// tx.offer(7);
    /// tx.close();
    /// assert_eq!(rx.pop_wait(&mut wait), Ok(7));
    /// assert_eq!(rx.pop_wait(&mut wait), Err(Closed));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`Closed`] if the ring is closed and empty.
    #[inline]
    pub fn pop_wait(&mut self, strategy: &mut impl Wait) -> Result<T, Closed> {
        match self.pop_wait_until(strategy, &mut Never) {
            Ok(value) => Ok(value),
            // Never is no time.
            Err(WaitError::Closed | WaitError::TimedOut) => Err(Closed),
        }
    }

    /// As [`pop_wait`](Self::pop_wait), until a deadline.
    ///
    /// # Errors
    /// [`WaitError::Closed`] if the ring is closed and empty, [`WaitError::TimedOut`] if it is empty when the deadline passes.
    #[inline]
    pub fn pop_wait_until(
        &mut self,
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<T, WaitError> {
        if let Some(value) = self.pop() {
            return Ok(value);
        }
        let body = self.body().clone();
        match strategy.wait(consumer_bell(&body), deadline, || self.pop_or_closed()) {
            Some(Ok(value)) => Ok(value),
            Some(Err(Closed)) => Err(WaitError::Closed),
            None => Err(WaitError::TimedOut),
        }
    }

    /// The oldest element, or that there will be none.
    #[inline]
    pub(super) fn pop_or_closed(&mut self) -> Option<Result<T, Closed>> {
        match self.pop() {
            Some(value) => Some(Ok(value)),
            // Closed, and only then found empty: nothing is left.
            None if self.is_closed() => Some(self.pop().ok_or(Closed)),
            None => None,
        }
    }

    /// Takes the oldest element, and wakes a producer that waits for room.
    ///
    /// ```
    /// use gimmal::wait::{Sleep, Wake};
    /// use gimmal::Ring;
    /// use std::time::Duration;
    ///
    /// static RING: Ring<u8, 1> = Ring::new();
    ///
    /// let (mut tx, mut rx) = RING.split()?;
    /// tx.offer(1);
    /// let producer = std::thread::spawn(move || {
    ///     tx.push_wait(2, &mut Sleep::new(|ns| std::thread::park_timeout(Duration::from_nanos(ns))))
    /// });
    /// assert_eq!(rx.pop_notify(&Wake::new(|| producer.thread().unpark())), Some(1));
    /// assert_eq!(producer.join().unwrap(), Ok(()));
    /// assert_eq!(rx.pop(), Some(2));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn pop_notify(&mut self, notify: &impl Notify) -> Option<T> {
        let value = self.pop()?;
        self.notify(notify);
        Some(value)
    }

    /// Wakes a producer that waits for room: after any pops, of slices say.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        ring(producer_bell(self.body()), notify);
    }

    /// Closes the ring, and wakes a producer that waits for room.
    #[inline]
    pub fn close_notify(&mut self, notify: &impl Notify) {
        self.close();
        self.notify(notify);
    }

    /// Declares how this end will sleep, so that notifying pushes cost less from the first on; see [`Wait::declare`].
    pub fn declare(&self, strategy: &mut impl Wait) {
        strategy.declare(consumer_bell(self.body()));
    }
}

impl<T, E> Producer<'_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>, Atomics = Native> + Clone,
{
    /// Pushes `value`, and waits for room as `strategy` does. A consumer that shall wake a sleeper pops with
    /// [`pop_notify`](Consumer::pop_notify).
    ///
    /// ```
    /// use gimmal::wait::Spin;
    /// use gimmal::{PushError, Ring};
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(tx.push_wait(1, &mut Spin), Ok(()));
    /// rx.close();
    /// assert_eq!(tx.push_wait(2, &mut Spin), Err(PushError::Closed(2)));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`PushError::Closed`] if the ring is closed.
    #[inline]
    pub fn push_wait(&mut self, value: T, strategy: &mut impl Wait) -> Result<(), PushError<T>> {
        self.push_wait_until(value, strategy, &mut Never)
    }

    /// As [`push_wait`](Self::push_wait), until a deadline.
    ///
    /// ```
    /// use gimmal::wait::{At, Spin};
    /// use gimmal::{PushError, Ring};
    /// use std::time::Instant;
    ///
    /// let ring = Ring::<u8, 1>::new();
    /// let (mut tx, _rx) = ring.split()?;
    /// let start = Instant::now();
    /// let mut deadline = At::after(1_000_000, || start.elapsed().as_nanos() as u64);
    /// assert_eq!(tx.push_wait_until(1, &mut Spin, &mut deadline), Ok(()));
    /// assert_eq!(tx.push_wait_until(2, &mut Spin, &mut deadline), Err(PushError::Full(2)));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`PushError::Closed`] if the ring is closed, [`PushError::Full`] if it is full when the deadline passes.
    #[inline]
    pub fn push_wait_until(
        &mut self,
        value: T,
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<(), PushError<T>> {
        let value = match self.push(value) {
            Err(PushError::Full(value)) => value,
            done => return done,
        };
        let body = self.body().clone();
        let end = self.raw();
        let poll = || match end.claim() {
            Ok(_) => Some(Ok(())),
            Err(Refused::Closed) => Some(Err(())),
            Err(Refused::Full) => None,
        };
        match strategy.wait(producer_bell(&body), deadline, poll) {
            // What was claimed is claimed again.
            Some(Ok(())) => self.push(value),
            Some(Err(())) => Err(PushError::Closed(value)),
            None => Err(PushError::Full(value)),
        }
    }

    /// Pushes `value`, and wakes a consumer that sleeps.
    ///
    /// ```
    /// use gimmal::wait::{Sleep, Wake};
    /// use gimmal::Ring;
    /// use std::time::Duration;
    ///
    /// static RING: Ring<u8, 4> = Ring::new();
    ///
    /// let (mut tx, mut rx) = RING.split()?;
    /// let consumer = std::thread::spawn(move || {
    ///     rx.pop_wait(&mut Sleep::new(|ns| std::thread::park_timeout(Duration::from_nanos(ns))))
    /// });
    /// tx.push_notify(7, &Wake::new(|| consumer.thread().unpark())).unwrap();
    /// assert_eq!(consumer.join().unwrap(), Ok(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    #[inline]
    pub fn push_notify(&mut self, value: T, notify: &impl Notify) -> Result<(), PushError<T>> {
        self.push(value)?;
        self.notify(notify);
        Ok(())
    }

    /// Wakes a consumer that sleeps: after any pushes, of slices say.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        ring(consumer_bell(self.body()), notify);
    }

    /// Closes the ring, and wakes a consumer that sleeps.
    #[inline]
    pub fn close_notify(&mut self, notify: &impl Notify) {
        self.close();
        self.notify(notify);
    }

    /// Declares how this end will sleep; see [`Wait::declare`].
    pub fn declare(&self, strategy: &mut impl Wait) {
        strategy.declare(producer_bell(self.body()));
    }
}

impl<T, G, P> View<'_, T, G, P>
where
    G: Geometry,
    P: Policy,
    G::Protocol: Protocol<Memory<G, P>>,
{
    /// Closes the ring, and wakes whichever ends sleep.
    pub fn close_notify(&self, notify: &impl Notify) {
        self.close();
        let body = self.body();
        ring(consumer_bell(&body), notify);
        ring(producer_bell(&body), notify);
    }
}
