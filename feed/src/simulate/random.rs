//! A market of chance: the same from the same seed.

use super::ladder::{Ladder, Rung, Side, UNITS};
use super::market::{Market, Symbol, Told};
use super::wire::{self, Diff, Form, Ticker};
use crate::venue::Venue;
use fastrand::Rng;
use std::collections::BTreeSet;

/// A side with fewer levels loses none, one with as many gets no more.
const LEAST: usize = 20;
const MOST: usize = 400;
/// How many levels a side has as the market opens.
const OPENING: usize = 80;
/// How many diffs nobody hears before the exchange takes connections, so that the opening is past.
const BEFORE: usize = 8;

/// Several symbols.
pub(super) struct Random {
    random: Rng,
    symbols: Vec<Symbol>,
    /// Beside each symbol.
    flows: Vec<Flow>,
}

/// How a symbol's book changes.
struct Flow {
    random: Rng,
    /// The least steps of prices and quantities.
    tick: i64,
    lot: i64,
    /// Up to how far numbers of changes lie apart: on futures all symbols share them.
    stride: u64,
    /// The number of the last change that a diff told.
    told: u64,
    /// What the next diff will tell: the first change's number, and where there were changes.
    first: Option<u64>,
    touched: BTreeSet<(Side, i64)>,
    /// What the next messages will tell of the best levels.
    tickers: Vec<Ticker>,
}

impl Random {
    pub(super) fn new(venue: Venue, symbols: &[String], seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let (symbols, flows): (Vec<_>, Vec<_>) = symbols
            .iter()
            .map(|symbol| open(venue, symbol, random.fork()))
            .unzip();
        let mut market = Self {
            random,
            symbols,
            flows,
        };
        for symbol in 0..market.symbols.len() {
            for _ in 0..BEFORE {
                market.step(symbol);
            }
        }
        market
    }

    /// Changes a book and tells it.
    fn step(&mut self, index: usize) -> Vec<Told> {
        let (symbol, flow) = (&mut self.symbols[index], &mut self.flows[index]);
        flow.burst(&mut symbol.ladder);
        let (tickers, diff) = flow.tell(&symbol.ladder);
        let form = &symbol.form;
        let now = wire::now();
        let mut told: Vec<Told> = tickers
            .iter()
            .map(|ticker| Told {
                symbol: index,
                stream: form.ticker_stream(),
                text: form.ticker(ticker, now),
                is_diff: false,
            })
            .collect();
        told.push(Told {
            symbol: index,
            stream: form.diff_stream(),
            text: form.diff(&diff, now),
            is_diff: true,
        });
        told
    }
}

impl Market for Random {
    fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    fn next(&mut self, symbol: Option<usize>) -> Option<Vec<Told>> {
        let symbol = symbol.unwrap_or_else(|| self.random.usize(..self.symbols.len()));
        Some(self.step(symbol))
    }

    fn run_ahead(&mut self, symbol: usize) -> bool {
        let flow = &mut self.flows[symbol];
        let changes = flow.random.usize(..4);
        for _ in 0..changes {
            flow.change(&mut self.symbols[symbol].ladder, false);
        }
        changes > 0
    }
}

/// A symbol as its market opens.
fn open(venue: Venue, name: &str, mut random: Rng) -> (Symbol, Flow) {
    let price_digits = random.u32(2..=4);
    let quantity_digits = random.u32(0..=3);
    let step = |digits| UNITS / 10_i64.pow(digits);
    let first = random.u64(1_000_000..1_000_000_000);
    let mut flow = Flow {
        tick: step(price_digits),
        lot: step(quantity_digits),
        stride: if venue == Venue::Futures { 40 } else { 1 },
        told: first,
        first: None,
        touched: BTreeSet::new(),
        tickers: Vec::new(),
        random,
    };
    let middle = flow.random.i64(20_000..60_000);
    let mut ladder = Ladder::default();
    for side in [Side::Bid, Side::Ask] {
        let mut price = middle;
        for _ in 0..OPENING {
            price += side.away() * flow.random.i64(1..=3);
            ladder.set(side, (price * flow.tick, flow.quantity()));
        }
    }
    ladder.last = first;
    let symbol = Symbol {
        form: Form::new(venue, name, price_digits, quantity_digits),
        opening: ladder.clone(),
        ladder,
    };
    (symbol, flow)
}

