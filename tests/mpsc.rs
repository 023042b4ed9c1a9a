//! What a ring of many producers promises, on one thread: order, bounds, counts, leftovers, stalled cells, across the wrap.
#![allow(missing_docs)]

mod common;

use common::{DropLog, Dropped, Message};
use gimmal::mpsc::{Producer, StalledCell, View};
use gimmal::policy::Shared;
use gimmal::raw::{self, AttachError, Consumer as _, Ends, Memory, SingleCells};
use gimmal::{AlreadySplit, LineRing, Mpsc, PushError, Ring};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::NonNull;

/// Where numbers wrap: half of the word's range.
const WRAP: usize = usize::MAX / 2 + 1;
const STARTS: [usize; 4] = [0, 1, WRAP - 70, WRAP - 1];

/// Pushes by several producers in turn until refused and pops until empty, in turns, comparing with a queue that is known to be right.
macro_rules! against_model {
    ($message:ty, $capacity:literal) => {
        for start in STARTS {
            let mut ring = Box::new(Mpsc::<$message, $capacity>::new());
            ring.start_at(start);
            assert_eq!(ring.view().capacity(), $capacity);
            let (tx, mut rx) = ring.split().unwrap();
            let mut producers = [tx.clone(), tx, ring.producer()];
            let mut model = std::collections::VecDeque::new();
            let mut next = 0;
            for turn in 0..40 {
                let push = [1, 3, usize::MAX, 2, 7][turn % 5];
                let pop = [1, 2, 5, usize::MAX][turn % 4];
                for at in 0..push {
                    let tx = &mut producers[at % 3];
                    let full = model.len() == $capacity;
                    assert_eq!(tx.is_full(), full);
                    assert_eq!(ring.view().is_full(), full);
                    match tx.push(<$message>::new(next)) {
                        Ok(()) => model.push_back(next),
                        Err(error) => {
                            assert!(matches!(error, PushError::Full(_)));
                            error.into_inner().check(next);
                            assert!(full, "refused, though not full");
                            break;
                        }
                    }
                    assert!(!full, "accepted, though full");
                    next += 1;
                    assert_eq!(tx.len(), model.len());
                    assert_eq!(rx.len(), model.len());
                }
                for _ in 0..pop {
                    assert_eq!(rx.is_empty(), model.is_empty());
                    assert_eq!(rx.stalled(), None);
                    assert_eq!(rx.peek().is_some(), !model.is_empty());
                    match (rx.pop(), model.pop_front()) {
                        (Some(message), Some(sequence)) => message.check(sequence),
                        (None, None) => break,
                        (message, model) => panic!("popped {message:?}, expected {model:?}"),
                    }
                    assert_eq!(producers[0].is_empty(), model.is_empty());
                }
            }
            assert!(next > $capacity);
        }
    };
}

#[test]
fn it_is_a_queue_of_exactly_its_capacity() {
    against_model!(Message<1>, 1);
    against_model!(Message<1>, 2);
    against_model!(Message<7>, 4);
    against_model!(Message<8>, 4);
    against_model!(Message<20>, 2);
    against_model!(Message<6>, 64);
    against_model!(Message<3>, 4096);
}

#[test]
fn constant_geometry_is_the_same_ring() {
    let ring = Mpsc::<u64, 32>::new();
    let mut tx = ring.fixed().producer();
    let mut other = ring.producer();
    let mut rx = ring.view().consumer().unwrap();
    for value in 0..100 {
        tx.push(2 * value).unwrap();
        other.push(2 * value + 1).unwrap();
        assert_eq!((rx.pop(), rx.pop()), (Some(2 * value), Some(2 * value + 1)));
    }
}

