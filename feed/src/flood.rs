//! A run in which diffs are made as fast as the processor can make them: what the ring and the books bear, and whether the accounts are exact.

use crate::handler::Handler;
use crate::instrument::Counters;
use crate::queue::{Queue, Sender, Size, Ticks};
use crate::report::{Latency, Times};
use crate::stop::Stop;
use crate::strategy::Strategy;
use crate::venue::Venue;
use anyhow::{ensure, Result};
use gimmal::WaitError;
use serde::Serialize;
use std::hint;
use std::thread;
use std::time::Duration;

/// What [`run`] works by.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many messages.
    pub count: u64,
    /// How many bytes the ring holds.
    pub ring: Size,
    /// How the consumer waits.
    pub strategy: Strategy,
    /// The producer waits for room, as no socket can; it does so for the last message in any case, whose number tells of all before it.
    pub keeps_up: bool,
    /// The consumer only takes the messages, and keeps no book.
    pub takes_only: bool,
    /// Makes the consumer slow: it sleeps so long over each message.
    pub slow: Duration,
    /// Ends it early.
    pub stop: Stop,
}

impl Options {
    /// A million messages, as fast as can be, into a book.
    pub fn new() -> Self {
        Self {
            count: 1_000_000,
            ring: Size::M1,
            strategy: Strategy::Adaptive,
            keeps_up: false,
            takes_only: false,
            slow: Duration::ZERO,
            stop: Stop::default(),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

/// How it went.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Messages made.
    pub produced: u64,
    /// Messages taken from the ring.
    pub consumed: u64,
    /// Messages dropped because the ring was full.
    pub dropped: u64,
    /// Messages that were dropped as the consumer saw it, from their numbers.
    pub seen_dropped: u64,
    /// What it took.
    pub seconds: f64,
    /// Messages consumed, a second.
    pub rate: f64,
    /// Messages made, a second.
    pub offered_rate: f64,
    /// Nanoseconds from the producer to the consumer.
    pub latency: Latency,
    /// What happened to the book.
    pub book: Counters,
}

impl Summary {
    /// Whether every message was consumed, or dropped and counted, by both ends' counts.
    pub const fn is_exact(&self) -> bool {
        self.produced == self.consumed + self.dropped && self.dropped == self.seen_dropped
    }
}

/// Numbers of so many digits all have the same length, so that a message is made by writing a few digits.
const FIRST: u64 = 1_000_000_000_000_000;
const DIGITS: usize = 16;

/// Makes diffs of one update each.
struct Market {
    text: Vec<u8>,
    /// Where the numbers of updates and a digit of the quantity are in the text.
    places: [usize; 2],
    quantity: usize,
    update: u64,
}

impl Market {
    fn new() -> Self {
        let text = format!(
            r#"{{"stream":"floodusdt@depth@100ms","data":{{"e":"depthUpdate","E":1700000000000,"s":"FLOODUSDT","U":{FIRST},"u":{FIRST},"b":[["100.10000000","1.00000000"]],"a":[["100.20000000","2.50000000"]]}}}}"#
        );
        let found = |pattern: &str| {
            text.find(pattern)
                .map(|at| at + pattern.len())
                .expect("the text has it")
        };
        Self {
            places: [found("\"U\":"), found("\"u\":")],
            quantity: found("\"100.10000000\",\""),
            text: text.into_bytes(),
            update: FIRST,
        }
    }

    /// The next message.
    fn next(&mut self) -> &[u8] {
        let mut digits = [0; DIGITS];
        let mut rest = self.update;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        for place in self.places {
            self.text[place..place + DIGITS].copy_from_slice(&digits);
        }
        self.text[self.quantity] = b'1' + (self.update % 9) as u8;
        self.update += 1;
        &self.text
    }
}

/// Floods a ring, until all messages are made or somebody asks it to stop.
///
/// # Errors
/// If nothing comes for a minute.
pub fn run(options: &Options) -> Result<Summary> {
    let queue = Queue::new(options.ring);
    let (mut sender, mut receiver) = queue.split()?;
    let ticks = Ticks::start();
    let mut times = Times::new();
    let mut handler = Handler::new(Venue::Spot);
    let (produced, dropped, produced_in) = thread::scope(|scope| -> Result<_> {
        let producing = scope.spawn(move || {
            produce(&mut sender, options, ticks);
            let produced_in = ticks.now();
            sender.close();
            (sender.produced(), sender.dropped(), produced_in)
        });
        let mut waiter = options.strategy.waiter(ticks);
        receiver.declare(&mut waiter);
        loop {
            let mut deadline = ticks.after(Duration::from_secs(60));
            let taken = receiver.receive(&mut waiter, &mut deadline, |head, missing, text| {
                times.record(ticks.now() - head.at);
                if !options.slow.is_zero() && !options.stop.is_stopped() {
                    thread::sleep(options.slow);
                }
                if options.takes_only {
                    hint::black_box(text);
                    return Ok(());
                }
                handler.message(head.session, missing, text)?;
                give_snapshots(&mut handler, FIRST + head.number - 1)
            });
            match taken {
                Ok(read) => read?,
                Err(WaitError::Closed) => break,
                Err(WaitError::TimedOut) => {
                    receiver.close();
                    ensure!(false, "nothing came for a minute");
                }
            }
        }
        Ok(producing.join().expect("the producer does not panic"))
    })?;
    let seconds = ticks.now() as f64 / 1e9;
    Ok(Summary {
        produced,
        consumed: receiver.consumed(),
        dropped,
        seen_dropped: receiver.dropped(),
        seconds,
        rate: receiver.consumed() as f64 / seconds,
        offered_rate: produced as f64 / (produced_in as f64 / 1e9),
        latency: times.latency(),
        book: handler.counters(),
    })
}

fn produce(sender: &mut Sender<'_>, options: &Options, ticks: Ticks) {
    let mut market = Market::new();
    for number in 1..=options.count {
        let text = market.next();
        let is_last = number == options.count || options.stop.is_stopped();
        let waits = options.keeps_up || is_last;
        while waits && !sender.has_room(text.len()) && !sender.is_closed() {
            thread::yield_now();
        }
        sender.offer(1, ticks.now(), text);
        if is_last {
            break;
        }
    }
}

/// Stands in for the exchange: the book as it was after `last`.
fn give_snapshots(handler: &mut Handler, last: u64) -> Result<()> {
    let wanted: Vec<_> = handler.wanted().collect();
    for wanted in wanted {
        let body = format!(r#"{{"lastUpdateId":{last},"bids":[],"asks":[]}}"#);
        handler.snapshot(&wanted.symbol, &body)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flood(change: impl FnOnce(&mut Options)) -> Summary {
        let mut options = Options::new();
        change(&mut options);
        let summary = run(&options).unwrap();
        assert_eq!(summary.produced, options.count);
        assert!(summary.is_exact(), "{summary:?}");
        summary
    }

    #[test]
    fn a_million_diffs_without_gap_or_drop_when_the_consumer_keeps_up() {
        let summary = flood(|options| options.keeps_up = true);
        assert_eq!((summary.consumed, summary.dropped), (1_000_000, 0));
        let book = summary.book;
        assert_eq!((book.applied, book.gaps, book.resyncs), (1_000_000, 0, 0));
    }

    #[test]
    fn a_slow_consumer_drops_and_every_drop_is_counted_and_mended() {
        let summary = flood(|options| {
            options.count = 100_000;
            options.ring = Size::K64;
            options.slow = Duration::from_micros(1);
        });
        assert!(summary.dropped > 0, "{summary:?}");
        let book = summary.book;
        assert_eq!(book.applied, summary.consumed);
        assert!(0 < book.gaps && book.gaps <= summary.dropped, "{summary:?}");
        assert_eq!(book.resyncs, book.gaps);
    }

    #[test]
    fn whoever_stops_it_gets_exact_accounts_of_what_was_made() {
        let stop = Stop::default();
        let options = Options {
            count: u64::MAX,
            ring: Size::K4,
            slow: Duration::from_millis(1),
            stop: stop.clone(),
            ..Options::new()
        };
        let summary = thread::scope(|scope| {
            let flooding = scope.spawn(|| run(&options).unwrap());
            thread::sleep(Duration::from_millis(20));
            stop.stop();
            flooding.join().unwrap()
        });
        assert!(summary.is_exact(), "{summary:?}");
        assert!(0 < summary.consumed && summary.produced < u64::MAX);
    }

    #[test]
    fn a_million_ticks_are_taken_or_counted() {
        let summary = flood(|options| {
            options.ring = Size::K4;
            options.takes_only = true;
        });
        assert_eq!(summary.book, Counters::default());
    }
}
