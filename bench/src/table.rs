//! The report on a terminal, within 100 columns.

use crate::catalog::{FLOOR, QUEUES};
use crate::report::{Cell, Lost, Machine, Report, TargetRow};
use std::fmt::Write;

/// The whole report. The targets come last, where they are still to be seen when it has scrolled by.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for group in groups(&report.cells) {
        cells(&mut out, group);
    }
    lost(&mut out, report);
    machine(&mut out, &report.machine);
    peers(&mut out, report);
    targets(&mut out, report);
    out
}

/// Runs of cells that are compared with each other.
pub fn groups(cells: &[Cell]) -> impl Iterator<Item = &[Cell]> {
    cells.chunk_by(Cell::is_beside)
}

fn cells(out: &mut String, group: &[Cell]) {
    let Some(first) = group.first() else { return };
    let limit = if first.unit == "ns" { "floor" } else { "block" };
    line(
        out,
        &format!(
            "\n{}, {} bytes, capacity {}, {}, hint {}{}",
            first.benchmark,
            first.payload_bytes,
            first.capacity,
            first.placement,
            first.hint,
            if group.iter().any(|cell| cell.void) {
                ": VOID, rigtorp differs from itself"
            } else {
                ""
            },
        ),
    );
    line(
        out,
        &row(
            "queue",
            &first.unit,
            "to rigtorp [95 %]",
            &format!("to {limit} [95 %]"),
            "rounds",
        ),
    );
    for cell in group {
        let rounds = match cell.dropped_rounds {
            0 => cell.rounds.to_string(),
            dropped => format!("{} ({dropped} dropped)", cell.rounds),
        };
        line(
            out,
            &row(
                &cell.queue,
                &number(cell.value()),
                &ratio(cell.to_reference()),
                &ratio(cell.to_limit()),
                &rounds,
            ),
        );
    }
}

fn row(queue: &str, value: &str, to_reference: &str, to_limit: &str, rounds: &str) -> String {
    format!("  {queue:<15}{value:>10}  {to_reference:<22}{to_limit:<24}{rounds}")
}

/// To three digits or so.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// A ratio with its interval, if there are any.
pub fn ratio((ratio, interval): (Option<f64>, Option<[f64; 2]>)) -> String {
    match (ratio, interval) {
        (Some(ratio), Some([low, high])) => {
            format!("{} [{}, {}]", number(ratio), number(low), number(high))
        }
        (Some(ratio), None) => number(ratio),
        (None, _) => "-".to_owned(),
    }
}

fn lost(out: &mut String, report: &Report) {
    if report.lost.is_empty() {
        return;
    }
    line(
        out,
        "\nnot measured, since every round was dropped (is the machine busy with something else?)",
    );
    for group in report.lost.chunk_by(Lost::is_beside) {
        let first = &group[0];
        let queues: Vec<&str> = group.iter().map(|cell| cell.queue.as_str()).collect();
        line(
            out,
            &format!(
                "  {}, {} bytes, capacity {}:",
                first.benchmark, first.payload_bytes, first.capacity
            ),
        );
        line(out, &format!("    {}", queues.join(", ")));
    }
}

fn machine(out: &mut String, machine: &Machine) {
    line(
        out,
        &format!(
            "\n{} ({} cores, {}), cores {} and {}, {}, Linux {}",
            machine.cpu_model,
            machine.core_count,
            machine.arch,
            machine.cores[0],
            machine.cores[1],
            machine.scheduling,
            machine.kernel
        ),
    );
    line(
        out,
        &format!("{}; {}", machine.compilers.rustc, machine.compilers.cxx),
    );
    line(out, &machine.flags);
    line(
        out,
        &format!(
            "clock: step {} ns, {} ns a reading; load average at the start {}",
            number(machine.clock.step_ns),
            number(machine.clock.cost_ns),
            machine.loadavg[0]
        ),
    );
}

fn peers(out: &mut String, report: &Report) {
    for peer in &report.peers {
        let said = if peer.found {
            let part = |text: &Option<String>| text.clone().unwrap_or_default();
            format!(
                "{} {} from {}",
                peer.id,
                part(&peer.version),
                part(&peer.from)
            )
        } else {
            let note = peer.note.as_deref().unwrap_or("no reason given");
            format!(
                "{} MISSING: {}",
                peer.id,
                note.lines().next().unwrap_or_default()
            )
        };
        line(out, &said);
    }
}

fn targets(out: &mut String, report: &Report) {
    line(
        out,
        &format!(
            "\ntargets (what stands for the project in throughput follows a rule: {})",
            report.rule
        ),
    );
    if report.targets.is_empty() {
        line(out, "  none applies to what was measured");
    }
    let mut words: Vec<&str> = Vec::new();
    for row in &report.targets {
        if !words.contains(&row.target.as_str()) {
            words.push(&row.target);
        }
    }
    for target in words {
        let rows: Vec<&TargetRow> = report
            .targets
            .iter()
            .filter(|row| row.target == target)
            .collect();
        let counted = ["holds", "misses", "undecided", "void"].map(|verdict| {
            let count = rows.iter().filter(|row| row.verdict == verdict).count();
            (count != 0).then(|| format!("{verdict} {count}"))
        });
        let counted: Vec<String> = counted.into_iter().flatten().collect();
        line(
            out,
            &format!("\n  {target}\n    {} of {}", counted.join(", "), rows.len()),
        );
        for row in rows.iter().filter(|row| row.verdict != "holds") {
            line(
                out,
                &format!(
                    "    {:<9} {:<15}{:<9}{:>2} B {:>6} {:<5}{:<20} {}",
                    row.verdict,
                    row.queue,
                    short(&row.benchmark),
                    row.payload_bytes,
                    row.capacity,
                    row.placement,
                    ratio((Some(row.value), row.ci)),
                    row.bound
                ),
            );
        }
    }
}

/// A benchmark's name within eight letters.
fn short(benchmark: &str) -> &str {
    match benchmark {
        "round_trip" => "trip",
        "throughput" => "through",
        "bulk_throughput" => "bulk",
        "single_thread" => "single",
        "pop_empty" => "empty",
        other => other,
    }
}

/// What a queue is, for those who read its id for the first time.
pub fn about(queue: &str) -> &'static str {
    let listed = if queue.starts_with(FLOOR) {
        FLOOR
    } else {
        queue
    };
    QUEUES
        .iter()
        .find(|entry| entry.id == listed)
        .map_or("", |entry| entry.about)
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
