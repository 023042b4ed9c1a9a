//! What both rings promise, on one thread: order, bounds, counts, leftovers, at several capacities and across the wrap.
#![allow(missing_docs)]

mod common;

use common::{DropLog, Message};
use gimmal::{cells, AlreadySplit, LineRing, PushError, ReserveError, Ring};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Starts at zero and just below the wrap: the index by index, the cell number (8 bits narrower) by line.
const STARTS: [usize; 4] = [0, 1, usize::MAX - 70, usize::MAX];

/// Pushes until refused and pops until empty, in turns, comparing with a queue that is known to be right.
macro_rules! against_model {
    ($ring:expr, $message:ty, $capacity:expr) => {
        for start in STARTS {
            let mut ring = Box::new($ring);
            ring.start_at(start);
            assert!(ring.view().capacity() >= $capacity);
            let (mut tx, mut rx) = ring.split().unwrap();
            let mut model = std::collections::VecDeque::new();
            let mut next = 0;
            // Shifts the phase between the ends, so that every slot of a cell is the last one once.
            for turn in 0..40 {
                let push = [1, 3, usize::MAX, 2, 7][turn % 5];
                let pop = [1, 2, 5, usize::MAX][turn % 4];
                for _ in 0..push {
                    let full = tx.is_full();
                    match tx.push(<$message>::new(next)) {
                        Ok(()) => model.push_back(next),
                        Err(error) => {
                            assert!(matches!(error, PushError::Full(_)));
                            error.into_inner().check(next);
                            assert!(full, "refused, though not full");
                            assert!(model.len() >= $capacity, "refused below capacity");
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
                    assert_eq!(rx.peek().is_some(), !model.is_empty());
                    match (rx.pop(), model.pop_front()) {
                        (Some(message), Some(sequence)) => message.check(sequence),
                        (None, None) => break,
                        (message, model) => panic!("popped {message:?}, expected {model:?}"),
                    }
                    assert_eq!(tx.is_empty(), model.is_empty());
                }
            }
        }
    };
}

#[test]
fn by_index_is_a_queue() {
    against_model!(Ring::<Message<1>, 1>::new(), Message<1>, 1);
    against_model!(Ring::<Message<1>, 2>::new(), Message<1>, 2);
    against_model!(Ring::<Message<6>, 64>::new(), Message<6>, 64);
    against_model!(Ring::<Message<3>, 4096>::new(), Message<3>, 4096);
}

#[test]
fn by_line_is_a_queue() {
    against_model!(LineRing::<Message<1>, 1>::new(), Message<1>, 1);
    against_model!(LineRing::<Message<1>, 2>::new(), Message<1>, 8);
    against_model!(
        LineRing::<Message<6>, { cells::<Message<6>>(64) }>::new(),
        Message<6>,
        64
    );
    against_model!(
        LineRing::<Message<3>, { cells::<Message<3>>(4096) }>::new(),
        Message<3>,
        4096
    );
    against_model!(LineRing::<Message<8>, 4>::new(), Message<8>, 4);
    against_model!(LineRing::<Message<20>, 2>::new(), Message<20>, 2);
}

#[cfg(feature = "lab")]
#[test]
fn the_variants_of_the_study_are_queues() {
    use gimmal::layout::Gap;
    use gimmal::policy::lab::{LookAhead, NoClose, OneWay, Uncached, WithEdges, WithPadding};
    use gimmal::raw::lab::{Fences, SeqCst};
    macro_rules! both_with {
        ($($policy:ty),*) => {$(
            against_model!(Ring::<Message<1>, 4, $policy>::new(), Message<1>, 4);
            against_model!(LineRing::<Message<2>, 4, $policy>::new(), Message<2>, 10);
        )*};
    }
    both_with!(NoClose, WithEdges<SeqCst>, WithEdges<Fences>);
    both_with!(
        WithPadding<Gap<0>>,
        WithPadding<Gap<16>>,
        WithPadding<Gap<256>>
    );
    both_with!(Uncached, LookAhead<0>, LookAhead<4>, OneWay<0>, OneWay<4>);
}

#[test]
fn rings_for_one_core_are_queues() {
    use gimmal::policy::{Bare, SingleCore};
    // SAFETY: both ends are on this thread.
    unsafe {
        against_model!(
            Ring::<Message<1>, 4, SingleCore>::with_policy(),
            Message<1>,
            4
        );
        against_model!(
            LineRing::<Message<2>, 4, SingleCore>::with_policy(),
            Message<2>,
            10
        );
        against_model!(Ring::<Message<1>, 4, Bare>::with_policy(), Message<1>, 4);
        against_model!(
            LineRing::<Message<2>, 4, Bare>::with_policy(),
            Message<2>,
            10
        );
    }
}

/// The same tests for both kinds; `$ring` makes a ring of at least so many elements.
macro_rules! both {
    ($($name:ident($ring:ident) $body:block)*) => {
        mod by_index {
            use super::*;
            macro_rules! ring {
                ($element:ty, $capacity:expr) => { Ring::<$element, $capacity>::new() };
            }
            $(#[test] fn $name() { macro_rules! $ring { ($e:ty, $c:expr) => { ring!($e, $c) }; } $body })*
        }
        mod by_line {
            use super::*;
            macro_rules! ring {
                ($element:ty, $capacity:expr) => { LineRing::<$element, { cells::<$element>($capacity) }>::new() };
            }
            $(#[test] fn $name() { macro_rules! $ring { ($e:ty, $c:expr) => { ring!($e, $c) }; } $body })*
        }
    };
}

both! {
    a_second_split_is_refused_until_the_handles_are_dropped(make) {
        let ring = make!(u32, 8);
        let (mut tx, rx) = ring.split().unwrap();
        assert_eq!(ring.split().err(), Some(AlreadySplit));
        assert_eq!(ring.view().producer().err(), Some(AlreadySplit));
        tx.push(1).unwrap();
        drop(tx);
        assert_eq!(ring.split().err(), Some(AlreadySplit));
        let mut tx = ring.view().producer().unwrap();
        tx.push(2).unwrap();
        drop((tx, rx));
        let (_tx, mut rx) = ring.split().unwrap();
        assert_eq!((rx.pop(), rx.pop(), rx.pop()), (Some(1), Some(2), None));
    }

    handles_may_be_renewed_at_any_position(make) {
        let ring = make!(u64, 16);
        let mut expected = 0;
        for sequence in 0..100 {
            let (mut tx, mut rx) = ring.split().unwrap();
            tx.push(sequence).unwrap();
            if sequence % 3 != 0 {
                assert_eq!(rx.pop(), Some(expected));
                expected += 1;
            }
            if rx.len() > 8 {
                for value in rx.drain() {
                    assert_eq!(value, expected);
                    expected += 1;
                }
            }
        }
        assert_eq!(ring.view().len() as u64, 100 - expected);
    }

    offer_counts_what_it_drops(make) {
        let ring = make!(u32, 4);
        let (mut tx, mut rx) = ring.split().unwrap();
        let taken = (0..100).filter(|&value| tx.offer(value)).count();
        assert!(taken >= 4);
        assert_eq!(tx.dropped(), 100 - taken);
        assert_eq!(rx.dropped(), 100 - taken);
        assert_eq!(ring.view().dropped(), 100 - taken);
        assert!(rx.drain().eq(0..taken as u32));
        assert!(tx.push(7).is_ok());
        assert_eq!(tx.dropped(), 100 - taken, "a push counts nothing");
    }

    closing_refuses_pushes_and_delivers_the_rest(make) {
        let ring = make!(u32, 4);
        let (mut tx, mut rx) = ring.split().unwrap();
        tx.push(1).unwrap();
        assert!(!rx.is_closed());
        tx.close();
        assert!(rx.is_closed() && tx.is_closed() && ring.view().is_closed());
        assert_eq!(tx.push(2), Err(PushError::Closed(2)));
        assert!(!tx.offer(3));
        assert_eq!(tx.dropped(), 1);
        assert_eq!(tx.push_slice(&[4, 5]), 0);
        assert_eq!(tx.reserve(1).err(), Some(ReserveError::Closed));
        assert_eq!((rx.pop(), rx.pop()), (Some(1), None));
    }

    each_end_sees_whether_the_other_is_there(make) {
        let ring = make!(u32, 4);
        let (mut tx, mut rx) = ring.split().unwrap();
        assert!(tx.has_consumer() && rx.has_producer());
        tx.push(1).unwrap();
        drop(tx);
        assert!(!rx.has_producer());
        assert_eq!((rx.pop(), rx.pop()), (Some(1), None));
        drop(rx);
        let tx = ring.view().producer().unwrap();
        assert!(!tx.has_consumer());
    }

    a_drain_ends_though_the_producer_does_not(make) {
        let ring = make!(u32, 4);
        let (tx, mut rx) = ring.split().unwrap();
        let tx = std::cell::RefCell::new(tx);
        let fill = || while tx.borrow_mut().push(7).is_ok() {};
        fill();
        let most = rx.len();
        let taken = rx.drain().inspect(|_| fill()).take(1000).count();
        assert!(taken >= most && taken < 1000, "{taken} taken of a ring of {most}");
    }

    a_consumer_may_close_too(make) {
        let ring = make!(u32, 4);
        let (mut tx, mut rx) = ring.split().unwrap();
        rx.close();
        assert!(matches!(tx.push(2), Err(PushError::Closed(2))));
    }

    leftovers_are_dropped_once(make) {
        let log = DropLog::default();
        for taken in 0..20 {
            let ring = make!(common::Dropped, 32);
            let (mut tx, mut rx) = ring.split().unwrap();
            for id in 0..20 {
                tx.push(log.value(id)).unwrap();
            }
            for _ in 0..taken {
                drop(rx.pop());
            }
            assert_eq!(log.take(), (0..taken).collect::<Vec<_>>());
            drop((tx, rx));
            drop(ring);
            assert_eq!(log.take(), (taken..20).collect::<Vec<_>>());
        }
    }

    leftovers_survive_a_move(make) {
        let log = DropLog::default();
        let ring = make!(common::Dropped, 32);
        let (mut tx, rx) = ring.split().unwrap();
        for id in 0..20 {
            tx.push(log.value(id)).unwrap();
        }
        drop((tx, rx));
        let moved = Box::new(ring);
        let (tx, mut rx) = moved.split().unwrap();
        assert!(rx.drain().map(|value| value.id).eq(0..20));
        assert_eq!(log.take(), (0..20).collect::<Vec<_>>());
        drop((tx, rx));
        drop(moved);
        assert_eq!(log.take(), []);
    }

    leftovers_that_panic_lose_no_other(make) {
        let log = DropLog::default();
        let ring = make!(common::Dropped, 8);
        let (mut tx, rx) = ring.split().unwrap();
        tx.push(log.value(0)).unwrap();
        tx.push(log.panicking(1)).unwrap();
        tx.push(log.value(2)).unwrap();
        drop((tx, rx));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(ring))).is_err());
        assert_eq!(log.take(), [0, 1, 2]);
    }

    a_constructor_that_panics_publishes_nothing(make) {
        let ring = make!(u32, 2);
        let (mut tx, mut rx) = ring.split().unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| tx.push_with(|| panic!("no value"))));
        assert!(result.is_err());
        assert_eq!(rx.pop(), None);
        tx.push_with(|| 5).unwrap();
        assert_eq!(rx.pop(), Some(5));
        while tx.push(0).is_ok() {}
        assert!(matches!(tx.push_with(|| unreachable!("the ring is full")), Err(PushError::Full(_))));
    }

    slices_go_in_and_come_out_in_order(make) {
        let mut ring = make!(u64, 64);
        ring.start_at(usize::MAX - 3);
        let (mut tx, mut rx) = ring.split().unwrap();
        let (mut pushed, mut popped) = (0u64, 0u64);
        let mut out = [0; 100];
        for batch in (0..300).map(|n| n * 7 % 50) {
            let values: Vec<u64> = (pushed..pushed + batch).collect();
            let room = tx.capacity() - tx.len();
            let count = tx.push_slice(&values);
            assert!(count >= room.min(values.len()), "a batch cut short");
            pushed += count as u64;
            let count = rx.pop_slice(&mut out[..batch as usize * 2 / 3]);
            assert!(out[..count].iter().copied().eq(popped..popped + count as u64));
            popped += count as u64;
        }
        while let Some(value) = rx.pop() {
            assert_eq!(value, popped);
            popped += 1;
        }
        assert_eq!(pushed, popped);
        assert!(pushed > 1000);
    }

    grants_publish_what_is_committed(make) {
        let ring = make!(u32, 64);
        let (mut tx, mut rx) = ring.split().unwrap();
        let capacity = tx.capacity();
        assert_eq!(
            tx.reserve(capacity + 1).err(),
            Some(ReserveError::TooLarge { asked: capacity + 1, capacity })
        );
        assert!(tx.reserve(3).is_ok());
        assert_eq!(rx.pop(), None);
        let mut next = 0;
        let mut expected = 0;
        for want in (1..200).map(|n| n % 13 + 1) {
            let Ok(grant) = tx.reserve(want) else {
                while let Some(spans) = rx.read(5) {
                    let (first, second) = spans.slices();
                    for &value in first.iter().chain(second) {
                        assert_eq!(value, expected);
                        expected += 1;
                    }
                    let all = spans.len();
                    spans.release(all);
                }
                continue;
            };
            assert!(grant.len() >= 1 && grant.len() <= want);
            let len = grant.len();
            let filled = match want % 3 {
                0 => grant.fill(next..),
                1 => grant.copy_from(&(next..next + len as u32).collect::<Vec<_>>()),
                _ => grant.fill(next..next + len as u32 / 2),
            };
            next += filled as u32;
        }
        assert!(rx.drain().eq(expected..next));
        assert!(next > 200);
    }

    a_grant_whose_source_panics_drops_what_was_written(make) {
        let log = DropLog::default();
        let ring = make!(common::Dropped, 64);
        let (mut tx, mut rx) = ring.split().unwrap();
        let grant = tx.reserve(3).unwrap();
        let made = grant.len().min(2);
        let source = (0..).map(|id| if id < made { log.value(id) } else { panic!("no more") });
        let full = made == grant.len();
        let result = catch_unwind(AssertUnwindSafe(|| grant.fill(source)));
        if full {
            assert_eq!(result.unwrap(), made);
        } else {
            assert!(result.is_err());
            assert_eq!(log.take(), (0..made).collect::<Vec<_>>());
            assert!(rx.pop().is_none());
        }
    }

    a_release_drops_what_it_releases_wherever_it_lies(make) {
        for (phase, count) in (0..5).flat_map(|phase| (0..5).map(move |count| (phase, count))) {
            let log = DropLog::default();
            let ring = make!(common::Dropped, 4);
            let (mut tx, mut rx) = ring.split().unwrap();
            for id in 0..phase {
                tx.push(log.value(id)).unwrap();
                drop(rx.pop());
            }
            log.take();
            for id in 0..4 {
                tx.push(log.value(id)).unwrap();
            }
            let spans = rx.read(4).unwrap();
            let count = count.min(spans.len());
            spans.release(count);
            assert_eq!(log.take(), (0..count).collect::<Vec<_>>());
            drop((tx, rx));
            drop(ring);
            assert_eq!(log.take(), (count..4).collect::<Vec<_>>());
        }
    }

    a_release_whose_drop_panics_advances_past_all_once(make) {
        let log = DropLog::default();
        let ring = make!(common::Dropped, 8);
        let (mut tx, mut rx) = ring.split().unwrap();
        tx.push(log.panicking(0)).unwrap();
        tx.push(log.value(1)).unwrap();
        tx.push(log.value(2)).unwrap();
        let spans = rx.read(2).unwrap();
        let count = spans.len();
        let result = catch_unwind(AssertUnwindSafe(|| spans.release(count)));
        assert!(result.is_err());
        assert_eq!(log.take(), (0..count).collect::<Vec<_>>());
        assert_eq!(rx.pop().unwrap().id, count);
    }

    peeking_takes_nothing(make) {
        let ring = make!(u32, 4);
        let (mut tx, mut rx) = ring.split().unwrap();
        assert_eq!(rx.peek(), None);
        tx.push(9).unwrap();
        assert_eq!(rx.peek(), Some(&9));
        assert_eq!(rx.peek(), Some(&9));
        assert!(rx.read(0).is_none());
        assert!(rx.read(3).is_some());
        assert_eq!(rx.pop(), Some(9));
        assert_eq!(rx.peek(), None);
    }

    visiting_takes_the_element_even_if_the_visitor_panics(make) {
        let log = DropLog::default();
        let ring = make!(common::Dropped, 4);
        let (mut tx, mut rx) = ring.split().unwrap();
        assert!(rx.pop_with(|_| unreachable!("the ring is empty")).is_none());
        for id in 0..3 {
            tx.push(log.value(id)).unwrap();
        }
        assert_eq!(rx.pop_with(|value| value.id), Some(0));
        assert_eq!(log.take(), [0]);
        let result = catch_unwind(AssertUnwindSafe(|| rx.pop_with(|_| panic!("visited"))));
        assert!(result.is_err());
        assert_eq!(log.take(), [1]);
        assert_eq!(rx.pop().unwrap().id, 2);
    }

    over_aligned_elements_lie_aligned(make) {
        #[derive(Clone, Copy)]
        #[repr(align(256))]
        struct Wide(u8);
        let ring = Box::new(make!(Wide, 4));
        let (mut tx, mut rx) = ring.split().unwrap();
        for value in 0..40 {
            tx.push(Wide(value)).unwrap();
            let wide = rx.peek().unwrap();
            assert_eq!(std::ptr::from_ref(wide).addr() % 256, 0);
            assert_eq!(wide.0, value);
            rx.pop().unwrap();
        }
    }

    fixed_geometry_is_the_same_ring(make) {
        let ring = make!(u64, 32);
        let mut tx = ring.fixed().producer().unwrap();
        let mut rx = ring.view().consumer().unwrap();
        for value in 0..500 {
            tx.push(value).unwrap();
            assert_eq!(rx.pop(), Some(value));
        }
    }
}

