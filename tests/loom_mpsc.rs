//! Models of the ring of many producers, and the control for each: with one edge weakened, or a step left out, the model must fail.
//!
//! What loom can and cannot show is said in `loom.rs`. It tries a switch only at the last access to a variable: so producers enter before
//! their threads begin, and the first that a thread does to `tail` is its claim.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

#[path = "common/modelled.rs"]
mod modelled;

use gimmal::layout::{ConsumerWords, Header, ProducerWords};
use gimmal::policy::lab::WithEdges;
use gimmal::raw::mpsc::{ByCell, Consumer as MpscConsumer};
use gimmal::raw::{
    lab, AcquireRelease, Body, Consumer, Edges, Ends, LineBody, Producer, Protocol, Refused,
};
use gimmal::sync::{Atomics, Ordering};
use loom::sync::atomic::AtomicUsize;
use loom::sync::Arc;
use modelled::{explore, explore_within, must_fail, pop, push, Modelled, Shared, Slots};

type Many<E, const CELLS: usize> = Shared<WithEdges<E>, CELLS, 1>;

/// A producer that pushes `values` in order, waiting for room.
fn produces<E: Edges, const CELLS: usize>(
    ring: &Many<E, CELLS>,
    values: &'static [u64],
) -> loom::thread::JoinHandle<()> {
    let mut tx = raw_producer(ring.clone());
    loom::thread::spawn(move || {
        for &value in values {
            while let Err(refused) = push(&mut tx, value) {
                assert_eq!(refused, Refused::Full);
                loom::thread::yield_now();
            }
        }
    })
}

fn raw_producer<B: LineBody<Atomics = Modelled>>(ring: B) -> <ByCell as Protocol<B>>::Producer {
    // SAFETY: there may be any number of producers.
    unsafe { ByCell::producer(ring) }
}

fn raw_consumer<B: LineBody<Atomics = Modelled>>(ring: B) -> MpscConsumer<B> {
    // SAFETY: each model has one consumer.
    unsafe { ByCell::consumer(ring) }
}

/// Every message passes once, whole, and each producer's in order.
fn passes<E: Edges, const CELLS: usize>(
    ones: &'static [u64],
    others: &'static [u64],
) -> impl Fn(Many<E, CELLS>) + Sync + Send + 'static {
    move |ring| {
        let producers = [produces(&ring, ones), produces(&ring, others)];
        let mut rx = raw_consumer(ring);
        let mut next = [ones.iter(), others.iter()];
        while next.iter().any(|values| values.len() > 0) {
            let Some(value) = pop(&mut rx) else {
                loom::thread::yield_now();
                continue;
            };
            let of = usize::from(others.contains(&value));
            assert_eq!(
                next[of].next(),
                Some(&value),
                "lost, torn, twice or out of order"
            );
        }
        for producer in producers {
            producer.join().unwrap();
        }
        assert_eq!(pop(&mut rx), None);
        assert_eq!(rx.stalled(), None);
    }
}

/// Nobody waits: what was pushed, and nothing else, comes out, each producer's messages in order.
fn tries<E: Edges, const CELLS: usize>(ring: Many<E, CELLS>) {
    let producers = [[1, 2], [3, 4]].map(|values| {
        let mut tx = raw_producer(ring.clone());
        loom::thread::spawn(move || values.map(|value| push(&mut tx, value).is_ok()))
    });
    let mut rx = raw_consumer(ring);
    let mut came: Vec<u64> = (0..2).filter_map(|_| pop(&mut rx)).collect();
    let pushed = producers.map(|producer| producer.join().unwrap());
    came.extend(std::iter::from_fn(|| pop(&mut rx)));
    for (pushed, values) in pushed.into_iter().zip([[1, 2], [3, 4]]) {
        let pushed = values.into_iter().zip(pushed).filter(|(_, pushed)| *pushed);
        let came = came.iter().filter(|value| values.contains(value));
        assert!(pushed.map(|(value, _)| value).eq(came.copied()));
    }
}

/// How a model closes, and how it asks whether the ring is closed.
struct Closing<B: LineBody> {
    close: fn(&B),
    is_closed: fn(&MpscConsumer<B>) -> bool,
}

impl<E: Edges, const CELLS: usize> Closing<Many<E, CELLS>> {
    const SOUND: Self = Self {
        close: <ByCell as Protocol<_>>::close,
        is_closed: Consumer::is_closed,
    };
    /// Claims go on after the close.
    const UNSEALED: Self = Self {
        close: Ends::close,
        is_closed: Consumer::is_closed,
    };
    /// Pushes under way are not waited for.
    const HASTY: Self = Self {
        close: <ByCell as Protocol<_>>::close,
        is_closed: |rx| rx.body().is_closed(),
    };
}

/// One producer pushes and closes while the other pushes: what was pushed is found by a consumer that knows of the close.
fn closes<E: Edges, const CELLS: usize>(
    closing: Closing<Many<E, CELLS>>,
) -> impl Fn(Many<E, CELLS>) + Sync + Send + 'static {
    move |ring| {
        let [mut tx, mut other] = [raw_producer(ring.clone()), raw_producer(ring.clone())];
        let close = closing.close;
        let closer = loom::thread::spawn(move || {
            push(&mut tx, 1).unwrap();
            close(tx.body());
        });
        let other = loom::thread::spawn(move || push(&mut other, 2).is_ok());
        let mut rx = raw_consumer(ring);
        let closed = (closing.is_closed)(&rx);
        let mut sum = 0;
        while let Some(value) = pop(&mut rx) {
            sum += value;
        }
        closer.join().unwrap();
        let pushed = 1 + 2 * u64::from(other.join().unwrap());
        if closed {
            assert_eq!(sum, pushed, "closed, and a message is missing");
        }
    }
}

