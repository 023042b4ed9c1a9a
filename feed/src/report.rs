//! What the handler tells of itself, every second and at the end.

use crate::book::{Level, Side};
use crate::handler::Handler;
use crate::instrument::{Counters, Instrument, State};
use crate::queue::Receiver;
use hdrhistogram::Histogram;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt::Display;

/// The state of the handler at a moment.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Seconds since the start.
    pub seconds: f64,
    /// Messages between the socket and the books.
    pub ring: RingCounts,
    /// Nanoseconds that messages spent between the socket and the books since the last report.
    pub recent_latency: Latency,
    /// Messages a second that were taken since the last report.
    pub rate: f64,
    /// Likewise since the start.
    pub latency: Latency,
    /// Connections made.
    pub connections: u64,
    /// Messages that could not be read.
    pub malformed: u64,
    /// Messages of other streams.
    pub other: u64,
    /// What happened to all symbols' diffs.
    pub total: Counters,
    /// Each symbol.
    pub symbols: Vec<SymbolReport>,
    /// What went wrong since the last report.
    pub troubles: Vec<String>,
}

impl Report {
    /// The state of a handler at this moment; what was recent is no more so for the next.
    pub fn new(seconds: f64, ring: RingCounts, handler: &Handler, times: &mut Times) -> Self {
        let recent_latency = Latency::of(&times.recent);
        times.recent.reset();
        let rate = recent_latency.count as f64 / (seconds - times.reported).max(1e-9);
        times.reported = seconds;
        Self {
            seconds,
            ring,
            recent_latency,
            rate,
            latency: Latency::of(&times.all),
            connections: 0,
            malformed: handler.malformed(),
            other: handler.other(),
            total: handler.counters(),
            symbols: SymbolReport::all(handler),
            troubles: Vec::new(),
        }
    }
}

impl Report {
    /// There is no connection: no book can be in step.
    pub fn disconnected(&mut self) {
        for symbol in &mut self.symbols {
            if symbol.state != State::NoData {
                symbol.state = State::Disconnected;
            }
        }
    }
}

/// What messages took from the socket to the books, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Times {
    recent: Histogram<u64>,
    all: Histogram<u64>,
    /// When the last report was, in seconds.
    reported: f64,
}

impl Times {
    /// Nothing yet. Times of up to a minute are told apart; longer ones count as a minute.
    pub fn new() -> Self {
        let empty = Histogram::new_with_bounds(1, 60_000_000_000, 3);
        let empty = empty.expect("the bounds are in order");
        Self {
            recent: empty.clone(),
            all: empty,
            reported: 0.0,
        }
    }

    /// Takes in what one message took.
    pub fn record(&mut self, nanoseconds: u64) {
        self.recent.saturating_record(nanoseconds);
        self.all.saturating_record(nanoseconds);
    }

    /// The percentiles since the start.
    pub fn latency(&self) -> Latency {
        Latency::of(&self.all)
    }
}

impl Default for Times {
    fn default() -> Self {
        Self::new()
    }
}

/// Messages between the socket and the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct RingCounts {
    /// Messages received from the socket, dropped ones included, as its thread counts them.
    pub produced: u64,
    /// Messages taken from the ring.
    pub consumed: u64,
    /// Messages dropped because the ring was full, as the socket's thread counts them.
    pub dropped: u64,
    /// Messages in the ring: at the end the count of those that were left there.
    pub waiting: u64,
    /// Bytes waiting in the ring.
    pub depth: usize,
    /// Bytes that it holds.
    pub capacity: usize,
}

impl RingCounts {
    /// As they stand. Both ends count on meanwhile: what waits is the difference of their counts.
    pub fn of(receiver: &Receiver<'_>) -> Self {
        let (produced, dropped) = receiver.offered();
        let consumed = receiver.consumed();
        let (depth, capacity) = receiver.depth();
        Self {
            produced,
            consumed,
            dropped,
            waiting: produced.saturating_sub(consumed + dropped),
            depth,
            capacity,
        }
    }

    /// After the sender has ended. What is left in the ring is taken out and counted, so that [`is_exact`](Self::is_exact) compares what both
    /// ends have counted.
    pub fn at_end(receiver: &mut Receiver<'_>) -> Self {
        let counts = Self::of(receiver);
        Self {
            waiting: receiver.discard(),
            ..counts
        }
    }

    /// Whether every message was consumed, dropped and counted, or left.
    pub const fn is_exact(&self) -> bool {
        self.produced == self.consumed + self.dropped + self.waiting
    }
}

/// Percentiles, in nanoseconds. As JSON they are null where nothing was measured.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Latency {
    /// How many were measured.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// Half took less.
    pub p50: u64,
    /// Nine of ten took less.
    pub p90: u64,
    /// 99 of 100 took less.
    pub p99: u64,
    /// 999 of 1000 took less.
    pub p999: u64,
    /// The longest.
    pub max: u64,
}

impl Latency {
    /// One of its times, if there is any.
    pub fn known<T>(&self, time: T) -> Option<T> {
        (self.count > 0).then_some(time)
    }

