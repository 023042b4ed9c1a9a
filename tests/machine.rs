//! Every ring against a queue that is known to be right, under any sequence of calls. The model is exact: it knows when a ring is full and how
//! long each span is.
#![allow(missing_docs)]

mod common;
#[path = "common/model.rs"]
mod model;

use common::Message;
use gimmal::{AlreadySplit, LineRing, Mpsc, PushError, ReserveError, Ring};
use model::Model;
use proptest::prelude::*;

/// A call, with how many elements it is about.
#[derive(Debug, Clone, Copy)]
enum Call {
    Push,
    Offer,
    PushSlice(usize),
    Fill(usize, usize),
    CopyFrom(usize),
    Pop,
    Peek,
    PopSlice(usize),
    Read(usize, usize),
    Drain(usize),
    /// Gives an end up and claims it anew.
    Reclaim(bool),
    CloseByProducer,
    CloseByConsumer,
}

fn call() -> impl Strategy<Value = Call> {
    let count = || prop_oneof![8 => 0..12_usize, 1 => 0..5000_usize];
    prop_oneof![
        8 => Just(Call::Push),
        4 => Just(Call::Offer),
        4 => count().prop_map(Call::PushSlice),
        3 => (count(), count()).prop_map(|(reserve, fill)| Call::Fill(reserve, fill)),
        2 => count().prop_map(Call::CopyFrom),
        8 => Just(Call::Pop),
        2 => Just(Call::Peek),
        4 => count().prop_map(Call::PopSlice),
        3 => (count(), count()).prop_map(|(read, release)| Call::Read(read, release)),
        1 => count().prop_map(Call::Drain),
        2 => any::<bool>().prop_map(Call::Reclaim),
    ]
}

/// Closing comes late, if at all: after it nothing gets in.
fn calls() -> impl Strategy<Value = Vec<Call>> {
    let close = prop_oneof![Just(Call::CloseByProducer), Just(Call::CloseByConsumer)];
    let before = proptest::collection::vec(call(), 1..120);
    let after = proptest::collection::vec(call(), 0..20);
    (before, proptest::option::of((close, after))).prop_map(|(mut calls, closed)| {
        if let Some((close, after)) = closed {
            calls.push(close);
            calls.extend(after);
        }
        calls
    })
}

/// Where a ring starts: at zero, and just below the wrap of its index or of its cells' numbers.
fn start() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), (0..140_usize).prop_map(|below| usize::MAX - below)]
}

