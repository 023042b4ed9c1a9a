//! Models of both protocols, explored through every interleaving and every value that a weak memory may return (loom), and the
//! control for each: with one edge weakened, the model must fail.
//!
//! Loom treats sequentially consistent accesses as acquire and release, and does not reorder a store before an earlier load: what it
//! finds is a fault, what it does not find is evidence.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

use gimmal::layout::TargetPadding;
use gimmal::layout::{ConsumerWords, Header, ProducerWords};
use gimmal::policy::lab::WithEdges;
use gimmal::policy::Policy;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::{
    lab, AcquireRelease, Body, Consumer, Edges, Ends, IndexBody, LineBody, Producer, Protocol,
    Refused,
};
use gimmal::sync::{Atomic, Atomics, Exchange, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicU8, AtomicUsize};
use loom::sync::Arc;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Loom's atomics.
enum Modelled {}

struct Modelling<A>(A);

macro_rules! modelled {
    ($atomic:ident, $value:ty) => {
        impl Atomic<$value> for Modelling<$atomic> {
            fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
            }
        }

        impl Exchange<$value> for Modelling<$atomic> {
            fn swap(&self, value: $value, order: Ordering) -> $value {
                self.0.swap(value, order)
            }
        }

        impl Default for Modelling<$atomic> {
            fn default() -> Self {
                Self($atomic::new(0))
            }
        }
    };
}

modelled!(AtomicUsize, usize);
modelled!(AtomicU32, u32);
modelled!(AtomicU8, u8);

impl Atomics for Modelled {
    type Word = Modelling<AtomicUsize>;
    type Half = Modelling<AtomicU32>;
    type Byte = Modelling<AtomicU8>;

    fn fence(order: Ordering) {
        loom::sync::atomic::fence(order);
    }

    fn compiler_fence(_: Ordering) {}
}

/// A ring of `COUNT` slots, or of `COUNT` cells of `PER_CELL` elements.
struct Model<P, const COUNT: usize, const PER_CELL: usize> {
    header: Header<Modelled>,
    producer: ProducerWords<Modelled>,
    consumer: ConsumerWords<Modelled>,
    stamps: Vec<Modelling<AtomicUsize>>,
    slots: Vec<UnsafeCell<u64>>,
    policy: PhantomData<P>,
}

// SAFETY: loom reports every use of a slot that the protocol does not order.
unsafe impl<P, const COUNT: usize, const PER_CELL: usize> Send for Model<P, COUNT, PER_CELL> {}
// SAFETY: as for `Send`.
unsafe impl<P, const COUNT: usize, const PER_CELL: usize> Sync for Model<P, COUNT, PER_CELL> {}

struct Shared<P, const COUNT: usize, const PER_CELL: usize>(Arc<Model<P, COUNT, PER_CELL>>);

impl<P, const COUNT: usize, const PER_CELL: usize> Clone for Shared<P, COUNT, PER_CELL> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P, const COUNT: usize, const PER_CELL: usize> Shared<P, COUNT, PER_CELL> {
    fn new() -> Self {
        let half = Modelling::<AtomicU32>::default;
        let byte = Modelling::<AtomicU8>::default;
        let word = Modelling::<AtomicUsize>::default;
        Self(Arc::new(Model {
            header: Header {
                magic: half(),
                version: byte(),
                kind: byte(),
                word_size: byte(),
                log2_line: byte(),
                element_size: half(),
                stride: half(),
                slots_offset: half(),
                log2_align: byte(),
                log2_count: byte(),
                per_cell: byte(),
                reserved: byte(),
                producer_claimed: byte(),
                consumer_claimed: byte(),
                closed: byte(),
                reserved2: byte(),
                consumer_bell: half(),
                producer_bell: half(),
            },
            producer: ProducerWords {
                tail: word(),
                stop: word(),
                dropped: word(),
            },
            consumer: ConsumerWords {
                head: word(),
                seen: word(),
            },
            stamps: (0..COUNT).map(|_| word()).collect(),
            slots: (0..COUNT * PER_CELL).map(|_| UnsafeCell::new(0)).collect(),
            policy: PhantomData,
        }))
    }
}

