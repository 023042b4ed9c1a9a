//! The algorithms, on a control block and untyped slots: the only home of the rings' memory orderings (the doorbell's are in `wait`).
//!
//! An end is generic over the ring it stands at ([`IndexBody`], [`LineBody`]): its atomics, its slots, its geometry and
//! its policy. A producer *claims* a slot, the caller writes it, the producer *publishes* it; a consumer finds the *front*
//! slot, the caller reads it, the consumer *releases* it. Nothing here reads or writes an element.
//!
//! The typed rings, the C API, shared memory and the models all instantiate these; none copies them. The module is public
//! for them, and is no part of the crate's stable interface.

mod control;
mod edges;
mod geometry;
pub mod index;
pub mod line;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub mod mapped;
mod memory;
pub mod mpsc;
mod poll;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub mod pool;
mod prefetch;
mod tap;

#[cfg(feature = "lab")]
pub use control::published;
pub use control::{attach, expect_kind, Attach, AttachError, Ends};
#[cfg(feature = "lab")]
pub use edges::lab;
pub use edges::{AcquireRelease, CompilerOnly, Edges};
pub use geometry::{
    stated_element, Cells, ErasedCells, ErasedSlots, FixedCells, FixedSingleCells, FixedSlots,
    Geometry, InCells, SingleCells, Slots,
};
pub use memory::Memory;
pub use tap::{Sight, Tap, Watched};

use crate::error::Corrupt;
use crate::layout::{ConsumerWords, Header, ProducerWords};
use crate::policy::Policy;
use crate::sync::{Atomic, Atomics, Ordering};

/// One ring, as an algorithm sees it.
///
/// # Safety
/// The references and slots returned belong to one ring, always the same, whose geometry never changes, and stay valid as
/// long as the value and its copies are used. Slots of different elements that are in the ring at one time do not overlap.
pub unsafe trait Body {
    /// The atomics of the control block.
    type Atomics: Atomics;
    /// The compile-time choices.
    type Policy: Policy;
    /// Where one element lies.
    type Slot: Copy;

    /// Geometry, claims and the close.
    fn header(&self) -> &Header<Self::Atomics>;
    /// The producer's words.
    fn producer(&self) -> &ProducerWords<Self::Atomics>;
    /// The consumer's words.
    fn consumer(&self) -> &ConsumerWords<Self::Atomics>;

    /// Called by an end of a [`CHECKED`](Policy::CHECKED) ring that has found what no end writes there. The end then goes on as if the ring were
    /// full or empty.
    #[inline(always)]
    fn corrupt(&self) {}
}

/// A ring published by index.
///
/// # Safety
/// As for [`Body`].
pub unsafe trait IndexBody: Body {
    /// The number of slots less 1; the number is a power of two.
    fn mask(&self) -> usize;
    /// The slot of element `index`, counted from the ring's beginning without end.
    fn slot(&self, index: usize) -> Self::Slot;

    /// Called when the producer has found the slot of `index` free, before its first write. Shared memory orders the first write after
    /// this, for readers that only watch.
    #[inline(always)]
    fn won(&self, index: usize) {
        let _ = index;
    }
}

/// A ring published by line, of one producer or of many.
///
/// # Safety
/// As for [`Body`].
pub unsafe trait LineBody: Body {
    /// Where one cell lies.
    type Cell: Copy;

    /// The bits of a cursor that say which cell it is in; see [`cell_mask`](crate::index::cell_mask).
    fn mask(&self) -> usize;
    /// Elements in a cell.
    fn per_cell(&self) -> usize;
    /// The cell of `cursor`.
    fn cell(&self, cursor: usize) -> Self::Cell;
    /// The cell's stamp.
    fn stamp(&self, cell: Self::Cell) -> &<Self::Atomics as Atomics>::Word;
    /// The slot at `position` in the cell.
    fn slot(&self, cell: Self::Cell, position: usize) -> Self::Slot;

    /// Hints that the producer will soon write the cell of `cursor`.
    #[inline(always)]
    fn prefetch(&self, cursor: usize) {
        let _ = cursor;
    }

    /// Called before a producer tries to win the cell of `cursor`. Shared memory declares the intent here: with many producers,
    /// who sees the cell claimed sees the intent.
    #[inline(always)]
    fn winning(&self, cursor: usize) {
        let _ = cursor;
    }

