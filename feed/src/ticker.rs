//! An independent check of a book: the exchange also sends the best prices after each update that changes them.

use crate::book::Top;
use crate::message::Ticker;
use std::collections::VecDeque;

/// The best prices of one symbol that are still to be compared.
#[derive(Clone, Debug, Default)]
pub struct Tickers {
    /// Of updates that the book has not seen yet.
    ahead: VecDeque<Ticker>,
    /// The last of those that it has seen.
    last: Option<Ticker>,
}

/// More are not kept for a book that does not follow.
const MOST: usize = 4096;

impl Tickers {
    /// Takes in the best prices after an update.
    pub fn push(&mut self, ticker: Ticker) {
        if self.ahead.len() == MOST {
            // What is lost may be the last that the book's next update has seen.
            self.clear();
        }
        self.ahead.push_back(ticker);
    }

    /// Some may be missing: those that came before prove nothing.
    pub fn clear(&mut self) {
        self.ahead.clear();
        self.last = None;
    }

    /// What the best prices of a book that has followed to `update` must be, if that is known: nothing changed them between the last
    /// ticker and `update`.
    pub fn expected(&mut self, update: u64) -> Option<Top> {
        while let Some(ticker) = self.ahead.front().filter(|ticker| ticker.id <= update) {
            self.last = Some(*ticker);
            self.ahead.pop_front();
        }
        self.last.map(|ticker| ticker.top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Level;

    fn ticker(id: u64) -> Ticker {
        let level = |raw| Level {
            price: gimmal_engine::Fixed::from_raw(raw),
            quantity: gimmal_engine::Fixed::from_raw(1),
        };
        Ticker {
            id,
            top: Top {
                bid: Some(level(id as i64)),
                ask: None,
            },
        }
    }

    fn expected(tickers: &mut Tickers, update: u64) -> Option<u64> {
        let bid = tickers.expected(update)?.bid?;
        Some(bid.price.raw() as u64)
    }

    #[test]
    fn the_last_ticker_up_to_the_update_counts() {
        let mut tickers = Tickers::default();
        assert_eq!(expected(&mut tickers, 5), None);
        for id in [3, 5, 6, 9] {
            tickers.push(ticker(id));
        }
        assert_eq!(expected(&mut tickers, 2), None);
        assert_eq!(expected(&mut tickers, 5), Some(5));
        assert_eq!(expected(&mut tickers, 8), Some(6));
        assert_eq!(expected(&mut tickers, 8), Some(6));
        assert_eq!(expected(&mut tickers, 100), Some(9));
        tickers.clear();
        assert_eq!(expected(&mut tickers, 100), None);
    }

    #[test]
    fn tickers_that_nobody_compares_are_not_kept_for_ever() {
        let mut tickers = Tickers::default();
        tickers.push(ticker(1));
        assert_eq!(expected(&mut tickers, 1), Some(1));
        for id in 0..MOST as u64 {
            tickers.push(ticker(10 + id));
        }
        assert_eq!(expected(&mut tickers, 9), Some(1));
        tickers.push(ticker(1_000_000));
        assert_eq!(tickers.ahead.len(), 1);
        assert_eq!(expected(&mut tickers, 9), None);
    }
}
