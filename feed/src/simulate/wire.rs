//! The exchange's messages, as text.

use super::ladder::{print, Ladder, Rung, Side};
use crate::venue::Venue;
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is fixed of a symbol's messages.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) venue: Venue,
    /// In capitals.
    pub(super) symbol: String,
    /// How many digits prices have after the point.
    pub(super) price: u32,
    /// How many digits quantities have after the point.
    pub(super) quantity: u32,
}

/// What changed between two messages of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diff {
    /// The numbers of its first and last change, and of the last in the diff before.
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) before: u64,
    pub(super) bids: Vec<Rung>,
    pub(super) asks: Vec<Rung>,
}

/// The best levels after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ticker {
    /// The number of that change.
    pub(super) last: u64,
    pub(super) bid: Rung,
    pub(super) ask: Rung,
}

#[derive(Serialize)]
struct Envelope<T> {
    stream: String,
    data: T,
}

/// Fields by the exchange's names, in its order; those that are `None` are the futures' alone.
#[derive(Serialize)]
#[allow(non_snake_case)]
struct DepthUpdate<'a> {
    e: &'static str,
    E: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    T: Option<u64>,
    s: &'a str,
    U: u64,
    u: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pu: Option<u64>,
    b: Vec<[String; 2]>,
    a: Vec<[String; 2]>,
}

#[derive(Serialize)]
#[allow(non_snake_case)]
struct BookTicker<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<&'static str>,
    u: u64,
    s: &'a str,
    b: String,
    B: String,
    a: String,
    A: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    T: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    E: Option<u64>,
}

#[derive(Serialize)]
#[allow(non_snake_case)]
struct Depth {
    lastUpdateId: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    E: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    T: Option<u64>,
    bids: Vec<[String; 2]>,
    asks: Vec<[String; 2]>,
}

impl Form {
    /// The form of a made-up symbol: spot pads every number to 8 digits, futures have as many as a step needs.
    pub(super) fn new(venue: Venue, symbol: &str, price: u32, quantity: u32) -> Self {
        let padded = venue != Venue::Futures;
        Self {
            venue,
            symbol: symbol.to_uppercase(),
            price: if padded { 8 } else { price },
            quantity: if padded { 8 } else { quantity },
        }
    }

    pub(super) fn diff_stream(&self) -> String {
        format!("{}@depth@100ms", self.symbol.to_lowercase())
    }

    pub(super) fn ticker_stream(&self) -> String {
        format!("{}@bookTicker", self.symbol.to_lowercase())
    }

    /// The message of a diff, at a time in milliseconds since 1970.
    pub(super) fn diff(&self, diff: &Diff, now: u64) -> String {
        text(&Envelope {
            stream: self.diff_stream(),
            data: DepthUpdate {
                e: "depthUpdate",
                E: now,
                T: self.futures(now),
                s: &self.symbol,
                U: diff.first,
                u: diff.last,
                pu: self.futures(diff.before),
                b: self.levels(diff.bids.iter().copied()),
                a: self.levels(diff.asks.iter().copied()),
            },
        })
    }

    /// The message of the best levels.
    pub(super) fn ticker(&self, ticker: &Ticker, now: u64) -> String {
        let [bid, bid_quantity] = self.level(ticker.bid);
        let [ask, ask_quantity] = self.level(ticker.ask);
        text(&Envelope {
            stream: self.ticker_stream(),
            data: BookTicker {
                e: self.futures("bookTicker"),
                u: ticker.last,
                s: &self.symbol,
                b: bid,
                B: bid_quantity,
                a: ask,
                A: ask_quantity,
                T: self.futures(now),
                E: self.futures(now),
            },
        })
    }

    /// The body of a snapshot with at most so many levels a side.
    pub(super) fn snapshot(&self, ladder: &Ladder, limit: usize, now: u64) -> String {
        text(&Depth {
            lastUpdateId: ladder.last,
            E: self.futures(now),
            T: self.futures(now),
            bids: self.levels(ladder.levels(Side::Bid).take(limit)),
            asks: self.levels(ladder.levels(Side::Ask).take(limit)),
        })
    }

    fn futures<T>(&self, value: T) -> Option<T> {
        (self.venue == Venue::Futures).then_some(value)
    }

    fn level(&self, (price, quantity): Rung) -> [String; 2] {
        [print(price, self.price), print(quantity, self.quantity)]
    }

    fn levels(&self, rungs: impl Iterator<Item = Rung>) -> Vec<[String; 2]> {
        rungs.map(|rung| self.level(rung)).collect()
    }
}

fn text(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("strings and integers only")
}

/// The time in milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_fields_of_their_venue() {
        let diff = Diff {
            first: 2,
            last: 3,
            before: 1,
            bids: vec![(150_000_000, 0)],
            asks: vec![],
        };
        let spot = Form::new(Venue::Us, "crvusdt", 1, 0);
        assert_eq!(
            spot.diff(&diff, 9),
            r#"{"stream":"crvusdt@depth@100ms","data":{"e":"depthUpdate","E":9,"s":"CRVUSDT","U":2,"u":3,"b":[["1.50000000","0.00000000"]],"a":[]}}"#
        );
        let futures = Form::new(Venue::Futures, "CRVUSDT", 1, 0);
        assert_eq!(
            futures.diff(&diff, 9),
            r#"{"stream":"crvusdt@depth@100ms","data":{"e":"depthUpdate","E":9,"T":9,"s":"CRVUSDT","U":2,"u":3,"pu":1,"b":[["1.5","0"]],"a":[]}}"#
        );
        let ticker = Ticker {
            last: 3,
            bid: (150_000_000, 200_000_000),
            ask: (160_000_000, 300_000_000),
        };
        assert_eq!(
            futures.ticker(&ticker, 9),
            r#"{"stream":"crvusdt@bookTicker","data":{"e":"bookTicker","u":3,"s":"CRVUSDT","b":"1.5","B":"2","a":"1.6","A":"3","T":9,"E":9}}"#
        );
        let mut ladder = Ladder::default();
        ladder.set(Side::Bid, ticker.bid);
        ladder.set(Side::Bid, (100_000_000, 100_000_000));
        ladder.last = 3;
        assert_eq!(
            spot.snapshot(&ladder, 1, 9),
            r#"{"lastUpdateId":3,"bids":[["1.50000000","2.00000000"]],"asks":[]}"#
        );
    }
}