    /// Called when another producer has won the cell of `cursor`, or the ring was closed: this one has no intent any more.
    #[inline(always)]
    fn lost(&self, cursor: usize) {
        let _ = cursor;
    }

    /// Called when the producer has won the cell of `cursor`, before its first write. Shared memory orders the first write
    /// after the win here, for readers that only watch.
    #[inline(always)]
    fn won(&self, cursor: usize) {
        let _ = cursor;
    }

    /// Called when one of many producers has published the cell of `cursor`: its intent is fulfilled.
    #[inline(always)]
    fn fulfilled(&self, cursor: usize) {
        let _ = cursor;
    }
}

/// Why a producer has no slot to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The ring is full.
    Full,
    /// The ring is closed.
    Closed,
}

/// Slots that lie side by side.
#[derive(Debug, Clone, Copy)]
pub struct Run<S> {
    /// The first slot; meaningless when `len` is 0.
    pub first: S,
    /// How many slots.
    pub len: usize,
}

/// Slots in the order of their elements: by index two runs, by line one.
pub type Runs<S> = [Run<S>; 2];

/// Slots in one run.
#[inline(always)]
fn run<S: Copy>(first: S, len: usize) -> Runs<S> {
    [Run { first, len }, Run { first, len: 0 }]
}

/// A producer's end, of any kind.
///
/// # Safety
/// `claim` and `claim_runs` return slots that no other end touches until they are published.
pub unsafe trait Producer {
    /// The ring.
    type Body: Body;

    /// The ring that this is an end of.
    fn body(&self) -> &Self::Body;

    /// The slot for the next element, `None` if the ring is full; closed or not. Asking again without publishing gives the
    /// same slot.
    fn claim_even_closed(&mut self) -> Option<<Self::Body as Body>::Slot>;

    /// The slot for the next element. Asking again without publishing gives the same slot.
    #[inline(always)]
    fn claim(&mut self) -> Result<<Self::Body as Body>::Slot, Refused> {
        if <<Self::Body as Body>::Policy as Policy>::CLOSE && refuses(self.body()) {
            return Err(Refused::Closed);
        }
        self.claim_even_closed().ok_or(Refused::Full)
    }

    /// Publishes the element in the claimed slot.
    ///
    /// # Safety
    /// The last [`claim`](Self::claim) succeeded, nothing was published since, and its slot holds an element.
    unsafe fn publish(&mut self);

    /// Up to `want` slots, at least one if `want` is not 0.
    fn claim_runs(&mut self, want: usize) -> Result<Runs<<Self::Body as Body>::Slot>, Refused>;

    /// Publishes the first `count` elements in the claimed runs.
    ///
    /// # Safety
    /// The last [`claim_runs`](Self::claim_runs) gave at least `count` slots, nothing was published since, and the first
    /// `count` of them hold elements.
    unsafe fn publish_runs(&mut self, count: usize);

    /// The length of a run that fills a cell, by line: mostly a constant, which makes its copy cheap. 0 by index.
    fn whole_run(&self) -> usize;

    /// Whether `count` more elements fit right now; at most [`capacity`](Self::capacity) ever do.
    fn has_room(&self, count: usize) -> bool;

    /// Elements in the ring, 0 to what it can hold: a snapshot.
    fn stored(&self) -> usize;

    /// The elements that the ring holds for certain.
    fn capacity(&self) -> usize;

    /// Writes the private state back to the control block, where the next claimer or a stateless call finds it.
    fn suspend(&self);
}

/// A consumer's end, of any kind.
///
/// # Safety
/// `front` and `front_runs` return slots that hold elements and that no other end touches until they are released.
pub unsafe trait Consumer {
    /// The ring.
    type Body: Body;

    /// The ring that this is an end of.
    fn body(&self) -> &Self::Body;

    /// The slot of the oldest element.
    fn front(&mut self) -> Option<<Self::Body as Body>::Slot>;

    /// Takes the oldest element off the ring, so that its slot may be written again.
    ///
    /// # Safety
    /// The last [`front`](Self::front) gave a slot, nothing was released since, and the slot is not used any more.
    unsafe fn release(&mut self);

    /// The slots of up to `want` of the oldest elements.
    fn front_runs(&mut self, want: usize) -> Option<Runs<<Self::Body as Body>::Slot>>;

