//! By line: the producer publishes a stamp beside the elements of a cell, the consumer hands the whole cell back by it.
//!
//! A stamp per cell and a lap in it is the sequence of Vyukov's bounded queue (2010); several elements under one stamp, so that
//! a message costs one transfer and small messages share it, are this crate's own.

use super::edges::{receive, send};
use super::{Body, Edges, LineBody, Protocol, Refused, Run, Runs};
use crate::index::{
    advance, cell_number, cell_start, cells_of, elements_between, handed_back, line_capacity,
    next_cell, position, published, stamp, CELL, POSITION_BITS,
};
use crate::policy::Policy;
use crate::sync::{Atomic, Ordering};

type EdgesOf<B> = <<B as Body>::Policy as Policy>::Edges;

/// The slot of `cursor`, which lies in `cell`; with one element a cell the position is known to be 0.
#[inline(always)]
fn slot<B: LineBody>(body: &B, cell: B::Cell, cursor: usize) -> B::Slot {
    body.slot(cell, place(body, cursor))
}

#[inline(always)]
fn place<B: LineBody>(body: &B, cursor: usize) -> usize {
    if body.per_cell() == 1 {
        0
    } else {
        position(cursor)
    }
}

/// The producer's end.
#[derive(Debug)]
pub struct Producer<B: LineBody> {
    body: B,
    /// The next element's cursor; equals the control block's `tail`.
    tail: usize,
    /// The first cursor at which the stamp must be looked at: `tail`, or the start of the next cell. Not kept with one element
    /// a cell, which must be looked at for each.
    stop: usize,
    /// The cell of `tail`.
    cell: B::Cell,
}

impl<B: LineBody> Producer<B> {
    /// Stands at the ring's producer end, as left by the last producer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other producer exists.
    #[inline]
    pub unsafe fn enter(body: B) -> Self {
        let tail = body.producer().tail.load(Ordering::Relaxed);
        Self {
            tail,
            stop: tail,
            cell: body.cell(tail),
            body,
        }
    }

    /// Goes on where [`suspend`](super::Producer::suspend) left off.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the last producer was suspended, or the ring is zeroed.
    #[inline(always)]
    pub unsafe fn resume(body: B) -> Self {
        let tail = body.producer().tail.load(Ordering::Relaxed);
        Self {
            tail,
            stop: body.producer().stop.load(Ordering::Relaxed),
            cell: body.cell(tail),
            body,
        }
    }

    /// Whether the cell of `tail` is known to be the producer's.
    #[inline(always)]
    fn has_won(&self) -> bool {
        (self.body.per_cell() > 1 || !B::Policy::HAND_BACK) && self.tail != self.stop
    }

    /// Makes the cell of `tail` the producer's, if the consumer has handed it back.
    #[inline(always)]
    fn win(&mut self) -> bool {
        self.body.winning(self.tail);
        if B::Policy::HAND_BACK {
            // Pairs with the HAND_BACK store in `Consumer::advance`: the consumer read the cell before this producer writes it.
            let seen = receive::<B::Atomics, EdgesOf<B>, _>(
                self.body.stamp(self.cell),
                EdgesOf::<B>::REUSE,
            );
            if seen != stamp(self.tail, self.body.mask()) {
                return false;
            }
            if self.body.per_cell() > 1 {
                self.stop = next_cell(self.tail);
            }
        } else {
            self.stop = self.end_of_free();
            if self.stop == self.tail {
                return false;
            }
        }
        self.body.won(self.tail);
        if B::Policy::LOOK_AHEAD > 0 {
            // Half of the cells, as a cursor; half a cell if there is one, which is the same cell.
            let half = (self.body.mask() + CELL) / 2;
            let ahead = (B::Policy::LOOK_AHEAD << POSITION_BITS).min(half);
            self.body.prefetch(self.tail.wrapping_add(ahead));
        }
        true
    }

    /// The first cursor that the consumer's `head` does not allow, where cells are not handed back by their stamps.
    #[inline(always)]
    fn end_of_free(&self) -> usize {
        // Pairs with the HAND_BACK store in `Consumer::advance`, here of `head`.
        let head =
            receive::<B::Atomics, EdgesOf<B>, _>(&self.body.consumer().head, EdgesOf::<B>::REUSE);
        cell_start(head).wrapping_add(self.body.mask() + CELL)
    }