#[test]
fn there_is_one_consumer_and_any_number_of_producers() {
    static RING: Mpsc<u32, 8> = Mpsc::new();
    let (tx, mut rx) = RING.split().unwrap();
    assert_eq!(RING.split().err(), Some(AlreadySplit));
    assert_eq!(RING.view().consumer().err(), Some(AlreadySplit));
    let mut producers = [tx.clone(), RING.producer(), tx];
    for (value, tx) in producers.iter_mut().enumerate() {
        assert!(tx.has_consumer());
        tx.push(value as u32).unwrap();
    }
    assert!(rx.drain().eq(0..3));
    drop(rx);
    assert!(!producers[0].has_consumer());
    producers[1].push(7).unwrap();
    let mut rx = RING.view().consumer().unwrap();
    assert_eq!((rx.pop(), rx.pop()), (Some(7), None));
}

#[test]
fn what_is_refused_is_given_back_or_counted() {
    let ring = Mpsc::<u32, 2>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let mut other = tx.clone();
    assert!(tx.offer(1) && other.offer(2));
    assert!(!tx.offer(3) && !other.offer(4) && !other.offer(5));
    assert!(matches!(tx.push(6), Err(PushError::Full(6))));
    assert_eq!(
        (tx.dropped(), rx.dropped(), ring.view().dropped()),
        (3, 3, 3)
    );
    assert!(rx.drain().eq([1, 2]));
    other.close();
    assert!(!tx.offer(7));
    assert!(matches!(tx.push(8), Err(PushError::Closed(8))));
    assert_eq!(rx.dropped(), 4);
}

#[test]
fn a_close_refuses_every_producer_and_loses_nothing() {
    for start in STARTS {
        for left in 0..=4 {
            let mut ring = Mpsc::<u32, 4>::new();
            ring.start_at(start);
            let (mut tx, mut rx) = ring.split().unwrap();
            let mut other = tx.clone();
            for value in 0..left {
                other.push(value).unwrap();
            }
            assert!(!rx.is_closed() && !tx.is_closed() && !ring.view().is_closed());
            if left % 2 == 0 {
                rx.close();
            } else {
                tx.close();
            }
            tx.close();
            assert!(rx.is_closed() && tx.is_closed() && ring.view().is_closed());
            for tx in [&mut tx, &mut other, &mut ring.producer()] {
                assert!(matches!(tx.push(9), Err(PushError::Closed(9))));
            }
            assert_eq!(rx.len(), left as usize);
            assert!(rx.drain().eq(0..left));
            assert!(rx.is_empty() && rx.is_closed());
            assert_eq!(rx.stalled(), None);
        }
    }
}

/// A producer that the tests can stop between its claim and its commit.
fn raw_producer<const N: usize>(
    ring: &Mpsc<u64, N>,
) -> raw::mpsc::Producer<Memory<SingleCells<u64>, Shared>> {
    // SAFETY: the ring outlives its users here, and its geometry is this.
    raw::mpsc::Producer::enter(unsafe { Memory::new(ring.view().publish(), SingleCells::new(N)) })
}

#[test]
fn a_producer_that_stalls_delays_what_is_behind_it_and_no_more() {
    for start in STARTS {
        let mut ring = Mpsc::<u64, 4>::new();
        ring.start_at(start);
        let (mut tx, mut rx) = ring.split().unwrap();
        let mut slow = raw_producer(&ring);
        tx.push(0).unwrap();
        let claim = slow.claim_cell().unwrap();
        tx.push(2).unwrap();
        tx.push(3).unwrap();
        assert!(
            matches!(tx.push(4), Err(PushError::Full(4))),
            "a claim counts"
        );
        assert_eq!(rx.stalled(), None, "there is something to pop");
        assert_eq!(rx.pop(), Some(0));
        let stalled = StalledCell {
            number: (start + 1) % WRAP,
            index: (start + 1) % 4,
        };
        for _ in 0..3 {
            assert_eq!(rx.pop(), None);
            assert_eq!(rx.stalled(), Some(stalled));
        }
        assert_eq!(rx.len(), 3);
        tx.push(4).unwrap();
        tx.close();
        for view in [ring.view(), ring.view()] {
            assert!(!view.is_closed(), "a push is under way");
        }
        assert!(!rx.is_closed() && !tx.is_closed());
        assert!(matches!(tx.push(5), Err(PushError::Closed(5))));
        // SAFETY: the slot is claimed and is written here.
        unsafe {
            slow.slot(&claim).cast::<u64>().write(1);
            slow.publish_cell(claim);
        }
        assert!(rx.is_closed() && ring.view().is_closed());
        assert_eq!(rx.stalled(), None);
        assert!(rx.drain().eq(1..=4));
        assert!(rx.is_closed());
    }
}

