//! [`Mpsc`]: many producers and one consumer, in cells of one element.
//!
//! Not on a target with no compare-and-swap, unless by the feature `critical-section`.

use crate::error::{AlreadySplit, PushError};
use crate::layout::{Control, Kind};
use crate::line_ring::Cell;
use crate::policy::{Policy, Shared, Sound};
use crate::raw::mpsc::{self as raw, ByCell};
use crate::raw::{
    attach, Attach, AttachError, Ends, FixedSingleCells, Geometry, Memory, Producer as _, Protocol,
    Refused, SingleCells,
};
use crate::shape::{Shape, ShapeError};
use crate::view;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::mem::{align_of, needs_drop, size_of, MaybeUninit};
use core::ptr::NonNull;

pub use crate::raw::mpsc::StalledCell;

/// The consumer's end of a ring of many producers.
pub type Consumer<'a, T, P = Shared, G = SingleCells<T>> = view::ConsumerOf<'a, T, G, P>;

/// A ring of `N` elements, a power of two, for any number of producers and one consumer.
///
/// Every element has a cell of its own of 64 bytes, or of as many lines as it needs beside a word: the ring holds exactly `N` elements.
/// `T` must not be zero-sized.
///
/// Elements of one producer come out in the order in which it pushed them; those of several are interleaved in the order of their claims. Pushing is
/// *lock-free*: a push tries again only when another producer has claimed a cell. Popping is wait-free. A producer that is
/// interrupted in the middle of a push delays what lies behind its cell, and nobody else; the consumer can ask for that by
/// [`stalled`](crate::consumer::Consumer::stalled).
///
/// The bounded queue of Vyukov (2010), for one consumer and on cells that producers and consumer hand to each other.
///
/// ```
/// use gimmal::Mpsc;
///
/// static EVENTS: Mpsc<u64, 1024> = Mpsc::new();
///
/// let (mut tx, mut rx) = EVENTS.split()?;
/// let mut other = tx.clone();
/// let producer = std::thread::spawn(move || other.offer(1));
/// tx.offer(2);
/// assert!(producer.join().unwrap());
/// assert_eq!(rx.drain().sum::<u64>(), 3);
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[repr(C)]
pub struct Mpsc<T, const N: usize, P: Policy = Shared> {
    control: Control<crate::sync::Native, P::Padding>,
    cells: UnsafeCell<[Cell<T>; N]>,
}

// SAFETY: the consumer's end is handed out once, and all ends synchronise by the protocol; elements cross threads, so they must be
// `Send`.
unsafe impl<T: Send, const N: usize, P: Policy> Sync for Mpsc<T, N, P> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send, const N: usize, P: Policy> Send for Mpsc<T, N, P> {}

impl<T, const N: usize, P: Policy> Mpsc<T, N, P> {
    /// The ring's geometry.
    pub const SHAPE: Shape = match Shape::mpsc(size_of::<T>(), align_of::<T>(), N) {
        Ok(shape) => shape,
        Err(ShapeError::Element) => panic!("a ring's element must not be zero-sized"),
        Err(ShapeError::Capacity) => panic!("an Mpsc's capacity N must be a power of two"),
        Err(ShapeError::Overflow) => panic!("the ring would not fit in memory"),
    };

    /// An empty ring: all zeros, so that a `static` of any size adds nothing to the program's file.
    #[inline]
    pub const fn new() -> Self
    where
        P: Sound,
    {
        // SAFETY: a sound policy promises nothing that its user could break.
        unsafe { Self::with_policy() }
    }

    /// An empty ring under a policy that makes a promise, as [`SingleCore`](crate::policy::SingleCore) does.
    ///
    /// ```
    /// use gimmal::policy::SingleCore;
    /// use gimmal::Mpsc;
    ///
    /// // SAFETY: both ends are used by this thread, on whichever core it runs.
    /// let ring = unsafe { Mpsc::<u8, 4, SingleCore>::with_policy() };
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Safety
    /// The promise is kept as long as the ring is used.
    #[inline]
    pub const unsafe fn with_policy() -> Self {
        let _ = Self::SHAPE;
        // SAFETY: zeros are valid for the atomics of the control block and for uninitialised cells.
        unsafe { MaybeUninit::zeroed().assume_init() }
    }

