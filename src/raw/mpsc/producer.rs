//! A producer's end of a ring of many producers.

use super::{cell, claimed, is_free, published, stamp_before_claim, unpublished, EdgesOf};
use crate::index::{
    cell_start, cells_of, next_number, numbered, position, stamp, CELL, NUMBER, POSITION_BITS,
    SEALED,
};
use crate::policy::Policy;
use crate::raw::edges::{receive, relay, send};
use crate::raw::{run, Edges, LineBody, Refused, Runs};
use crate::sync::Swapping;

/// Claims that others may win before a producer of a [`CHECKED`](Policy::CHECKED) ring says that it is full: a hostile peer could move `tail` for ever.
const MOST_TRIES: u32 = 1 << 16;

/// A producer's end. Any number of them work on one ring.
#[derive(Debug)]
pub struct Producer<B: LineBody> {
    body: B,
    /// A number that `tail` has held: where this producer looks for a free cell first.
    place: usize,
    /// The cell claimed through [`claim`](crate::raw::Producer::claim) and not published yet.
    held: Option<Claim<B::Cell>>,
}

/// A cell that a producer has claimed and must publish: until then the consumer gets to nothing that lies behind it.
#[derive(Debug)]
#[must_use]
pub struct Claim<C> {
    number: usize,
    cell: C,
}

impl<B: LineBody<Atomics: Swapping>> Producer<B> {
    /// Stands at the ring as one more producer.
    #[inline(always)]
    pub fn enter(body: B) -> Self {
        let place = Self::follow(&body) & NUMBER;
        Self {
            body,
            place,
            held: None,
        }
    }

    #[inline(always)]
    fn follow(body: &B) -> usize {
        // Pairs with the PASS side of the claim in `win`: who learns of a claim knows at least as much of the cells as the claimer
        // did, so that no stamp of four laps ago can pass for the present one.
        receive::<B::Atomics, EdgesOf<B>, _>(&body.producer().tail, EdgesOf::<B>::FOLLOW)
    }

    /// Wins cell `number`, unless another producer has or the ring is closed: then what `tail` holds.
    #[inline(always)]
    fn win(&self, number: usize) -> Result<(), usize> {
        let cursor = numbered(number);
        self.body.winning(cursor);
        // Pairs with the same in other producers, and with the FOLLOW loads of `tail`.
        let moved = relay::<B::Atomics, EdgesOf<B>>(
            &self.body.producer().tail,
            number,
            next_number(number),
        );
        if let Err(tail) = moved {
            self.body.lost(cursor);
            return Err(tail);
        }
        self.body.won(cursor);
        if B::Policy::LOOK_AHEAD_ALONE > 0 {
            // Half of the cells, as a cursor; half a cell if there is one, which is the same cell.
            let half = (self.body.mask() + CELL) / 2;
            let ahead = (B::Policy::LOOK_AHEAD_ALONE << POSITION_BITS).min(half);
            self.body.prefetch(cursor.wrapping_add(ahead));
        }
        Ok(())
    }

    /// Whether `seen`, in the cell of `number`, says that the lap before is not taken yet.
    fn is_full(&self, number: usize, seen: usize) -> bool {
        let mask = self.body.mask();
        let lap_before = numbered(number).wrapping_sub(mask + CELL);
        cell_start(seen) == stamp(lap_before, mask) && position(seen) <= 1
    }

    /// Claims the next cell. Goes round again only after another producer has claimed one.
    ///
    /// # Errors
    /// The ring is full or closed. It counts as full, where peers are not trusted, if others win too many cells in a row.
    #[inline(always)]
    pub fn claim_cell(&mut self) -> Result<Claim<B::Cell>, Refused> {
        let mut number = self.place;
        let mut tries = 0;
        loop {
            let cell = cell(&self.body, number);
            let seen = stamp_before_claim(&self.body, cell);
            let tail = if seen == unpublished(&self.body, number) {
                match self.win(number) {
                    Ok(()) => return Ok(Claim { number, cell }),
                    Err(tail) => tail,
                }
            } else {
                let tail = Self::follow(&self.body);
                // Nobody has claimed the cell since its stamp was looked at, so the stamp told of the lap before.
                if tail == number {
                    if B::Policy::CHECKED && !self.is_full(number, seen) {
                        self.body.corrupt();
                    }
                    return Err(Refused::Full);
                }
                tail
            };
            if tail & SEALED != 0 {
                return Err(Refused::Closed);
            }
            if B::Policy::CHECKED {
                tries += 1;
                if tries == MOST_TRIES {
                    return Err(Refused::Full);
                }
            }
            number = tail;
            self.place = number;
        }
    }

    /// The slot of a cell claimed.
    #[inline(always)]
    pub fn slot(&self, claim: &Claim<B::Cell>) -> B::Slot {
        self.body.slot(claim.cell, 0)
    }

    /// Publishes a cell claimed.
    ///
    /// # Safety
    /// The claim is this producer's, and its slot holds an element.
    #[inline(always)]
    pub unsafe fn publish_cell(&mut self, claim: Claim<B::Cell>) {
        // Pairs with the OBSERVE load in `Consumer::front`: the element was written before it can be seen.
        send::<B::Atomics, EdgesOf<B>, _>(
            self.body.stamp(claim.cell),
            published(&self.body, claim.number),
            EdgesOf::<B>::PUBLISH,
        );
        self.body.fulfilled(numbered(claim.number));
        self.place = next_number(claim.number);
    }
}

// SAFETY: between winning a cell and publishing it the winner alone writes it: no number is won twice before `tail` wraps, and the consumer
// reads only what is published.
unsafe impl<B: LineBody<Atomics: Swapping>> crate::raw::Producer for Producer<B> {
    type Body = B;

    #[inline(always)]
    fn body(&self) -> &B {
        &self.body
    }

    #[inline(always)]
    fn claim_even_closed(&mut self) -> Option<B::Slot> {
        self.claim().ok()
    }

    #[inline(always)]
    fn claim(&mut self) -> Result<B::Slot, Refused> {
        let claim = match self.held.take() {
            Some(claim) => claim,
            None => self.claim_cell()?,
        };
        let slot = self.slot(&claim);
        self.held = Some(claim);
        Ok(slot)
    }

    #[inline(always)]
    unsafe fn publish(&mut self) {
        if let Some(claim) = self.held.take() {
            // SAFETY: the caller's word: the claimed slot holds an element.
            unsafe { self.publish_cell(claim) };
        }
    }

    #[inline(always)]
    fn claim_runs(&mut self, want: usize) -> Result<Runs<B::Slot>, Refused> {
        Ok(run(self.claim()?, want.min(1)))
    }

    #[inline(always)]
    unsafe fn publish_runs(&mut self, count: usize) {
        if count > 0 {
            // SAFETY: the caller's word is the same.
            unsafe { self.publish() };
        }
    }

    #[inline(always)]
    fn whole_run(&self) -> usize {
        1
    }

    fn has_room(&self, count: usize) -> bool {
        if count == 0 || count > cells_of(self.body.mask()) {
            return count == 0;
        }
        // Cells are handed back in order: if the last one is free, so are those before it.
        let last = claimed(&self.body).wrapping_add(count - 1) & NUMBER;
        is_free(&self.body, cell(&self.body, last), last)
    }

    fn stored(&self) -> usize {
        <super::ByCell as crate::raw::Protocol<B>>::stored(&self.body)
    }

    #[inline]
    fn capacity(&self) -> usize {
        cells_of(self.body.mask())
    }

    /// Does nothing: where a producer stands is in the control block.
    #[inline(always)]
    fn suspend(&self) {}
}
