//! `gimmal-feed live`.

use super::output::{self, observer};
use super::{above_zero, distinct, microseconds, seconds};
use anyhow::{bail, ensure, Result};
use gimmal_feed::live::{self, Options, Summary};
use gimmal_feed::queue::Size;
use gimmal_feed::stop::Stop;
use gimmal_feed::strategy::Strategy;
use gimmal_feed::venue::{symbol, Venue};
use std::path::PathBuf;
use std::time::Duration;

/// Options of `live`.
#[derive(clap::Args)]
pub struct Args {
    /// The symbols, such as btcusdt
    #[arg(required = true, value_name = "SYMBOL", value_parser = symbol)]
    symbols: Vec<String>,

    /// Whose market, and by whose rules
    #[arg(long, value_enum, default_value_t = Venue::Spot)]
    venue: Venue,

    /// Where the streams are, as wss://HOST:PORT; /stream is added [default: the venue's]
    #[arg(long, value_name = "ADDRESS")]
    stream: Option<String>,

    /// Where the snapshots are, as https://HOST:PORT; their path is added [default: the venue's]
    #[arg(long, value_name = "ADDRESS")]
    rest: Option<String>,

    /// Trust the authorities in this PEM file instead of those that browsers trust
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// End after so many messages
    #[arg(long, value_name = "N", value_parser = above_zero)]
    messages: Option<u64>,

    #[command(flatten)]
    handler: Handler,
}

/// Options of the handler, whatever it listens to.
#[derive(clap::Args, Clone, Debug)]
pub struct Handler {
    /// End after so many seconds [default: when interrupted]
    #[arg(long, value_name = "N", value_parser = seconds)]
    seconds: Option<Duration>,

    /// How many bytes the ring holds; what finds no room is dropped and counted
    #[arg(long, value_enum, ignore_case = true, default_value_t = Size::M1)]
    ring: Size,

    /// How the consumer waits for messages
    #[arg(long, value_enum, default_value_t = Strategy::Park)]
    wait: Strategy,

    /// Send a ping after so many seconds of silence, and connect anew after as many again
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    silence: Duration,

    /// Refuse longer messages, and with them the connection
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 10, value_parser = above_zero)]
    largest: u64,

    /// Make the consumer slow: it sleeps so many microseconds over each message
    #[arg(long, value_name = "MICROSECONDS", default_value = "0", value_parser = microseconds)]
    slow: Duration,

    /// Record what is received into a file, gzipped if its name ends in .gz; one that is there is overwritten
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    #[command(flatten)]
    pub output: output::Show,
}

impl Handler {
    /// The options that these change.
    pub fn options(&self, venue: Venue, symbols: Vec<String>) -> Options {
        Options {
            time: self.seconds,
            ring: self.ring,
            strategy: self.wait,
            silence: self.silence,
            largest: usize::try_from(self.largest).unwrap_or(usize::MAX),
            slow: self.slow,
            record: self.record.clone(),
            interval: self.output.interval(),
            ..Options::new(venue, symbols)
        }
    }
}

/// Keeps books until interrupted, or time or messages have run out.
pub fn run(args: &Args, stop: Stop) -> Result<()> {
    distinct(args.symbols.iter().map(|symbol| symbol.to_uppercase()));
    let mut options = args.handler.options(args.venue, args.symbols.clone());
    options.authorities = args.ca.clone();
    options.messages = args.messages;
    options.stop = stop;
    if let Some(stream) = &args.stream {
        options.stream.clone_from(stream);
    }
    if let Some(rest) = &args.rest {
        options.rest.clone_from(rest);
    }
    let mut output = args.handler.output.open()?;
    let mut failed = Ok(());
    let summary = live::run(&options, &mut observer(&mut output, &mut failed))?;
    failed?;
    output.end(&summary.report)?;
    is_whole(&summary)?;
    ensure!(
        summary.report.connections > 0,
        "there was no connection to the stream at {}",
        options.stream
    );
    Ok(())
}

/// A recording that could not be written is a failure, after all else.
pub fn is_whole(summary: &Summary) -> Result<()> {
    match &summary.unrecorded {
        Some(reason) => bail!("{reason}"),
        None => Ok(()),
    }
}
