//! Both ends of a pair of rings in one place, whatever the rings are: what a thread or a process does in a cell, by the same code for all.

use super::order::{Duty, Order, BATCH};
use crate::away::Away;
use crate::clock::{now, stamp};
use gimmal::raw::{self, Body};
use gimmal_shm::kinds::KindOf;
use std::ptr::NonNull;

/// A message.
pub type Message<const WORDS: usize> = [u64; WORDS];

/// A producer that waits for nothing.
pub trait Tx<const WORDS: usize>: Send {
    /// Tells whether there was room.
    fn push(&mut self, message: Message<WORDS>) -> bool;
}

/// A consumer that waits for nothing.
pub trait Rx<const WORDS: usize>: Send {
    /// The next message, if there is one.
    fn pop(&mut self) -> Option<Message<WORDS>>;
}

impl<const WORDS: usize, E> Tx<WORDS> for gimmal::producer::Producer<'_, Message<WORDS>, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
    Self: Send,
{
    #[inline(always)]
    fn push(&mut self, message: Message<WORDS>) -> bool {
        Self::push(self, message).is_ok()
    }
}

impl<const WORDS: usize, E> Rx<WORDS> for gimmal::consumer::Consumer<'_, Message<WORDS>, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
    Self: Send,
{
    #[inline(always)]
    fn pop(&mut self) -> Option<Message<WORDS>> {
        Self::pop(self)
    }
}

impl<const WORDS: usize, K: KindOf> Tx<WORDS> for gimmal_shm::Producer<Message<WORDS>, K> {
    #[inline(always)]
    fn push(&mut self, message: Message<WORDS>) -> bool {
        Self::push(self, message).is_ok()
    }
}

impl<const WORDS: usize, K: KindOf> Rx<WORDS> for gimmal_shm::Consumer<Message<WORDS>, K> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Message<WORDS>> {
        Self::pop(self).expect("nobody spoils or closes these segments")
    }
}

/// Where a part of a cell is done: here, or in another process.
pub trait Place: Send {
    /// Does it. What it measured is in ticks of the counter, or what [`ns_per_unit`](Self::ns_per_unit) says.
    fn run(&mut self, order: &Order) -> Vec<u64>;

    /// How the system kept whoever does it from running, so far.
    fn away(&self) -> Away {
        Away::so_far()
    }

    /// The unit of what `run` measures, if it is not the counter's.
    fn ns_per_unit(&self) -> Option<f64> {
        None
    }
}

/// One ring to push to and one to pop from.
pub struct Ends<T, R, const WORDS: usize> {
    tx: T,
    rx: R,
}

impl<T: Tx<WORDS>, R: Rx<WORDS>, const WORDS: usize> Ends<T, R, WORDS> {
    /// Of these.
    pub fn new(tx: T, rx: R) -> Self {
        Self { tx, rx }
    }

    #[inline(always)]
    fn send(&mut self, word: u64) {
        while !self.tx.push([word; WORDS]) {}
    }

    /// The first word of the next message, whose last must be the same.
    #[inline(always)]
    fn receive(&mut self) -> u64 {
        loop {
            if let Some(message) = self.rx.pop() {
                assert_eq!(message[0], message[WORDS - 1], "a message was torn");
                return message[0];
            }
        }
    }

    #[inline(always)]
    fn trip(&mut self, number: u64) {
        self.send(number);
        assert_eq!(self.receive(), number, "a message was lost");
    }

    /// Round trips, in batches and then one by one.
    #[inline(never)]
    fn lead(&mut self, order: &Order) -> Vec<u64> {
        let mut times = vec![1; order.batches + order.singles];
        let (batches, singles) = times.split_at_mut(order.batches);
        for number in 0..order.warming as u64 {
            self.trip(number);
        }
        let mut before = now();
        for time in batches {
            for number in 0..BATCH {
                self.trip(number);
            }
            let after = now();
            *time = after - before;
            before = after;
        }
        for time in singles {
            self.trip(before);
            let after = now();
            *time = after - before;
            before = after;
        }
        times
    }

    /// The other side of [`lead`](Self::lead).
    #[inline(never)]
    fn answer(&mut self, order: &Order) {
        for _ in 0..order.round_trips() {
            let word = self.receive();
            self.send(word);
        }
    }

    /// A message every period, once the other side is there. Each carries where its latency begins.
    #[inline(never)]
    fn pace(&mut self, order: &Order) {
        self.receive();
        let mut due = stamp() + order.pace.period;
        for _ in 0..order.warming + order.singles {
            let mut sent = stamp();
            while sent < due {
                sent = stamp();
            }
            let from = order.pace.counted_from(due, sent);
            self.send(from);
            due += order.pace.period;
        }
    }

    /// The other side of [`pace`](Self::pace): how long each took.
    #[inline(never)]
    fn take(&mut self, order: &Order) -> Vec<u64> {
        let mut times = vec![1; order.singles];
        self.send(0);
        for _ in 0..order.warming {
            self.receive();
        }
        for time in &mut times {
            let from = self.receive();
            // Wraps where the counters of the two cores are apart, which the reader of the times refuses.
            *time = stamp().wrapping_sub(from);
        }
        times
    }
}

impl<T: Tx<WORDS>, R: Rx<WORDS>, const WORDS: usize> Place for Ends<T, R, WORDS> {
    fn run(&mut self, order: &Order) -> Vec<u64> {
        match order.duty {
            Duty::Lead => self.lead(order),
            Duty::Take => self.take(order),
            Duty::Answer => {
                self.answer(order);
                Vec::new()
            }
            Duty::Pace => {
                self.pace(order);
                Vec::new()
            }
        }
    }
}
