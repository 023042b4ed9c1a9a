//! What many producers declare of the cell that they are about to claim, so that the cell of one that died can be told from that of one that
//! is slow.
//!
//! A producer declares before the claim and withdraws after it has published, or when it has not won the cell. So whoever sees a
//! cell claimed and not published, then finds it declared by no living producer, and then sees it still not published, knows that nobody ever will.

use crate::raw::Edges;
use crate::sync::{Atomic, Ordering};

/// Set in every declaration, that of the first cell too. Cursors of first elements have it clear.
const DECLARED: usize = 1;

/// Declares that the cell of `cursor` is about to be claimed.
#[inline(always)]
pub fn declare(intent: &impl Atomic<usize>, cursor: usize) {
    // Relaxed: the PASS side of the claim passes it on to who sees the cell claimed.
    intent.store(cursor | DECLARED, Ordering::Relaxed);
}

/// Takes a declaration back.
#[inline(always)]
pub fn withdraw<E: Edges>(intent: &impl Atomic<usize>) {
    // Pairs with the SEE_WITHDRAWN load in `is_declared`: who sees it withdrawn sees the cell published.
    intent.store(0, E::WITHDRAW);
}

/// Whether one of the producers declares the cell of `cursor` and is alive, which is asked only of those that do.
pub fn is_declared<'a, E: Edges, W: Atomic<usize> + 'a>(
    intents: impl IntoIterator<Item = &'a W>,
    cursor: usize,
    mut alive: impl FnMut(usize) -> bool,
) -> bool {
    intents.into_iter().enumerate().any(|(producer, intent)| {
        // Pairs with the WITHDRAW store in `withdraw`.
        intent.load(E::SEE_WITHDRAWN) == cursor | DECLARED && alive(producer)
    })
}
