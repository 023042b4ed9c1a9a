//! Where the ends of a ring stand, by its stamps alone: for whoever takes over from an end that died between any two steps.
//!
//! At any moment the cells that are to be filled next, one for each place in memory, are neighbours in the order of cells, and the oldest is where the
//! producer stands. So are those that are to be taken next, and the oldest is where the consumer stands. The one is not moved by what the
//! other end does meanwhile.

use crate::error::Corrupt;
use crate::index::{cell_start, cells_of, position, published, CELL};
use crate::raw::LineBody;
use crate::sync::{Atomic, Ordering};

/// A cell in which an end stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::raw) struct Found {
    /// Its first cursor.
    pub start: usize,
    /// Elements published in it.
    pub count: usize,
}

/// The oldest cell that is to be filled: the producer's.
pub(super) fn oldest_unfilled<B: LineBody>(body: &B) -> Result<Found, Corrupt> {
    let lap = body.mask() + CELL;
    oldest(body, |cell| {
        if cell.count < body.per_cell() {
            return cell;
        }
        // Full, so the next in this place is a lap later.
        Found {
            start: cell.start.wrapping_add(lap),
            count: 0,
        }
    })
}

/// The oldest cell that is not handed back: the consumer's.
pub(in crate::raw) fn oldest_kept<B: LineBody>(body: &B) -> Result<Found, Corrupt> {
    oldest(body, |cell| cell)
}

/// The oldest of the cells that come `next`, one in each place.
fn oldest<B: LineBody>(body: &B, next: impl Fn(Found) -> Found) -> Result<Found, Corrupt> {
    let mask = body.mask();
    let lap = mask + CELL;
    let at = |place: usize| {
        let cursor = place * CELL;
        // Relaxed: the caller has the end to itself, and what handed it over orders what the last owner did; the other end's steps
        // do not change what is found.
        let stamp = body.stamp(body.cell(cursor)).load(Ordering::Relaxed);
        let end = published(stamp, cursor, mask);
        let cell = Found {
            start: cell_start(end),
            count: position(end),
        };
        if stamp & mask != 0 || cell.count > body.per_cell() {
            return Err(Corrupt);
        }
        Ok(next(cell))
    };
    let first = at(0)?;
    let mut oldest = first;
    for place in 1..cells_of(mask) {
        let cell = at(place)?;
        let here = first.start.wrapping_add(place * CELL);
        if cell.start == here.wrapping_sub(lap) {
            // From the end's place on, cells are a lap behind those before it.
            if oldest.start == first.start {
                oldest = cell;
            }
        } else if cell.start != here || oldest.start != first.start {
            return Err(Corrupt);
        }
    }
    Ok(oldest)
}
