//! Models of what rings in shared memory add, under a weak memory, and the control for each: a tap takes nothing that was overwritten for an
//! element, and the cell of a living producer is not skipped.
//!
//! What loom can and cannot show is said in `loom.rs`. Deaths are explored in `crashes.rs`.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

#[path = "common/modelled.rs"]
mod modelled;

use gimmal::layout::{ConsumerWords, Header, ProducerWords};
use gimmal::policy::lab::WithEdges;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mpsc::{self, declare, is_declared, withdraw, ByCell};
use gimmal::raw::{
    lab, AcquireRelease, Body, Consumer, Edges, IndexBody, LineBody, Producer, Protocol, Sight,
    Tap, Watched,
};
use gimmal::sync::{Atomic, Atomics, Ordering};
use loom::sync::atomic::AtomicUsize;
use loom::sync::Arc;
use modelled::{explore, must_fail, Modelled, Modelling, Shared};

/// An element that may be read while it is written.
#[derive(Default)]
struct Watchable([Modelling<AtomicUsize>; 2]);

/// What a ring in shared memory does at the hooks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    /// A fence before the first write to a slot.
    Fence,
    /// A declaration before the claim.
    Declare,
    /// Wrong: a declaration after the claim.
    DeclareLate,
}

struct Ring<E: Edges, const COUNT: usize> {
    ring: Shared<WithEdges<E>, COUNT, 1, Watchable>,
    intent: Arc<Modelling<AtomicUsize>>,
    hooks: Hooks,
}

impl<E: Edges, const COUNT: usize> Clone for Ring<E, COUNT> {
    fn clone(&self) -> Self {
        Self {
            ring: self.ring.clone(),
            intent: Arc::clone(&self.intent),
            hooks: self.hooks,
        }
    }
}

impl<E: Edges, const COUNT: usize> Ring<E, COUNT> {
    fn new(hooks: Hooks) -> Self {
        Self {
            ring: Shared::new(),
            intent: Arc::default(),
            hooks,
        }
    }

    fn write(&self, slot: usize, value: usize) {
        let [value_at, inverse_at] = &self.ring.0.slots[slot].0;
        value_at.store(value, Ordering::Relaxed);
        inverse_at.store(!value, Ordering::Relaxed);
    }

    /// The element, if it is whole.
    fn read(&self, slot: usize) -> Option<usize> {
        let [value, inverse] = &self.ring.0.slots[slot].0;
        let value = value.load(Ordering::Relaxed);
        (inverse.load(Ordering::Relaxed) == !value).then_some(value)
    }
}

// SAFETY: it is the ring inside.
unsafe impl<E: Edges, const COUNT: usize> Body for Ring<E, COUNT> {
    type Atomics = Modelled;
    type Policy = WithEdges<E>;
    type Slot = usize;

    fn header(&self) -> &Header<Modelled> {
        self.ring.header()
    }

    fn producer(&self) -> &ProducerWords<Modelled> {
        self.ring.producer()
    }

    fn consumer(&self) -> &ConsumerWords<Modelled> {
        self.ring.consumer()
    }
}

// SAFETY: as for `Body`.
unsafe impl<E: Edges, const COUNT: usize> IndexBody for Ring<E, COUNT> {
    fn mask(&self) -> usize {
        COUNT - 1
    }

    fn slot(&self, index: usize) -> usize {
        index % COUNT
    }

    fn won(&self, _: usize) {
        if self.hooks == Hooks::Fence {
            Modelled::fence(Ordering::Release);
        }
    }
}

// SAFETY: as for `Body`.
unsafe impl<E: Edges, const COUNT: usize> LineBody for Ring<E, COUNT> {
    type Cell = usize;

    fn mask(&self) -> usize {
        LineBody::mask(&self.ring)
    }

    fn per_cell(&self) -> usize {
        1
    }

    fn cell(&self, cursor: usize) -> usize {
        self.ring.cell(cursor)
    }

    fn stamp(&self, cell: usize) -> &<Modelled as Atomics>::Word {
        self.ring.stamp(cell)
    }

    fn slot(&self, cell: usize, _: usize) -> usize {
        cell
    }

    fn winning(&self, cursor: usize) {
        if self.hooks == Hooks::Declare {
            declare(&*self.intent, cursor);
        }
    }

    fn won(&self, cursor: usize) {
        match self.hooks {
            Hooks::Fence => Modelled::fence(Ordering::Release),
            Hooks::DeclareLate => declare(&*self.intent, cursor),
            Hooks::None | Hooks::Declare => {}
        }
    }

    fn fulfilled(&self, _: usize) {
        withdraw::<E>(&*self.intent);
    }
}

