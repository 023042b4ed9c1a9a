//! A ring of `T` wherever it lies: in a Rust static, in C's memory, on a page. The typed rings claim their ends through it.

use crate::consumer::Consumer;
use crate::error::AlreadySplit;
use crate::policy::{Policy, Shared};
use crate::producer::Producer;
use crate::raw::{Ends, Geometry, Memory, Protocol};
use crate::shape::Shape;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// The producer's handle of a ring with this geometry.
pub type ProducerOf<'a, T, G, P> =
    Producer<'a, T, <<G as Geometry>::Protocol as Protocol<Memory<G, P>>>::Producer>;

/// The consumer's handle of a ring with this geometry.
pub type ConsumerOf<'a, T, G, P> =
    Consumer<'a, T, <<G as Geometry>::Protocol as Protocol<Memory<G, P>>>::Consumer>;

/// A borrowed ring of `T`. Copies are views of the same ring, from any thread.
pub struct View<'a, T, G, P = Shared> {
    body: Memory<G, P>,
    shape: Shape,
    ring: PhantomData<(&'a (), fn(T) -> T)>,
}

// SAFETY: a view reads atomics, and hands out ends by an exchange; elements cross threads, so they must be `Send`.
unsafe impl<T: Send, G: Send, P> Send for View<'_, T, G, P> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send, G: Sync, P> Sync for View<'_, T, G, P> {}

impl<T, G: Copy, P> Clone for View<'_, T, G, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, G: Copy, P> Copy for View<'_, T, G, P> {}

impl<T, G, P> fmt::Debug for View<'_, T, G, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("at", &self.body)
            .field("shape", &self.shape)
            .finish()
    }
}

