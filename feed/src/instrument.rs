//! One symbol: its book, its place in the sequence of updates, the diffs that wait for a snapshot, the checks.

use crate::book::Book;
use crate::message::{Diff, Snapshot, Ticker};
use crate::sync::{Sync, Verdict};
use crate::ticker::Tickers;
use crate::venue::Venue;
use serde::Serialize;
use std::collections::VecDeque;

/// What happened to the diffs of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Counters {
    /// Diffs received.
    pub diffs: u64,
    /// Diffs applied to the book.
    pub applied: u64,
    /// Diffs that the book had already.
    pub stale: u64,
    /// Places where updates were missing.
    pub gaps: u64,
    /// Snapshots that did not reach to the first diff held.
    pub too_old: u64,
    /// Times that the book was put in step again, after the first.
    pub resyncs: u64,
    /// Diffs after which the best prices were compared with those that the exchange sent.
    pub checked: u64,
    /// Comparisons in which they differed.
    pub disagreed: u64,
    /// Diffs given up because too many were held, or the connection over which they came has ended.
    pub given_up: u64,
    /// Diffs held for a snapshot now.
    pub held: u64,
}

impl Counters {
    /// Adds another symbol's.
    pub fn add(&mut self, other: &Self) {
        self.diffs += other.diffs;
        self.applied += other.applied;
        self.stale += other.stale;
        self.gaps += other.gaps;
        self.too_old += other.too_old;
        self.resyncs += other.resyncs;
        self.checked += other.checked;
        self.disagreed += other.disagreed;
        self.given_up += other.given_up;
        self.held += other.held;
    }
}

/// Where a book stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing has come of this symbol.
    NoData,
    /// Diffs are held until there is a snapshot that they follow.
    NotInStep,
    /// It holds all that has come.
    InStep,
    /// It is as it was when the connection ended.
    Disconnected,
}

/// Diffs held for a snapshot: a quarter of an hour's.
const MOST_HELD: usize = 10_000;

/// One symbol.
#[derive(Debug)]
pub struct Instrument {
    sync: Sync,
    book: Book,
    held: VecDeque<Diff>,
    tickers: Tickers,
    counters: Counters,
    /// Whether it follows now, and whether it ever did.
    is_in_step: bool,
    was_in_step: bool,
    /// The last update of the newest diff of this connection.
    newest: Option<u64>,
    /// Snapshots asked for in a row, and whether the last of them is still to come.
    attempts: u32,
    is_asked: bool,
    /// Whether a snapshot is wanted although no diff waits for it.
    is_probed: bool,
}

impl Instrument {
    /// Nothing is known yet.
    pub fn new(venue: Venue) -> Self {
        Self {
            sync: Sync::new(venue),
            book: Book::new(),
            held: VecDeque::new(),
            tickers: Tickers::default(),
            counters: Counters::default(),
            is_in_step: false,
            was_in_step: false,
            newest: None,
            attempts: 0,
            is_asked: false,
            is_probed: false,
        }
    }

    /// The book as it stands. It is the exchange's only while [`is_following`](Self::is_following).
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// Whether the book has followed every diff since its snapshot.
    pub const fn is_following(&self) -> bool {
        self.sync.is_following()
    }

    /// The last update in the book, if it is known.
    pub const fn last(&self) -> Option<u64> {
        self.sync.last()
    }

    /// What happened so far.
    pub fn counters(&self) -> Counters {
        Counters {
            held: self.held.len() as u64,
            ..self.counters
        }
    }

    /// Where the book stands, as long as there is a connection.
    pub fn state(&self) -> State {
        match self.sync.last() {
            None if self.counters.diffs == 0 => State::NoData,
            Some(last)
                if self.sync.is_following() || self.newest.is_none_or(|newest| newest <= last) =>
            {
                State::InStep
            }
            _ => State::NotInStep,
        }
    }

    /// Takes in a diff.
    pub fn diff(&mut self, diff: Diff) {
        self.counters.diffs += 1;
        self.newest = Some(diff.ids.last);
        if let Some(diff) = self.judge(diff) {
            self.hold(diff);
        }
    }

    /// Takes in the best prices.
    pub fn ticker(&mut self, ticker: Ticker) {
        self.tickers.push(ticker);
    }

    /// Takes in a snapshot, and then the diffs held for it.
    pub fn snapshot(&mut self, snapshot: Snapshot) {
        self.is_asked = false;
        if self.sync.is_following() {
            // Asked for before the book was put in step by another.
            return;
        }
        self.book = snapshot.book;
        self.sync.snapshot(snapshot.last);
        while let Some(diff) = self.held.pop_front() {
            if let Some(diff) = self.judge(diff) {
                self.held.push_front(diff);
                break;
            }
        }
    }

    /// If nothing has come, wants a snapshot once.
    pub fn probe(&mut self) {
        self.is_probed = self.state() == State::NoData;
    }

    /// The snapshot that was asked for did not come.
    pub fn no_snapshot(&mut self) {
        self.is_asked = false;
    }

    /// The connection is a new one: what came over the last one may have ended with any update.
    pub fn restart(&mut self) {
        self.sync.restart();
        self.is_in_step = false;
        self.newest = None;
        self.counters.given_up += self.held.len() as u64;
        self.held.clear();
        self.tickers.clear();
    }

    /// Messages are missing, and nobody knows of which symbol: a missing diff will show as a gap, a missing ticker by nothing.
    pub fn lost(&mut self) {
        self.tickers.clear();
    }

    /// Whether a snapshot is wanted: says so once until one has come, with the number of those asked for before in vain.
    pub fn wants_snapshot(&mut self) -> Option<u32> {
        let is_waited_for = !self.held.is_empty() || self.is_probed;
        let wants = self.sync.last().is_none() && is_waited_for && !self.is_asked;
        wants.then(|| {
            self.is_probed = false;
            self.is_asked = true;
            self.attempts += 1;
            self.attempts - 1
        })
    }

    /// Does what is to be done with a diff, and gives it back if it is to be held.
    fn judge(&mut self, diff: Diff) -> Option<Diff> {
        match self.sync.diff(diff.ids) {
            Verdict::Apply => self.apply(&diff),
            Verdict::Stale => self.counters.stale += 1,
            Verdict::Hold => return Some(diff),
            Verdict::SnapshotTooOld => {
                self.counters.too_old += 1;
                return Some(diff);
            }
            Verdict::Gap { .. } => {
                self.counters.gaps += 1;
                self.is_in_step = false;
                return Some(diff);
            }
        }
        None
    }

    fn apply(&mut self, diff: &Diff) {
        diff.apply(&mut self.book);
        self.counters.applied += 1;
        if !self.is_in_step {
            self.counters.resyncs += u64::from(self.was_in_step);
            self.is_in_step = true;
            self.was_in_step = true;
            self.attempts = 0;
        }
        if let Some(expected) = self.tickers.expected(diff.ids.last) {
            self.counters.checked += 1;
            self.counters.disagreed += u64::from(expected != self.book.top());
        }
    }

    fn hold(&mut self, diff: Diff) {
        if self.held.len() == MOST_HELD {
            // The rest still follow each other; the snapshot must be the newer.
            self.held.pop_front();
            self.counters.given_up += 1;
        }
        self.held.push_back(diff);
    }
}

#[cfg(test)]
mod tests;
