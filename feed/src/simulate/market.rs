//! What happens at the exchange: either a random market or a recording.

use super::ladder::Ladder;
use super::wire::Form;

/// A message for whoever listens to its stream.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// The place of its symbol among the market's.
    pub(super) symbol: usize,
    pub(super) stream: String,
    pub(super) text: String,
    pub(super) is_diff: bool,
}

/// A symbol's book now and as the market opened, and the form of its messages.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) form: Form,
    pub(super) ladder: Ladder,
    pub(super) opening: Ladder,
}

/// The books of several symbols and how they change. Symbols go by their place in `symbols`.
pub(super) trait Market: Send {
    /// The symbols.
    fn symbols(&self) -> &[Symbol];

    /// What happens next, up to and with the next diff; of the given symbol, if the market can choose. Nothing if it is over.
    fn next(&mut self, symbol: Option<usize>) -> Option<Vec<Told>>;

    /// Lets a book change before the diff that will tell it, as a snapshot may find it; false if it cannot.
    fn run_ahead(&mut self, symbol: usize) -> bool;
}
