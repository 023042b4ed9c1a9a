//! The exchange's venues, which differ in addresses and in how a book is put in step with its snapshot.

/// A venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Venue {
    /// The spot market.
    Spot,
    /// The market for the United States, by the rules of the spot market.
    Us,
    /// Futures, whose diffs also name the diff before them.
    Futures,
}