// SAFETY: everything belongs to the one model, kept alive by the reference count.
unsafe impl<P: Policy, const COUNT: usize, const PER_CELL: usize> Body
    for Shared<P, COUNT, PER_CELL>
{
    type Atomics = Modelled;
    type Policy = P;
    type Slot = usize;

    fn header(&self) -> &Header<Modelled> {
        &self.0.header
    }

    fn producer(&self) -> &ProducerWords<Modelled> {
        &self.0.producer
    }

    fn consumer(&self) -> &ConsumerWords<Modelled> {
        &self.0.consumer
    }
}

// SAFETY: as for `Body`.
unsafe impl<P: Policy, const COUNT: usize> IndexBody for Shared<P, COUNT, 1> {
    fn mask(&self) -> usize {
        COUNT - 1
    }

    fn slot(&self, index: usize) -> usize {
        index % COUNT
    }
}

// SAFETY: as for `Body`.
unsafe impl<P: Policy, const COUNT: usize, const PER_CELL: usize> LineBody
    for Shared<P, COUNT, PER_CELL>
{
    type Cell = usize;

    fn mask(&self) -> usize {
        gimmal::index::cell_mask(COUNT)
    }

    fn per_cell(&self) -> usize {
        PER_CELL
    }

    fn cell(&self, cursor: usize) -> usize {
        (cursor >> 8) % COUNT
    }

    fn stamp(&self, cell: usize) -> &Modelling<AtomicUsize> {
        &self.0.stamps[cell]
    }

    fn slot(&self, cell: usize, position: usize) -> usize {
        cell * PER_CELL + position
    }
}

/// A model whose elements can be reached, by whichever protocol.
trait Slots: Clone + Send + 'static {
    fn write(&self, slot: usize, value: u64);
    fn read(&self, slot: usize) -> u64;
}

impl<P: Policy, const COUNT: usize, const PER_CELL: usize> Slots for Shared<P, COUNT, PER_CELL> {
    fn write(&self, slot: usize, value: u64) {
        // SAFETY: loom checks what the protocol promises: that nobody else uses the slot.
        self.0.slots[slot].with_mut(|at| unsafe { *at = value });
    }

    fn read(&self, slot: usize) -> u64 {
        // SAFETY: as above.
        self.0.slots[slot].with(|at| unsafe { *at })
    }
}

fn push<P: Producer>(end: &mut P, value: u64) -> Result<(), Refused>
where
    P::Body: Slots + Body<Slot = usize>,
{
    let slot = end.claim()?;
    end.body().write(slot, value);
    // SAFETY: the claimed slot was written.
    unsafe { end.publish() };
    Ok(())
}

fn pop<C: Consumer>(end: &mut C) -> Option<u64>
where
    C::Body: Slots + Body<Slot = usize>,
{
    let slot = end.front()?;
    let value = end.body().read(slot);
    // SAFETY: the front slot was read.
    unsafe { end.release() };
    Some(value)
}

