//! The books of several symbols, kept from the messages of one stream.

use crate::instrument::{Counters, Instrument};
use crate::message::{Message, Snapshot};
use crate::venue::Venue;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// Keeps the books.
#[derive(Debug)]
pub struct Handler {
    venue: Venue,
    instruments: BTreeMap<String, Instrument>,
    session: u32,
    malformed: u64,
    other: u64,
}

/// A snapshot that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Of which symbol.
    pub symbol: String,
    /// How many were asked for before in vain.
    pub attempt: u32,
}

impl Handler {
    /// Keeps books by the rules of `venue`, of whatever symbols diffs come for.
    pub const fn new(venue: Venue) -> Self {
        Self {
            venue,
            instruments: BTreeMap::new(),
            session: 0,
            malformed: 0,
            other: 0,
        }
    }

    /// Makes room for a symbol, so that it is told of even if nothing comes.
    pub fn expect(&mut self, symbol: &str) {
        self.instrument(&symbol.to_uppercase());
    }

    /// Wants a snapshot of each symbol of which nothing has come: if there is no such symbol, the answer says so.
    pub fn probe(&mut self) {
        self.instruments.values_mut().for_each(Instrument::probe);
    }

    /// Takes in a message that came over connection number `session`, after `missing` others that were lost on the way from the socket.
    ///
    /// # Errors
    /// If it cannot be read. It is counted, and whatever it changed will show as a gap.
    pub fn message(&mut self, session: u32, missing: u64, text: &[u8]) -> Result<()> {
        if self.session != session {
            self.session = session;
            self.instruments.values_mut().for_each(Instrument::restart);
        }
        if missing > 0 {
            self.lost();
        }
        match Message::parse(text) {
            Ok(Message::Diff { symbol, diff }) => self.instrument(symbol).diff(diff),
            Ok(Message::Ticker { symbol, ticker }) => self.instrument(symbol).ticker(ticker),
            Ok(Message::Other) => self.other += 1,
            Err(error) => {
                self.malformed += 1;
                self.lost();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes in the answer to a request for a snapshot.
    ///
    /// # Errors
    /// If it cannot be read; then another one is wanted.
    pub fn snapshot(&mut self, symbol: &str, body: &str) -> Result<()> {
        match Snapshot::parse(body) {
            Ok(snapshot) => {
                self.instrument(symbol).snapshot(snapshot);
                Ok(())
            }
            Err(error) => {
                self.no_snapshot(symbol);
                Err(error).with_context(|| symbol.to_owned())
            }
        }
    }

    /// A snapshot did not come.
    pub fn no_snapshot(&mut self, symbol: &str) {
        self.instrument(symbol).no_snapshot();
    }

    /// The snapshots that are wanted; each is named once until it has come.
    pub fn wanted(&mut self) -> impl Iterator<Item = Wanted> + '_ {
        self.instruments
            .iter_mut()
            .filter_map(|(symbol, instrument)| {
                let attempt = instrument.wants_snapshot()?;
                let symbol = symbol.clone();
                Some(Wanted { symbol, attempt })
            })
    }

    /// The symbols, in the order of their names.
    pub fn instruments(&self) -> impl Iterator<Item = (&str, &Instrument)> {
        self.instruments
            .iter()
            .map(|(symbol, instrument)| (symbol.as_str(), instrument))
    }

    /// One symbol.
    pub fn get(&self, symbol: &str) -> Option<&Instrument> {
        self.instruments.get(symbol)
    }

    /// What happened, over all symbols.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for instrument in self.instruments.values() {
            sum.add(&instrument.counters());
        }
        sum
    }

    /// Messages that could not be read.
    pub const fn malformed(&self) -> u64 {
        self.malformed
    }

    /// Messages of streams that are not for books.
    pub const fn other(&self) -> u64 {
        self.other
    }

    fn lost(&mut self) {
        self.instruments.values_mut().for_each(Instrument::lost);
    }