impl<'a, T, G, P> View<'a, T, G, P>
where
    G: Geometry,
    P: Policy,
    G::Protocol: Protocol<Memory<G, P>>,
{
    /// A view of the ring at `body`.
    ///
    /// # Safety
    /// The ring has this shape, holds `T`, and lives for `'a`.
    #[inline]
    pub(crate) unsafe fn new(body: Memory<G, P>, shape: Shape) -> Self {
        Self {
            body,
            shape,
            ring: PhantomData,
        }
    }

    /// Claims both ends.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let view = ring.view();
    /// let (tx, rx) = view.split()?;
    /// assert!(view.split().is_err());
    /// drop((tx, rx));
    /// assert!(view.split().is_ok());
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`AlreadySplit`] if either end is claimed; then neither is claimed by this call.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    #[inline]
    pub fn split(self) -> Result<(ProducerOf<'a, T, G, P>, ConsumerOf<'a, T, G, P>), AlreadySplit> {
        let producer = self.producer()?;
        Ok((producer, self.consumer()?))
    }

    /// Claims the producer's end alone, for a ring whose consumer is elsewhere.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let tx = ring.view().producer()?;
    /// assert!(!tx.has_consumer()); // that end is for somebody else
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`AlreadySplit`] if it is claimed.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    #[inline]
    pub fn producer(self) -> Result<ProducerOf<'a, T, G, P>, AlreadySplit> {
        if !self.body.claim_producer() {
            return Err(AlreadySplit);
        }
        // SAFETY: the end was claimed just now.
        Ok(unsafe { self.claimed_producer() })
    }

    /// Claims the consumer's end alone, for a ring whose producer is elsewhere.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let rx = ring.view().consumer()?;
    /// assert!(!rx.has_producer()); // that end is for somebody else
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`AlreadySplit`] if it is claimed.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    #[inline]
    pub fn consumer(self) -> Result<ConsumerOf<'a, T, G, P>, AlreadySplit> {
        if !self.body.claim_consumer() {
            return Err(AlreadySplit);
        }
        // SAFETY: the end was claimed just now.
        Ok(unsafe { self.claimed_consumer() })
    }

    /// Claims the producer's end on a target that has no exchange.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// // SAFETY: nobody else claims an end while this is the only thread.
    /// let (mut tx, mut rx) = unsafe { (ring.view().producer_alone()?, ring.view().consumer_alone()?) };
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`AlreadySplit`] if it is claimed.
    ///
    /// # Safety
    /// Nobody else claims the producer's end of this ring at the same time.
    #[inline]
    pub unsafe fn producer_alone(self) -> Result<ProducerOf<'a, T, G, P>, AlreadySplit> {
        // SAFETY: the caller's word is the same.
        if !unsafe { self.body.claim_producer_alone() } {
            return Err(AlreadySplit);
        }
        // SAFETY: the end was claimed just now.
        Ok(unsafe { self.claimed_producer() })
    }

    /// Claims the consumer's end on a target that has no exchange.
    ///
    /// # Errors
    /// [`AlreadySplit`] if it is claimed.
    ///
    /// # Safety
    /// Nobody else claims the consumer's end of this ring at the same time.
    #[inline]
    pub unsafe fn consumer_alone(self) -> Result<ConsumerOf<'a, T, G, P>, AlreadySplit> {
        // SAFETY: the caller's word is the same.
        if !unsafe { self.body.claim_consumer_alone() } {
            return Err(AlreadySplit);
        }
        // SAFETY: the end was claimed just now.
        Ok(unsafe { self.claimed_consumer() })
    }

    /// # Safety
    /// The end is claimed for the handle.
    #[inline]
    unsafe fn claimed_producer(self) -> ProducerOf<'a, T, G, P> {
        self.publish();
        // SAFETY: the end is claimed; the ring holds `T` and lives for `'a` by `new`.
        unsafe { Producer::from_raw(G::Protocol::producer(self.body)) }
    }

    /// # Safety
    /// The end is claimed for the handle.
    #[inline]
    unsafe fn claimed_consumer(self) -> ConsumerOf<'a, T, G, P> {
        self.publish();
        // SAFETY: the end is claimed; the ring holds `T` and lives for `'a` by `new`.
        unsafe { Consumer::from_raw(G::Protocol::consumer(self.body)) }
    }

    /// Publishes the geometry, so that ends that do not know `T` may attach, and returns the ring's address. Claiming an
    /// end does it too.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let (address, size) = (ring.view().publish(), size_of_val(&ring)); // what C or C++ attach to
    /// assert_eq!(address.as_ptr().cast_const().cast(), &raw const ring);
    /// # let _ = size;
    /// ```
    pub fn publish(&self) -> NonNull<u8> {
        self.body.publish(&self.shape);
        self.body.as_ptr()
    }

    /// The geometry.
    ///
    /// ```
    /// let ring = gimmal::LineRing::<u64, 256>::new();
    /// assert_eq!(ring.view().shape().per_cell(), 7);
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Elements in the ring, 0 to what it can hold: a snapshot that may be out of date.
    pub fn len(&self) -> usize {
        G::Protocol::stored(&self.body)
    }

    /// Whether the ring holds nothing: a snapshot that may be out of date.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the next push would be refused for want of room: a snapshot that may be out of date.
    pub fn is_full(&self) -> bool {
        G::Protocol::is_full(&self.body)
    }

    /// The elements that the ring holds for certain.
    #[inline]
    pub fn capacity(&self) -> usize {
        G::Protocol::capacity(&self.body)
    }

    /// Elements dropped by the producer's `offer` since the ring was made, wrapping.
    pub fn dropped(&self) -> usize {
        self.body.dropped()
    }

    /// Closes the ring: every later push is refused. What is in the ring can still be popped.
    ///
    /// ```
    /// let ring = gimmal::Ring::<u8, 4>::new();
    /// let (mut tx, _rx) = ring.split()?;
    /// ring.view().close(); // a third party's
    /// assert!(tx.push(1).is_err() && ring.view().is_closed());
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    pub fn close(&self) {
        G::Protocol::close(&self.body);
    }

    /// Whether the ring is closed.
    pub fn is_closed(&self) -> bool {
        G::Protocol::is_closed(&self.body)
    }

    pub(crate) fn body(&self) -> Memory<G, P> {
        self.body
    }

    /// Drops what is left in the ring.
    ///
    /// # Safety
    /// No handle exists, nor is made while this runs.
    pub(crate) unsafe fn drop_leftovers(&self) {
        // SAFETY: with no handle, this is the only consumer; its drop gives up an end that nobody can claim any more.
        let mut leftovers: ConsumerOf<'_, T, G, P> =
            unsafe { Consumer::from_raw(G::Protocol::consumer(self.body)) };
        // One element's panic must not keep the rest: go on, as a slice's drop does.
        struct Rest<'c, 'a, T, E>(&'c mut Consumer<'a, T, E>)
        where
            E: crate::raw::Consumer,
            E::Body: crate::raw::Body<Slot = NonNull<u8>>;
        impl<T, E> Drop for Rest<'_, '_, T, E>
        where
            E: crate::raw::Consumer,
            E::Body: crate::raw::Body<Slot = NonNull<u8>>,
        {
            fn drop(&mut self) {
                self.0.drain().for_each(drop);
            }
        }
        let rest = Rest(&mut leftovers);
        rest.0.drain().for_each(drop);
    }

    pub(crate) fn fmt_ring(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("dropped", &self.dropped())
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
