//! `gimmal ls`.

use crate::row::{Row, Rows};
use crate::Place;
use anyhow::Result;
use comfy_table::{presets, Table};
use std::io::{self, Write};
use std::time::Duration;

/// Options of `ls`.
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// How long to count elements for the rate, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    interval: u64,
}

/// Prints the segments.
pub fn run(place: &Place, args: &Args) -> Result<()> {
    let rows = Rows::read(place, Duration::from_millis(args.interval))?;
    if args.json {
        return print_json(&rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(Row::HEAD);
    table.add_rows(rows.segments.iter().map(Row::cells));
    let mut out = io::stdout().lock();
    writeln!(out, "{}", trimmed(&table))?;
    for other in &rows.unreadable {
        writeln!(out, "{}: {}", other.name, other.error)?;
    }
    Ok(())
}

/// A table whose lines end where their text does.
pub fn trimmed(table: &Table) -> String {
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// Prints a value as JSON, on several lines.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(io::stdout(), "{text}")?;
    Ok(())
}
