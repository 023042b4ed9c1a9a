//! The handler itself: a socket thread, a ring, a consumer that keeps the books, and a thread that fetches snapshots.

mod consumer;

use crate::backoff::Backoff;
use crate::book::Book;
use crate::queue::{Queue, Size, Ticks};
use crate::record::Recorder;
use crate::report::Report;
use crate::stop::Stop;
use crate::strategy::Strategy;
use crate::venue::{is_symbol, Venue};
use crate::{address, snapshots, socket, tls};
use anyhow::{ensure, Context, Result};
use consumer::Consumer;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What [`run`] works by.
#[derive(Clone, Debug)]
pub struct Options {
    /// By whose rules.
    pub venue: Venue,
    /// The symbols, in small or capital letters.
    pub symbols: Vec<String>,
    /// Where the stream is, without `/stream`: `ws://` or `wss://`.
    pub stream: String,
    /// Where the snapshots are, without their path: `http://` or `https://`.
    pub rest: String,
    /// A PEM file of the authorities to trust instead of those that browsers trust.
    pub authorities: Option<PathBuf>,
    /// Ends after so long.
    pub time: Option<Duration>,
    /// Ends after so many messages.
    pub messages: Option<u64>,
    /// How many bytes the ring holds.
    pub ring: Size,
    /// How the consumer waits.
    pub strategy: Strategy,
    /// Longer messages are refused, in bytes.
    pub largest: usize,
    /// After so long without anything it sends a ping, and after as long again without an answer it connects anew.
    pub silence: Duration,
    /// The pauses between attempts to connect, and to fetch a snapshot again.
    pub backoff: Backoff,
    /// Between two reports.
    pub interval: Duration,
    /// Records what is received, into this file.
    pub record: Option<PathBuf>,
    /// Makes the consumer slow: it sleeps so long over each message.
    pub slow: Duration,
    /// Ends it early.
    pub stop: Stop,
}

impl Options {
    /// For the exchange itself, without end.
    pub fn new(venue: Venue, symbols: Vec<String>) -> Self {
        Self {
            venue,
            symbols,
            stream: venue.stream_address().to_owned(),
            rest: venue.rest_address().to_owned(),
            authorities: None,
            time: None,
            messages: None,
            ring: Size::M1,
            strategy: Strategy::Park,
            largest: 256 << 10,
            silence: Duration::from_secs(30),
            backoff: Backoff::new(Duration::from_millis(250), Duration::from_secs(30)),
            interval: Duration::from_secs(1),
            record: None,
            slow: Duration::ZERO,
            stop: Stop::default(),
        }
    }
}

/// How it ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The last report.
    pub report: Report,
    /// The book of each symbol, by its name in capitals.
    pub books: BTreeMap<String, Book>,
    /// Why the recording is not whole, if it is not.
    pub unrecorded: Option<String>,
}