    fn of(times: &Histogram<u64>) -> Self {
        Self {
            count: times.len(),
            mean: times.mean(),
            p50: times.value_at_quantile(0.5),
            p90: times.value_at_quantile(0.9),
            p99: times.value_at_quantile(0.99),
            p999: times.value_at_quantile(0.999),
            max: times.max(),
        }
    }
}

impl Serialize for Latency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Latency", 7)?;
        fields.serialize_field("count", &self.count)?;
        fields.serialize_field("mean", &self.known(self.mean))?;
        for (name, time) in [
            ("p50", self.p50),
            ("p90", self.p90),
            ("p99", self.p99),
            ("p999", self.p999),
            ("max", self.max),
        ] {
            fields.serialize_field(name, &self.known(time))?;
        }
        fields.end()
    }
}

/// The state of one symbol.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolReport {
    /// The symbol.
    pub symbol: String,
    /// Where its book stands.
    pub state: State,
    /// Whether the book has followed a diff since its snapshot.
    pub is_following: bool,
    /// The last update in it.
    pub last: Option<u64>,
    /// What happened to its diffs.
    #[serde(flatten)]
    pub counters: Counters,
    /// Levels in the book.
    pub levels: usize,
    /// The highest bid.
    pub bid: Option<String>,
    /// The lowest ask.
    pub ask: Option<String>,
    /// Ask less bid.
    pub spread: Option<String>,
    /// The middle between them.
    pub mid: Option<String>,
    /// How much more is bid than asked at them, as a share of both.
    pub imbalance: Option<f64>,
    /// The best levels, for the ladder.
    #[serde(skip)]
    pub ladder: Ladder,
}

/// The best levels of both sides, the best first.
#[derive(Clone, Debug, Default)]
pub struct Ladder {
    /// Who buys.
    pub bids: Vec<Level>,
    /// Who sells.
    pub asks: Vec<Level>,
}

const LADDER: usize = 20;

impl SymbolReport {
    fn of(symbol: &str, instrument: &Instrument) -> Self {
        let book = instrument.book();
        let top = book.top();
        let price = |level: Option<Level>| shown(level.map(|level| level.price));
        let best = |side| book.levels(side).take(LADDER).collect();
        Self {
            symbol: symbol.to_owned(),
            state: instrument.state(),
            is_following: instrument.is_following(),
            last: instrument.last(),
            counters: instrument.counters(),
            levels: book.len(),
            bid: price(top.bid),
            ask: price(top.ask),
            spread: shown(top.spread()),
            mid: shown(top.mid()),
            imbalance: top.imbalance(),
            ladder: Ladder {
                bids: best(Side::Bid),
                asks: best(Side::Ask),
            },
        }
    }

    /// Of all symbols of a handler.
    pub fn all(handler: &Handler) -> Vec<Self> {
        handler
            .instruments()
            .map(|(symbol, instrument)| Self::of(symbol, instrument))
            .collect()
    }
}

fn shown(number: Option<impl Display>) -> Option<String> {
    number.map(|number| trimmed(&number.to_string()))
}

/// A decimal number without the zeros at its end.
pub fn trimmed(number: &str) -> String {
    if number.contains('.') {
        let number = number.trim_end_matches('0').trim_end_matches('.');
        number.to_owned()
    } else {
        number.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_are_left_out() {
        for (number, expected) in [
            ("1.50000000", "1.5"),
            ("100.00000000", "100"),
            ("100", "100"),
            ("0.00000000", "0"),
        ] {
            assert_eq!(trimmed(number), expected);
        }
    }

    #[test]
    fn percentiles_are_those_of_what_was_recorded() {
        let mut times = Times::new();
        for time in 1..=1000 {
            times.record(time);
        }
        times.record(u64::MAX);
        let latency = times.latency();
        assert_eq!((latency.count, latency.p50, latency.p99), (1001, 501, 991));
        assert!(latency.max >= 59_000_000_000);
    }

    #[test]
    fn nothing_measured_is_no_zero() {
        let text = |times: &Times| serde_json::to_string(&times.latency()).unwrap();
        let mut times = Times::new();
        let expected =
            r#"{"count":0,"mean":null,"p50":null,"p90":null,"p99":null,"p999":null,"max":null}"#;
        assert_eq!(text(&times), expected);
        times.record(0);
        let expected = r#"{"count":1,"mean":0.0,"p50":0,"p90":0,"p99":0,"p999":0,"max":0}"#;
        assert_eq!(text(&times), expected);
    }

    #[test]
    fn accounts_that_do_not_add_up_are_not_exact() {
        let mut counts = RingCounts {
            produced: 9,
            consumed: 4,
            dropped: 3,
            waiting: 2,
            ..RingCounts::default()
        };
        assert!(counts.is_exact());
        counts.produced += 1;
        assert!(!counts.is_exact());
    }

    #[test]
    fn what_was_recent_is_so_for_one_report() {
        let handler = Handler::new(crate::venue::Venue::Spot);
        let mut times = Times::new();
        let mut counts = |time| {
            times.record(time);
            let report = Report::new(0.0, RingCounts::default(), &handler, &mut times);
            (
                report.recent_latency.count,
                report.recent_latency.max,
                report.latency.count,
            )
        };
        assert_eq!(counts(7), (1, 7, 1));
        assert_eq!(counts(5), (1, 5, 2));
    }
}
