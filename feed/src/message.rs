//! What the exchange sends: diffs of the book, best prices, snapshots.

use crate::book::{Book, Level, Price, Quantity, Side, Top};
use crate::sync::Ids;
use anyhow::{anyhow, ensure, Context, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A message of a combined stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'m> {
    /// A change of the book.
    Diff {
        /// Whose book.
        symbol: &'m str,
        /// The change.
        diff: Diff,
    },
    /// The best prices.
    Ticker {
        /// Whose prices.
        symbol: &'m str,
        /// The prices.
        ticker: Ticker,
    },
    /// Something of another stream.
    Other,
}

/// A change of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Which updates it sums up.
    pub ids: Ids,
    /// New quantities on the bid side, zero for none.
    pub bids: Vec<Level>,
    /// New quantities on the ask side, zero for none.
    pub asks: Vec<Level>,
}

impl Diff {
    /// Changes the book.
    pub fn apply(&self, book: &mut Book) {
        set(book, &self.bids, &self.asks);
    }
}

/// The best prices after an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticker {
    /// The update.
    pub id: u64,
    /// The best levels.
    pub top: Top,
}

/// A whole book, or its best thousand levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last update that it holds.
    pub last: u64,
    /// The book.
    pub book: Book,
}

fn set(book: &mut Book, bids: &[Level], asks: &[Level]) {
    for (side, levels) in [(Side::Bid, bids), (Side::Ask, asks)] {
        for level in levels {
            book.set(side, *level);
        }
    }
}

#[derive(Deserialize)]
struct Envelope<'m> {
    stream: &'m str,
    #[serde(borrow)]
    data: &'m RawValue,
}

#[derive(Deserialize)]
struct WireDiff<'m> {
    #[serde(rename = "s")]
    symbol: &'m str,
    #[serde(rename = "U")]
    first: u64,
    #[serde(rename = "u")]
    last: u64,
    #[serde(rename = "pu")]
    previous: Option<u64>,
    #[serde(rename = "b")]
    bids: Vec<Level>,
    #[serde(rename = "a")]
    asks: Vec<Level>,
}

#[derive(Deserialize)]
struct WireTicker<'m> {
    #[serde(rename = "s")]
    symbol: &'m str,
    #[serde(rename = "u")]
    id: u64,
    #[serde(rename = "b")]
    bid: &'m str,
    #[serde(rename = "B")]
    bid_quantity: &'m str,
    #[serde(rename = "a")]
    ask: &'m str,
    #[serde(rename = "A")]
    ask_quantity: &'m str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireSnapshot {
    last_update_id: u64,
    bids: Vec<Level>,
    asks: Vec<Level>,
}

/// `["price", "quantity"]`.
impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (price, quantity) = <(&str, &str)>::deserialize(deserializer)?;
        level(price, quantity).map_err(D::Error::custom)
    }
}

fn level(price: &str, quantity: &str) -> Result<Level, String> {
    let level = Level {
        price: price
            .parse()
            .map_err(|error| format!("price {price:.40?}: {error}"))?,
        quantity: quantity
            .parse()
            .map_err(|error| format!("quantity {quantity:.40?}: {error}"))?,
    };
    if level.price < Price::ZERO || level.quantity < Quantity::ZERO {
        return Err(format!("a level below zero: {level:?}"));
    }
    Ok(level)
}

/// The best level of a side, if there is one: an empty side is sent as zeros.
fn best(price: &str, quantity: &str) -> Result<Option<Level>> {
    let level = level(price, quantity).map_err(|error| anyhow!(error))?;
    Ok((level.quantity != Quantity::ZERO).then_some(level))
}

impl<'m> Message<'m> {
    /// Reads a message of a combined stream.
    ///
    /// # Errors
    /// If it is no JSON, lacks a member, or holds a number that the book cannot: the error says which, and how the message begins.
    pub fn parse(text: &'m [u8]) -> Result<Self> {
        Self::read(text).with_context(|| {
            let start = String::from_utf8_lossy(&text[..text.len().min(80)]);
            format!("message of {} bytes, {start:?}", text.len())
        })
    }

    fn read(text: &'m [u8]) -> Result<Self> {
        let envelope: Envelope<'m> = serde_json::from_slice(text)?;
        let stream = envelope.stream.split_once('@').map(|(_, stream)| stream);
        match stream {
            Some("bookTicker") => {
                let wire: WireTicker<'m> = serde_json::from_str(envelope.data.get())?;
                let ticker = Ticker {
                    id: wire.id,
                    top: Top {
                        bid: best(wire.bid, wire.bid_quantity)?,
                        ask: best(wire.ask, wire.ask_quantity)?,
                    },
                };
                let symbol = wire.symbol;
                Ok(Self::Ticker { symbol, ticker })
            }
            Some(name) if name == "depth" || name.starts_with("depth@") => {
                let wire: WireDiff<'m> = serde_json::from_str(envelope.data.get())?;
                ensure!(
                    wire.first <= wire.last,
                    "its first update, {}, is after its last, {}",
                    wire.first,
                    wire.last
                );
                let diff = Diff {
                    ids: Ids {
                        first: wire.first,
                        last: wire.last,
                        previous: wire.previous,
                    },
                    bids: wire.bids,
                    asks: wire.asks,
                };
                let symbol = wire.symbol;
                Ok(Self::Diff { symbol, diff })
            }
            _ => Ok(Self::Other),
        }
    }
}

impl Snapshot {
    /// Reads the answer to a request for a snapshot.
    ///
    /// # Errors
    /// As for [`Message::parse`].
    pub fn parse(body: &str) -> Result<Self> {
        let wire: WireSnapshot = serde_json::from_str(body).with_context(|| {
            let start: String = body.chars().take(80).collect();
            format!("snapshot of {} bytes, {start:?}", body.len())
        })?;
        let mut book = Book::new();
        set(&mut book, &wire.bids, &wire.asks);
        Ok(Self {
            last: wire.last_update_id,
            book,
        })
    }
}

#[cfg(test)]
mod tests;
