//! A reader that only watches: it copies elements as they pass, stores nothing, and neither end knows of it.
//!
//! What it copies may be overwritten meanwhile, so a copy counts only if the slot still was that element's afterwards. The producer must order its first
//! write to a slot after it has found the slot free (in the hook `won`), and the tap orders its second look after the copy: a tap that has copied
//! any byte of a later element finds, when it looks again, that the slot had been given back. This is the reader of a sequence lock (Boehm,
//! *Can seqlocks get along with programming language memory models?*, 2012), on the rings' own indices and stamps.

use super::index::ByIndex;
use super::line::ByLine;
use super::mpsc::ByCell;
use super::{Body, Edges, IndexBody, LineBody, Protocol};
use crate::index::{
    cell_start, elements_between, next_cell, next_number, numbered, numbers_between, position,
    published, CELL, NUMBER,
};
use crate::policy::Policy;
use crate::sync::{Atomic, Atomics, Ordering, Swapping};
use core::fmt;
use core::marker::PhantomData;

/// What a tap has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// The next element; its copy counts.
    Element,
    /// Nothing new.
    Nothing,
    /// So many elements, at least one, passed before they could be copied. The tap stands behind them.
    Missed(usize),
}

/// A reader that only watches a ring, from the oldest element on. It loads by relaxed accesses, which memory that may only be read allows.
pub struct Tap<B, K> {
    body: B,
    /// Where the next element is: an index, a cursor or a number.
    place: usize,
    protocol: PhantomData<K>,
}

impl<B: fmt::Debug, K> fmt::Debug for Tap<B, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap")
            .field("body", &self.body)
            .field("place", &self.place)
            .finish()
    }
}

impl<B: Body, K: Watched<B>> Tap<B, K> {
    /// A tap on a ring whose producer orders its first write to a slot after the hook `won`.
    pub fn new(body: B) -> Self {
        Self {
            place: K::oldest(&body),
            body,
            protocol: PhantomData,
        }
    }

    /// Looks for the next element, and calls `copy` with its slot. What that copies may be torn or another element's, until the answer is
    /// [`Sight::Element`].
    #[inline]
    pub fn look(&mut self, copy: impl FnOnce(B::Slot)) -> Sight {
        K::look(&self.body, &mut self.place, copy)
    }

    /// The ring.
    pub fn body(&self) -> &B {
        &self.body
    }
}

/// A protocol whose elements a tap can follow.
pub trait Watched<B: Body> {
    /// Where a tap begins.
    fn oldest(body: &B) -> usize;

    /// Looks for the element at `place`, and moves it.
    fn look(body: &B, place: &mut usize, copy: impl FnOnce(B::Slot)) -> Sight;
}

/// Orders what comes after the tap's loads after them.
#[inline(always)]
fn looked<B: Body>() {
    // Pairs with the Release fence of the hook `won`, by way of a word of the element; and, before the copy, with the PUBLISH store.
    let order = <B::Policy as Policy>::Edges::LOOK_AGAIN;
    if order != Ordering::Relaxed {
        B::Atomics::fence(order);
    }
}

impl<B: IndexBody> Watched<B> for ByIndex {
    fn oldest(body: &B) -> usize {
        // Relaxed: where to begin, from which nothing is read.
        body.consumer().head.load(Ordering::Relaxed)
    }

    fn look(body: &B, place: &mut usize, copy: impl FnOnce(B::Slot)) -> Sight {
        let capacity = body.mask() + 1;
        let load_ahead = |place: usize| {
            let tail = body.producer().tail.load(Ordering::Relaxed);
            looked::<B>();
            tail.wrapping_sub(place)
        };
        let mut ahead = load_ahead(*place);
        if ahead == 0 {
            return Sight::Nothing;
        }
        // The slot of `tail` is the producer's, and with it the element a lap before.
        if ahead < capacity {
            copy(body.slot(*place));
            looked::<B>();
            ahead = load_ahead(*place);
            if ahead < capacity {
                *place = place.wrapping_add(1);
                return Sight::Element;
            }
        }
        // Half a lap behind the producer, so as not to be overtaken again at once.
        let missed = ahead.wrapping_sub(capacity / 2);
        *place = place.wrapping_add(missed);
        Sight::Missed(missed)
    }
}