    /// Takes the oldest `count` elements off the ring.
    ///
    /// # Safety
    /// The last [`front_runs`](Self::front_runs) gave at least `count` slots, nothing was released since, and the first
    /// `count` of them are not used any more.
    unsafe fn release_runs(&mut self, count: usize);

    /// The length of a run that empties a cell, by line: mostly a constant, which makes its copy cheap. 0 by index.
    fn whole_run(&self) -> usize;

    /// Whether [`front`](Self::front) would find nothing.
    fn is_empty(&self) -> bool;

    /// Closes the ring: pushes are refused from now on.
    fn close(&self) {
        self.body().close();
    }

    /// Whether the ring is closed. If [`front`](Self::front) finds nothing after this returned true, there is nothing left, and nothing will
    /// come; but for one producer only if it is the producer that closed.
    fn is_closed(&self) -> bool {
        self.body().is_closed()
    }

    /// Elements in the ring, 0 to what it can hold: a snapshot.
    fn stored(&self) -> usize;

    /// The elements that the ring holds for certain.
    fn capacity(&self) -> usize;

    /// Writes the private state back to the control block, where the next claimer or a stateless call finds it.
    fn suspend(&self);
}

/// The consumer of a ring with one producer, which has claimed its end.
pub trait OneProducer: Consumer {}

impl<B: IndexBody> OneProducer for index::Consumer<B> {}
impl<B: LineBody> OneProducer for line::Consumer<B> {}

/// How a ring publishes its elements: makes ends, and answers third parties.
pub trait Protocol<B: Body> {
    /// The producer's end.
    type Producer: Producer<Body = B>;
    /// The consumer's end.
    type Consumer: Consumer<Body = B>;

    /// Stands at the producer's end, as left by the last producer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other producer exists.
    unsafe fn producer(body: B) -> Self::Producer;

    /// Stands at the consumer's end, as left by the last consumer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other consumer exists.
    unsafe fn consumer(body: B) -> Self::Consumer;

    /// Stands at the producer's end where its last owner stopped, wherever that was: it may have died between any two steps.
    ///
    /// # Errors
    /// [`Corrupt`] if no ends of this protocol have left the ring so.
    ///
    /// # Safety
    /// As for [`producer`](Self::producer).
    unsafe fn recover_producer(body: B) -> Result<Self::Producer, Corrupt>;

    /// Stands at the consumer's end where its last owner stopped, wherever that was: it may have died between any two steps. The element that it
    /// was taking then is found again, unless its slot was given back.
    ///
    /// # Errors
    /// [`Corrupt`] if no ends of this protocol have left the ring so.
    ///
    /// # Safety
    /// As for [`consumer`](Self::consumer).
    unsafe fn recover_consumer(body: B) -> Result<Self::Consumer, Corrupt>;

    /// Elements in the ring, 0 to what it can hold: a snapshot.
    fn stored(body: &B) -> usize;

    /// Whether the next push would be refused for want of room: a snapshot.
    fn is_full(body: &B) -> bool;

    /// The elements that the ring holds for certain.
    fn capacity(body: &B) -> usize;

    /// Closes the ring: pushes are refused from now on.
    fn close(body: &B) {
        Ends::close(body);
    }

    /// Whether the ring is closed.
    fn is_closed(body: &B) -> bool {
        Ends::is_closed(body)
    }

    /// Counts an element refused.
    fn count_dropped(body: &B) {
        Ends::count_dropped(body);
    }

    /// Sets both ends of an idle, empty ring to `index`: of a slot by index, of a cell by line or with many producers. For tests, which start
    /// rings just below the wrap.
    ///
    /// # Safety
    /// No end exists, and the ring holds no element.
    unsafe fn start_at(body: &B, index: usize);
}

/// Fails to compile for an end that takes its place from words which another process may have written.
const fn trusts<B: Body>() {
    assert!(
        !<B::Policy as Policy>::CHECKED,
        "an end of a checked ring is made by `recover`"
    );
}

/// Whether pushes are refused for good.
#[inline(always)]
pub(crate) fn refuses<B: Body>(body: &B) -> bool {
    // Relaxed: a producer that sees the close reads nothing that the closer wrote.
    body.header().closed.load(Ordering::Relaxed) != 0
}