#[test]
fn a_constructor_that_panics_stalls_nobody() {
    let ring = Mpsc::<u32, 2>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let result = catch_unwind(AssertUnwindSafe(|| tx.push_with(|| panic!("no value"))));
    assert!(result.is_err());
    assert_eq!((rx.pop(), rx.stalled(), rx.len()), (None, None, 0));
    // A constructor that pushes is no nesting of claims.
    let mut other = tx.clone();
    tx.push_with(|| {
        other.push(1).unwrap();
        2
    })
    .unwrap();
    assert!(matches!(tx.push_with(|| 3), Err(PushError::Full(3))));
    assert!(rx.drain().eq([1, 2]));
}

#[test]
fn leftovers_are_dropped_once() {
    let log = DropLog::default();
    for start in STARTS {
        for taken in 0..20 {
            let mut ring = Mpsc::<Dropped, 32>::new();
            ring.start_at(start);
            let (mut tx, mut rx) = ring.split().unwrap();
            let mut other = tx.clone();
            for id in 0..20 {
                [&mut tx, &mut other][id % 2].push(log.value(id)).unwrap();
            }
            for _ in 0..taken {
                drop(rx.pop());
            }
            assert_eq!(log.take(), (0..taken).collect::<Vec<_>>());
            drop((tx, other, rx));
            let moved = Box::new(ring);
            drop(moved);
            assert_eq!(log.take(), (taken..20).collect::<Vec<_>>());
        }
    }
}

#[test]
fn leftovers_that_panic_lose_no_other() {
    let log = DropLog::default();
    let ring = Mpsc::<Dropped, 8>::new();
    let mut tx = ring.producer();
    tx.push(log.value(0)).unwrap();
    tx.push(log.panicking(1)).unwrap();
    tx.push(log.value(2)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(ring))).is_err());
    assert_eq!(log.take(), [0, 1, 2]);
}

#[test]
fn values_that_cannot_be_copied_pass() {
    let ring = Mpsc::<Box<str>, 4>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    tx.push("moved".into()).unwrap();
    assert_eq!(rx.pop_with(|value| value.len()), Some(5));
    tx.push("taken".into()).unwrap();
    assert_eq!(rx.pop().as_deref(), Some("taken"));
}

#[test]
fn batches_of_the_consumer_take_cell_by_cell() {
    let ring = Mpsc::<u64, 8>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let mut out = [0; 5];
    assert_eq!(rx.pop_slice(&mut out), 0);
    (0..8).for_each(|value| tx.push(value).unwrap());
    assert_eq!((rx.pop_slice(&mut out), out), (5, [0, 1, 2, 3, 4]));
    let spans = rx.read(3).unwrap();
    assert_eq!(spans.slices(), (&[5][..], &[][..]));
    spans.release(1);
    assert_eq!((rx.pop_slice(&mut out), out), (2, [6, 7, 2, 3, 4]));
    assert!(rx.read(1).is_none() && rx.peek().is_none());
}

#[test]
fn over_aligned_elements_lie_aligned() {
    #[repr(align(256))]
    struct Wide(u8);
    let ring = Box::new(Mpsc::<Wide, 4>::new());
    let (mut tx, mut rx) = ring.split().unwrap();
    for value in 0..20 {
        tx.push(Wide(value)).unwrap();
        let wide = rx.peek().unwrap();
        assert_eq!(std::ptr::from_ref(wide).addr() % 256, 0);
        assert_eq!(rx.pop().unwrap().0, value);
    }
}

