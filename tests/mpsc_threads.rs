//! A ring of many producers between threads: order, no loss, no tear, exact counts. ThreadSanitizer runs these.
#![allow(missing_docs)]

mod common;

use common::Message;
use gimmal::{Mpsc, PushError};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::scope;

const MESSAGES: u64 = if cfg!(miri) { 100 } else { 10_000 };

/// Just below the wrap of cell numbers.
const START: usize = usize::MAX / 2 - 100;

/// Spins, but lets other threads run where there are few cores.
fn wait(tries: &mut u32) {
    *tries += 1;
    if *tries % 16 == 0 {
        std::thread::yield_now();
    }
    spin_loop();
}

/// The producer in the upper half, the producer's own count in the lower.
fn sequence(producer: u64, count: u64) -> u64 {
    producer << 32 | count
}

/// Checks that each producer's messages come whole and in order; `gaps` where some may be missing.
struct Expected<const WORDS: usize> {
    next: Vec<u64>,
    taken: u64,
    gaps: bool,
}

impl<const WORDS: usize> Expected<WORDS> {
    fn new(producers: u64, gaps: bool) -> Self {
        Self {
            next: vec![0; producers as usize],
            taken: 0,
            gaps,
        }
    }

    fn check(&mut self, message: &Message<WORDS>) {
        let (producer, count) = (message.0[0] >> 32, message.0[0] & u64::from(u32::MAX));
        message.check(sequence(producer, count));
        let next = &mut self.next[producer as usize];
        assert!(count == *next || self.gaps && count > *next, "out of order");
        *next = count + 1;
        self.taken += 1;
    }
}

/// Every message is waited for until it goes in; the last producer closes.
fn singly<const WORDS: usize, const N: usize>(producers: u64) {
    let mut memory = Box::new_uninit();
    let ring = Mpsc::<Message<WORDS>, N>::init(&mut memory);
    ring.start_at(START);
    let (tx, mut rx) = ring.split().unwrap();
    let mut expected = Expected::<WORDS>::new(producers, false);
    scope(|scope| {
        let working: Vec<_> = (0..producers)
            .map(|producer| {
                let mut tx = tx.clone();
                scope.spawn(move || {
                    let mut tries = 0;
                    for count in 0..MESSAGES {
                        let mut message = Message::new(sequence(producer, count));
                        while let Err(refused) = tx.push(message) {
                            assert!(matches!(refused, PushError::Full(_)));
                            message = refused.into_inner();
                            wait(&mut tries);
                        }
                    }
                })
            })
            .collect();
        let mut tx = tx;
        scope.spawn(move || {
            for producer in working {
                producer.join().unwrap();
            }
            tx.close();
        });
        let mut tries = 0;
        loop {
            let closed = rx.is_closed();
            while let Some(message) = rx.pop() {
                expected.check(&message);
            }
            if closed {
                break;
            }
            wait(&mut tries);
        }
    });
    assert_eq!(expected.taken, producers * MESSAGES);
}

#[test]
fn every_producer_keeps_its_order() {
    singly::<1, 1>(2);
    singly::<6, 2>(3);
    singly::<3, 64>(2);
    singly::<3, 64>(4);
    singly::<32, 4096>(2);
}

/// Producers push until they learn of the close; what went in comes out.
fn closed_amid_pushes<const N: usize>(producers: u64, consumer_closes: bool) {
    let mut memory = Box::new_uninit();
    let ring = Mpsc::<Message<2>, N>::init(&mut memory);
    ring.start_at(START);
    let (tx, mut rx) = ring.split().unwrap();
    let mut expected = Expected::<2>::new(producers, false);
    // Relaxed: only says when to close.
    let enough = AtomicBool::new(false);
    let pushed: Vec<u64> = scope(|scope| {
        let working: Vec<_> = (0..producers)
            .map(|producer| {
                let mut tx = tx.clone();
                scope.spawn(move || {
                    let (mut count, mut tries) = (0, 0);
                    loop {
                        match tx.push(Message::new(sequence(producer, count))) {
                            Ok(()) => count += 1,
                            Err(PushError::Full(_)) => wait(&mut tries),
                            Err(PushError::Closed(_)) => return count,
                        }
                    }
                })
            })
            .collect();
        if !consumer_closes {
            let (mut tx, enough) = (tx, &enough);
            scope.spawn(move || {
                while !enough.load(Relaxed) {
                    std::thread::yield_now();
                }
                tx.close();
            });
        }
        let mut tries = 0;
        loop {
            let closed = rx.is_closed();
            for message in rx.drain() {
                expected.check(&message);
            }
            if expected.taken > MESSAGES / 4 && !enough.swap(true, Relaxed) && consumer_closes {
                rx.close();
            }
            if closed {
                break;
            }
            wait(&mut tries);
        }
        working
            .into_iter()
            .map(|producer| producer.join().unwrap())
            .collect()
    });
    assert_eq!(expected.next, pushed);
    assert_eq!((rx.pop(), rx.stalled()), (None, None));
}

#[test]
fn a_close_amid_pushes_loses_nothing() {
    for consumer_closes in [false, true] {
        for _ in 0..20 {
            closed_amid_pushes::<2>(2, consumer_closes);
            closed_amid_pushes::<64>(3, consumer_closes);
        }
    }
}

#[test]
fn every_message_offered_is_taken_or_counted() {
    let mut memory = Box::new_uninit();
    let ring = Mpsc::<Message<2>, 16>::init(&mut memory);
    ring.start_at(START);
    let (tx, mut rx) = ring.split().unwrap();
    let mut expected = Expected::<2>::new(3, true);
    let refused: u64 = scope(|scope| {
        let working = [0, 1, 2].map(|producer| {
            let mut tx = tx.clone();
            scope.spawn(move || {
                let offers =
                    (0..MESSAGES).map(|count| tx.offer(Message::new(sequence(producer, count))));
                offers.filter(|went_in| !went_in).count() as u64
            })
        });
        while !working.iter().all(|producer| producer.is_finished()) {
            for message in rx.drain() {
                expected.check(&message);
            }
            std::thread::yield_now();
        }
        working
            .map(|producer| producer.join().unwrap())
            .iter()
            .sum()
    });
    for message in rx.drain() {
        expected.check(&message);
    }
    assert_eq!(rx.dropped() as u64, refused);
    assert_eq!(expected.taken + refused, 3 * MESSAGES);
}