    /// Makes an empty ring in place: for one that is too large for the stack, on the heap say.
    ///
    /// ```
    /// let mut memory = Box::new_uninit();
    /// let ring: &mut gimmal::Mpsc<u64, 65536> = gimmal::Mpsc::init(&mut memory);
    /// assert!(ring.view().is_empty());
    /// ```
    #[inline]
    pub fn init(place: &mut MaybeUninit<Self>) -> &mut Self
    where
        P: Sound,
    {
        let _ = Self::SHAPE;
        // SAFETY: zeros are a valid ring, as in `new`.
        unsafe {
            place.as_mut_ptr().write_bytes(0, 1);
            place.assume_init_mut()
        }
    }

    /// A view of the ring, which hands out its ends and answers questions.
    ///
    /// ```
    /// let ring = gimmal::Mpsc::<u8, 4>::new();
    /// let view = ring.view();
    /// assert!(view.is_empty() && !view.is_closed());
    /// let mut tx = view.producer(); // one end alone
    /// tx.offer(7);
    /// assert_eq!(view.len(), 1);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn view(&self) -> View<'_, T, P> {
        // SAFETY: the ring is what its shape says, holds `T`, and is borrowed as long as the view; the pointer comes from the
        // whole of it, all of which lies in atomics and an `UnsafeCell`.
        unsafe {
            View::new(
                Memory::new(self.address(), SingleCells::new(N)),
                Self::SHAPE,
            )
        }
    }

    /// A view with everything constant, `N` too, whose ends need the fewest instructions: for firmware.
    ///
    /// ```
    /// let ring = gimmal::Mpsc::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.fixed().split()?;
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn fixed(&self) -> View<'_, T, P, FixedSingleCells<T, N>> {
        // SAFETY: as in `view`.
        unsafe {
            View::new(
                Memory::new(self.address(), FixedSingleCells::new()),
                Self::SHAPE,
            )
        }
    }

    /// A producer, and the consumer. More producers are had by cloning it, or from [`producer`](Self::producer).
    ///
    /// # Errors
    /// [`AlreadySplit`] if the consumer's end is claimed. It is given back when its handle is dropped.
    #[inline]
    pub fn split(&self) -> Result<(Producer<'_, T, P>, Consumer<'_, T, P>), AlreadySplit> {
        self.view().split()
    }

    /// A producer, beside those that there are.
    ///
    /// ```
    /// let ring = gimmal::Mpsc::<u8, 4>::new();
    /// let (mut one, mut other) = (ring.producer(), ring.producer());
    /// assert!(one.offer(1) && other.offer(2));
    /// assert_eq!(ring.view().len(), 2);
    /// ```
    #[inline]
    pub fn producer(&self) -> Producer<'_, T, P> {
        self.view().producer()
    }

    #[inline]
    fn address(&self) -> NonNull<u8> {
        NonNull::from(self).cast()
    }

    /// Makes both ends of an empty ring start at cell number `number`: for tests of the wrap.
    #[doc(hidden)]
    pub fn start_at(&mut self, number: usize) {
        assert!(self.view().is_empty(), "the ring holds elements");
        // SAFETY: no end exists, since the ring is borrowed exclusively, and it is empty.
        unsafe { ByCell::start_at(&self.view().0.body(), number) };
    }
}

impl<T, const N: usize, P: Sound> Default for Mpsc<T, N, P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize, P: Policy> Drop for Mpsc<T, N, P> {
    fn drop(&mut self) {
        if needs_drop::<T>() {
            // SAFETY: no handle exists, since the ring is borrowed exclusively.
            unsafe { self.view().0.drop_leftovers() };
        }
    }
}

impl<T, const N: usize, P: Policy> fmt::Debug for Mpsc<T, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().0.fmt_ring("Mpsc", f)
    }
}

/// A borrowed ring of many producers. Copies are views of the same ring, from any thread.
pub struct View<'a, T, P = Shared, G = SingleCells<T>>(view::View<'a, T, G, P>);

impl<T, P, G: Copy> Clone for View<'_, T, P, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, P, G: Copy> Copy for View<'_, T, P, G> {}

