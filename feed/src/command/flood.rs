//! `gimmal-feed flood`.

use super::output::{json, write};
use super::{above_zero, microseconds, text};
use anyhow::{ensure, Result};
use gimmal_feed::flood::{self, Options};
use gimmal_feed::queue::Size;
use gimmal_feed::stop::Stop;
use gimmal_feed::strategy::Strategy;
use gimmal_feed::units::count;
use std::time::Duration;

/// Options of `flood`.
#[derive(clap::Args)]
pub struct Args {
    /// How many messages
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = above_zero)]
    count: u64,

    /// How many bytes the ring holds
    #[arg(long, value_enum, ignore_case = true, default_value_t = Size::M1)]
    ring: Size,

    /// How the consumer waits for messages
    #[arg(long, value_enum, default_value_t = Strategy::Adaptive)]
    wait: Strategy,

    /// Let the producer wait for room, as no socket can: nothing is dropped
    #[arg(long)]
    keep_up: bool,

    /// Let the consumer only take the messages, and keep no book
    #[arg(long)]
    take_only: bool,

    /// Make the consumer slow: it sleeps so many microseconds over each message
    #[arg(long, value_name = "MICROSECONDS", default_value = "0", value_parser = microseconds)]
    slow: Duration,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Floods a ring, and prints the accounts; that they are not exact is a failure.
pub fn run(args: &Args, stop: Stop) -> Result<()> {
    let summary = flood::run(&Options {
        count: args.count,
        ring: args.ring,
        strategy: args.wait,
        keeps_up: args.keep_up,
        takes_only: args.take_only,
        slow: args.slow,
        stop,
    })?;
    if args.json {
        json(&summary)?;
    } else {
        let share = 100.0 * summary.dropped as f64 / summary.produced.max(1) as f64;
        // Not all, where some were consumed.
        let share = if summary.consumed > 0 {
            share.min(99.9)
        } else {
            share
        };
        write(&format!(
            "ring      {} produced = {} consumed + {} dropped ({share:.1} %)\n",
            summary.produced, summary.consumed, summary.dropped
        ))?;
        write(&format!(
            "rate      {:.0} a second offered, {:.0} consumed, in {:.2} s\n",
            summary.offered_rate, summary.rate, summary.seconds
        ))?;
        write(&format!(
            "latency   {}\n          most of it the wait in a ring that is full\n",
            text::latency(&summary.latency)
        ))?;
        if !args.take_only {
            let book = &summary.book;
            write(&format!(
                "book      {}: {} applied, {} stale, {} given up, {} held; {}, {}\n",
                count(book.diffs, "diff"),
                book.applied,
                book.stale,
                book.given_up,
                book.held,
                count(book.gaps, "gap"),
                count(book.resyncs, "resync")
            ))?;
        }
    }
    ensure!(
        summary.is_exact(),
        "the accounts are not exact: the consumer saw {} dropped",
        summary.seen_dropped
    );
    Ok(())
}