/// One thread pushes element 1 and on, and takes each when there is no room for the next; the other watches. The watcher begins last, so that loom
/// lets it load whatever was stored.
fn watches<K, E: Edges, const COUNT: usize>(
    pushes: usize,
    kept: usize,
) -> impl Fn(Ring<E, COUNT>) + Sync + Send + 'static
where
    K: Protocol<Ring<E, COUNT>> + Watched<Ring<E, COUNT>> + 'static,
{
    move |ring| {
        let watched = ring.clone();
        let watcher = loom::thread::spawn(move || {
            let mut tap = Tap::<_, K>::new(watched.clone());
            let mut value = None;
            if tap.look(|slot| value = watched.read(slot)) == Sight::Element {
                assert!(value.is_some(), "a copy counts, and is torn");
            }
        });
        // SAFETY: the only ends.
        let mut tx = unsafe { K::producer(ring.clone()) };
        // SAFETY: as above.
        let mut rx = unsafe { K::consumer(ring.clone()) };
        for value in 1..=pushes {
            if value > kept {
                let slot = rx.front().unwrap();
                assert_eq!(ring.read(slot), Some(value - kept));
                // SAFETY: the front slot was read.
                unsafe { rx.release() };
            }
            let slot = tx.claim().unwrap();
            ring.write(slot, value);
            // SAFETY: the claimed slot was written.
            unsafe { tx.publish() };
        }
        watcher.join().unwrap();
    }
}

fn fenced<E: Edges, const COUNT: usize>() -> Ring<E, COUNT> {
    Ring::new(Hooks::Fence)
}

fn unfenced<const COUNT: usize>() -> Ring<AcquireRelease, COUNT> {
    Ring::new(Hooks::None)
}

#[test]
fn a_tap_takes_no_torn_copy_for_an_element() {
    explore(fenced::<AcquireRelease, 2>, watches::<ByIndex, _, 2>(3, 2));
    explore(fenced::<AcquireRelease, 1>, watches::<ByLine, _, 1>(2, 1));
    explore(fenced::<AcquireRelease, 2>, watches::<ByLine, _, 2>(3, 2));
    explore(fenced::<AcquireRelease, 1>, watches::<ByCell, _, 1>(2, 1));
}

#[test]
fn a_first_write_without_a_fence_is_caught() {
    must_fail(
        unfenced::<2>,
        watches::<ByIndex, _, 2>(3, 2),
        "no fence, by index",
    );
    must_fail(
        unfenced::<1>,
        watches::<ByLine, _, 1>(2, 1),
        "no fence, by line",
    );
    must_fail(
        unfenced::<1>,
        watches::<ByCell, _, 1>(2, 1),
        "no fence, with many producers",
    );
}

#[test]
fn a_second_look_without_a_fence_is_caught() {
    must_fail(
        fenced::<lab::RelaxedLookAgain, 2>,
        watches::<ByIndex, _, 2>(3, 2),
        "no fence before the second look, by index",
    );
    must_fail(
        fenced::<lab::RelaxedLookAgain, 1>,
        watches::<ByLine, _, 1>(2, 1),
        "no fence before the second look, by line",
    );
    must_fail(
        fenced::<lab::RelaxedLookAgain, 1>,
        watches::<ByCell, _, 1>(2, 1),
        "no fence before the second look, with many producers",
    );
}

/// A living producer pushes, a consumer that finds its cell stalled skips it if nobody who lives declares it: never.
fn skips_nobody<E: Edges>(ring: Ring<E, 2>) {
    let mut tx = mpsc::Producer::enter(ring.clone());
    let producer = loom::thread::spawn(move || {
        let slot = tx.claim().unwrap();
        tx.body().write(slot, 1);
        // SAFETY: the claimed slot was written.
        unsafe { tx.publish() };
    });
    // SAFETY: the only consumer.
    let mut rx = unsafe { mpsc::Consumer::enter(ring.clone()) };
    let was_skipped =
        rx.skip_abandoned(|cursor| is_declared::<E, _>([&*ring.intent], cursor, |_| true));
    assert!(!was_skipped, "a living producer's cell is skipped");
    producer.join().unwrap();
    assert!(rx.front().is_some());
}

fn declaring<E: Edges>() -> Ring<E, 2> {
    Ring::new(Hooks::Declare)
}

#[test]
fn a_living_producer_is_not_skipped() {
    explore(declaring::<AcquireRelease>, skips_nobody);
}

#[test]
fn a_declaration_that_is_not_passed_on_is_caught() {
    must_fail(declaring::<lab::RelaxedPass>, skips_nobody, "pass");
    must_fail(declaring::<lab::RelaxedFollow>, skips_nobody, "follow");
    must_fail(
        || Ring::<AcquireRelease, 2>::new(Hooks::DeclareLate),
        skips_nobody,
        "a declaration after the claim",
    );
}

#[test]
fn a_withdrawal_that_says_nothing_of_the_cell_is_caught() {
    must_fail(declaring::<lab::RelaxedWithdraw>, skips_nobody, "withdraw");
    must_fail(
        declaring::<lab::RelaxedSeeWithdrawn>,
        skips_nobody,
        "see withdrawn",
    );
}
