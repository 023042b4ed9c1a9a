//! Both rings between two threads: order, no loss, no tear, at several capacities and across the wrap. ThreadSanitizer runs these.
#![allow(missing_docs)]

mod common;

use common::Message;
use gimmal::{LineRing, Ring};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const MESSAGES: u64 = if cfg!(miri) { 500 } else { 100_000 };

/// Spins, but lets the other thread run where there is one core.
fn wait(tries: &mut u32) {
    *tries += 1;
    if *tries % 64 == 0 {
        std::thread::yield_now();
    }
    spin_loop();
}

/// One message at a time.
macro_rules! singly {
    ($ring:ty, $message:ty) => {{
        let mut memory = Box::new_uninit();
        let ring = <$ring>::init(&mut memory);
        ring.start_at(usize::MAX - 100);
        let (mut tx, mut rx) = ring.split().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut tries = 0;
                for sequence in 0..MESSAGES {
                    let mut message = <$message>::new(sequence);
                    while let Err(refused) = tx.push(message) {
                        message = refused.into_inner();
                        wait(&mut tries);
                    }
                }
                tx.close();
            });
            let mut next = 0;
            let mut tries = 0;
            loop {
                let closed = rx.is_closed();
                while let Some(message) = rx.pop() {
                    message.check(next);
                    next += 1;
                }
                if closed {
                    break;
                }
                wait(&mut tries);
            }
            assert_eq!(next, MESSAGES, "a close seen means everything is seen");
        });
    }};
}

/// Batches in by slices and grants, out by slices and spans, in sizes that do not divide each other.
macro_rules! in_batches {
    ($ring:ty) => {{
        let mut memory = Box::new_uninit();
        let ring = <$ring>::init(&mut memory);
        ring.start_at(usize::MAX - 100);
        let (mut tx, mut rx) = ring.split().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut tries = 0;
                let mut next = 0;
                while next < MESSAGES {
                    let left = (MESSAGES - next) as usize;
                    let done = if next % 2 == 0 {
                        let batch: Vec<_> =
                            (next..).take(left.min(13)).map(Message::<2>::new).collect();
                        tx.push_slice(&batch)
                    } else {
                        let want = left.min(5).min(tx.capacity());
                        tx.reserve(want)
                            .map_or(0, |grant| grant.fill((next..).map(Message::<2>::new)))
                    };
                    next += done as u64;
                    if done == 0 {
                        wait(&mut tries);
                    }
                }
            });
            let mut next = 0;
            let mut tries = 0;
            let mut batch = [Message::<2>::new(0); 11];
            while next < MESSAGES {
                let before = next;
                if next % 3 == 0 {
                    if let Some(spans) = rx.read(7) {
                        let (first, second) = spans.slices();
                        for message in first.iter().chain(second) {
                            message.check(next);
                            next += 1;
                        }
                        let len = spans.len();
                        spans.release(len);
                    }
                } else {
                    let len = rx.pop_slice(&mut batch);
                    for message in &batch[..len] {
                        message.check(next);
                        next += 1;
                    }
                }
                if next == before {
                    wait(&mut tries);
                }
            }
        });
    }};
}

#[test]
fn by_index_singly() {
    singly!(Ring<Message<1>, 1>, Message<1>);
    singly!(Ring<Message<6>, 2>, Message<6>);
    singly!(Ring<Message<3>, 64>, Message<3>);
    singly!(Ring<Message<32>, 4096>, Message<32>);
}

#[test]
fn by_line_singly() {
    singly!(LineRing<Message<1>, 1>, Message<1>);
    singly!(LineRing<Message<1>, 2>, Message<1>);
    singly!(LineRing<Message<6>, 2>, Message<6>);
    singly!(gimmal::line_ring!(Message<3>, 64), Message<3>);
    singly!(gimmal::line_ring!(Message<32>, 4096), Message<32>);
}

#[test]
fn by_index_in_batches() {
    in_batches!(Ring<Message<2>, 1>);
    in_batches!(Ring<Message<2>, 8>);
    in_batches!(Ring<Message<2>, 64>);
}

#[test]
fn by_line_in_batches() {
    in_batches!(LineRing<Message<2>, 1>);
    in_batches!(LineRing<Message<2>, 2>);
    in_batches!(LineRing<Message<2>, 64>);
}

#[test]
fn every_message_offered_is_taken_or_counted() {
    let ring: Box<gimmal::line_ring!(u64, 64)> = Box::default();
    let (mut tx, mut rx) = ring.split().unwrap();
    std::thread::scope(|scope| {
        let producer = scope.spawn(move || {
            let mut refused = 0;
            for sequence in 0..MESSAGES {
                refused += usize::from(!tx.offer(sequence));
            }
            tx.close();
            refused
        });
        let mut taken = 0;
        let mut last = None;
        loop {
            let closed = rx.is_closed();
            for sequence in rx.drain() {
                assert!(last < Some(sequence), "out of order");
                last = Some(sequence);
                taken += 1;
            }
            if closed {
                break;
            }
            std::thread::yield_now();
        }
        let refused = producer.join().unwrap();
        assert_eq!(rx.dropped(), refused);
        assert_eq!(taken + refused, MESSAGES as usize);
    });
}

#[test]
fn an_end_passed_between_threads_goes_on_where_it_was() {
    let ring: Box<gimmal::line_ring!(Message<1>, 64)> = Box::default();
    // Relaxed: says whose turn it is, and orders nothing; the claim of the end does.
    let turn = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (ring, turn) = (&ring, &turn);
            scope.spawn(move || {
                let mut tries = 0;
                for mine in (part..200).step_by(2) {
                    while turn.load(Relaxed) != mine {
                        wait(&mut tries);
                    }
                    let mut tx = loop {
                        match ring.view().producer() {
                            Ok(tx) => break tx,
                            Err(gimmal::AlreadySplit) => wait(&mut tries),
                        }
                    };
                    turn.store(mine + 1, Relaxed);
                    for sequence in mine * 3..mine * 3 + 3 {
                        while tx.push(Message::new(sequence)).is_err() {
                            wait(&mut tries);
                        }
                    }
                }
            });
        }
        let mut rx = ring.view().consumer().unwrap();
        let mut next = 0;
        let mut tries = 0;
        while next < 600 {
            match rx.pop() {
                Some(message) => {
                    message.check(next);
                    next += 1;
                }
                None => wait(&mut tries),
            }
        }
    });
}
