//! The producer's end of a ring by line.

use super::{place, recover, slot, EdgesOf};
use crate::error::Corrupt;
use crate::index::{
    advance, cell_number, cell_start, cells_of, elements_between, line_capacity, next_cell,
    position, stamp, CELL, POSITION_BITS,
};
use crate::policy::Policy;
use crate::raw::edges::{receive, send};
use crate::raw::{run, trusts, Edges, LineBody, Refused, Runs};
use crate::sync::{Atomic, Ordering};

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
        const { trusts::<B>() };
        let tail = body.producer().tail.load(Ordering::Relaxed);
        Self::at(body, tail)
    }

    #[inline(always)]
    fn at(body: B, tail: usize) -> Self {
        Self {
            tail,
            stop: tail,
            cell: body.cell(tail),
            body,
        }
    }

    /// Stands at the ring's producer end, wherever the last producer stopped: after the last element published.
    ///
    /// # Errors
    /// [`Corrupt`] if no ends have left stamps so.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter).
    pub unsafe fn recover(body: B) -> Result<Self, Corrupt> {
        let oldest = recover::oldest_unfilled(&body)?;
        let tail = oldest.start + oldest.count;
        // Relaxed: for counts. The last producer may have died before it stored it.
        body.producer().tail.store(tail, Ordering::Relaxed);
        Ok(Self::at(body, tail))
    }

    /// Goes on where [`suspend`](crate::raw::Producer::suspend) left off.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the last producer was suspended, or the ring is zeroed.
    #[inline(always)]
    pub unsafe fn resume(body: B) -> Self {
        const { trusts::<B>() };
        let tail = body.producer().tail.load(Ordering::Relaxed);
        Self {
            tail,
            stop: body.producer().stop.load(Ordering::Relaxed),
            cell: body.cell(tail),
            body,
        }
    }

    /// Where it stands: the cursor of the element that is pushed next.
    pub fn place(&self) -> usize {
        self.tail
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
                if B::Policy::CHECKED && !self.is_full(seen) {
                    self.body.corrupt();
                }
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
        let ahead = if self.body.per_cell() > 1 {
            B::Policy::LOOK_AHEAD
        } else {
            B::Policy::LOOK_AHEAD_ALONE
        };
        if ahead > 0 {
            // Half of the cells, as a cursor; half a cell if there is one, which is the same cell.
            let half = (self.body.mask() + CELL) / 2;
            let ahead = (ahead << POSITION_BITS).min(half);
            self.body.prefetch(self.tail.wrapping_add(ahead));
        }
        true
    }

    /// Whether `seen`, at the start of the cell of `tail`, says that the lap before is not taken yet.
    fn is_full(&self, seen: usize) -> bool {
        let mask = self.body.mask();
        let lap_before = self.tail.wrapping_sub(mask + CELL);
        seen == stamp(lap_before.wrapping_add(self.body.per_cell()), mask)
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
unsafe impl<B: LineBody> crate::raw::Producer for Producer<B> {
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
