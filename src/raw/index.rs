//! By index: the producer publishes `tail`, the consumer publishes `head`.
//!
//! The single-producer, single-consumer ring of Lamport (1983), with free-running indices and each end's older copy of the
//! other's index (Lee, Bu and Chandranmenon, MCRingBuffer, 2010).

use super::edges::{receive, send};
use super::poll::in_order;
use super::{refuses, trusts, Body, Edges, IndexBody, Protocol, Refused, Run, Runs};
use crate::error::Corrupt;
use crate::policy::Policy;
use crate::sync::{Atomic, Ordering};

type EdgesOf<B> = <<B as Body>::Policy as Policy>::Edges;

/// The producer's end.
#[derive(Debug)]
pub struct Producer<B: IndexBody> {
    body: B,
    /// The next element's index; equals the control block's `tail`.
    tail: usize,
    /// The first index that has no slot as far as this end knows: an older value of `head`, plus the ring's length. Never
    /// behind `tail`.
    stop: usize,
}

impl<B: IndexBody> Producer<B> {
    /// Stands at the ring's producer end, as left by the last producer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other producer exists.
    #[inline]
    pub unsafe fn enter(body: B) -> Self {
        const { trusts::<B>() };
        Self::look_around(body)
    }

    #[inline(always)]
    fn look_around(body: B) -> Self {
        let mut producer = Self {
            tail: body.producer().tail.load(Ordering::Relaxed),
            stop: 0,
            body,
        };
        producer.stop = producer.load_stop();
        producer
    }

    /// Stands at the ring's producer end, wherever the last producer stopped.
    ///
    /// # Errors
    /// [`Corrupt`] if the two ends are further apart than the ring is long.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter).
    pub unsafe fn recover(body: B) -> Result<Self, Corrupt> {
        let producer = Self::look_around(body);
        if producer.is_possible(producer.stop) {
            Ok(producer)
        } else {
            Err(Corrupt)
        }
    }

    /// Goes on where [`suspend`](super::Producer::suspend) left off.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the last producer was suspended, or the ring is zeroed.
    #[inline(always)]
    pub unsafe fn resume(body: B) -> Self {
        const { trusts::<B>() };
        let head = body.producer().stop.load(Ordering::Relaxed);
        Self {
            tail: body.producer().tail.load(Ordering::Relaxed),
            stop: head.wrapping_add(body.mask() + 1),
            body,
        }
    }

    /// Where it stands: the index of the element that is pushed next.
    pub fn place(&self) -> usize {
        self.tail
    }

    #[inline(always)]
    fn load_stop(&self) -> usize {
        // Pairs with the HAND_BACK store in `Consumer::advance`: what the consumer read from a slot, it read before this
        // producer writes there.
        receive::<B::Atomics, EdgesOf<B>, _>(&self.body.consumer().head, EdgesOf::<B>::REUSE)
            .wrapping_add(self.body.mask() + 1)
    }

    /// Whether a consumer can be where it gives this producer room up to `stop`.
    #[inline(always)]
    fn is_possible(&self, stop: usize) -> bool {
        stop.wrapping_sub(self.tail) <= self.body.mask() + 1
    }

    /// Learns where room ends; false if there is none.
    #[inline(always)]
    fn look(&mut self) -> bool {
        // Polling a full ring stores nothing.
        let stop = self.load_stop();
        if self.tail == stop {
            return false;
        }
        if B::Policy::CHECKED && !self.is_possible(stop) {
            self.body.corrupt();
            return false;
        }
        self.stop = stop;
        true
    }

    #[inline(always)]
    fn advance(&mut self, count: usize) {
        self.tail = self.tail.wrapping_add(count);
        // Pairs with the OBSERVE load in `Consumer::load_tail`: the elements were written before they can be seen.
        send::<B::Atomics, EdgesOf<B>, _>(
            &self.body.producer().tail,
            self.tail,
            EdgesOf::<B>::PUBLISH,
        );
    }
}

// SAFETY: slots at `tail` and above, fewer than the ring's length above `head`, are the producer's alone: the consumer
// reads only below `tail`.
unsafe impl<B: IndexBody> super::Producer for Producer<B> {
    type Body = B;

    #[inline(always)]
    fn body(&self) -> &B {
        &self.body
    }

    #[inline(always)]
    fn claim_even_closed(&mut self) -> Option<B::Slot> {
        if (!B::Policy::CACHED || self.tail == self.stop) && !self.look() {
            return None;
        }
        self.body.won(self.tail);
        Some(self.body.slot(self.tail))
    }

    #[inline(always)]
    unsafe fn publish(&mut self) {
        self.advance(1);
    }