/// A ring whose producer declares which cell it is about to claim, as shared memory does.
struct Declaring<E: Edges> {
    ring: Many<E, 2>,
    intent: Arc<AtomicUsize>,
}

impl<E: Edges> Clone for Declaring<E> {
    fn clone(&self) -> Self {
        Self {
            ring: self.ring.clone(),
            intent: Arc::clone(&self.intent),
        }
    }
}

impl<E: Edges> Declaring<E> {
    fn new() -> Self {
        Self {
            ring: Shared::new(),
            intent: Arc::new(AtomicUsize::new(0)),
        }
    }
}

// SAFETY: it is the ring inside.
unsafe impl<E: Edges> Body for Declaring<E> {
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
unsafe impl<E: Edges> LineBody for Declaring<E> {
    type Cell = usize;

    fn mask(&self) -> usize {
        self.ring.mask()
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

    fn slot(&self, cell: usize, position: usize) -> usize {
        LineBody::slot(&self.ring, cell, position)
    }

    fn winning(&self, cursor: usize) {
        // Relaxed: the claim passes it on.
        self.intent.store(cursor + 1, Ordering::Relaxed);
    }

    fn fulfilled(&self, _: usize) {
        // Pairs with the load in `declares`: who sees the intent gone sees the cell published.
        self.intent.store(0, Ordering::Release);
    }
}

/// A stalled cell is one that its producer has declared, or has published meanwhile.
fn declares<E: Edges>(ring: Declaring<E>) {
    let mut tx = raw_producer(ring.clone());
    let producer = loom::thread::spawn(move || {
        let slot = tx.claim().unwrap();
        tx.body().ring.write(slot, 1);
        // SAFETY: the claimed slot was written.
        unsafe { tx.publish() };
    });
    let intent = Arc::clone(&ring.intent);
    let slots = ring.ring.clone();
    let mut rx = raw_consumer(ring);
    if let Some(stalled) = rx.stalled() {
        assert_eq!((stalled.number, stalled.index), (0, 0));
        if intent.load(Ordering::Acquire) == 0 {
            let slot = rx.front().expect("claimed, neither declared nor published");
            assert_eq!(slots.read(slot), 1);
        }
    }
    producer.join().unwrap();
    assert_eq!(rx.stalled(), None);
}

/// Two producers count what they drop.
fn drops<E: Edges>(count: fn(&Many<E, 1>)) -> impl Fn(Many<E, 1>) + Sync + Send + 'static {
    move |ring| {
        let other = ring.clone();
        let other = loom::thread::spawn(move || count(&other));
        count(&ring);
        other.join().unwrap();
        assert_eq!(ring.dropped(), 2);
    }
}

#[test]
fn every_drop_is_counted() {
    let ring = Many::<AcquireRelease, 1>::new;
    explore(ring, drops(<ByCell as Protocol<_>>::count_dropped));
    must_fail(ring, drops(Ends::count_dropped), "a count for one producer");
}

#[test]
fn messages_pass() {
    explore(Many::<AcquireRelease, 2>::new, passes(&[1], &[2]));
    // Who waits makes exploration long: fewer preemptions.
    explore_within(1, Many::<AcquireRelease, 2>::new, passes(&[1, 2], &[3]));
    explore_within(1, Many::<AcquireRelease, 1>::new, passes(&[1], &[2]));
}

#[test]
fn messages_pass_by_fences() {
    explore(Many::<lab::Fences, 2>::new, passes(&[1], &[2]));
    explore_within(1, Many::<lab::Fences, 1>::new, passes(&[1], &[2]));
}

#[test]
fn what_is_pushed_comes_out() {
    explore(Many::<AcquireRelease, 1>::new, tries);
    explore(Many::<AcquireRelease, 2>::new, tries);
}

#[test]
fn closing() {
    explore(Many::<AcquireRelease, 2>::new, closes(Closing::SOUND));
}

#[test]
fn stalling() {
    explore(Declaring::<AcquireRelease>::new, declares);
}

#[test]
fn every_weakened_edge_is_caught() {
    must_fail(
        Many::<lab::RelaxedPublish, 1>::new,
        passes(&[1], &[2]),
        "publish",
    );
    must_fail(
        Many::<lab::RelaxedObserve, 1>::new,
        passes(&[1], &[2]),
        "observe",
    );
    must_fail(
        Many::<lab::RelaxedHandBack, 1>::new,
        passes(&[1], &[2]),
        "hand back",
    );
    must_fail(
        Many::<lab::RelaxedReuse, 1>::new,
        passes(&[1], &[2]),
        "reuse",
    );
    must_fail(
        Many::<lab::EarlyHandBack, 1>::new,
        passes(&[1], &[2]),
        "early hand-back",
    );
}

#[test]
fn every_weakened_edge_of_the_claim_is_caught() {
    must_fail(Declaring::<lab::RelaxedPass>::new, declares, "pass");
    must_fail(Declaring::<lab::RelaxedFollow>::new, declares, "follow");
}

#[test]
fn every_weakened_edge_of_the_close_is_caught() {
    must_fail(
        Many::<lab::RelaxedClose, 2>::new,
        closes(Closing::SOUND),
        "close",
    );
    must_fail(
        Many::<lab::RelaxedSeeClosed, 2>::new,
        closes(Closing::SOUND),
        "see closed",
    );
    must_fail(
        Many::<AcquireRelease, 2>::new,
        closes(Closing::UNSEALED),
        "a close that leaves `tail` as it is",
    );
    must_fail(
        Many::<AcquireRelease, 2>::new,
        closes(Closing::HASTY),
        "a look at `closed` alone",
    );
}