/// Messages pass in order, whole; the producer gives up where the ring stays full, so that exploration ends.
fn passes<K, B>(messages: u64, batch: usize) -> impl Fn(B) + Sync + Send + 'static
where
    B: Body<Slot = usize, Atomics = Modelled> + Slots,
    K: Protocol<B>,
{
    move |ring: B| {
        let at_producer = ring.clone();
        let producer = loom::thread::spawn(move || {
            // SAFETY: the only producer.
            let mut tx = unsafe { K::producer(at_producer) };
            let mut value = 1;
            while value <= messages {
                if batch == 1 {
                    if push(&mut tx, value).is_err() {
                        loom::thread::yield_now();
                        continue;
                    }
                    value += 1;
                } else {
                    let Ok(runs) = tx.claim_runs(batch) else {
                        loom::thread::yield_now();
                        continue;
                    };
                    let mut count = 0;
                    for run in runs {
                        for at in 0..run.len {
                            if value <= messages {
                                tx.body().write(run.first + at, value);
                                value += 1;
                                count += 1;
                            }
                        }
                    }
                    // SAFETY: the first `count` slots of the runs were written.
                    unsafe { tx.publish_runs(count) };
                }
            }
        });
        // SAFETY: the only consumer.
        let mut rx = unsafe { K::consumer(ring) };
        let mut expected = 1;
        while expected <= messages {
            match pop(&mut rx) {
                Some(value) => {
                    assert_eq!(value, expected);
                    expected += 1;
                }
                None => loom::thread::yield_now(),
            }
        }
        producer.join().unwrap();
        assert_eq!(pop(&mut rx), None);
    }
}

/// A close seen, and then an empty ring, means that everything was seen.
fn closes<K, B>(ring: B)
where
    B: Body<Slot = usize, Atomics = Modelled> + Slots,
    K: Protocol<B>,
{
    let at_producer = ring.clone();
    let producer = loom::thread::spawn(move || {
        // SAFETY: the only producer.
        let mut tx = unsafe { K::producer(at_producer) };
        push(&mut tx, 1).unwrap();
        tx.body().close();
    });
    // SAFETY: the only consumer.
    let mut rx = unsafe { K::consumer(ring) };
    let closed = rx.body().is_closed();
    let value = pop(&mut rx);
    if closed {
        assert_eq!(value, Some(1), "closed, yet a message is missing");
    }
    producer.join().unwrap();
}

/// An end given up is taken over at the place where it was left, by either of two claimers.
fn takes_over<K, B>(ring: B)
where
    B: Body<Slot = usize, Atomics = Modelled> + Slots,
    K: Protocol<B>,
{
    let at_other = ring.clone();
    let turn = move |ring: &B, value: u64| {
        if !ring.claim_producer() {
            return false;
        }
        // SAFETY: the end was claimed just now.
        let mut tx = unsafe { K::producer(ring.clone()) };
        push(&mut tx, value).unwrap();
        tx.suspend();
        ring.give_up_producer();
        true
    };
    let other = loom::thread::spawn(move || turn(&at_other, 1));
    let mine = turn(&ring, 2);
    let theirs = other.join().unwrap();
    assert!(mine || theirs);
    // SAFETY: the only consumer.
    let mut rx = unsafe { K::consumer(ring) };
    let mut sum = 0;
    while let Some(value) = pop(&mut rx) {
        sum += value;
    }
    assert_eq!(sum, u64::from(theirs) + 2 * u64::from(mine));
}

fn explore<B: Clone + Send + 'static>(make: fn() -> B, model: impl Fn(B) + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 100_000;
    builder.check(move || model(make()));
}

/// Explores the model and demands that it fails.
fn must_fail<B: Clone + Send + 'static>(
    make: fn() -> B,
    model: impl Fn(B) + Sync + Send + 'static,
    what: &str,
) {
    let result = catch_unwind(AssertUnwindSafe(|| explore(make, model)));
    assert!(result.is_err(), "no model catches {what}");
}

type Index<E> = Shared<WithEdges<E>, 2, 1>;
type Line<E> = Shared<WithEdges<E>, 2, 2>;
type OneCell<E> = Shared<WithEdges<E>, 1, 1>;

/// Pushes do not look at the close: loom tries a switch only at the last access to a variable, and would miss those between the
/// consumer's look and the store that closes.
enum Unwatched<E> {
    #[allow(dead_code)]
    Never(PhantomData<E>),
}

impl<E: Edges> Policy for Unwatched<E> {
    type Padding = TargetPadding;
    type Edges = E;
    const CLOSE: bool = false;
}

type ClosingIndex<E> = Shared<Unwatched<E>, 2, 1>;
type ClosingLine<E> = Shared<Unwatched<E>, 2, 2>;

