//! The consumer's end of a ring of many producers.

use super::{cell, published, unpublished, EdgesOf};
use crate::index::{cells_of, handed_back, next_number, numbered, NUMBER};
use crate::policy::Policy;
use crate::raw::edges::{receive, send};
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
        if self.is_empty() {
            if B::Policy::POLL_FOR_WRITING {
                self.body.prefetch(self.head);
            }
            return None;
        }
        if EdgesOf::<B>::EARLY_HAND_BACK {
            self.hand_back();
        }
        Some(self.body.slot(self.cell, 0))
    }

    #[inline(always)]
    unsafe fn release(&mut self) {
        if !EdgesOf::<B>::EARLY_HAND_BACK {
            self.hand_back();
        }
        self.head = next_number(self.head);
        self.cell = cell(&self.body, self.head);
        // Relaxed: for counts and for the next consumer; stored after the hand-back.
        self.body
            .consumer()
            .head
            .store(self.head, Ordering::Relaxed);
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
