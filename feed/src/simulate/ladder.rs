//! The simulated exchange's own book of a symbol. It shares no code with the handler's, so that the two can be compared.

use std::collections::BTreeMap;

/// How many units of a [`Ladder`] make 1.
pub const UNITS: i64 = 100_000_000;

/// A side of a [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Who buys.
    Bid,
    /// Who sells.
    Ask,
}

impl Side {
    /// The other side.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Bid => Self::Ask,
            Self::Ask => Self::Bid,
        }
    }

    /// The sign of a step in price away from the other side.
    pub(super) const fn away(self) -> i64 {
        match self {
            Self::Bid => -1,
            Self::Ask => 1,
        }
    }
}

/// A price and the quantity at it, in units of 10⁻⁸.
pub type Rung = (i64, i64);

/// The levels of both sides, in units of 10⁻⁸, and the number of the last change.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ladder {
    bids: BTreeMap<i64, i64>,
    asks: BTreeMap<i64, i64>,
    /// The number of the last change, which snapshots give as `lastUpdateId`.
    pub last: u64,
}

impl Ladder {
    /// Sets the quantity at a price; zero takes the level away.
    pub fn set(&mut self, side: Side, (price, quantity): Rung) {
        let levels = match side {
            Side::Bid => &mut self.bids,
            Side::Ask => &mut self.asks,
        };
        if quantity == 0 {
            levels.remove(&price);
        } else {
            levels.insert(price, quantity);
        }
    }

    /// The levels of a side, the best first.
    pub fn levels(&self, side: Side) -> Box<dyn Iterator<Item = Rung> + '_> {
        let copied = |(price, quantity): (&i64, &i64)| (*price, *quantity);
        match side {
            Side::Bid => Box::new(self.bids.iter().rev().map(copied)),
            Side::Ask => Box::new(self.asks.iter().map(copied)),
        }
    }

    /// The best level of a side.
    pub fn best(&self, side: Side) -> Option<Rung> {
        self.levels(side).next()
    }

    /// The quantity at a price, 0 if there is no such level.
    pub(super) fn at(&self, side: Side, price: i64) -> i64 {
        let levels = match side {
            Side::Bid => &self.bids,
            Side::Ask => &self.asks,
        };
        levels.get(&price).copied().unwrap_or(0)
    }

    /// How many levels a side has.
    pub fn len(&self, side: Side) -> usize {
        match side {
            Side::Bid => self.bids.len(),
            Side::Ask => self.asks.len(),
        }
    }
}

/// Reads a decimal number into units of 10⁻⁸; nothing if it is none, or has digits beyond.
pub(super) fn parse(text: &str) -> Option<i64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(rest) || rest.len() > 8 {
        return None;
    }
    let rest: i64 = format!("{rest:0<8}").parse().ok()?;
    whole
        .parse::<i64>()
        .ok()?
        .checked_mul(UNITS)?
        .checked_add(rest)
}

/// Writes a number of units with so many digits after the point, 8 at most; the others must be zeros.
pub(super) fn print(units: i64, digits: u32) -> String {
    let (whole, rest) = (units / UNITS, units % UNITS);
    if digits == 0 {
        return whole.to_string();
    }
    let rest = rest / 10_i64.pow(8 - digits);
    format!("{whole}.{rest:0width$}", width = digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for (text, units, digits) in [
            ("297.32000000", 29_732_000_000, 8),
            ("0.01737", 1_737_000, 5),
            ("437848", 43_784_800_000_000, 0),
            ("0.00000001", 1, 8),
        ] {
            assert_eq!(parse(text), Some(units));
            assert_eq!(print(units, digits), text);
        }
        for text in ["", ".5", "1.000000001", "-1", "1e3", "99999999999999999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_best_levels_come_first() {
        let mut ladder = Ladder::default();
        for price in [9, 11, 10] {
            ladder.set(Side::Bid, (price, 1));
            ladder.set(Side::Ask, (price + 10, 1));
        }
        ladder.set(Side::Ask, (19, 0));
        assert_eq!(ladder.best(Side::Bid), Some((11, 1)));
        assert_eq!(ladder.best(Side::Ask), Some((20, 1)));
        assert_eq!(ladder.at(Side::Ask, 19), 0);
        assert_eq!(ladder.len(Side::Ask), 2);
    }
}
