//! How a book is put in step with the exchange's, and kept there: a state machine over the numbers of updates alone.
//!
//! The procedures are those that the exchange documents for local order books, one for spot markets and one for futures. Both hold diffs until
//! there is a snapshot, with last update `L`, and then go by a diff's first update `U`, last `u` and, in futures, the last of the diff before, `pu`:
//!
//! | | spot, us | futures |
//! |---|---|---|
//! | older than the snapshot | `u <= L` | `u < L` |
//! | the first to apply | `U <= L + 1 <= u` | `U <= L <= u` |
//! | the next to apply | `U <= last u + 1` | `pu == last u` |
//! | old | `u <= last u` | none |
//! | a gap | `U > last u + 1` | `pu != last u` |

use crate::venue::Venue;

/// The updates that a diff sums up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ids {
    /// The first, `U`.
    pub first: u64,
    /// The last, `u`.
    pub last: u64,
    /// The last of the diff before, `pu`; futures only.
    pub previous: Option<u64>,
}

/// What to do with a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Keep it until there is a snapshot.
    Hold,
    /// Drop it: the book has it already.
    Stale,
    /// Apply it.
    Apply,
    /// Updates between the snapshot and this diff are missing: keep it, and get a newer snapshot.
    SnapshotTooOld,
    /// Updates between the last diff and this one are missing: keep it, and get a snapshot.
    Gap {
        /// The number that would have followed.
        expected: u64,
        /// The number that came.
        found: u64,
    },
}

/// Where the book stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
enum State {
    /// There is none.
    #[default]
    Unknown,
    /// It is the snapshot with this last update.
    Snapshot(u64),
    /// It has followed the diffs up to this update.
    Following(u64),
}

/// What is known of one book's place in the sequence of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sync {
    venue: Venue,
    state: State,
}

impl Sync {
    /// Knows nothing yet.
    pub const fn new(venue: Venue) -> Self {
        Self {
            venue,
            state: State::Unknown,
        }
    }

    /// The book was replaced by a snapshot with this last update. The diffs that were held are to be judged anew.
    pub fn snapshot(&mut self, last: u64) {
        self.state = State::Snapshot(last);
    }

    /// Diffs may be missing: nothing is known of the book any more.
    pub fn restart(&mut self) {
        self.state = State::Unknown;
    }

    /// What to do with the next diff.
    pub fn diff(&mut self, ids: Ids) -> Verdict {
        let verdict = match self.state {
            State::Unknown => Verdict::Hold,
            State::Snapshot(last) => self.first(last, ids),
            State::Following(last) => self.next(last, ids),
        };
        match verdict {
            Verdict::Apply => self.state = State::Following(ids.last),
            Verdict::SnapshotTooOld | Verdict::Gap { .. } => self.state = State::Unknown,
            Verdict::Hold | Verdict::Stale => {}
        }
        verdict
    }

    /// Whether the book has followed at least one diff, and every one since.
    pub const fn is_following(&self) -> bool {
        matches!(self.state, State::Following(_))
    }

    /// The last update in the book, if there is a book.
    pub const fn last(&self) -> Option<u64> {
        match self.state {
            State::Unknown => None,
            State::Snapshot(last) | State::Following(last) => Some(last),
        }
    }

    const fn first(&self, snapshot: u64, ids: Ids) -> Verdict {
        let (is_stale, is_next) = match self.venue {
            Venue::Spot | Venue::Us => (
                ids.last <= snapshot,
                ids.first <= snapshot.saturating_add(1),
            ),
            Venue::Futures => (ids.last < snapshot, ids.first <= snapshot),
        };
        match (is_stale, is_next) {
            (true, _) => Verdict::Stale,
            (false, true) => Verdict::Apply,
            (false, false) => Verdict::SnapshotTooOld,
        }
    }

    fn next(&self, last: u64, ids: Ids) -> Verdict {
        match self.venue {
            Venue::Spot | Venue::Us => {
                let expected = last.saturating_add(1);
                if ids.last <= last {
                    Verdict::Stale
                } else if ids.first <= expected {
                    Verdict::Apply
                } else {
                    let found = ids.first;
                    Verdict::Gap { expected, found }
                }
            }
            Venue::Futures if ids.previous == Some(last) => Verdict::Apply,
            Venue::Futures => Verdict::Gap {
                expected: last,
                found: ids.previous.unwrap_or(ids.first),
            },
        }
    }
}

#[cfg(test)]
mod tests;