#[test]
fn a_view_attaches_only_to_its_own_kind_and_type() {
    use gimmal::raw::AttachError;
    let ring = Ring::<u64, 8>::new();
    let lines = LineRing::<u64, 8>::new();
    let len = std::mem::size_of_val(&ring);
    // SAFETY: the rings outlive the views, and hold plain integers.
    unsafe {
        let at = std::ptr::NonNull::from(&ring).cast();
        type View<'a, T> = gimmal::ring::View<'a, T>;
        assert_eq!(
            View::<u64>::attach(at, len).err(),
            Some(AttachError::Uninitialised)
        );
        assert_eq!(ring.view().publish(), at);
        let view = View::<u64>::attach(at, len).unwrap();
        assert_eq!(view.capacity(), 8);
        let (mut tx, _rx) = view.split().unwrap();
        tx.push(5).unwrap();
        assert_eq!(ring.view().len(), 1);
        assert_eq!(
            View::<u32>::attach(at, len).err(),
            Some(AttachError::Element {
                size: 8,
                log2_align: 3
            })
        );
        assert_eq!(
            View::<[u8; 8]>::attach(at, len).err(),
            Some(AttachError::Element {
                size: 8,
                log2_align: 3
            })
        );
        assert!(matches!(
            View::<u64>::attach(at, len - 1).err(),
            Some(AttachError::TooSmall { .. })
        ));
        assert_eq!(
            View::<u64>::attach(at.add(8), len - 8).err(),
            Some(AttachError::Misaligned)
        );
        lines.view().publish();
        let lines_at = std::ptr::NonNull::from(&lines).cast();
        assert_eq!(
            View::<u64>::attach(lines_at, std::mem::size_of_val(&lines)).err(),
            Some(AttachError::WrongKind(2))
        );
    }
}

