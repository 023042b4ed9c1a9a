//! `gimmal-feed waits`.

use super::output::{json, write};
use super::{above_zero, text};
use anyhow::Result;
use gimmal_feed::stop::Stop;
use gimmal_feed::strategy::Strategy;
use gimmal_feed::waits::{self, Options};
use std::time::Duration;

/// Options of `waits`.
#[derive(clap::Args)]
pub struct Args {
    /// The ways to compare
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Options::new().strategies)]
    wait: Vec<Strategy>,

    /// Messages to each
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = above_zero)]
    count: u64,

    /// The mean time between two messages, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    period: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Measures each way, and prints a table.
pub fn run(args: &Args, stop: Stop) -> Result<()> {
    let options = Options {
        strategies: args.wait.clone(),
        count: args.count,
        period: Duration::from_millis(args.period),
        stop,
    };
    let rows = waits::run(&options, &mut |_| {})?;
    if args.json {
        return json(&rows);
    }
    let mut table = text::table(&["WAIT", "P50", "P99", "P99.9", "MAX", "PROCESSOR"]);
    for row in &rows {
        let latency = &row.latency;
        let times = [latency.p50, latency.p99, latency.p999, latency.max];
        let mut cells = vec![row.strategy.to_string()];
        cells.extend(times.map(|time| text::known(latency, time)));
        cells.push(format!("{:.1} %", 100.0 * row.processor));
        table.add_row(cells);
    }
    write(&format!(
        "from the producer to the consumer, {} messages {} ms apart on average\n{table}\n",
        args.count, args.period
    ))
}