    #[inline(always)]
    fn advance(&mut self, count: usize) {
        let end = self.tail.wrapping_add(count);
        // Pairs with the OBSERVE load in `Consumer::load_end`: the elements were written before they can be seen.
        send::<B::Atomics, EdgesOf<B>, _>(
            self.body.stamp(self.cell),
            stamp(end, self.body.mask()),
            EdgesOf::<B>::PUBLISH,
        );
        self.tail = end;
        if self.body.per_cell() == 1 || position(end) == self.body.per_cell() {
            self.tail = next_cell(end);
            self.cell = self.body.cell(self.tail);
        }
        // Relaxed: for counts and for recovery; stored after the stamp, so that it is never ahead of it.
        self.body
            .producer()
            .tail
            .store(self.tail, Ordering::Relaxed);
    }

    /// Elements from the consumer's place to `tail`: a snapshot of what the consumer has not taken yet.
    #[inline]
    pub fn unread(&self) -> usize {
        // Relaxed: a count, from which nothing is read.
        let head = self.body.consumer().head.load(Ordering::Relaxed);
        elements_between(head, self.tail, self.body.per_cell())
    }
}

// SAFETY: between winning a cell and publishing its last element the producer alone writes the cell; the consumer reads
// only elements that the stamp counts, and slots at `tail` and above are not counted.
unsafe impl<B: LineBody> super::Producer for Producer<B> {
    type Body = B;

    #[inline(always)]
    fn body(&self) -> &B {
        &self.body
    }

    #[inline(always)]
    fn claim_even_closed(&mut self) -> Option<B::Slot> {
        if !self.has_won() && !self.win() {
            return None;
        }
        Some(slot(&self.body, self.cell, self.tail))
    }

    #[inline(always)]
    unsafe fn publish(&mut self) {
        self.advance(1);
    }

    #[inline(always)]
    fn claim_runs(&mut self, want: usize) -> Result<Runs<B::Slot>, Refused> {
        let first = self.claim()?;
        let left = self.body.per_cell() - place(&self.body, self.tail);
        Ok(run(first, left.min(want)))
    }

    #[inline(always)]
    unsafe fn publish_runs(&mut self, count: usize) {
        if count > 0 {
            self.advance(count);
        }
    }

    #[inline(always)]
    fn whole_run(&self) -> usize {
        self.body.per_cell()
    }

    fn has_room(&self, count: usize) -> bool {
        if count == 0 {
            return true;
        }
        if count > self.body.per_cell() * cells_of(self.body.mask()) {
            return false;
        }
        let last = advance(self.tail, count - 1, self.body.per_cell());
        if !B::Policy::HAND_BACK {
            return self.end_of_free().wrapping_sub(last) as isize > 0;
        }
        if cell_number(last) == cell_number(self.tail) && self.has_won() {
            return true;
        }
        // Cells are handed back in order: if the last one is free, so are those before it. Pairs with the HAND_BACK store
        // in `Consumer::advance`, though nothing is written before each cell is won.
        let seen = receive::<B::Atomics, EdgesOf<B>, _>(
            self.body.stamp(self.body.cell(last)),
            EdgesOf::<B>::REUSE,
        );
        if cell_number(last) == cell_number(self.tail) {
            seen == stamp(self.tail, self.body.mask())
        } else {
            seen == stamp(cell_start(last), self.body.mask())
        }
    }

    fn stored(&self) -> usize {
        self.unread()
            .min(self.body.per_cell() * cells_of(self.body.mask()))
    }

    #[inline]
    fn capacity(&self) -> usize {
        line_capacity(cells_of(self.body.mask()), self.body.per_cell())
    }

    #[inline(always)]
    fn suspend(&self) {
        let stop = if self.has_won() { self.stop } else { self.tail };
        // Relaxed: only a producer reads it, and claiming orders producers.
        self.body.producer().stop.store(stop, Ordering::Relaxed);
    }
}

