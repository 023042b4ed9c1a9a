//! Reports as text.

use comfy_table::{presets, CellAlignment, Table};
use gimmal_feed::report::{Latency, Report, SymbolReport};
use std::fmt::Write;

/// A time in nanoseconds, to three digits.
pub fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let decimals = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    let decimals = if unit == "ns" { 0 } else { decimals };
    format!("{value:.decimals$} {unit}")
}

/// A table without lines, whose columns of numbers are aligned to the right.
pub fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The lines of one second.
pub fn moment(report: &Report) -> String {
    let mut lines = String::new();
    let (ring, total) = (&report.ring, &report.total);
    let latency = &report.recent_latency;
    let _ = writeln!(
        lines,
        "{:6.1} s  ring {} in, {} out, {} dropped, {} of {} B   latency p50 {}, p99 {}   book {} applied, {} stale, {} gaps, {} resyncs",
        report.seconds,
        ring.produced,
        ring.consumed,
        ring.dropped,
        ring.depth,
        ring.capacity,
        time(latency.p50 as f64),
        time(latency.p99 as f64),
        total.applied,
        total.stale,
        total.gaps,
        total.resyncs,
    );
    for symbol in &report.symbols {
        let [bid, ask, spread, mid] = prices(symbol);
        let imbalance = imbalance(symbol);
        let state = state(symbol);
        let _ = writeln!(
            lines,
            "          {:<10} bid {bid}, ask {ask}, spread {spread}, mid {mid}, imbalance {imbalance}{state}",
            symbol.symbol,
        );
    }
    troubles(&mut lines, report);
    lines
}

fn troubles(lines: &mut String, report: &Report) {
    for trouble in &report.troubles {
        let _ = writeln!(lines, "          ! {trouble}");
    }
}

fn prices(symbol: &SymbolReport) -> [&str; 4] {
    [&symbol.bid, &symbol.ask, &symbol.spread, &symbol.mid]
        .map(|price| price.as_deref().unwrap_or("-"))
}

fn imbalance(symbol: &SymbolReport) -> String {
    let shown = |imbalance| format!("{imbalance:+.3}");
    symbol.imbalance.map_or("-".into(), shown)
}

const fn state(symbol: &SymbolReport) -> &'static str {
    if symbol.is_following {
        ""
    } else {
        ", not in step"
    }
}

/// The sum at the end.
pub fn end(report: &Report) -> String {
    let mut lines = String::new();
    troubles(&mut lines, report);
    let (ring, total) = (&report.ring, &report.total);
    let exact = if ring.produced == ring.consumed + ring.dropped {
        "every message accounted for"
    } else {
        "messages are unaccounted for"
    };
    let _ = writeln!(
        lines,
        "\nring      {} produced, {} consumed, {} dropped: {exact}\n          {} of {} bytes waiting",
        ring.produced, ring.consumed, ring.dropped, ring.depth, ring.capacity
    );
    let _ = writeln!(lines, "latency   {}", latency(&report.latency));
    let _ = writeln!(
        lines,
        "book      {} diffs: {} applied, {} stale, {} gaps, {} resyncs, {} snapshots too old",
        total.diffs, total.applied, total.stale, total.gaps, total.resyncs, total.too_old
    );
    let _ = writeln!(
        lines,
        "checked   {} of {} diffs applied against the best prices that the exchange sent: {} differ",
        total.checked, total.applied, total.disagreed
    );
    if report.connections > 0 {
        let _ = writeln!(lines, "stream    {} connections", report.connections);
    }
    if report.other + report.malformed > 0 {
        let _ = writeln!(
            lines,
            "other     {} messages of other streams, {} that could not be read",
            report.other, report.malformed
        );
    }
    if !report.symbols.is_empty() {
        let _ = writeln!(lines, "\n{}", symbols(report));
    }
    lines
}

/// Percentiles on a line.
pub fn latency(latency: &Latency) -> String {
    format!(
        "mean {}, p50 {}, p90 {}, p99 {}, p99.9 {}, max {}",
        time(latency.mean),
        time(latency.p50 as f64),
        time(latency.p90 as f64),
        time(latency.p99 as f64),
        time(latency.p999 as f64),
        time(latency.max as f64)
    )
}

fn symbols(report: &Report) -> Table {
    let mut table = table(&[
        "SYMBOL",
        "BID",
        "ASK",
        "SPREAD",
        "MID",
        "IMBALANCE",
        "LEVELS",
        "APPLIED",
        "STALE",
        "GAPS",
        "RESYNCS",
        "CHECKED",
        "DIFFER",
    ]);
    for symbol in &report.symbols {
        let counters = &symbol.counters;
        let name = format!("{}{}", symbol.symbol, state(symbol));
        let mut row = vec![name];
        row.extend(prices(symbol).map(str::to_owned));
        row.push(imbalance(symbol));
        row.push(symbol.levels.to_string());
        let counts = [
            counters.applied,
            counters.stale,
            counters.gaps,
            counters.resyncs,
            counters.checked,
            counters.disagreed,
        ];
        row.extend(counts.map(|count| count.to_string()));
        table.add_row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        for (nanoseconds, expected) in [
            (7.0, "7 ns"),
            (999.0, "999 ns"),
            (1234.0, "1.23 µs"),
            (56_780.0, "56.8 µs"),
            (999_400.0, "999 µs"),
            (61_323_900.0, "61.3 ms"),
            (2e9, "2.00 s"),
        ] {
            assert_eq!(time(nanoseconds), expected);
        }
    }
}
