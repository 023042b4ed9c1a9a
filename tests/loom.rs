//! Models of both protocols, explored through every interleaving and every value that a weak memory may return (loom), and the
//! control for each: with one edge weakened, the model must fail.
//!
//! Loom treats sequentially consistent accesses as acquire and release, and does not reorder a store before an earlier load: what it
//! finds is a fault, what it does not find is evidence.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

#[path = "common/modelled.rs"]
mod modelled;

use gimmal::layout::Kind;
use gimmal::layout::TargetPadding;
use gimmal::policy::lab::WithEdges;
use gimmal::policy::Policy;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::{
    lab, published, AcquireRelease, Attach, AttachError, Body, Consumer, Edges, Ends, Producer,
    Protocol,
};
use gimmal::shape::Shape;
use modelled::{explore, must_fail, pop, push, Modelled, Shared, Slots};
use std::marker::PhantomData;

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

/// One states the geometry, and one learns it: all of it, or nothing.
fn attaches<E: Edges>(ring: Index<E>) {
    const SHAPE: Shape = match Shape::by_index(8, 8, 2) {
        Ok(shape) => shape,
        Err(_) => panic!("no such shape"),
    };
    let attached = ring.clone();
    let learner = loom::thread::spawn(move || {
        let expected = Attach {
            kind: Kind::Index,
            element: Some((8, 8)),
        };
        match published::<WithEdges<E>, Modelled>(attached.header(), expected) {
            Ok(shape) => assert_eq!(shape, SHAPE),
            Err(error) => assert_eq!(error, AttachError::Uninitialised),
        }
    });
    ring.publish(&SHAPE);
    learner.join().unwrap();
}

#[test]
fn attaching() {
    explore(Index::<AcquireRelease>::new, attaches);
}

#[test]
fn every_weakened_edge_of_the_geometry_is_caught() {
    must_fail(Index::<lab::RelaxedState>::new, attaches, "state");
    must_fail(Index::<lab::RelaxedLearn>::new, attaches, "learn");
}

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
