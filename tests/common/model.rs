//! What a ring does, as a queue of sequence numbers that is known to be right.
#![allow(missing_docs)]

use std::collections::VecDeque;

/// The queue that a ring must be.
pub struct Model {
    /// Elements in a cell, by line; by index a cell is a slot.
    per_cell: u64,
    cells: u64,
    pub queue: VecDeque<u64>,
    pub pushed: u64,
    pub taken: u64,
    pub dropped: usize,
    pub closed: bool,
}

impl Model {
    pub fn new(per_cell: u64, cells: u64) -> Self {
        Self {
            per_cell,
            cells,
            queue: VecDeque::new(),
            pushed: 0,
            taken: 0,
            dropped: 0,
            closed: false,
        }
    }

    pub fn capacity(&self) -> usize {
        ((self.cells - 1) * self.per_cell + 1) as usize
    }

    /// A cell comes back when all of it is taken.
    pub fn free(&self) -> usize {
        let end = (self.taken / self.per_cell + self.cells) * self.per_cell;
        (end - self.pushed) as usize
    }

    /// What can be pushed.
    pub fn room(&self) -> usize {
        if self.closed {
            0
        } else {
            self.free()
        }
    }

    /// The most that is lent at a time from the `at`th element on: by line, the rest of a cell.
    pub fn span(&self, at: u64, by_line: bool) -> usize {
        if by_line {
            (self.per_cell - at % self.per_cell) as usize
        } else {
            usize::MAX
        }
    }

    pub fn push(&mut self, count: usize) {
        for _ in 0..count {
            self.queue.push_back(self.pushed);
            self.pushed += 1;
        }
    }

    pub fn pop(&mut self) -> Option<u64> {
        self.taken += u64::from(!self.queue.is_empty());
        self.queue.pop_front()
    }
}
