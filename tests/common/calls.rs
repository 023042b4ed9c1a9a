//! Calls on a ring, made on the model too, whose answers must be the ring's.
#![allow(missing_docs)]

use crate::common::Message;
use crate::model::Model;
use gimmal::{AlreadySplit, LineRing, Mpsc, PushError, ReserveError, Ring};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// A call, with how many elements it is about.
#[derive(Debug, Clone, Copy)]
pub enum Call {
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
        for &call in $calls {
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

/// Rings by index of several capacities, with both ends at `start`.
pub fn by_index(start: usize, calls: &[Call]) -> TestCaseResult {
    against_the_model!(Ring::<Message<1>, 1>, 1, false, 1, 1, start, calls);
    against_the_model!(Ring::<Message<1>, 2>, 1, false, 1, 2, start, calls);
    against_the_model!(Ring::<Message<6>, 64>, 6, false, 1, 64, start, calls);
    against_the_model!(Ring::<Message<3>, 4096>, 3, false, 1, 4096, start, calls);
    Ok(())
}

/// Rings by line, likewise.
pub fn by_line(start: usize, calls: &[Call]) -> TestCaseResult {
    against_the_model!(LineRing::<Message<1>, 1>, 1, true, 7, 1, start, calls);
    against_the_model!(LineRing::<Message<1>, 2>, 1, true, 7, 2, start, calls);
    against_the_model!(LineRing::<Message<6>, 64>, 6, true, 1, 64, start, calls);
    against_the_model!(LineRing::<Message<3>, 2048>, 3, true, 2, 2048, start, calls);
    against_the_model!(LineRing::<Message<20>, 2>, 20, true, 1, 2, start, calls);
    Ok(())
}

/// A call on a ring of many producers; a producer is named by its number.
#[derive(Debug, Clone, Copy)]
pub enum ManyCall {
    Push(usize),
    Offer(usize),
    Another,
    Gone,
    Pop,
    Peek,
    Drain,
    Close(usize),
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
        for &call in $calls {
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

/// Rings of many producers, likewise.
pub fn of_many(start: usize, calls: &[ManyCall]) -> TestCaseResult {
    let start = start & (usize::MAX >> 1);
    many_against_the_model!(Mpsc::<Message<1>, 1>, 1, 1, start, calls);
    many_against_the_model!(Mpsc::<Message<1>, 2>, 1, 2, start, calls);
    many_against_the_model!(Mpsc::<Message<6>, 64>, 6, 64, start, calls);
    many_against_the_model!(Mpsc::<Message<20>, 4096>, 20, 4096, start, calls);
    Ok(())
}