impl<T, P, G> fmt::Debug for View<'_, T, P, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, T, P: Policy> View<'a, T, P> {
    /// Attaches to a ring laid out elsewhere, by another language perhaps: `len` bytes at `memory`.
    ///
    /// ```
    /// use gimmal::mpsc::View;
    ///
    /// // As C or C++ would hand it over: an address and a size.
    /// let ring = gimmal::Mpsc::<u8, 4>::new();
    /// let (address, size) = (ring.view().publish(), size_of_val(&ring));
    ///
    /// // SAFETY: the ring outlives the view, and holds bytes.
    /// let view = unsafe { View::<u8>::attach(address, size) }?;
    /// assert_eq!(view.capacity(), ring.view().capacity());
    ///
    /// // SAFETY: as above.
    /// let wrong = unsafe { View::<u64>::attach(address, size) };
    /// assert!(wrong.is_err());
    /// # Ok::<(), gimmal::AttachError>(())
    /// ```
    ///
    /// # Errors
    /// An [`AttachError`] if the memory does not hold a published ring of many producers, of elements with `T`'s size and alignment.
    ///
    /// # Safety
    /// The memory stays valid and is touched only by the protocol for `'a`. What the other ends push is valid as a `T`,
    /// and what these push is valid for the others: plain data with no padding bytes and no pointers if another is in another
    /// language.
    pub unsafe fn attach(memory: NonNull<u8>, len: usize) -> Result<Self, AttachError> {
        let expected = Attach {
            kind: Kind::Mpsc,
            element: Some((size_of::<T>(), align_of::<T>())),
        };
        // SAFETY: the caller's word is stronger.
        let shape = unsafe { attach::<P>(memory, len, expected) }?;
        // SAFETY: the shape was checked against the memory and `T`; the rest is the caller's word.
        Ok(unsafe { Self::new(Memory::new(memory, SingleCells::new(shape.count())), shape) })
    }
}

impl<'a, T, P: Policy, G: Geometry<Protocol = ByCell>> View<'a, T, P, G> {
    /// # Safety
    /// The ring at `body` has this shape, holds `T`, and lives for `'a`.
    #[inline]
    unsafe fn new(body: Memory<G, P>, shape: Shape) -> Self {
        // SAFETY: the caller's word is the same.
        Self(unsafe { view::View::new(body, shape) })
    }

    /// A producer, and the consumer.
    ///
    /// # Errors
    /// [`AlreadySplit`] if the consumer's end is claimed.
    #[inline]
    pub fn split(self) -> Result<(Producer<'a, T, P, G>, Consumer<'a, T, P, G>), AlreadySplit> {
        let consumer = self.consumer()?;
        Ok((self.producer(), consumer))
    }

    /// A producer, beside those that there are.
    #[inline]
    pub fn producer(self) -> Producer<'a, T, P, G> {
        self.publish();
        Producer {
            end: raw::Producer::enter(self.0.body()),
            ring: PhantomData,
        }
    }

    /// Claims the consumer's end.
    ///
    /// ```
    /// let ring = gimmal::Mpsc::<u8, 4>::new();
    /// let rx = ring.view().consumer()?;
    /// assert!(ring.view().consumer().is_err()); // one at a time
    /// drop(rx);
    /// assert!(ring.view().consumer().is_ok());
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`AlreadySplit`] if it is claimed.
    #[inline]
    pub fn consumer(self) -> Result<Consumer<'a, T, P, G>, AlreadySplit> {
        self.0.consumer()
    }

    /// Publishes the geometry, so that ends that do not know `T` may attach, and returns the ring's address. Taking an
    /// end does it too.
    pub fn publish(&self) -> NonNull<u8> {
        self.0.publish()
    }

    /// The geometry.
    pub fn shape(&self) -> &Shape {
        self.0.shape()
    }

    /// Elements in the ring, 0 to its capacity, those that are being pushed included: a snapshot that may be out of date.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the ring holds nothing: a snapshot that may be out of date.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the next push would be refused for want of room: a snapshot that may be out of date.
    pub fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// The elements that the ring holds.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Elements dropped by all producers' `offer` since the ring was made, wrapping.
    pub fn dropped(&self) -> usize {
        self.0.dropped()
    }

    /// Closes the ring: every later push is refused. What is in the ring can still be popped.
    pub fn close(&self) {
        self.0.close();
    }

    /// Whether the ring is closed and no push is under way.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// A producer of an [`Mpsc`]. Clone it for another thread.
///
/// One thread uses it at a time: it can be sent to another thread, but not shared. Every method is lock-free, and none
/// allocates or calls the operating system.
pub struct Producer<'a, T, P: Policy = Shared, G: Geometry<Protocol = ByCell> = SingleCells<T>> {
    end: raw::Producer<Memory<G, P>>,
    ring: PhantomData<(&'a (), fn(T))>,
}

// SAFETY: producers synchronise by the protocol, and moving one to another thread orders what it did before; elements cross
// threads with the ring, so they must be `Send`.
unsafe impl<T: Send, P: Policy, G: Geometry<Protocol = ByCell>> Send for Producer<'_, T, P, G> {}