#[test]
fn rings_for_one_core_are_queues() {
    use gimmal::policy::{Bare, SingleCore};
    fn pass<const N: usize, P: gimmal::policy::Policy>(ring: &Mpsc<u32, N, P>) {
        let (mut tx, mut rx) = ring.split().unwrap();
        let mut other: Producer<'_, u32, P> = tx.clone();
        for value in 0..50 {
            tx.push(value).unwrap();
            other.push(value).unwrap();
            assert!(rx.drain().eq([value, value]));
        }
        rx.close();
        assert!(matches!(tx.push(1), Err(PushError::Closed(1))));
    }
    // SAFETY: all ends are on this thread.
    unsafe {
        pass(&Mpsc::<u32, 2, SingleCore>::with_policy());
        pass(&Mpsc::<u32, 4, Bare>::with_policy());
    }
}

#[test]
fn a_view_attaches_only_to_its_own_kind_and_type() {
    let ring = Mpsc::<u64, 8>::new();
    let len = std::mem::size_of_val(&ring);
    let at = NonNull::from(&ring).cast();
    // SAFETY: the rings outlive the views, and hold plain integers.
    unsafe {
        assert_eq!(
            View::<u64>::attach(at, len).err(),
            Some(AttachError::Uninitialised)
        );
        let mut tx = ring.producer();
        let view = View::<u64>::attach(at, len).unwrap();
        assert_eq!((view.capacity(), view.shape()), (8, &Mpsc::<u64, 8>::SHAPE));
        tx.push(5).unwrap();
        assert_eq!(view.consumer().unwrap().pop(), Some(5));
        assert_eq!(
            View::<u32>::attach(at, len).err(),
            Some(AttachError::Element {
                size: 8,
                log2_align: 3
            })
        );
        assert!(matches!(
            View::<u64>::attach(at, len - 1).err(),
            Some(AttachError::TooSmall { .. })
        ));
        let [one, two] = [
            gimmal::ring::View::<u64>::attach(at, len).err(),
            gimmal::line_ring::View::<u64>::attach(at, len).err(),
        ];
        assert_eq!([one, two], [Some(AttachError::WrongKind(3)); 2]);
        let (by_index, by_line) = (Ring::<u64, 8>::new(), LineRing::<u64, 8>::new());
        let kinds = [by_index.view().publish(), by_line.view().publish()]
            .map(|other| View::<u64>::attach(other, 1024).err());
        assert_eq!(
            kinds,
            [
                Some(AttachError::WrongKind(1)),
                Some(AttachError::WrongKind(2))
            ]
        );
    }
}

#[test]
fn an_element_fills_its_cell() {
    assert_eq!(Mpsc::<u64, 8>::SHAPE.stride(), 64);
    assert_eq!(Mpsc::<[u64; 7], 8>::SHAPE.stride(), 64);
    assert_eq!(Mpsc::<[u64; 8], 8>::SHAPE.stride(), 128);
    assert_eq!(
        Mpsc::<[u64; 8], 8>::SHAPE.size(),
        std::mem::size_of::<Mpsc<[u64; 8], 8>>()
    );
}

#[test]
fn a_raw_end_holds_what_it_claimed() {
    let ring = Mpsc::<u64, 2>::new();
    let mut tx = raw_producer(&ring);
    let mut rx = ring.view().consumer().unwrap();
    {
        use gimmal::raw::Producer;
        let slot = tx.claim().unwrap();
        assert_eq!(tx.claim(), Ok(slot));
        assert!(tx.has_room(1) && !tx.has_room(2) && !tx.has_room(3));
        // SAFETY: the slot was claimed just now.
        unsafe {
            slot.cast::<u64>().write(7);
            tx.publish();
        }
        assert!(tx.body().has_consumer());
    }
    assert_eq!(rx.pop(), Some(7));
    // SAFETY: the typed consumer is not used while this one stands.
    let mut again = unsafe {
        raw::mpsc::Consumer::enter(Memory::<SingleCells<u64>, Shared>::new(
            ring.view().publish(),
            SingleCells::new(2),
        ))
    };
    assert_eq!(again.front(), None);
}