    #[inline(always)]
    fn claim_runs(&mut self, want: usize) -> Result<Runs<B::Slot>, Refused> {
        if B::Policy::CLOSE && refuses(&self.body) {
            return Err(Refused::Closed);
        }
        // An older copy of `head` must not make a batch shorter than it could be.
        if !B::Policy::CACHED || self.stop.wrapping_sub(self.tail) < want {
            let stop = self.load_stop();
            if !B::Policy::CHECKED || self.is_possible(stop) {
                self.stop = stop;
            } else {
                self.body.corrupt();
            }
        }
        self.body.won(self.tail);
        let len = self.stop.wrapping_sub(self.tail).min(want);
        if len == 0 && want > 0 {
            return Err(Refused::Full);
        }
        Ok(runs(&self.body, self.tail, len))
    }

    #[inline(always)]
    unsafe fn publish_runs(&mut self, count: usize) {
        self.advance(count);
    }

    #[inline(always)]
    fn whole_run(&self) -> usize {
        0
    }

    #[inline]
    fn has_room(&self, count: usize) -> bool {
        self.stop.wrapping_sub(self.tail) >= count
            || self.load_stop().wrapping_sub(self.tail) >= count
    }

    fn stored(&self) -> usize {
        // Relaxed: a count, from which nothing is read.
        let head = self.body.consumer().head.load(Ordering::Relaxed);
        self.tail.wrapping_sub(head).min(self.capacity())
    }

    #[inline(always)]
    fn capacity(&self) -> usize {
        self.body.mask() + 1
    }

    #[inline(always)]
    fn suspend(&self) {
        // Relaxed: only a producer reads it, and claiming orders producers.
        self.body
            .producer()
            .stop
            .store(self.stop.wrapping_sub(self.capacity()), Ordering::Relaxed);
    }
}

/// The consumer's end.
#[derive(Debug)]
pub struct Consumer<B: IndexBody> {
    body: B,
    /// The oldest element's index; equals the control block's `head`.
    head: usize,
    /// An older value of `tail`: never ahead of it, never behind `head`.
    tail: usize,
}

impl<B: IndexBody> Consumer<B> {
    /// Stands at the ring's consumer end, as left by the last consumer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other consumer exists.
    #[inline]
    pub unsafe fn enter(body: B) -> Self {
        const { trusts::<B>() };
        Self::look_around(body)
    }

    #[inline(always)]
    fn look_around(body: B) -> Self {
        let mut consumer = Self {
            head: body.consumer().head.load(Ordering::Relaxed),
            tail: 0,
            body,
        };
        consumer.tail = consumer.load_tail();
        consumer
    }

    /// Stands at the ring's consumer end, wherever the last consumer stopped.
    ///
    /// # Errors
    /// [`Corrupt`] if the two ends are further apart than the ring is long.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter).
    pub unsafe fn recover(body: B) -> Result<Self, Corrupt> {
        let consumer = Self::look_around(body);
        if consumer.is_possible(consumer.tail) {
            Ok(consumer)
        } else {
            Err(Corrupt)
        }
    }

    /// Goes on where [`suspend`](super::Consumer::suspend) left off.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the last consumer was suspended, or the ring is zeroed.
    #[inline(always)]
    pub unsafe fn resume(body: B) -> Self {
        const { trusts::<B>() };
        Self {
            head: body.consumer().head.load(Ordering::Relaxed),
            tail: body.consumer().seen.load(Ordering::Relaxed),
            body,
        }
    }

    /// Where it stands: the index of the element that is taken next.
    pub fn place(&self) -> usize {
        self.head
    }

    #[inline(always)]
    fn load_tail(&self) -> usize {
        // Pairs with the PUBLISH store in `Producer::advance`: seeing the index is seeing the elements below it.
        receive::<B::Atomics, EdgesOf<B>, _>(&self.body.producer().tail, EdgesOf::<B>::OBSERVE)
    }

    /// Whether a producer can be at `tail`.
    #[inline(always)]
    fn is_possible(&self, tail: usize) -> bool {
        tail.wrapping_sub(self.head) <= self.body.mask() + 1
    }

    /// Learns where the elements end; false if there is none.
    #[inline(always)]
    fn look(&mut self) -> bool {
        // Polling an empty ring stores nothing.
        let tail = self.load_tail();
        if self.head == tail {
            in_order::<B::Policy>();
            return false;
        }
        if B::Policy::CHECKED && !self.is_possible(tail) {
            self.body.corrupt();
            return false;
        }
        self.tail = tail;
        true
    }

    #[inline(always)]
    fn advance(&mut self, count: usize) {
        self.head = self.head.wrapping_add(count);
        // Pairs with the REUSE load in `Producer::load_stop`: the slots were read before they can be written.
        send::<B::Atomics, EdgesOf<B>, _>(
            &self.body.consumer().head,
            self.head,
            EdgesOf::<B>::HAND_BACK,
        );
    }
}