impl<T, P: Policy, G: Geometry<Protocol = ByCell>> Clone for Producer<'_, T, P, G> {
    fn clone(&self) -> Self {
        Self {
            end: raw::Producer::enter(*self.end.body()),
            ring: PhantomData,
        }
    }
}

impl<T, P: Policy, G: Geometry<Protocol = ByCell>> fmt::Debug for Producer<'_, T, P, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Producer").field(self.end.body()).finish()
    }
}

impl<T, P: Policy, G: Geometry<Protocol = ByCell>> Producer<'_, T, P, G> {
    #[inline]
    pub(crate) fn body(&self) -> Memory<G, P> {
        *self.end.body()
    }

    /// Pushes `value`; if the ring is full or closed, the error gives it back and nothing is counted.
    ///
    /// ```
    /// use gimmal::{Mpsc, PushError};
    ///
    /// let ring = Mpsc::<u8, 1>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(tx.push(1), Ok(()));
    /// assert_eq!(tx.clone().push(2), Err(PushError::Full(2)));
    /// assert_eq!(rx.pop(), Some(1));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), PushError<T>> {
        match self.end.claim_cell() {
            Ok(claim) => {
                // SAFETY: a claimed slot is free, aligned and as large as a `T`; it is written, then published.
                unsafe {
                    self.end.slot(&claim).cast::<T>().write(value);
                    self.end.publish_cell(claim);
                }
                Ok(())
            }
            Err(Refused::Full) => Err(PushError::Full(value)),
            Err(Refused::Closed) => Err(PushError::Closed(value)),
        }
    }

    /// Pushes what `make` returns; if the ring is full or closed, the error gives that back.
    ///
    /// The value is made before a cell is claimed: however long `make` takes, it delays nobody, and if it panics, nothing is
    /// published. So it is called even if the ring turns out to be full.
    ///
    /// ```
    /// use gimmal::Mpsc;
    ///
    /// let ring = Mpsc::<String, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_with(|| "gimmal".to_uppercase()).unwrap();
    /// assert_eq!(rx.pop().as_deref(), Some("GIMMAL"));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn push_with(&mut self, make: impl FnOnce() -> T) -> Result<(), PushError<T>> {
        self.push(make())
    }

    /// Pushes `value`, or drops it and counts it in [`dropped`](Self::dropped). Returns whether it was pushed.
    ///
    /// ```
    /// use gimmal::Mpsc;
    ///
    /// let ring = Mpsc::<u8, 1>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert!(tx.offer(1));
    /// assert!(!tx.clone().offer(2)); // dropped, and counted
    /// assert_eq!((rx.pop(), rx.dropped()), (Some(1), 1));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn offer(&mut self, value: T) -> bool {
        let pushed = self.push(value).is_ok();
        if !pushed {
            ByCell::count_dropped(self.end.body());
        }
        pushed
    }

    /// Elements in the ring, those that are being pushed included: a snapshot that may be out of date.
    #[inline]
    pub fn len(&self) -> usize {
        ByCell::stored(self.end.body())
    }

    /// Whether the consumer has taken everything: a snapshot that may be out of date.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the next push would be refused for want of room: a snapshot that may be out of date.
    #[inline]
    pub fn is_full(&self) -> bool {
        ByCell::is_full(self.end.body())
    }

    /// The elements that the ring holds.
    #[inline]
    pub fn capacity(&self) -> usize {
        ByCell::capacity(self.end.body())
    }

    /// Elements dropped by all producers' [`offer`](Self::offer) since the ring was made, wrapping.
    #[inline]
    pub fn dropped(&self) -> usize {
        self.end.body().dropped()
    }

    /// Whether the consumer's end is claimed.
    #[inline]
    pub fn has_consumer(&self) -> bool {
        self.end.body().has_consumer()
    }

    /// Closes the ring, for good and for every producer: every later push is refused. What was pushed before is delivered, the pushes of other
    /// producers too that are under way.
    ///
    /// ```
    /// use gimmal::Mpsc;
    ///
    /// let ring = Mpsc::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// let mut other = tx.clone();
    /// other.offer(1);
    /// tx.close(); // for all
    /// assert!(!other.offer(2));
    /// assert_eq!(rx.drain().collect::<Vec<_>>(), [1]);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn close(&mut self) {
        ByCell::close(self.end.body());
    }

    /// Whether the ring is closed and no push is under way.
    #[inline]
    pub fn is_closed(&self) -> bool {
        ByCell::is_closed(self.end.body())
    }
}
