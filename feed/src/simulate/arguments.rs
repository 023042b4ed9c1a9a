//! The command's arguments.

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
    #[arg(value_name = "SYMBOL")]
    pub symbols: Vec<String>,
    /// Whose protocol to speak [default: the recording's, or spot]
    #[arg(long)]
    pub venue: Option<Venue>,
    /// What the random market comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Messages a second of all streams together; 0 for as many as are taken
    #[arg(long, value_name = "N", default_value_t = 100.0)]
    pub rate: f64,
    /// After how many messages the market stands still
    #[arg(long, value_name = "N")]
    pub messages: Option<u64>,
    /// What goes wrong, and at which message of the stream or at which request for a snapshot
    #[arg(long = "fault", value_name = "NAME@COUNT", value_delimiter = ',', long_help = faults())]
    pub faults: Vec<Scheduled>,
    /// Go through TLS
    #[arg(long)]
    pub tls: bool,
    /// Where to write the certificate for clients, with --tls
    #[arg(long, value_name = "FILE", default_value = "exchange.pem")]
    pub cert: PathBuf,
    /// The port, 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Repeat the recording of a stream, with its snapshots in the same file or beside it
    #[arg(long, value_name = "FILE")]
    pub recording: Option<PathBuf>,
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
        let mut is_told = false;
        while !stop.is_stopped() {
            std::thread::sleep(Duration::from_millis(100));
            if !is_told && exchange.wait(Duration::ZERO) {
                println!(
                    "all is sent after {} messages; the books stand still",
                    exchange.counts().messages
                );
                is_told = true;
            }
        }
        Ok(())
    }
}
