//! Reports as text.

use comfy_table::{presets, CellAlignment, Table};
use gimmal_feed::instrument::State;
use gimmal_feed::report::{Latency, Report, SymbolReport};
use gimmal_feed::units::{self, count};
use std::fmt::Write;

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
        "{:6.1} s  ring {} in, {} out ({:.0} a second), {} dropped, {} of {} B   latency p50 {}, p99 {}   book {} applied, {} stale, {}, {}",
        report.seconds,
        ring.produced,
        ring.consumed,
        report.rate,
        ring.dropped,
        ring.depth,
        ring.capacity,
        known(latency, latency.p50),
        known(latency, latency.p99),
        total.applied,
        total.stale,
        count(total.gaps, "gap"),
        count(total.resyncs, "resync"),
    );
    for symbol in &report.symbols {
        let [bid, ask, spread, mid] = prices(symbol);
        let imbalance = imbalance(symbol);
        let state = mark(symbol);
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

/// Where a book stands, in words.
pub const fn state(symbol: &SymbolReport) -> &'static str {
    match symbol.state {
        State::NoData => "no data",
        State::NotInStep => "not in step",
        State::InStep => "in step",
        State::Disconnected => "disconnected",
    }
}

/// What is added to the name of a book that does not stand as it should.
pub fn mark(symbol: &SymbolReport) -> String {
    match symbol.state {
        State::InStep => String::new(),
        _ => format!(", {}", state(symbol)),
    }
}

/// The sum at the end.
pub fn end(report: &Report) -> String {
    let mut lines = String::new();
    troubles(&mut lines, report);
    let (ring, total) = (&report.ring, &report.total);
    let exact = if ring.is_exact() {
        "every message accounted for"
    } else {
        "messages are unaccounted for"
    };
    let _ = writeln!(
        lines,
        "\nring      {} produced, {} consumed, {} dropped, {} left waiting: {exact}\n          {} of {} bytes waiting",
        ring.produced, ring.consumed, ring.dropped, ring.waiting, ring.depth, ring.capacity
    );
    let _ = writeln!(
        lines,
        "rate      {:.0} messages a second, in {:.1} s",
        ring.consumed as f64 / report.seconds.max(1e-9),
        report.seconds
    );
    let _ = writeln!(lines, "latency   {}", latency(&report.latency));
    let _ = writeln!(
        lines,
        "book      {}: {} applied, {} stale, {} given up, {} held for a snapshot\n          {}, {}, {} too old",
        count(total.diffs, "diff"),
        total.applied,
        total.stale,
        total.given_up,
        total.held,
        count(total.gaps, "gap"),
        count(total.resyncs, "resync"),
        count(total.too_old, "snapshot")
    );
    let _ = writeln!(
        lines,
        "checked   {} of {} diffs applied against the best prices that the exchange sent: {} differ",
        total.checked, total.applied, total.disagreed
    );
    if report.connections > 0 {
        let _ = writeln!(
            lines,
            "stream    {}",
            count(report.connections, "connection")
        );
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

/// A time in nanoseconds, if any was measured.
pub fn known(latency: &Latency, time: u64) -> String {
    let time = latency.known(time as f64);
    time.map_or("-".into(), units::time)
}

/// Percentiles on a line.
pub fn latency(latency: &Latency) -> String {
    format!(
        "mean {}, p50 {}, p90 {}, p99 {}, p99.9 {}, max {}",
        latency.known(latency.mean).map_or("-".into(), units::time),
        known(latency, latency.p50),
        known(latency, latency.p90),
        known(latency, latency.p99),
        known(latency, latency.p999),
        known(latency, latency.max)
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
        let name = format!("{}{}", symbol.symbol, mark(symbol));
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
