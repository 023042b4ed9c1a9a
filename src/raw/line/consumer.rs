//! The consumer's end of a ring by line.

use super::{place, recover, slot, EdgesOf};
use crate::error::Corrupt;
use crate::index::{
    cell_number, cell_start, cells_of, elements_between, handed_back, line_capacity, next_cell,
    position, published,
};
use crate::policy::Policy;
use crate::raw::edges::{receive, send};
use crate::raw::poll::in_order;
use crate::raw::{run, trusts, Edges, LineBody, Runs};
use crate::sync::{Atomic, Ordering};

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
        const { trusts::<B>() };
        let head = body.consumer().head.load(Ordering::Relaxed);
        Self::at(body, head)
    }

    #[inline(always)]
    fn at(body: B, head: usize) -> Self {
        Self {
            head,
            seen: head,
            cell: body.cell(head),
            body,
        }
    }

    /// Stands at the ring's consumer end, wherever the last consumer stopped: at `head` if that is in the oldest cell that was not handed
    /// back, else at the cell's start.
    ///
    /// # Errors
    /// [`Corrupt`] if no ends have left stamps so.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter).
    pub unsafe fn recover(body: B) -> Result<Self, Corrupt> {
        let oldest = recover::oldest_kept(&body)?;
        let head = body.consumer().head.load(Ordering::Relaxed);
        let per_cell = body.per_cell();
        let is_inside = cell_start(head) == oldest.start
            && position(head) <= oldest.count
            && position(head) < per_cell;
        // The last consumer went on, and its hand-back is missing.
        let is_past = head == next_cell(oldest.start) && oldest.count == per_cell;
        if is_past {
            let mut consumer = Self::at(body, oldest.start + (per_cell - 1));
            consumer.advance(1);
            return Ok(consumer);
        }
        let consumer = Self::at(body, if is_inside { head } else { oldest.start });
        consumer.store_head();
        Ok(consumer)
    }

    /// Goes on where [`suspend`](crate::raw::Consumer::suspend) left off.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the last consumer was suspended, or the ring is zeroed.
    #[inline(always)]
    pub unsafe fn resume(body: B) -> Self {
        const { trusts::<B>() };
        let head = body.consumer().head.load(Ordering::Relaxed);
        Self {
            head,
            seen: body.consumer().seen.load(Ordering::Relaxed),
            cell: body.cell(head),
            body,
        }
    }

    /// Where it stands: the cursor of the element that is taken next.
    pub fn place(&self) -> usize {
        self.head
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

    /// Whether a producer can have published up to `end`: from `head` on, and in its cell.
    #[inline(always)]
    fn is_possible(&self, end: usize) -> bool {
        end.wrapping_sub(self.head) <= self.body.per_cell() - place(&self.body, self.head)
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
        if end == self.head {
            if B::Policy::POLL_FOR_WRITING {
                self.body.prefetch(self.head);
            }
            in_order::<B::Policy>();
        } else if B::Policy::CHECKED && !self.is_possible(end) {
            self.body.corrupt();
            return 0;
        } else if self.body.per_cell() > 1 {
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
    fn store_head(&self) {
        // Relaxed: for counts and for recovery; stored after the hand-back.
        self.body
            .consumer()
            .head
            .store(self.head, Ordering::Relaxed);
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
            self.store_head();
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
unsafe impl<B: LineBody> crate::raw::Consumer for Consumer<B> {
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