/// The consumer's end.
#[derive(Debug)]
pub struct Consumer<B: LineBody> {
    body: B,
    /// The oldest element's cursor; equals the control block's `head`.
    head: usize,
    /// The cursor after the last element known of; in the cell of `head`. Not kept with one element a cell.
    seen: usize,
    /// The cell of `head`.
    cell: B::Cell,
}

impl<B: LineBody> Consumer<B> {
    /// Stands at the ring's consumer end, as left by the last consumer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other consumer exists.
    #[inline]
    pub unsafe fn enter(body: B) -> Self {
        let head = body.consumer().head.load(Ordering::Relaxed);
        Self {
            head,
            seen: head,
            cell: body.cell(head),
            body,
        }
    }

    /// Goes on where [`suspend`](super::Consumer::suspend) left off.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the last consumer was suspended, or the ring is zeroed.
    #[inline(always)]
    pub unsafe fn resume(body: B) -> Self {
        let head = body.consumer().head.load(Ordering::Relaxed);
        Self {
            head,
            seen: body.consumer().seen.load(Ordering::Relaxed),
            cell: body.cell(head),
            body,
        }
    }

    /// The cursor after the last element published in the cell of `head`.
    #[inline(always)]
    fn load_end(&self) -> usize {
        // Pairs with the PUBLISH store in `Producer::advance`: seeing the count is seeing the elements.
        let stamp =
            receive::<B::Atomics, EdgesOf<B>, _>(self.body.stamp(self.cell), EdgesOf::<B>::OBSERVE);
        let end = published(stamp, self.head, self.body.mask());
        // A cell that is not handed back by its stamp still shows the lap before until the producer comes.
        if !B::Policy::HAND_BACK && cell_number(end) != cell_number(self.head) {
            return self.head;
        }
        end
    }

    /// Elements known of, from `head` on.
    #[inline(always)]
    fn known(&self) -> usize {
        if self.body.per_cell() == 1 {
            0
        } else {
            self.seen.wrapping_sub(self.head)
        }
    }

    /// Learns how many elements the cell of `head` holds, and returns that.
    #[inline(always)]
    fn look(&mut self) -> usize {
        let end = self.load_end();
        // Polling an empty ring stores nothing.
        if end != self.head && self.body.per_cell() > 1 {
            self.seen = end;
        }
        end.wrapping_sub(self.head)
    }

    /// Hands the cell of `head` back for the next lap.
    #[inline(always)]
    fn hand_back(&self) {
        // Pairs with the REUSE load in `Producer::win`: the elements were read before the cell can be written.
        send::<B::Atomics, EdgesOf<B>, _>(
            self.body.stamp(self.cell),
            handed_back(self.head, self.body.mask()),
            EdgesOf::<B>::HAND_BACK,
        );
    }

    #[inline(always)]
    fn advance(&mut self, count: usize) {
        let end = self.head.wrapping_add(count);
        let last = self.body.per_cell() == 1 || position(end) == self.body.per_cell();
        if last {
            if B::Policy::HAND_BACK && !EdgesOf::<B>::EARLY_HAND_BACK {
                self.hand_back();
            }
            self.head = next_cell(end);
            if self.body.per_cell() > 1 {
                self.seen = self.head;
            }
            self.cell = self.body.cell(self.head);
        } else {
            self.head = end;
        }
        if B::Policy::HAND_BACK {
            // Relaxed: for counts and for recovery; stored after the hand-back.
            self.body
                .consumer()
                .head
                .store(self.head, Ordering::Relaxed);
        } else {
            // Pairs with the REUSE load in `Producer::win`.
            send::<B::Atomics, EdgesOf<B>, _>(
                &self.body.consumer().head,
                self.head,
                EdgesOf::<B>::HAND_BACK,
            );
        }
    }

    /// The control that the tests must catch: gives the cell away while its last element is still to be read.
    #[inline(always)]
    fn hand_back_early(&self, upto: usize) {
        if EdgesOf::<B>::EARLY_HAND_BACK && position(upto) == self.body.per_cell() {
            self.hand_back();
        }
    }
}

