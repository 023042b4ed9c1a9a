//! The table of a mapped ring of many producers: which cell each is about to claim.

use crate::layout::{Padding, TargetPadding};
use crate::raw::mpsc::{declare, is_declared, withdraw, Consumer};
use crate::raw::AcquireRelease;
use crate::raw::LineBody;
use crate::sync::{Atomics, Native, Ordering};
use core::mem::{align_of, size_of};
use core::ptr::NonNull;
use core::slice;

type Word = <Native as Atomics>::Word;
type Line = <TargetPadding as Padding>::Line<Word>;

fn word(line: &Line) -> &Word {
    TargetPadding::group(line)
}

/// A word for each producer on a line of its own, and one before them: how many cells were skipped. All-zero memory is a valid table.
///
/// Only the first word of a line is used: the operating system's lock that tells whether a producer lives may be on any other byte of it.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    lines: NonNull<Line>,
    producers: usize,
}

impl Table {
    /// The alignment of a table.
    pub const ALIGN: usize = align_of::<Line>();

    /// Bytes of a table for so many producers; `None` if that is not representable.
    pub const fn size(producers: usize) -> Option<usize> {
        match producers.checked_add(1) {
            Some(lines) => lines.checked_mul(size_of::<Line>()),
            None => None,
        }
    }

    /// Where a producer's line begins in the table.
    pub const fn line(producer: usize) -> usize {
        (producer + 1) * size_of::<Line>()
    }

    /// The table at `memory`.
    ///
    /// # Safety
    /// `memory` is aligned, [`size`](Self::size) bytes long for so many producers, and stays mapped, readable and writable as long as the
    /// value, its copies and its intents are used. Other processes may write anything there; this one touches it by atomic accesses only.
    pub unsafe fn new(memory: NonNull<u8>, producers: usize) -> Self {
        Self {
            lines: memory.cast(),
            producers,
        }
    }

    fn lines(&self) -> &[Line] {
        // SAFETY: `new` was promised so many lines, which are atomics, valid whatever they hold.
        unsafe { slice::from_raw_parts(self.lines.as_ptr(), self.producers + 1) }
    }

    /// A producer's intent, for the one who has taken its line. What the last owner declared is withdrawn. `None` if there is no such producer.
    pub fn intent(&self, producer: usize) -> Option<Intent> {
        let line = self.lines()[1..].get(producer)?;
        withdraw::<AcquireRelease>(word(line));
        Some(Intent(NonNull::from(word(line))))
    }

    /// Cells that were skipped since the ring was made, wrapping.
    pub fn skipped(&self) -> usize {
        // Relaxed: a count, from which nothing is read.
        word(&self.lines()[0]).load(Ordering::Relaxed)
    }

    /// Skips and counts the oldest cell if it is stalled and its claimer is dead; returns whether it was. Asks `alive` only of producers
    /// that declare the cell.
    ///
    /// A consumer calls this when it finds nothing for a while. `alive` must not be wrong about a living producer: what it publishes later would
    /// be lost, and might pass for another's.
    pub fn skip_dead<B: LineBody<Atomics = Native>>(
        &self,
        consumer: &mut Consumer<B>,
        alive: impl FnMut(usize) -> bool,
    ) -> bool {
        let [count, intents @ ..] = self.lines() else {
            return false;
        };
        let was_skipped = consumer.skip_abandoned(|cursor| {
            is_declared::<AcquireRelease, _>(intents.iter().map(word), cursor, alive)
        });
        if was_skipped {
            // Relaxed, and no exchange: the consumer alone writes the count.
            let skipped = self.skipped().wrapping_add(1);
            word(count).store(skipped, Ordering::Relaxed);
        }
        was_skipped
    }
}

/// Where one producer declares the cell that it is about to claim.
#[derive(Debug)]
pub struct Intent(NonNull<Word>);

/// What a body does with a producer's intents.
pub trait Declare {
    /// The cell of `cursor` is about to be claimed.
    fn declare(&self, cursor: usize);
    /// It is published, or was not won.
    fn withdraw(&self);
}

/// One producer's ring, or a consumer's, declares nothing.
impl Declare for () {
    #[inline(always)]
    fn declare(&self, _: usize) {}

    #[inline(always)]
    fn withdraw(&self) {}
}

impl Declare for Intent {
    #[inline(always)]
    fn declare(&self, cursor: usize) {
        // SAFETY: the table outlives its intents, by the word given to `Table::new`.
        declare(unsafe { self.0.as_ref() }, cursor);
    }

    #[inline(always)]
    fn withdraw(&self) {
        // SAFETY: as above.
        withdraw::<AcquireRelease>(unsafe { self.0.as_ref() });
    }
}