impl Flow {
    fn quantity(&mut self) -> i64 {
        self.lot * self.random.i64(1..100_000)
    }

    /// Several changes: a few most of the time, some hundred at times.
    fn burst(&mut self, ladder: &mut Ladder) {
        let (count, deep) = match self.random.u32(..1000) {
            0..600 => (self.random.usize(1..=4), false),
            600..950 => (self.random.usize(5..=20), false),
            950..995 => (self.random.usize(21..=60), false),
            _ => (self.random.usize(100..=400), true),
        };
        for _ in 0..count {
            self.change(ladder, deep);
        }
    }

    /// One change, near the best prices or anywhere. The best levels move by what is taken from them and what is put between them.
    fn change(&mut self, ladder: &mut Ladder, deep: bool) {
        let before = top(ladder);
        let side = if self.random.bool() {
            Side::Bid
        } else {
            Side::Ask
        };
        let depth = if deep {
            self.random.usize(..MOST)
        } else {
            // Each step away from the best half as likely, and a little spread.
            self.random.u32(..).leading_zeros() as usize * 2 + self.random.usize(..3)
        };
        let rung = self.choose(ladder, side, depth);
        ladder.set(side, rung);
        ladder.last += self.random.u64(1..=self.stride);
        self.first.get_or_insert(ladder.last);
        self.touched.insert((side, rung.0));
        let after = top(ladder);
        if before != after {
            self.tickers.push(Ticker {
                last: ladder.last,
                bid: after.0,
                ask: after.1,
            });
        }
    }

    /// What a change sets, and where.
    fn choose(&mut self, ladder: &Ladder, side: Side, depth: usize) -> Rung {
        let (best, _) = ladder.best(side).expect("a side has levels");
        let (opposite, _) = ladder.best(side.other()).expect("a side has levels");
        let len = ladder.len(side);
        if len >= MOST {
            let (last, _) = ladder.levels(side).last().expect("a side has levels");
            return (last, 0);
        }
        match self.random.u32(..100) {
            0..10 if len > LEAST => (best, 0),
            10..40 if (opposite - best).abs() > self.tick => {
                (best - side.away() * self.tick, self.quantity())
            }
            40..58 if len > LEAST => {
                let nth = ladder.levels(side).nth(depth.min(len - 1));
                let (price, _) = nth.expect("a side has so many levels");
                (price, 0)
            }
            _ => {
                let price = best + side.away() * depth as i64 * self.tick;
                let price = if price > 0 { price } else { best };
                (price, self.quantity())
            }
        }
    }

    /// Tells all changes since the last diff.
    fn tell(&mut self, ladder: &Ladder) -> (Vec<Ticker>, Diff) {
        let touched = std::mem::take(&mut self.touched);
        let levels = |wanted| {
            let of_side = touched.iter().filter(move |(side, _)| *side == wanted);
            of_side.map(|&(side, price)| (price, ladder.at(side, price)))
        };
        let diff = Diff {
            first: self.first.take().expect("something has changed"),
            last: ladder.last,
            before: self.told,
            bids: levels(Side::Bid).rev().collect(),
            asks: levels(Side::Ask).collect(),
        };
        self.told = diff.last;
        (std::mem::take(&mut self.tickers), diff)
    }
}

fn top(ladder: &Ladder) -> (Rung, Rung) {
    let best = |side| ladder.best(side).expect("a side has levels");
    (best(Side::Bid), best(Side::Ask))
}

#[cfg(test)]
mod tests;
