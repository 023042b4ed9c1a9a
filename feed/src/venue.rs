//! The exchange's venues, which differ in addresses and in how a book is put in step with its snapshot.

use clap::ValueEnum;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Venue {
    /// The spot market
    Spot,
    /// The market for the United States, by the rules of the spot market
    Us,
    /// Futures, whose diffs also name the diff before them
    Futures,
}

impl Venue {
    /// Where its streams are, without `/stream`.
    pub const fn stream_address(self) -> &'static str {
        match self {
            Self::Spot => "wss://stream.binance.com:9443",
            Self::Us => "wss://stream.binance.us:9443",
            Self::Futures => "wss://fstream.binance.com/public",
        }
    }

    /// Where its snapshots are, without their path.
    pub const fn rest_address(self) -> &'static str {
        match self {
            Self::Spot => "https://api.binance.com",
            Self::Us => "https://api.binance.us",
            Self::Futures => "https://fapi.binance.com",
        }
    }

    /// The path of its snapshots.
    pub const fn depth_path(self) -> &'static str {
        match self {
            Self::Spot | Self::Us => "/api/v3/depth",
            Self::Futures => "/fapi/v1/depth",
        }
    }

    /// The address of the combined stream of diffs and best prices of these symbols, at `base`.
    pub fn stream_of(self, base: &str, symbols: &[String]) -> String {
        let base = base.trim_end_matches('/').trim_end_matches("/stream");
        let streams: Vec<String> = symbols
            .iter()
            .map(|symbol| symbol.to_lowercase())
            .flat_map(|symbol| {
                [
                    format!("{symbol}@depth@100ms"),
                    format!("{symbol}@bookTicker"),
                ]
            })
            .collect();
        format!("{base}/stream?streams={}", streams.join("/"))
    }

    /// The address of the snapshot of a symbol, at `base`.
    pub fn snapshot_of(self, base: &str, symbol: &str) -> String {
        let base = base.trim_end_matches('/');
        let path = self.depth_path();
        format!("{base}{path}?symbol={}&limit=1000", symbol.to_uppercase())
    }

    /// The venue whose stream or snapshot has this address, as far as that can be told: for recordings.
    pub fn of_address(address: &str) -> Option<Self> {
        if address.contains("/fapi/") || address.contains("fstream.") {
            Some(Self::Futures)
        } else if address.contains("binance.us") {
            Some(Self::Us)
        } else if address.contains("/api/v3/") || address.contains("stream.binance.com") {
            Some(Self::Spot)
        } else {
            None
        }
    }
}

/// A symbol, from a command line.
pub fn symbol(text: &str) -> Result<String, String> {
    if is_symbol(text) {
        Ok(text.to_owned())
    } else {
        Err("a symbol has letters and digits only".into())
    }
}

/// Whether a text can be a symbol.
pub fn is_symbol(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl fmt::Display for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Spot => "spot",
            Self::Us => "us",
            Self::Futures => "futures",
        })
    }
}

impl FromStr for Venue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        <Self as ValueEnum>::from_str(text, false)
            .map_err(|_| format!("{text:?} is no venue: spot, us or futures"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn venues_are_read_as_they_are_written() {
        for venue in Venue::value_variants() {
            assert_eq!(venue.to_string().parse(), Ok(*venue));
            assert_eq!(Venue::of_address(venue.stream_address()), Some(*venue));
            let snapshot = venue.snapshot_of(venue.rest_address(), "btcusdt");
            assert_eq!(Venue::of_address(&snapshot), Some(*venue), "{snapshot}");
        }
        assert!("nasdaq".parse::<Venue>().unwrap_err().contains("nasdaq"));
    }

    #[test]
    fn addresses_name_symbols_as_the_exchange_does() {
        let symbols = ["BTCUSDT".to_owned(), "ethusdt".to_owned()];
        let expected = "ws://h:1/stream?streams=btcusdt@depth@100ms/btcusdt@bookTicker/ethusdt@depth@100ms/ethusdt@bookTicker";
        for base in ["ws://h:1", "ws://h:1/", "ws://h:1/stream"] {
            assert_eq!(Venue::Spot.stream_of(base, &symbols), expected);
        }
        assert_eq!(
            Venue::Futures.snapshot_of("http://h:1/", "btcusdt"),
            "http://h:1/fapi/v1/depth?symbol=BTCUSDT&limit=1000"
        );
    }
}
