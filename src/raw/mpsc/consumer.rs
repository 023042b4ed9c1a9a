//! The consumer's end of a ring of many producers.

use super::{cell, claimed, published, unpublished, EdgesOf};
use crate::error::Corrupt;
use crate::index::{cell_number, cells_of, handed_back, next_number, numbered, NUMBER};
use crate::policy::Policy;
use crate::raw::edges::{receive, send};
use crate::raw::line::recover::oldest_kept;
use crate::raw::poll::in_order;
use crate::raw::{run, Edges, LineBody, Runs};
use crate::sync::{Atomic, Ordering, Swapping};

/// The consumer's end.
#[derive(Debug)]
pub struct Consumer<B: LineBody> {
    body: B,
    /// The oldest element's number; equals the control block's `head`.
    head: usize,
    /// The cell of `head`.
    cell: B::Cell,
}

/// The oldest cell of a ring, when it is claimed and not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StalledCell {
    /// The cell's number: how many cells were claimed before it, wrapping at half of the word's range.
    pub number: usize,
    /// The cell's place in memory, from 0 to the ring's capacity less 1.
    pub index: usize,
}

impl<B: LineBody<Atomics: Swapping>> Consumer<B> {
    /// Stands at the ring's consumer end, as left by the last consumer.
    ///
    /// # Safety
    /// The caller has the end to itself: it has claimed it, or no other consumer exists.
    #[inline(always)]
    pub unsafe fn enter(body: B) -> Self {
        let head = body.consumer().head.load(Ordering::Relaxed);
        Self {
            head,
            cell: cell(&body, head),
            body,
        }
    }

    /// Stands at the ring's consumer end, wherever the last consumer stopped: at the oldest cell that was not handed back.
    ///
    /// # Errors
    /// [`Corrupt`] if no ends have left stamps and `tail` so.
    ///
    /// # Safety
    /// As for [`enter`](Self::enter).
    pub unsafe fn recover(body: B) -> Result<Self, Corrupt> {
        let oldest = oldest_kept(&body)?;
        // Relaxed: what was handed back was claimed before, which the caller knows of with the end.
        let tail = claimed(&body);
        // A stamp does not hold the upper bits of a number.
        let stored = cell_number(numbered(tail.wrapping_sub(cell_number(oldest.start))));
        if stored > cells_of(body.mask()) {
            return Err(Corrupt);
        }
        let number = tail.wrapping_sub(stored) & NUMBER;
        let head = body.consumer().head.load(Ordering::Relaxed);
        let mut consumer = Self {
            head: number,
            cell: cell(&body, number),
            body,
        };
        if head == next_number(number) && oldest.count == 1 {
            // The last consumer went on, and its hand-back is missing.
            consumer.advance();
        } else {
            consumer.store_head();
        }
        Ok(consumer)
    }

    #[inline(always)]
    fn load_stamp(&self) -> usize {
        // Pairs with the PUBLISH store in `Producer::publish_cell`: seeing the stamp is seeing the element.
        receive::<B::Atomics, EdgesOf<B>, _>(self.body.stamp(self.cell), EdgesOf::<B>::OBSERVE)
    }

    /// Hands the cell of `head` back for the next lap.
    #[inline(always)]
    fn hand_back(&self) {
        // Pairs with the REUSE load in `is_free`: the element was read before the cell can be written.
        send::<B::Atomics, EdgesOf<B>, _>(
            self.body.stamp(self.cell),
            handed_back(numbered(self.head), self.body.mask()),
            EdgesOf::<B>::HAND_BACK,
        );
    }

    /// Hands the cell of `head` back and goes on to the next.
    #[inline(always)]
    fn advance(&mut self) {
        if !EdgesOf::<B>::EARLY_HAND_BACK {
            self.hand_back();
        }
        self.head = next_number(self.head);
        self.cell = cell(&self.body, self.head);
        self.store_head();
    }

    #[inline(always)]
    fn store_head(&self) {
        // Relaxed: for counts and for the next consumer; stored after the hand-back.
        self.body
            .consumer()
            .head
            .store(self.head, Ordering::Relaxed);
    }

    /// The cell that keeps [`front`](crate::raw::Consumer::front) from what lies behind it: claimed by a producer that has not published
    /// it. None if the oldest element is there, or nothing is claimed.
    pub fn stalled(&self) -> Option<StalledCell> {
        // Pairs with the PASS side of a claim: who sees the cell claimed sees what the claimer declared before.
        let tail =
            receive::<B::Atomics, EdgesOf<B>, _>(&self.body.producer().tail, EdgesOf::<B>::FOLLOW);
        let is_claimed = tail & NUMBER != self.head;
        (is_claimed && self.load_stamp() == unpublished(&self.body, self.head)).then(|| {
            StalledCell {
                number: self.head,
                index: self.head & (cells_of(self.body.mask()) - 1),
            }
        })
    }

    /// Gives up on the oldest cell if its claimer will never publish it: returns whether it was skipped. Its number is then free for the next
    /// lap, and nothing was taken.
    ///
    /// `is_declared` says of a cursor whether a living producer has declared it in the hook `winning` and has not withdrawn it; it is asked only
    /// about a stalled cell.
    pub fn skip_abandoned(&mut self, is_declared: impl FnOnce(usize) -> bool) -> bool {
        if self.stalled().is_none() || is_declared(numbered(self.head)) {
            return false;
        }
        // The claimer may have published and withdrawn since the look at the stamp.
        if self.load_stamp() != unpublished(&self.body, self.head) {
            return false;
        }
        self.advance();
        true
    }
}

// SAFETY: a published cell is written by nobody until the consumer hands it back, when its element is released.
unsafe impl<B: LineBody<Atomics: Swapping>> crate::raw::Consumer for Consumer<B> {
    type Body = B;

    #[inline(always)]
    fn body(&self) -> &B {
        &self.body
    }

    #[inline(always)]
    fn front(&mut self) -> Option<B::Slot> {
        let seen = self.load_stamp();
        if seen != published(&self.body, self.head) {
            if B::Policy::CHECKED && seen != unpublished(&self.body, self.head) {
                self.body.corrupt();
            }
            if B::Policy::POLL_FOR_WRITING {
                self.body.prefetch(self.head);
            }
            in_order::<B::Policy>();
            return None;
        }
        if EdgesOf::<B>::EARLY_HAND_BACK {
            self.hand_back();
        }
        Some(self.body.slot(self.cell, 0))
    }

    #[inline(always)]
    unsafe fn release(&mut self) {
        self.advance();
    }

    #[inline(always)]
    fn front_runs(&mut self, want: usize) -> Option<Runs<B::Slot>> {
        Some(run(self.front()?, want.min(1)))
    }

    #[inline(always)]
    unsafe fn release_runs(&mut self, count: usize) {
        if count > 0 {
            // SAFETY: the caller's word is the same.
            unsafe { self.release() };
        }
    }

    #[inline(always)]
    fn whole_run(&self) -> usize {
        1
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.load_stamp() != published(&self.body, self.head)
    }

    fn close(&self) {
        super::close(&self.body);
    }

    fn is_closed(&self) -> bool {
        super::is_closed(&self.body, self.head)
    }

    fn stored(&self) -> usize {
        super::stored(&self.body, self.head)
    }

    #[inline]
    fn capacity(&self) -> usize {
        cells_of(self.body.mask())
    }

    /// Does nothing: where the consumer stands is in the control block.
    #[inline(always)]
    fn suspend(&self) {}
}
