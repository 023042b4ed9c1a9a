//! `gimmal-feed replay`.

use super::distinct;
use super::output::{self, observer};
use anyhow::{bail, ensure, Context, Result};
use gimmal_feed::queue::Size;
use gimmal_feed::record::{snapshots_beside, Recording};
use gimmal_feed::replay::{self, Options, Summary};
use gimmal_feed::stop::Stop;
use gimmal_feed::strategy::Strategy;
use gimmal_feed::trouble;
use gimmal_feed::venue::Venue;
use std::path::PathBuf;

/// Options of `replay`.
#[derive(clap::Args)]
pub struct Args {
    /// Recordings of one venue: its stream, and its snapshots if they are not in the same file or beside it (*.ws.* and *.http.*)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// By whose rules [default: as the recorded addresses tell]
    #[arg(long, value_enum)]
    venue: Option<Venue>,

    /// So many times as fast as recorded [default: as fast as it can be]
    #[arg(long, value_name = "TIMES", value_parser = speed)]
    speed: Option<f64>,

    /// How many bytes the ring holds; it must hold the longest message
    #[arg(long, value_enum, ignore_case = true, default_value_t = Size::M1)]
    ring: Size,

    /// How the consumer waits for messages
    #[arg(long, value_enum, default_value_t = Strategy::Park)]
    wait: Strategy,

    #[command(flatten)]
    output: output::Show,
}

/// A speed, from a command line.
fn speed(text: &str) -> Result<f64, String> {
    let speed: f64 = text.parse().map_err(|_| "not a number")?;
    if speed.is_finite() && speed > 0.0 {
        Ok(speed)
    } else {
        Err("must be more than 0, and finite".into())
    }
}

/// Plays the recordings; a gap, or a best price that differs, is a failure.
pub fn run(args: &Args, stop: Stop) -> Result<()> {
    distinct(args.files.iter().map(|file| file.display().to_string()));
    let mut files = args.files.clone();
    for file in &args.files {
        if let Some(beside) = snapshots_beside(file).filter(|beside| !files.contains(beside)) {
            files.push(beside);
        }
    }
    let (recording, read) = Recording::read_so_far(&files);
    if recording.entries.is_empty() {
        read?;
        bail!("the recording is empty");
    }
    if let Err(error) = &read {
        eprintln!(
            "gimmal-feed: what comes before is played: {}",
            trouble::text(error)
        );
    }
    let venue = args
        .venue
        .or_else(|| recording.venue())
        .context("the recording does not tell by whose rules it goes: say --venue")?;
    let options = Options {
        speed: args.speed,
        ring: args.ring,
        strategy: args.wait,
        interval: args.output.interval(),
        stop,
        ..Options::new(venue)
    };
    let mut output = args.output.open()?;
    let mut failed = Ok(());
    let Summary { report, .. } = replay::run(
        &recording,
        &options,
        &mut observer(&mut output, &mut failed),
    )?;
    failed?;
    output.end(&report)?;
    let total = &report.total;
    ensure!(
        total.gaps == 0 && total.disagreed == 0,
        "gaps: {}; best prices that differ: {}",
        total.gaps,
        total.disagreed
    );
    read
}
