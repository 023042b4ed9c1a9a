//! A market that repeats a recording, from each symbol's first recorded snapshot on.

use super::ladder::{parse, Ladder, Rung, Side};
use super::market::{Market, Symbol, Told};
use super::wire::{Diff, Form};
use crate::record::{snapshots_beside, Entry, Recording};
use crate::venue::Venue;
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::VecDeque;
use std::path::Path;

/// The symbols of a recording, and its messages.
pub(super) struct Recorded {
    symbols: Vec<Symbol>,
    to_come: VecDeque<(Told, Option<Diff>)>,
}

#[derive(Deserialize)]
struct Snapshot {
    #[serde(rename = "lastUpdateId")]
    last: u64,
    bids: Vec<[String; 2]>,
    asks: Vec<[String; 2]>,
}

#[derive(Deserialize)]
struct Envelope {
    stream: String,
    data: serde_json::Value,
}

#[derive(Deserialize)]
struct Depth {
    #[serde(rename = "U")]
    first: u64,
    #[serde(rename = "u")]
    last: u64,
    #[serde(rename = "pu")]
    before: Option<u64>,
    b: Vec<[String; 2]>,
    a: Vec<[String; 2]>,
}

impl Recorded {
    /// Reads the recording of a stream and, where they lie in a file of their own, of its snapshots. Without names of symbols, all are taken.
    pub(super) fn read(path: &Path, venue: Venue, names: &[String]) -> Result<Self> {
        let mut files = vec![path.to_owned()];
        files.extend(snapshots_beside(path));
        let recording = Recording::read(&files)?;
        let wanted = |symbol: &str| {
            names.is_empty() || names.iter().any(|name| name.eq_ignore_ascii_case(symbol))
        };
        let mut market = Self {
            symbols: Vec::new(),
            to_come: VecDeque::new(),
        };
        for entry in &recording.entries {
            if let Entry::Snapshot { symbol, body, .. } = entry {
                if wanted(symbol) && market.place(symbol).is_none() {
                    let opened = open(venue, symbol, body);
                    market.symbols.push(opened.with_context(|| {
                        format!("the snapshot of {symbol} in {}", path.display())
                    })?);
                }
            }
        }
        for name in names {
            if market.place(name).is_none() {
                bail!("{} holds no snapshot of {name}", path.display());
            }
        }
        if market.symbols.is_empty() {
            bail!("there is no snapshot in {} or beside it", path.display());
        }
        for entry in &recording.entries {
            if let Entry::Message { text, .. } = entry {
                market
                    .take(text)
                    .with_context(|| format!("the message {text:.80} in {}", path.display()))?;
            }
        }
        Ok(market)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.symbols
            .iter()
            .position(|symbol| symbol.form.symbol.eq_ignore_ascii_case(name))
    }

    /// Keeps a message for later, if it is of one of the symbols and tells something after its snapshot.
    fn take(&mut self, text: &str) -> Result<()> {
        let Envelope { stream, data } = serde_json::from_str(text)?;
        let (name, kind) = stream.split_once('@').context("a stream without a kind")?;
        let Some(symbol) = self.place(name) else {
            return Ok(());
        };
        let opening = self.symbols[symbol].opening.last;
        let is_diff = kind.starts_with("depth@") || kind == "depth";
        let diff = if is_diff {
            let diff = Depth::deserialize(data)?.into_diff()?;
            if diff.last <= opening {
                return Ok(());
            }
            Some(diff)
        } else {
            if kind == "bookTicker" && data["u"].as_u64().is_some_and(|last| last <= opening) {
                return Ok(());
            }
            None
        };
        let told = Told {
            symbol,
            stream,
            text: text.to_owned(),
            is_diff,
        };
        self.to_come.push_back((told, diff));
        Ok(())
    }
}

impl Market for Recorded {
    fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    fn next(&mut self, _: Option<usize>) -> Option<Vec<Told>> {
        let mut messages = Vec::new();
        while let Some((told, diff)) = self.to_come.pop_front() {
            let symbol = told.symbol;
            messages.push(told);
            if let Some(diff) = diff {
                let ladder = &mut self.symbols[symbol].ladder;
                for (side, rungs) in [(Side::Bid, diff.bids), (Side::Ask, diff.asks)] {
                    for rung in rungs {
                        ladder.set(side, rung);
                    }
                }
                ladder.last = diff.last;
                break;
            }
        }
        (!messages.is_empty()).then_some(messages)
    }

    fn run_ahead(&mut self, _: usize) -> bool {
        false
    }
}

fn open(venue: Venue, name: &str, body: &str) -> Result<Symbol> {
    let snapshot: Snapshot = serde_json::from_str(body)?;
    // As many digits as the recording has.
    let digits = |place: usize| {
        let levels = snapshot.bids.iter().chain(&snapshot.asks);
        levels
            .map(|level| {
                level[place]
                    .split_once('.')
                    .map_or(0, |(_, rest)| rest.len())
            })
            .max()
            .unwrap_or(0) as u32
    };
    let form = Form {
        venue,
        symbol: name.to_uppercase(),
        price: digits(0),
        quantity: digits(1),
    };
    let mut ladder = Ladder::default();
    for (side, levels) in [(Side::Bid, &snapshot.bids), (Side::Ask, &snapshot.asks)] {
        for rung in rungs(levels)? {
            ladder.set(side, rung);
        }
    }
    ladder.last = snapshot.last;
    Ok(Symbol {
        form,
        opening: ladder.clone(),
        ladder,
    })
}

impl Depth {
    fn into_diff(self) -> Result<Diff> {
        Ok(Diff {
            first: self.first,
            last: self.last,
            before: self.before.unwrap_or(self.first.saturating_sub(1)),
            bids: rungs(&self.b)?,
            asks: rungs(&self.a)?,
        })
    }
}

fn rungs(levels: &[[String; 2]]) -> Result<Vec<Rung>> {
    let number = |text: &str| parse(text).with_context(|| format!("{text:?} is no number"));
    levels
        .iter()
        .map(|[price, quantity]| Ok((number(price)?, number(quantity)?)))
        .collect()
}