/// How far the cell whose stamp is `seen` is from being in the lap of `cursor`'s cell: 0 if it is, positive if it is past.
fn laps_past<B: LineBody>(body: &B, seen: usize, cursor: usize) -> isize {
    let at = cell_start(published(seen, cursor, body.mask()));
    at.wrapping_sub(cell_start(cursor)) as isize
}

#[inline(always)]
fn load_stamp<B: LineBody>(body: &B, cell: B::Cell) -> usize {
    let seen = body.stamp(cell).load(Ordering::Relaxed);
    looked::<B>();
    seen
}

/// A cursor that others have written, made one.
fn cursor<B: LineBody>(body: &B, word: usize) -> usize {
    if position(word) < body.per_cell() {
        word
    } else {
        cell_start(word)
    }
}

impl<B: LineBody> Watched<B> for ByLine {
    fn oldest(body: &B) -> usize {
        // Relaxed: where to begin, from which nothing is read.
        cursor(body, body.consumer().head.load(Ordering::Relaxed))
    }

    fn look(body: &B, place: &mut usize, copy: impl FnOnce(B::Slot)) -> Sight {
        let at = *place;
        let cell = body.cell(at);
        let lap = body.mask() + CELL;
        // A cell that is handed back keeps its elements until the producer enters it, and `tail` does so before its first write.
        let is_kept = || {
            let tail = body.producer().tail.load(Ordering::Relaxed);
            cell_start(tail).wrapping_sub(cell_start(at)) < lap
        };
        let seen = load_stamp(body, cell);
        let past = laps_past(body, seen, at);
        if past < 0 || past == 0 && position(seen) <= position(at) {
            return Sight::Nothing;
        }
        if past == 0 || is_kept() {
            copy(body.slot(cell, position(at)));
            looked::<B>();
            if laps_past(body, load_stamp(body, cell), at) == 0 || is_kept() {
                let is_last = position(at) + 1 == body.per_cell();
                *place = if is_last { next_cell(at) } else { at + 1 };
                return Sight::Element;
            }
        }
        // Half a lap behind the producer, so as not to be overtaken again at once.
        let tail = cursor(body, body.producer().tail.load(Ordering::Relaxed));
        let half = cell_start(lap / 2);
        *place = if half == 0 {
            tail
        } else {
            cell_start(tail).wrapping_sub(half)
        };
        match elements_between(at, *place, body.per_cell()) {
            0 => Sight::Nothing,
            missed => Sight::Missed(missed),
        }
    }
}

/// A cell that was handed back is missed: it may have been skipped, and hold no element.
impl<B: LineBody<Atomics: Swapping>> Watched<B> for ByCell {
    fn oldest(body: &B) -> usize {
        // Relaxed: where to begin, from which nothing is read.
        body.consumer().head.load(Ordering::Relaxed) & NUMBER
    }

    fn look(body: &B, place: &mut usize, copy: impl FnOnce(B::Slot)) -> Sight {
        let number = *place;
        let at = numbered(number);
        let cell = body.cell(at);
        let seen = load_stamp(body, cell);
        let past = laps_past(body, seen, at);
        if past < 0 || past == 0 && position(seen) == 0 {
            return Sight::Nothing;
        }
        if past == 0 {
            copy(body.slot(cell, 0));
            looked::<B>();
            if laps_past(body, load_stamp(body, cell), at) == 0 {
                *place = next_number(number);
                return Sight::Element;
            }
        }
        let capacity = <Self as Protocol<B>>::capacity(body);
        let tail = body.producer().tail.load(Ordering::Relaxed) & NUMBER;
        let ahead = numbers_between(number, tail);
        // Half a lap behind the producers if they have overtaken, so as not to be overtaken again at once.
        let missed = if ahead > capacity {
            ahead - capacity / 2
        } else {
            1
        };
        *place = number.wrapping_add(missed) & NUMBER;
        Sight::Missed(missed)
    }
}