/// Keeps books until time or messages have run out, `observe`, which gets a report at each interval, breaks, or somebody asks it to stop. What waits
/// in the ring then is still taken, for a second at most.
///
/// What goes wrong on the way, a lost connection say, is in the reports, and is tried again.
///
/// # Errors
/// If it cannot begin: no symbol, or one twice, an address that is none, a file of authorities that cannot be read, a recording that cannot be written.
pub fn run(
    options: &Options,
    observe: &mut dyn FnMut(&Report) -> ControlFlow<()>,
) -> Result<Summary> {
    ensure!(!options.symbols.is_empty(), "no symbol");
    for symbol in &options.symbols {
        ensure!(
            is_symbol(symbol),
            "{symbol:?} is no symbol: letters and digits"
        );
        let count = options
            .symbols
            .iter()
            .filter(|one| one.eq_ignore_ascii_case(symbol))
            .count();
        ensure!(count == 1, "the symbol {symbol} is named twice");
    }
    address::check(&options.stream, ["ws", "wss"])
        .with_context(|| format!("no address of streams: {:?}", options.stream))?;
    address::check(&options.rest, ["http", "https"])
        .with_context(|| format!("no address of snapshots: {:?}", options.rest))?;
    let ticks = Ticks::start();
    let queue = Queue::new(options.ring);
    let (sender, receiver) = queue.split()?;
    let address = options.venue.stream_of(&options.stream, &options.symbols);
    let recorder = match &options.record {
        Some(path) => Some(Recorder::create(path, &address)?),
        None => None,
    };
    let by_socket = socket::Options {
        address: address.clone(),
        authorities: options.authorities.clone(),
        largest: options.largest,
        silence: options.silence,
        backoff: options.backoff.clone(),
    };
    let (wants, wanted) = mpsc::channel();
    let (fetches, fetched) = mpsc::channel();
    // That they can be read; who connects reads them again.
    tls::config(options.authorities.as_deref())?;
    let by_snapshots = snapshots::Options {
        venue: options.venue,
        address: options.rest.clone(),
        authorities: options.authorities.clone(),
        backoff: options.backoff.clone(),
    };
    // Left alone at the end: it may wait for an answer that nobody wants any more.
    thread::Builder::new()
        .name("snapshots".into())
        .spawn(move || snapshots::run(&by_snapshots, &wanted, &fetches))?;
    let (tells, told) = mpsc::channel();
    let (reports, reported) = mpsc::channel();
    let mut consumer = Consumer::new(options, ticks, receiver, recorder, address);
    let consumer = thread::scope(|scope| -> Result<_> {
        let receiving = thread::Builder::new()
            .name("socket".into())
            .spawn_scoped(scope, move || socket::run(sender, by_socket, ticks, &tells))?;
        let consuming = thread::Builder::new()
            .name("consumer".into())
            .spawn_scoped(scope, move || {
                let outside = consumer::Outside {
                    wants,
                    fetched,
                    told,
                    reports,
                };
                consumer.run(&outside);
                consumer
            })?;
        for report in &reported {
            if observe(&report).is_break() {
                break;
            }
        }
        // The consumer ends when nobody listens any more.
        drop(reported);
        let consumer = consuming.join().expect("the consumer does not panic");
        receiving.join().expect("the socket thread does not panic");
        Ok(consumer)
    })?;
    Ok(consumer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_begin_says_why() {
        let refused = |change: &dyn Fn(&mut Options)| {
            let mut options = Options::new(Venue::Spot, vec!["btcusdt".into()]);
            options.time = Some(Duration::ZERO);
            options.stream = "ws://127.0.0.1:1".into();
            change(&mut options);
            let ended = run(&options, &mut |_| ControlFlow::Continue(()));
            format!("{:#}", ended.unwrap_err())
        };
        assert_eq!(refused(&|options| options.symbols.clear()), "no symbol");
        let error = refused(&|options| options.symbols = vec!["btc/usdt".into()]);
        assert!(error.contains("\"btc/usdt\""), "{error}");
        let error = refused(&|options| options.symbols.push("BTCUSDT".into()));
        assert!(error.contains("named twice"), "{error}");
        for address in ["foo", "http://h", "ws://", "ws:h", "ws://h:99999"] {
            let error = refused(&|options| options.stream = address.into());
            let expected = format!("no address of streams: {address:?}: ");
            assert!(error.starts_with(&expected), "{error}");
        }
        for address in ["foo", "ws://h", "http://"] {
            let error = refused(&|options| options.rest = address.into());
            let expected = format!("no address of snapshots: {address:?}: ");
            assert!(error.starts_with(&expected), "{error}");
        }
        let error = refused(&|options| options.authorities = Some("/no/such.pem".into()));
        assert!(error.contains("/no/such.pem"), "{error}");
        let error = refused(&|options| options.record = Some("/no/such/recording".into()));
        assert!(error.contains("/no/such/recording"), "{error}");
    }

    #[test]
    fn a_refused_connection_is_reported_and_tried_again() {
        let mut options = Options::new(Venue::Spot, vec!["btcusdt".into()]);
        options.stream = "ws://127.0.0.1:1".into();
        options.backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(2));
        options.interval = Duration::from_millis(5);
        let mut troubles = Vec::new();
        let summary = run(&options, &mut |report| {
            troubles.extend(report.troubles.clone());
            if troubles.len() < 3 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .unwrap();
        let expected =
            "no connection: Connection refused (os error 111) (ws://127.0.0.1:1, again in ";
        assert!(troubles[0].starts_with(expected), "{}", troubles[0]);
        assert_eq!(summary.report.connections, 0);
        assert_eq!(summary.report.ring.produced, 0);
    }

    #[test]
    fn connections_that_end_at_once_are_made_less_and_less_often() {
        let exchange = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut options = Options::new(Venue::Spot, vec!["btcusdt".into()]);
        options.stream = format!("ws://{}", exchange.local_addr().unwrap());
        options.backoff = Backoff::new(Duration::from_millis(1), Duration::from_secs(1));
        options.interval = Duration::from_millis(2);
        thread::spawn(move || {
            for socket in exchange.incoming() {
                // Accepted, and dropped.
                let _ = tungstenite::accept(socket.unwrap());
            }
        });
        let mut troubles = Vec::new();
        let summary = run(&options, &mut |report| {
            troubles.extend(report.troubles.clone());
            if troubles.len() < 7 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        assert!(summary.unwrap().report.connections >= 7);
        // At least half of 64 ms, where the first was one at most.
        let pause = troubles[6].split("again in ").nth(1).unwrap();
        let pause: f64 = pause.split(" ms").next().unwrap().parse().unwrap();
        assert!(pause >= 32.0, "{troubles:?}");
    }
}