#[cfg(feature = "heapless")]
mod chunks {
    use super::*;

    both! {
        chunks_go_in_whole_or_not_at_all(make) {
            let mut ring = make!(u32, 16);
            ring.start_at(usize::MAX - 2);
            let (mut tx, mut rx) = ring.split().unwrap();
            let (mut next, mut expected, mut refused) = (0u32, 0, 0);
            for turn in 0..500 {
                let len = turn % 11;
                let chunk: heapless::Vec<u32, 16> = (next..next + len).collect();
                let before = rx.len();
                match tx.push_chunk(chunk.clone()) {
                    Ok(()) => next += len,
                    Err(PushError::Full(back)) => {
                        assert_eq!(back, chunk);
                        assert_eq!(rx.len(), before);
                        assert!(before + len as usize > 16, "refused below capacity");
                        refused += 1;
                    }
                    Err(PushError::Closed(_)) => panic!("nobody closed the ring"),
                }
                if turn % 3 == 0 {
                    for value in rx.pop_chunk::<13>() {
                        assert_eq!(value, expected);
                        expected += 1;
                    }
                }
            }
            assert!(refused > 0 && next > 100);
            tx.close();
            let chunk: heapless::Vec<u32, 4> = [1, 2].into();
            assert_eq!(tx.push_chunk(chunk.clone()), Err(PushError::Closed(chunk)));
        }
    }
}