    fn instrument(&mut self, symbol: &str) -> &mut Instrument {
        // Not by `entry`, which wants a name of its own for every message.
        if !self.instruments.contains_key(symbol) {
            let instrument = Instrument::new(self.venue);
            self.instruments.insert(symbol.to_owned(), instrument);
        }
        self.instruments
            .get_mut(symbol)
            .expect("it was put in just now")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::State;

    fn diff(symbol: &str, update: u64) -> Vec<u8> {
        format!(r#"{{"stream":"x@depth@100ms","data":{{"s":"{symbol}","U":{update},"u":{update},"b":[["1","{update}"]],"a":[]}}}}"#).into_bytes()
    }

    fn ticker(symbol: &str, update: u64) -> Vec<u8> {
        format!(r#"{{"stream":"x@bookTicker","data":{{"s":"{symbol}","u":{update},"b":"1","B":"{update}","a":"2","A":"1"}}}}"#).into_bytes()
    }

    const SNAPSHOT: &str = r#"{"lastUpdateId":4,"bids":[],"asks":[["2","1"]]}"#;

    fn following() -> Handler {
        let mut handler = Handler::new(Venue::Us);
        for symbol in ["A", "B"] {
            handler.message(1, 0, &diff(symbol, 5)).unwrap();
        }
        let wanted: Vec<Wanted> = handler.wanted().collect();
        assert_eq!(wanted.len(), 2);
        for wanted in wanted {
            handler.snapshot(&wanted.symbol, SNAPSHOT).unwrap();
        }
        handler
    }

    #[test]
    fn each_symbol_has_its_own_book() {
        let mut handler = following();
        handler.message(1, 0, &ticker("A", 6)).unwrap();
        handler.message(1, 0, &diff("A", 6)).unwrap();
        handler.message(1, 0, &diff("B", 7)).unwrap();
        assert!(handler.get("A").unwrap().is_following());
        assert!(!handler.get("B").unwrap().is_following());
        let counters = handler.counters();
        assert_eq!((counters.diffs, counters.applied, counters.gaps), (4, 3, 1));
        assert_eq!((counters.checked, counters.disagreed), (1, 0));
        let wanted: Vec<Wanted> = handler.wanted().collect();
        let symbol = "B".to_owned();
        assert_eq!(wanted, [Wanted { symbol, attempt: 0 }]);
    }

    #[test]
    fn a_symbol_of_which_nothing_comes_is_asked_for_once() {
        let mut handler = Handler::new(Venue::Us);
        handler.expect("quiet");
        handler.expect("A");
        handler.message(1, 0, &diff("A", 5)).unwrap();
        assert_eq!(handler.get("QUIET").unwrap().state(), State::NoData);
        let names = |handler: &mut Handler| -> Vec<String> {
            handler.wanted().map(|wanted| wanted.symbol).collect()
        };
        assert_eq!(names(&mut handler), ["A"]);
        handler.probe();
        assert_eq!(names(&mut handler), ["QUIET"]);
        handler.no_snapshot("QUIET");
        assert!(names(&mut handler).is_empty());
        handler.probe();
        handler.snapshot("QUIET", SNAPSHOT).unwrap();
        assert_eq!(handler.get("QUIET").unwrap().state(), State::InStep);
        assert!(names(&mut handler).is_empty());
    }

    #[test]
    fn a_new_session_starts_every_book_over() {
        let mut handler = following();
        handler.message(2, 0, &diff("A", 6)).unwrap();
        assert!(handler.instruments().all(|(_, one)| !one.is_following()));
        assert_eq!(handler.counters().gaps, 0);
    }

    #[test]
    fn missing_and_malformed_messages_end_the_comparison_of_prices() {
        for (missing, text) in [
            (1, br#"{"stream":"x@other","data":1}"#.to_vec()),
            (0, b"{".to_vec()),
        ] {
            let mut handler = following();
            handler.message(1, 0, &ticker("A", 6)).unwrap();
            let is_malformed = handler.message(1, missing, &text).is_err();
            assert_eq!(handler.malformed(), u64::from(is_malformed));
            assert_eq!(handler.other(), u64::from(!is_malformed));
            handler.message(1, 0, &diff("A", 6)).unwrap();
            assert_eq!(handler.counters().checked, 0);
        }
    }

    #[test]
    fn a_snapshot_that_cannot_be_read_is_wanted_again() {
        let mut handler = Handler::new(Venue::Spot);
        handler.message(1, 0, &diff("A", 5)).unwrap();
        assert_eq!(handler.wanted().count(), 1);
        let error = handler.snapshot("A", "<html>").unwrap_err();
        assert!(
            format!("{error:#}").starts_with("A: snapshot of 6 bytes"),
            "{error:#}"
        );
        let wanted: Vec<Wanted> = handler.wanted().collect();
        assert_eq!(wanted.len(), 1);
        assert_eq!(wanted[0].attempt, 1);
    }
}