// SAFETY: slots from `head` to below `tail` hold elements and are the consumer's alone: the producer writes only at `tail` and
// above, and less than the ring's length above `head`.
unsafe impl<B: IndexBody> super::Consumer for Consumer<B> {
    type Body = B;

    #[inline(always)]
    fn body(&self) -> &B {
        &self.body
    }

    #[inline(always)]
    fn front(&mut self) -> Option<B::Slot> {
        if (!B::Policy::CACHED || self.head == self.tail) && !self.look() {
            return None;
        }
        Some(self.body.slot(self.head))
    }

    #[inline(always)]
    unsafe fn release(&mut self) {
        self.advance(1);
    }

    #[inline(always)]
    fn front_runs(&mut self, want: usize) -> Option<Runs<B::Slot>> {
        // An older copy of `tail` must not make a batch shorter than it could be.
        if !B::Policy::CACHED || self.tail.wrapping_sub(self.head) < want {
            let tail = self.load_tail();
            if !B::Policy::CHECKED || self.is_possible(tail) {
                self.tail = tail;
            } else {
                self.body.corrupt();
            }
        }
        let len = self.tail.wrapping_sub(self.head).min(want);
        if len == 0 && want > 0 {
            in_order::<B::Policy>();
            return None;
        }
        Some(runs(&self.body, self.head, len))
    }

    #[inline(always)]
    unsafe fn release_runs(&mut self, count: usize) {
        self.advance(count);
    }

    #[inline(always)]
    fn whole_run(&self) -> usize {
        0
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.head == self.tail && self.head == self.load_tail()
    }

    fn stored(&self) -> usize {
        // Relaxed: a count, from which nothing is read.
        let tail = self.body.producer().tail.load(Ordering::Relaxed);
        tail.wrapping_sub(self.head).min(self.capacity())
    }

    #[inline(always)]
    fn capacity(&self) -> usize {
        self.body.mask() + 1
    }

    #[inline(always)]
    fn suspend(&self) {
        // Relaxed: only a consumer reads it, and claiming orders consumers.
        self.body
            .consumer()
            .seen
            .store(self.tail, Ordering::Relaxed);
    }
}

#[inline(always)]
fn runs<B: IndexBody>(body: &B, index: usize, len: usize) -> Runs<B::Slot> {
    let to_end = body.mask() + 1 - (index & body.mask());
    let first = len.min(to_end);
    [
        Run {
            first: body.slot(index),
            len: first,
        },
        Run {
            first: body.slot(index.wrapping_add(first)),
            len: len - first,
        },
    ]
}

/// The protocol by index.
#[derive(Debug, Clone, Copy)]
pub enum ByIndex {}

impl<B: IndexBody> Protocol<B> for ByIndex {
    type Producer = Producer<B>;
    type Consumer = Consumer<B>;

    #[inline]
    unsafe fn producer(body: B) -> Producer<B> {
        // SAFETY: the caller's word is the same.
        unsafe { Producer::enter(body) }
    }

    #[inline]
    unsafe fn consumer(body: B) -> Consumer<B> {
        // SAFETY: the caller's word is the same.
        unsafe { Consumer::enter(body) }
    }

    unsafe fn recover_producer(body: B) -> Result<Producer<B>, Corrupt> {
        // SAFETY: the caller's word is the same.
        unsafe { Producer::recover(body) }
    }

    unsafe fn recover_consumer(body: B) -> Result<Consumer<B>, Corrupt> {
        // SAFETY: the caller's word is the same.
        unsafe { Consumer::recover(body) }
    }

    fn stored(body: &B) -> usize {
        // Relaxed, head first: the two may be of different moments, and the difference is clamped.
        let head = body.consumer().head.load(Ordering::Relaxed);
        let tail = body.producer().tail.load(Ordering::Relaxed);
        let len = tail.wrapping_sub(head);
        if len > usize::MAX / 2 {
            // A `tail` older than `head`.
            0
        } else {
            len.min(body.mask() + 1)
        }
    }

    fn is_full(body: &B) -> bool {
        Self::stored(body) > body.mask()
    }

    #[inline]
    fn capacity(body: &B) -> usize {
        body.mask() + 1
    }

    unsafe fn start_at(body: &B, index: usize) {
        // Relaxed: whoever claims an end is ordered after this by what hands the ring over.
        body.producer().tail.store(index, Ordering::Relaxed);
        body.producer().stop.store(index, Ordering::Relaxed);
        body.consumer().head.store(index, Ordering::Relaxed);
        body.consumer().seen.store(index, Ordering::Relaxed);
    }
}
