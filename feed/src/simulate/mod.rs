//! A simulated exchange on the loopback interface.
//!
//! It speaks as much of the exchange's protocol as a handler of order books needs, by the public documentation of the exchange: combined
//! streams of diffs and best prices over WebSocket, with pings, and snapshots over HTTP; both at one port, with or without TLS. Behind it
//! is a market of chance, the same from the same seed, or a recording. It keeps its own books, to compare a handler's with.
//!
//! The market moves while somebody listens. Whoever begins to listen hears of every symbol at least once, and so does who has missed
//! something by a fault: so every loss can be noticed, even of the last diff.

mod arguments;
mod connection;
mod fault;
mod http;
mod ladder;
mod log;
mod market;
mod pump;
mod random;
mod recorded;
mod rest;
mod server;
mod state;
mod transport;
mod wire;

pub use arguments::Arguments;
pub use fault::{Fault, Scheduled};
pub use ladder::{Ladder, Rung, Side, UNITS};
pub use log::never_struck;
pub use state::Counts;

use crate::venue::{is_symbol, Venue};
use anyhow::{bail, Context, Result};
use market::Market;
use random::Random;
use recorded::Recorded;
use server::Server;
use state::Shared;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// What happens at the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A market of chance.
    Random,
    /// What a recording of a stream holds, from each symbol's first recorded snapshot on; its snapshots are in the same file or beside it.
    Recording(PathBuf),
}

/// How to simulate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whose protocol to speak.
    pub venue: Venue,
    /// The symbols; for a recording none means all of it.
    pub symbols: Vec<String>,
    /// What happens at the exchange.
    pub source: Source,
    /// What the random market comes from.
    pub seed: u64,
    /// Messages a second of all streams together; as fast as the slowest listener takes them if none is given.
    pub rate: Option<f64>,
    /// After how many messages the market stands still; a few more may follow, as listeners hear once more of each symbol that they must.
    pub messages: Option<u64>,
    /// What goes wrong.
    pub faults: Vec<Scheduled>,
    /// Where to write the certificate, if connections are to go through TLS.
    pub certificate: Option<PathBuf>,
    /// The port, 0 for any that is free.
    pub port: u16,
    /// How often to send a ping.
    pub ping: Duration,
    /// How long to wait for its pong, and for a client that takes nothing more.
    pub pong: Duration,
    /// How late a slow snapshot is.
    pub delay: Duration,
    /// After how many seconds to ask again, as an error 429 says.
    pub retry_after: u64,
    /// How many bytes of white space an oversized message has.
    pub oversize: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            venue: Venue::Spot,
            symbols: vec!["BTCUSDT".to_owned(), "ETHUSDT".to_owned()],
            source: Source::Random,
            seed: 1,
            rate: Some(100.0),
            messages: None,
            faults: Vec::new(),
            certificate: None,
            port: 0,
            ping: Duration::from_secs(20),
            pong: Duration::from_secs(60),
            delay: Duration::from_millis(500),
            retry_after: 1,
            oversize: 1 << 20,
        }
    }
}

/// A running exchange. It stops when dropped.
pub struct Exchange {
    shared: Arc<Shared>,
    server: Server,
    pump: Option<JoinHandle<()>>,
}

impl Exchange {
    /// Starts an exchange at 127.0.0.1.
    ///
    /// # Errors
    /// If there is no symbol, or one twice; if the rate is not above 0; if the recording cannot be read; if the certificate cannot be
    /// written; if the port is taken.
    pub fn start(options: Options) -> Result<Self> {
        check(&options)?;
        let market: Box<dyn Market> = match &options.source {
            Source::Random => Box::new(Random::new(options.venue, &options.symbols, options.seed)),
            Source::Recording(path) => {
                Box::new(Recorded::read(path, options.venue, &options.symbols)?)
            }
        };
        let tls = options.certificate.as_deref().map(transport::certify);
        let tls = tls.transpose()?;
        let port = options.port;
        let shared = Arc::new(Shared::new(options, market));
        let server = Server::start(&shared, port, tls)
            .with_context(|| format!("cannot listen at 127.0.0.1:{port}"))?;
        let mut exchange = Self {
            shared: shared.clone(),
            server,
            pump: None,
        };
        exchange.pump = Some(server::spawn("streams", move || pump::run(&shared))?);
        Ok(exchange)
    }

    /// Where the streams are, without `/stream`.
    pub fn stream_address(&self) -> String {
        let scheme = if self.certificate().is_some() {
            "wss"
        } else {
            "ws"
        };
        format!("{scheme}://{}", self.server.address())
    }

    /// Where the snapshots are, without their path.
    pub fn rest_address(&self) -> String {
        let scheme = if self.certificate().is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.server.address())
    }

    /// The file with the authority's certificate, if connections go through TLS.
    pub fn certificate(&self) -> Option<&Path> {
        self.shared.options.certificate.as_deref()
    }

    /// The symbols, in capitals.
    pub fn symbols(&self) -> Vec<String> {
        self.shared.symbols()
    }

    /// The exchange's own book of a symbol, as it is now.
    pub fn book(&self, symbol: &str) -> Option<Ladder> {
        self.shared.ladder(symbol)
    }

    /// What it has done so far.
    pub fn counts(&self) -> Counts {
        self.shared.counts()
    }

    /// Lets a fault strike next: the next diff, or the next request for a snapshot.
    pub fn inject(&self, fault: Fault) {
        self.shared.inject(fault);
    }

    /// Lets the market stand still, as after [`Options::messages`].
    pub fn hold(&self) {
        self.shared.hold();
    }

    /// Waits until all messages were sent and the books stand still, for so long at most; whether they do.
    pub fn wait(&self, time: Duration) -> bool {
        self.shared.wait_finished(time)
    }

    /// Ends all connections and threads.
    pub fn stop(self) {}
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.shared.stop();
        self.server.stop();
        if let Some(pump) = self.pump.take() {
            let _ = pump.join();
        }
    }
}

fn check(options: &Options) -> Result<()> {
    if options.symbols.is_empty() && options.source == Source::Random {
        bail!("a random market needs a symbol");
    }
    for (index, symbol) in options.symbols.iter().enumerate() {
        if !is_symbol(symbol) {
            bail!("{symbol:?} is no symbol: letters and digits only");
        }
        if options.symbols[..index]
            .iter()
            .any(|one| one.eq_ignore_ascii_case(symbol))
        {
            bail!("the symbol {symbol} is named twice");
        }
    }
    if options
        .rate
        .is_some_and(|rate| !(1e-3..=1e9).contains(&rate))
    {
        bail!("the rate must be between 0.001 and a thousand million messages a second");
    }
    Ok(())
}
