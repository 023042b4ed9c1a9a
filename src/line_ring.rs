//! [`LineRing`]: elements in cells of a cache line, published by the cell's own stamp.

#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
use crate::error::AlreadySplit;
use crate::index::cells_for;
use crate::layout::{Control, Kind, CELL_SIZE};
use crate::policy::{Policy, Shared, Sound};
use crate::raw::{attach, Attach, AttachError, Cells, FixedCells, Memory, Protocol};
use crate::shape::{per_cell, Shape, ShapeError};
use crate::sync::Native;
use crate::view::{self, ConsumerOf, ProducerOf};
use core::cell::UnsafeCell;
use core::fmt;
use core::mem::{align_of, needs_drop, size_of, ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;

/// A borrowed ring published by line.
pub type View<'a, T, P = Shared> = view::View<'a, T, Cells<T>, P>;
/// The producer's end of a ring published by line.
pub type Producer<'a, T, P = Shared> = ProducerOf<'a, T, Cells<T>, P>;
/// The consumer's end of a ring published by line.
pub type Consumer<'a, T, P = Shared> = ConsumerOf<'a, T, Cells<T>, P>;

/// A cell: its stamp and first element. What of [`CELL_SIZE`] is left holds more elements if they fit, which the algorithms
/// reach by the geometry; `bytes` makes them part of the value, so that they move with it.
#[repr(C, align(64))]
pub(crate) union Cell<T> {
    first: ManuallyDrop<First<T>>,
    bytes: [MaybeUninit<u8>; CELL_SIZE],
}

#[repr(C)]
pub(crate) struct First<T> {
    stamp: usize,
    element: MaybeUninit<T>,
}

/// A ring of `CELLS` cells, a power of two, published by line: a message costs the reader one cache-line transfer.
///
/// A cell of 64 bytes holds 7 elements of 8 bytes, 3 of 16, 1 of 29 to 56; an element of 57 to 120 bytes takes two lines. The
/// producer gets a cell back when its last element is taken, so a full ring may stay full through a few pops.
///
/// For single messages at the least latency, and for throughput. Write the type by the macro
/// [`line_ring!`](crate::line_ring!), which takes a number of elements. `T` must not be zero-sized.
///
/// ```
/// use gimmal::{line_ring, LineRing};
///
/// static TICKS: line_ring!(u64, 1024) = LineRing::new();
///
/// let (mut tx, mut rx) = TICKS.split()?;
/// tx.offer(42);
/// assert_eq!(rx.pop(), Some(42));
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[repr(C)]
pub struct LineRing<T, const CELLS: usize, P: Policy = Shared> {
    control: Control<Native, P::Padding>,
    cells: UnsafeCell<[Cell<T>; CELLS]>,
}

// SAFETY: the ends are handed out once each, and synchronise by the protocol; elements cross threads, so they must be `Send`.
unsafe impl<T: Send, const CELLS: usize, P: Policy> Sync for LineRing<T, CELLS, P> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send, const CELLS: usize, P: Policy> Send for LineRing<T, CELLS, P> {}

impl<T, const CELLS: usize, P: Policy> LineRing<T, CELLS, P> {
    /// The ring's geometry.
    pub const SHAPE: Shape = match Shape::with_cells(size_of::<T>(), align_of::<T>(), CELLS) {
        Ok(shape) => shape,
        Err(ShapeError::Element) => panic!("a ring's element must not be zero-sized"),
        Err(ShapeError::Capacity) => panic!("a LineRing's number of CELLS must be a power of two: line_ring!(T, capacity) computes it"),
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
    /// use gimmal::LineRing;
    ///
    /// // SAFETY: both ends are used by this thread, on whichever core it runs.
    /// let ring = unsafe { LineRing::<u8, 4, SingleCore>::with_policy() };
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
    /// let ring: &mut gimmal::line_ring!(u64, 65536) = gimmal::LineRing::init(&mut memory);
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

    /// A view of the ring, which claims its ends and answers questions.
    ///
    /// ```
    /// let ring = gimmal::LineRing::<u8, 4>::new();
    /// let view = ring.view();
    /// assert!(view.is_empty() && !view.is_closed());
    /// let mut tx = view.producer()?; // one end alone
    /// tx.offer(7);
    /// assert_eq!(view.len(), 1);
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn view(&self) -> View<'_, T, P> {
        // SAFETY: the ring is what its shape says, holds `T`, and is borrowed as long as the view; the pointer comes from the
        // whole of it, all of which lies in atomics and an `UnsafeCell`.
        unsafe { View::new(Memory::new(self.address(), Cells::new(CELLS)), Self::SHAPE) }
    }

    /// A view with everything constant, `CELLS` too, whose ends need the fewest instructions: for firmware.
    ///
    /// ```
    /// let ring = gimmal::LineRing::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.fixed().split()?;
    /// tx.offer(7);
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    #[inline]
    pub fn fixed(&self) -> view::View<'_, T, FixedCells<T, CELLS>, P> {
        // SAFETY: as in `view`.
        unsafe { view::View::new(Memory::new(self.address(), FixedCells::new()), Self::SHAPE) }
    }

    /// Claims both ends. They are given back when the handles are dropped.
    ///
    /// # Errors
    /// [`AlreadySplit`] if an end is claimed.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    #[inline]
    pub fn split(&self) -> Result<(Producer<'_, T, P>, Consumer<'_, T, P>), AlreadySplit> {
        self.view().split()
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
        unsafe { <crate::raw::line::ByLine as Protocol<_>>::start_at(&self.view().body(), number) };
    }
}