// SAFETY: elements from `head` to below `seen` are published and in one cell, which the producer does not write until it is
// handed back, after its last element is released.
unsafe impl<B: LineBody> super::Consumer for Consumer<B> {
    type Body = B;

    #[inline(always)]
    fn body(&self) -> &B {
        &self.body
    }

    #[inline(always)]
    fn front(&mut self) -> Option<B::Slot> {
        if self.known() == 0 && self.look() == 0 {
            return None;
        }
        self.hand_back_early(self.head.wrapping_add(1));
        Some(slot(&self.body, self.cell, self.head))
    }

    #[inline(always)]
    unsafe fn release(&mut self) {
        self.advance(1);
    }

    #[inline(always)]
    fn front_runs(&mut self, want: usize) -> Option<Runs<B::Slot>> {
        let mut len = self.known();
        if len < want {
            // The rest of the cell may have been published since the last look.
            len = self.look();
            if len == 0 {
                return None;
            }
            if self.body.per_cell() == 1 {
                // Known without the stamp's value, which the next cell's address must not wait for.
                len = 1;
            }
        }
        let len = len.min(want);
        self.hand_back_early(self.head.wrapping_add(len));
        Some(run(slot(&self.body, self.cell, self.head), len))
    }

    #[inline(always)]
    unsafe fn release_runs(&mut self, count: usize) {
        if count > 0 {
            self.advance(count);
        }
    }

    #[inline(always)]
    fn whole_run(&self) -> usize {
        self.body.per_cell()
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.known() == 0 && self.head == self.load_end()
    }

    fn stored(&self) -> usize {
        // Relaxed: a count, from which nothing is read. What was seen in the cell is certain.
        let tail = self.body.producer().tail.load(Ordering::Relaxed);
        elements_between(self.head, tail, self.body.per_cell())
            .max(self.known())
            .min(self.body.per_cell() * cells_of(self.body.mask()))
    }

    #[inline]
    fn capacity(&self) -> usize {
        line_capacity(cells_of(self.body.mask()), self.body.per_cell())
    }

    #[inline(always)]
    fn suspend(&self) {
        // Relaxed: only a consumer reads it, and claiming orders consumers.
        self.body
            .consumer()
            .seen
            .store(self.head.wrapping_add(self.known()), Ordering::Relaxed);
    }
}

#[inline(always)]
fn run<S: Copy>(first: S, len: usize) -> Runs<S> {
    [Run { first, len }, Run { first, len: 0 }]
}

/// The protocol by line.
#[derive(Debug, Clone, Copy)]
pub enum ByLine {}

impl<B: LineBody> Protocol<B> for ByLine {
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

    fn stored(body: &B) -> usize {
        // Relaxed, head first: the two may be of different moments, and the difference is clamped.
        let head = body.consumer().head.load(Ordering::Relaxed);
        let tail = body.producer().tail.load(Ordering::Relaxed);
        elements_between(head, tail, body.per_cell()).min(body.per_cell() * cells_of(body.mask()))
    }

    fn is_full(body: &B) -> bool {
        let tail = body.producer().tail.load(Ordering::Relaxed);
        // Relaxed: nothing is written on the strength of it.
        let seen = body.stamp(body.cell(tail)).load(Ordering::Relaxed);
        position(tail) == 0 && seen != stamp(tail, body.mask())
    }

    #[inline]
    fn capacity(body: &B) -> usize {
        line_capacity(cells_of(body.mask()), body.per_cell())
    }

    unsafe fn start_at(body: &B, index: usize) {
        let start = index.wrapping_mul(CELL);
        let mut cursor = start;
        // Relaxed: whoever claims an end is ordered after this by what hands the ring over.
        for _ in 0..cells_of(body.mask()) {
            body.stamp(body.cell(cursor))
                .store(stamp(cursor, body.mask()), Ordering::Relaxed);
            cursor = cursor.wrapping_add(CELL);
        }
        body.producer().tail.store(start, Ordering::Relaxed);
        body.producer().stop.store(start, Ordering::Relaxed);
        body.consumer().head.store(start, Ordering::Relaxed);
        body.consumer().seen.store(start, Ordering::Relaxed);
    }
}