/// Runs the calls on a ring of one producer, with `$cells` cells of `$per_cell` elements.
macro_rules! against_the_model {
    ($ring:ty, $words:literal, $by_line:literal, $per_cell:expr, $cells:expr, $start:expr, $calls:expr) => {{
        let mut place = Box::new_uninit();
        let ring = <$ring>::init(&mut place);
        ring.start_at($start);
        let ring = &*ring;
        let mut model = Model::new($per_cell, $cells);
        let (mut tx, mut rx) = ring.split().unwrap();
        prop_assert_eq!(tx.capacity(), model.capacity());
        let next = |model: &Model, count: usize| -> Vec<Message<$words>> {
            (0..count as u64)
                .map(|at| Message::new(model.pushed + at))
                .collect()
        };
        for call in $calls {
            let room = model.room();
            match call {
                Call::Push => match tx.push(Message::new(model.pushed)) {
                    Ok(()) => {
                        prop_assert!(room > 0, "pushed into a full ring");
                        model.push(1);
                    }
                    Err(error) => {
                        prop_assert_eq!(room, 0);
                        let closed = matches!(error, PushError::Closed(_));
                        prop_assert_eq!(closed, model.closed);
                        error.into_inner().check(model.pushed);
                    }
                },
                Call::Offer => {
                    let pushed = tx.offer(Message::new(model.pushed));
                    prop_assert_eq!(pushed, room > 0);
                    if pushed {
                        model.push(1);
                    } else {
                        model.dropped += 1;
                    }
                }
                Call::PushSlice(count) => {
                    let pushed = tx.push_slice(&next(&model, count));
                    prop_assert_eq!(pushed, count.min(room));
                    model.push(pushed);
                }
                Call::Fill(reserve, _) | Call::CopyFrom(reserve) => match tx.reserve(reserve) {
                    Ok(grant) => {
                        let most = model.span(model.pushed, $by_line);
                        prop_assert!(grant.len() == reserve.min(room).min(most));
                        prop_assert!(reserve == 0 || grant.len() > 0);
                        let len = grant.len();
                        let done = match call {
                            Call::Fill(_, fill) => grant.fill(next(&model, fill)),
                            _ => grant.copy_from(&next(&model, reserve)),
                        };
                        let want = if let Call::Fill(_, fill) = call {
                            fill
                        } else {
                            reserve
                        };
                        prop_assert_eq!(done, len.min(want));
                        model.push(done);
                    }
                    Err(ReserveError::TooLarge { asked, capacity }) => {
                        prop_assert_eq!((asked, capacity), (reserve, model.capacity()));
                        prop_assert!(reserve > model.capacity() && !model.closed);
                    }
                    Err(ReserveError::Closed) => prop_assert!(model.closed),
                    Err(ReserveError::Full) => prop_assert!(room == 0 && !model.closed),
                },
                Call::Pop => match (rx.pop(), model.pop()) {
                    (Some(message), Some(sequence)) => message.check(sequence),
                    (None, None) => {}
                    other => prop_assert!(false, "{other:?}"),
                },
                Call::Peek => match (rx.peek(), model.queue.front()) {
                    (Some(message), Some(&sequence)) => message.check(sequence),
                    (None, None) => {}
                    other => prop_assert!(false, "{other:?}"),
                },
                Call::PopSlice(count) => {
                    let mut into = vec![Message::new(u64::MAX); count];
                    let popped = rx.pop_slice(&mut into);
                    prop_assert_eq!(popped, count.min(model.queue.len()));
                    for message in &into[..popped] {
                        message.check(model.pop().unwrap());
                    }
                    for untouched in &into[popped..] {
                        untouched.check(u64::MAX);
                    }
                }
                Call::Read(read, release) => {
                    let most = model.span(model.taken, $by_line);
                    let len = read.min(model.queue.len()).min(most);
                    match rx.read(read) {
                        Some(spans) => {
                            prop_assert_eq!(spans.len(), len);
                            let (first, second) = spans.slices();
                            for (message, &sequence) in first.iter().chain(second).zip(&model.queue)
                            {
                                message.check(sequence);
                            }
                            let release = release.min(len);
                            spans.release(release);
                            for _ in 0..release {
                                model.pop();
                            }
                        }
                        None => prop_assert_eq!(len, 0),
                    }
                }
                Call::Drain(take) => {
                    for message in rx.drain().take(take) {
                        message.check(model.pop().unwrap());
                    }
                }
                Call::Reclaim(true) => {
                    drop(tx);
                    prop_assert!(!rx.has_producer());
                    tx = ring.view().producer().unwrap();
                    let second = ring.view().producer();
                    prop_assert!(matches!(second, Err(AlreadySplit)));
                }
                Call::Reclaim(false) => {
                    drop(rx);
                    prop_assert!(!tx.has_consumer());
                    rx = ring.view().consumer().unwrap();
                    let second = ring.view().consumer();
                    prop_assert!(matches!(second, Err(AlreadySplit)));
                }
                Call::CloseByProducer => {
                    tx.close();
                    model.closed = true;
                }
                Call::CloseByConsumer => {
                    rx.close();
                    model.closed = true;
                }
            }
            prop_assert_eq!(tx.len(), model.queue.len());
            prop_assert_eq!(rx.len(), model.queue.len());
            prop_assert_eq!(rx.is_empty(), model.queue.is_empty());
            prop_assert_eq!(tx.is_full(), model.free() == 0);
            prop_assert_eq!(tx.dropped(), model.dropped);
            prop_assert_eq!(rx.is_closed(), model.closed);
        }
        while let Some(message) = rx.pop() {
            message.check(model.pop().unwrap());
        }
        prop_assert!(model.queue.is_empty(), "lost {:?}", model.queue);
    }};
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_ring_by_index_is_the_model(start in start(), calls in calls()) {
        against_the_model!(Ring::<Message<1>, 1>, 1, false, 1, 1, start, calls.clone());
        against_the_model!(Ring::<Message<1>, 2>, 1, false, 1, 2, start, calls.clone());
        against_the_model!(Ring::<Message<6>, 64>, 6, false, 1, 64, start, calls.clone());
        against_the_model!(Ring::<Message<3>, 4096>, 3, false, 1, 4096, start, calls.clone());
    }

    #[test]
    fn a_ring_by_line_is_the_model(start in start(), calls in calls()) {
        against_the_model!(LineRing::<Message<1>, 1>, 1, true, 7, 1, start, calls.clone());
        against_the_model!(LineRing::<Message<1>, 2>, 1, true, 7, 2, start, calls.clone());
        against_the_model!(LineRing::<Message<6>, 64>, 6, true, 1, 64, start, calls.clone());
        against_the_model!(LineRing::<Message<3>, 2048>, 3, true, 2, 2048, start, calls.clone());
        against_the_model!(LineRing::<Message<20>, 2>, 20, true, 1, 2, start, calls.clone());
    }
}

