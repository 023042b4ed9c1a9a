//! The command's arguments.

use super::log::{never_struck, news};
use super::{Exchange, Fault, Options, Scheduled, Source};
use crate::record::Recording;
use crate::stop::Stop;
use crate::venue::Venue;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Run a simulated exchange on the loopback interface, until interrupted
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Symbols to trade [default: BTCUSDT ETHUSDT, or all of the recording]
    #[arg(value_name = "SYMBOL", value_parser = crate::venue::symbol)]
    pub symbols: Vec<String>,
    /// Whose protocol to speak [default: the recording's, or spot]
    #[arg(long)]
    pub venue: Option<Venue>,
    /// What the random market comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Messages a second of all streams together; 0 for as many as are taken
    #[arg(long, value_name = "N", default_value_t = 100.0, value_parser = rate)]
    pub rate: f64,
    /// After how many messages the market stands still; a few more tell listeners what they have missed
    #[arg(long, value_name = "N")]
    pub messages: Option<u64>,
    /// What goes wrong, and at which message of the stream or at which request for a snapshot
    #[arg(long = "fault", value_name = "NAME@COUNT", value_delimiter = ',', long_help = faults())]
    pub faults: Vec<Scheduled>,
    /// Go through TLS
    #[arg(long)]
    pub tls: bool,
    /// Where to write the certificate for clients, with --tls
    #[arg(
        long,
        value_name = "FILE",
        default_value = "exchange.pem",
        requires = "tls"
    )]
    pub cert: PathBuf,
    /// The port, 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Repeat the recording of a stream, with its snapshots in the same file or beside it; at --rate, not at the pace of the recording
    #[arg(long, value_name = "FILE")]
    pub recording: Option<PathBuf>,
}

/// Messages a second, from a command line.
fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "not a number")?;
    if rate == 0.0 || (1e-3..=1e9).contains(&rate) {
        Ok(rate)
    } else {
        Err("must be 0, or between 0.001 and 1000000000".into())
    }
}

/// What `--fault` takes.
fn faults() -> String {
    let mut help = "What goes wrong, each time once: the first diff at or after this message of the stream, or this request for a snapshot, counted \
                    from 1. Several are separated by commas.\n\n"
        .to_owned();
    for fault in Fault::value_variants() {
        let value = fault.to_possible_value();
        let text = value.as_ref().and_then(|value| value.get_help());
        let text = text.map(ToString::to_string).unwrap_or_default();
        help += &format!("- {:21}{text}\n", format!("{fault}:"));
    }
    help.truncate(help.trim_end().len());
    help
}

impl Arguments {
    /// The options that they stand for.
    ///
    /// # Errors
    /// If there is a recording and it cannot be read.
    pub fn options(&self) -> Result<Options> {
        let usual = Options::default();
        let recorded = match (&self.recording, self.venue) {
            (Some(path), None) => Recording::read(&[path])?.venue(),
            _ => None,
        };
        let is_default = self.symbols.is_empty() && self.recording.is_none();
        Ok(Options {
            venue: self.venue.or(recorded).unwrap_or(usual.venue),
            symbols: if is_default {
                usual.symbols
            } else {
                self.symbols.clone()
            },
            source: self
                .recording
                .clone()
                .map_or(Source::Random, Source::Recording),
            seed: self.seed,
            rate: (self.rate != 0.0).then_some(self.rate),
            messages: self.messages,
            faults: self.faults.clone(),
            certificate: self.tls.then(|| self.cert.clone()),
            port: self.port,
            ..usual
        })
    }

    /// Runs an exchange until it is asked to stop.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self, stop: &Stop) -> Result<()> {
        let options = self.options()?;
        let venue = options.venue;
        let exchange = Exchange::start(options)?;
        let ca = exchange
            .certificate()
            .map_or(String::new(), |path| format!(" --ca {}", path.display()));
        println!("streams   {}", exchange.stream_address());
        println!("snapshots {}", exchange.rest_address());
        println!(
            "try       gimmal-feed live {} --venue {venue} --stream {} --rest {}{ca}",
            exchange.symbols().join(" "),
            exchange.stream_address(),
            exchange.rest_address(),
        );
        if self.recording.is_some() {
            let rate = match self.rate {
                0.0 => "as fast as they are taken".into(),
                rate => format!("at {rate} messages a second"),
            };
            println!("pace      {rate}, by --rate: not as recorded");
        }
        let mut told = exchange.counts();
        let mut is_told = false;
        while !stop.is_stopped() {
            std::thread::sleep(Duration::from_millis(100));
            let counts = exchange.counts();
            for line in news(&told, &counts) {
                println!("{line}");
            }
            told = counts;
            let is_still = exchange.wait(Duration::ZERO);
            if is_still && !is_told {
                println!(
                    "market    stands still after {} messages",
                    exchange.counts().messages
                );
            }
            is_told = is_still;
        }
        if let Some(text) = never_struck(&exchange.counts()) {
            println!("faults    {text}");
        }
        Ok(())
    }
}