#[test]
fn messages_pass_by_index() {
    explore(Index::<AcquireRelease>::new, passes::<ByIndex, _>(4, 1));
    explore(Index::<AcquireRelease>::new, passes::<ByIndex, _>(4, 2));
}

#[test]
fn messages_pass_by_line() {
    explore(Line::<AcquireRelease>::new, passes::<ByLine, _>(6, 1));
    explore(Line::<AcquireRelease>::new, passes::<ByLine, _>(6, 2));
    explore(OneCell::<AcquireRelease>::new, passes::<ByLine, _>(3, 1));
}

#[test]
fn messages_pass_by_fences() {
    explore(Index::<lab::Fences>::new, passes::<ByIndex, _>(4, 1));
    explore(Line::<lab::Fences>::new, passes::<ByLine, _>(6, 1));
}

#[test]
fn closing_and_taking_over() {
    explore(ClosingIndex::<AcquireRelease>::new, closes::<ByIndex, _>);
    explore(ClosingLine::<AcquireRelease>::new, closes::<ByLine, _>);
    explore(Index::<AcquireRelease>::new, takes_over::<ByIndex, _>);
    explore(Line::<AcquireRelease>::new, takes_over::<ByLine, _>);
}

#[test]
fn every_weakened_edge_is_caught_by_index() {
    must_fail(
        Index::<lab::RelaxedPublish>::new,
        passes::<ByIndex, _>(4, 1),
        "publish",
    );
    must_fail(
        Index::<lab::RelaxedObserve>::new,
        passes::<ByIndex, _>(4, 1),
        "observe",
    );
    must_fail(
        Index::<lab::RelaxedHandBack>::new,
        passes::<ByIndex, _>(4, 1),
        "hand back",
    );
    must_fail(
        Index::<lab::RelaxedReuse>::new,
        passes::<ByIndex, _>(4, 1),
        "reuse",
    );
}

#[test]
fn every_weakened_edge_is_caught_by_line() {
    must_fail(
        Line::<lab::RelaxedPublish>::new,
        passes::<ByLine, _>(6, 1),
        "publish",
    );
    must_fail(
        Line::<lab::RelaxedObserve>::new,
        passes::<ByLine, _>(6, 1),
        "observe",
    );
    must_fail(
        Line::<lab::RelaxedHandBack>::new,
        passes::<ByLine, _>(6, 1),
        "hand back",
    );
    must_fail(
        Line::<lab::RelaxedReuse>::new,
        passes::<ByLine, _>(6, 1),
        "reuse",
    );
    must_fail(
        Line::<lab::EarlyHandBack>::new,
        passes::<ByLine, _>(6, 1),
        "early hand-back",
    );
}

#[test]
fn every_weakened_edge_of_close_and_claim_is_caught() {
    must_fail(
        ClosingIndex::<lab::RelaxedClose>::new,
        closes::<ByIndex, _>,
        "close",
    );
    must_fail(
        ClosingLine::<lab::RelaxedClose>::new,
        closes::<ByLine, _>,
        "close",
    );
    must_fail(
        ClosingIndex::<lab::RelaxedSeeClosed>::new,
        closes::<ByIndex, _>,
        "see closed",
    );
    must_fail(
        ClosingLine::<lab::RelaxedSeeClosed>::new,
        closes::<ByLine, _>,
        "see closed",
    );
    must_fail(
        Index::<lab::RelaxedClaim>::new,
        takes_over::<ByIndex, _>,
        "claim",
    );
    must_fail(
        Line::<lab::RelaxedClaim>::new,
        takes_over::<ByLine, _>,
        "claim",
    );
    must_fail(
        Index::<lab::RelaxedGiveUp>::new,
        takes_over::<ByIndex, _>,
        "give up",
    );
    must_fail(
        Line::<lab::RelaxedGiveUp>::new,
        takes_over::<ByLine, _>,
        "give up",
    );
}