/// A call on a ring of many producers; a producer is named by its number.
#[derive(Debug, Clone, Copy)]
enum ManyCall {
    Push(usize),
    Offer(usize),
    Another,
    Gone,
    Pop,
    Peek,
    Drain,
    Close(usize),
}

fn many_calls() -> impl Strategy<Value = Vec<ManyCall>> {
    let call = prop_oneof![
        60 => any::<usize>().prop_map(ManyCall::Push),
        20 => any::<usize>().prop_map(ManyCall::Offer),
        6 => Just(ManyCall::Another),
        4 => Just(ManyCall::Gone),
        70 => Just(ManyCall::Pop),
        10 => Just(ManyCall::Peek),
        4 => Just(ManyCall::Drain),
        1 => any::<usize>().prop_map(ManyCall::Close),
    ];
    proptest::collection::vec(call, 1..200)
}

macro_rules! many_against_the_model {
    ($ring:ty, $words:literal, $cells:expr, $start:expr, $calls:expr) => {{
        let mut place = Box::new_uninit();
        let ring = <$ring>::init(&mut place);
        ring.start_at($start);
        let mut model = Model::new(1, $cells);
        let (tx, mut rx) = ring.split().unwrap();
        prop_assert_eq!(tx.capacity(), model.capacity());
        let mut producers = vec![tx];
        for call in $calls {
            let room = model.room();
            match call {
                ManyCall::Push(by) => {
                    let by = by % producers.len();
                    match producers[by].push(Message::<$words>::new(model.pushed)) {
                        Ok(()) => {
                            prop_assert!(room > 0, "pushed into a full ring");
                            model.push(1);
                        }
                        Err(error) => {
                            prop_assert_eq!(room, 0);
                            let closed = matches!(error, PushError::Closed(_));
                            prop_assert_eq!(closed, model.closed);
                            error.into_inner().check(model.pushed);
                        }
                    }
                }
                ManyCall::Offer(by) => {
                    let by = by % producers.len();
                    let pushed = producers[by].offer(Message::new(model.pushed));
                    prop_assert_eq!(pushed, room > 0);
                    if pushed {
                        model.push(1);
                    } else {
                        model.dropped += 1;
                    }
                }
                ManyCall::Another => producers.push(producers[0].clone()),
                ManyCall::Gone => {
                    if producers.len() > 1 {
                        producers.swap_remove(0);
                    }
                }
                ManyCall::Pop => match (rx.pop(), model.pop()) {
                    (Some(message), Some(sequence)) => message.check(sequence),
                    (None, None) => {}
                    other => prop_assert!(false, "{other:?}"),
                },
                ManyCall::Peek => match (rx.peek(), model.queue.front()) {
                    (Some(message), Some(&sequence)) => message.check(sequence),
                    (None, None) => {}
                    other => prop_assert!(false, "{other:?}"),
                },
                ManyCall::Drain => {
                    for message in rx.drain() {
                        message.check(model.pop().unwrap());
                    }
                    prop_assert!(model.queue.is_empty());
                }
                ManyCall::Close(by) => {
                    let by = by % producers.len();
                    producers[by].close();
                    model.closed = true;
                }
            }
            prop_assert_eq!(producers[0].is_full(), model.free() == 0);
            prop_assert_eq!(producers[0].len(), model.queue.len());
            prop_assert_eq!(rx.len(), model.queue.len());
            prop_assert_eq!(rx.is_empty(), model.queue.is_empty());
            prop_assert_eq!(rx.dropped(), model.dropped);
            prop_assert_eq!(rx.is_closed(), model.closed);
            prop_assert!(
                rx.stalled().is_none(),
                "nobody is between claim and publication"
            );
        }
        while let Some(message) = rx.pop() {
            message.check(model.pop().unwrap());
        }
        prop_assert!(model.queue.is_empty(), "lost {:?}", model.queue);
    }};
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_ring_of_many_producers_is_the_model(start in start(), calls in many_calls()) {
        let start = start & (usize::MAX >> 1);
        many_against_the_model!(Mpsc::<Message<1>, 1>, 1, 1, start, calls.clone());
        many_against_the_model!(Mpsc::<Message<1>, 2>, 1, 2, start, calls.clone());
        many_against_the_model!(Mpsc::<Message<6>, 64>, 6, 64, start, calls.clone());
        many_against_the_model!(Mpsc::<Message<20>, 4096>, 20, 4096, start, calls.clone());
    }
}
