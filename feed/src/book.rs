//! An order book, kept level by level.

use gimmal_engine::Fixed;
use std::collections::BTreeMap;
use std::fmt;

/// What one unit costs.
pub type Price = Fixed<8>;
/// How many units, to as many digits as the exchange gives.
pub type Quantity = Fixed<8>;

/// A side of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Who buys.
    Bid,
    /// Who sells.
    Ask,
}

/// A price, and how much is offered or asked for at it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// The price.
    pub price: Price,
    /// The quantity.
    pub quantity: Quantity,
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} @ {}", self.quantity, self.price)
    }
}

/// The best levels of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Top {
    /// The highest bid.
    pub bid: Option<Level>,
    /// The lowest ask.
    pub ask: Option<Level>,
}

impl Top {
    /// The lowest ask less the highest bid.
    pub fn spread(&self) -> Option<Price> {
        self.ask?.price.checked_sub(self.bid?.price)
    }

    /// The middle between the highest bid and the lowest ask.
    pub fn mid(&self) -> Option<Price> {
        let (bid, ask) = (self.bid?.price.raw(), self.ask?.price.raw());
        let mid = (i128::from(bid) + i128::from(ask)) / 2;
        i64::try_from(mid).ok().map(Price::from_raw)
    }

    /// How much more is bid than asked, as a share of both: from -1, where nothing is bid, to 1.
    pub fn imbalance(&self) -> Option<f64> {
        let (bid, ask) = (self.bid?.quantity.raw(), self.ask?.quantity.raw());
        let (bid, ask) = (bid as f64, ask as f64);
        (bid + ask > 0.0).then(|| (bid - ask) / (bid + ask))
    }
}

/// An order book: for each side the quantity at each price. Two are equal if every level is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Book {
    bids: BTreeMap<Price, Quantity>,
    asks: BTreeMap<Price, Quantity>,
}

impl Book {
    /// An empty book.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the quantity at a price; zero takes the level away.
    pub fn set(&mut self, side: Side, level: Level) {
        let levels = match side {
            Side::Bid => &mut self.bids,
            Side::Ask => &mut self.asks,
        };
        if level.quantity == Quantity::ZERO {
            levels.remove(&level.price);
        } else {
            levels.insert(level.price, level.quantity);
        }
    }

    /// The levels of a side, the best first.
    pub fn levels(&self, side: Side) -> Box<dyn Iterator<Item = Level> + '_> {
        let level = |(price, quantity): (&Price, &Quantity)| Level {
            price: *price,
            quantity: *quantity,
        };
        match side {
            Side::Bid => Box::new(self.bids.iter().rev().map(level)),
            Side::Ask => Box::new(self.asks.iter().map(level)),
        }
    }

    /// The best levels of both sides.
    pub fn top(&self) -> Top {
        Top {
            bid: self.levels(Side::Bid).next(),
            ask: self.levels(Side::Ask).next(),
        }
    }

    /// How many levels there are, of both sides.
    pub fn len(&self) -> usize {
        self.bids.len() + self.asks.len()
    }

    /// Whether there is no level.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(price: &str, quantity: &str) -> Level {
        Level {
            price: price.parse().unwrap(),
            quantity: quantity.parse().unwrap(),
        }
    }

    fn book(bids: &[(&str, &str)], asks: &[(&str, &str)]) -> Book {
        let mut book = Book::new();
        for (side, levels) in [(Side::Bid, bids), (Side::Ask, asks)] {
            for (price, quantity) in levels {
                book.set(side, level(price, quantity));
            }
        }
        book
    }

    #[test]
    fn the_best_levels_come_first() {
        let book = book(
            &[("9", "1"), ("10", "2"), ("8", "3")],
            &[("12", "4"), ("11", "6")],
        );
        let prices = |side| {
            book.levels(side)
                .map(|level| level.price.to_string()[..2].to_owned())
        };
        assert_eq!(prices(Side::Bid).collect::<Vec<_>>(), ["10", "9.", "8."]);
        assert_eq!(prices(Side::Ask).collect::<Vec<_>>(), ["11", "12"]);
        let top = book.top();
        assert_eq!(top.bid, Some(level("10", "2")));
        assert_eq!(top.ask, Some(level("11", "6")));
        assert_eq!(top.spread(), Some("1".parse().unwrap()));
        assert_eq!(top.mid(), Some("10.5".parse().unwrap()));
        assert_eq!(top.imbalance(), Some(-0.5));
    }

    #[test]
    fn a_quantity_of_zero_takes_the_level_away() {
        let mut one = book(&[("9", "1"), ("10", "2")], &[]);
        one.set(Side::Bid, level("10", "0.00000000"));
        assert_eq!(one, book(&[("9", "1")], &[]));
        one.set(Side::Bid, level("7", "0"));
        assert_eq!(one.len(), 1);
        assert_eq!(one.top().spread(), None);
        assert_eq!(one.top().mid(), None);
        assert_eq!(Book::new().top(), Top::default());
    }

    #[test]
    fn books_differ_in_any_level() {
        let one = book(&[("9", "1")], &[("10", "1")]);
        assert_ne!(one, book(&[("9", "2")], &[("10", "1")]));
        assert_ne!(one, book(&[("9", "1")], &[("10", "1"), ("11", "1")]));
        assert_ne!(one, book(&[("10", "1")], &[("9", "1")]));
        assert_eq!(one, book(&[("9", "1.0")], &[("10", "1.00")]));
    }
}