impl<T, const CELLS: usize, P: Sound> Default for LineRing<T, CELLS, P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const CELLS: usize, P: Policy> Drop for LineRing<T, CELLS, P> {
    fn drop(&mut self) {
        if needs_drop::<T>() {
            // SAFETY: no handle exists, since the ring is borrowed exclusively.
            unsafe { self.view().drop_leftovers() };
        }
    }
}

impl<T, const CELLS: usize, P: Policy> fmt::Debug for LineRing<T, CELLS, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt_ring("LineRing", f)
    }
}

/// How many cells a [`LineRing`] of `T` needs to hold `capacity` elements for certain.
///
/// ```
/// use gimmal::cells;
///
/// assert_eq!(cells::<u64>(1024), 256); // 7 in a cell; a power of two
/// assert_eq!(cells::<[u8; 48]>(1024), 1024); // 1 in a cell
/// ```
///
/// # Panics
/// At compile time, in a constant: if `capacity` is 0 or more than the layout allows, or `T` is zero-sized.
pub const fn cells<T>(capacity: usize) -> usize {
    assert!(
        size_of::<T>() != 0,
        "a ring's element must not be zero-sized"
    );
    match cells_for(capacity, per_cell(size_of::<T>(), align_of::<T>())) {
        Some(cells) => cells,
        None => panic!("a ring's capacity must not be 0, nor more than the layout allows"),
    }
}

/// The type of a [`LineRing`] that holds so many elements for certain: `line_ring!(Tick, 1024)`. The number of cells is
/// rounded up to a power of two, so `capacity()` may be up to about twice that. Where the element is a type parameter, write
/// `LineRing<T, CELLS>` and pass the number of cells on.
///
/// ```
/// use gimmal::{line_ring, LineRing};
///
/// type Ticks = line_ring!(u64, 1024);
///
/// static TICKS: Ticks = LineRing::new();
/// assert!(TICKS.view().capacity() >= 1024);
/// ```
#[macro_export]
macro_rules! line_ring {
    ($element:ty, $capacity:expr) => {
        $crate::LineRing<$element, { $crate::cells::<$element>($capacity) }>
    };
}

impl<'a, T, P: Policy> View<'a, T, P> {
    /// Attaches to a ring laid out elsewhere, by another language perhaps: `len` bytes at `memory`.
    ///
    /// ```
    /// use gimmal::line_ring::View;
    ///
    /// // As C or C++ would hand it over: an address and a size.
    /// let ring = gimmal::LineRing::<u8, 4>::new();
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
    /// An [`AttachError`] if the memory does not hold a published ring by line of elements with `T`'s size and alignment.
    ///
    /// # Safety
    /// The memory stays valid and is touched only by the protocol for `'a`. What the other end pushes is valid as a `T`,
    /// and what this end pushes is valid for the other: plain data with no padding bytes and no pointers if the other is in another
    /// language.
    pub unsafe fn attach(memory: NonNull<u8>, len: usize) -> Result<Self, AttachError> {
        let expected = Attach {
            kind: Kind::Line,
            element: Some((size_of::<T>(), align_of::<T>())),
        };
        // SAFETY: the caller's word is stronger.
        let shape = unsafe { attach::<P>(memory, len, expected) }?;
        // SAFETY: the shape was checked against the memory and `T`; the rest is the caller's word.
        Ok(unsafe { Self::new(Memory::new(memory, Cells::new(shape.count())), shape) })
    }
}
