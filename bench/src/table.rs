//! The report on a terminal, within 100 columns.

use crate::report::{Cell, Figures, Lost, Machine, OverallRow, Report, TargetRow, Unmeasured};
use crate::{doubts, notes};
use std::fmt::{self, Write};

const COLUMNS: usize = 100;

/// Behind a figure that is no result.
const THIN_MARK: char = '?';

/// The whole report. The targets come last, where they are still to be seen when it has scrolled by.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    write(&mut out, report).expect("a string takes everything");
    out
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    preface(out, report)?;
    for group in groups(&report.cells) {
        cells(out, report, group)?;
    }
    departures(out, report)?;
    lost(out, report)?;
    machine(out, &report.machine)?;
    peers(out, report)?;
    threats(out, report)?;
    targets(out, report)?;
    overall(out, &report.overall)
}

/// What must be known to read what follows.
fn preface(out: &mut String, report: &Report) -> fmt::Result {
    if let Some(warning) = doubts::warning(report) {
        prose(out, "", &warning)?;
    }
    prose(out, "", &format!("sibling, near, far: {PLACEMENTS}"))?;
    if report.cells.iter().any(Cell::is_thin) {
        prose(out, "", &format!("{THIN_MARK}: {}", doubts::THIN))?;
    }
    Ok(())
}

/// What the placements are, in one line.
const PLACEMENTS: &str =
    "how far apart the floor shows the two cores; a virtual machine may move them";

/// Runs of cells that are compared with each other.
pub fn groups(cells: &[Cell]) -> impl Iterator<Item = &[Cell]> {
    cells.chunk_by(Cell::is_beside)
}

fn cells(out: &mut String, report: &Report, group: &[Cell]) -> fmt::Result {
    let first = &group[0];
    let limit = if first.unit == "ns" { "floor" } else { "block" };
    writeln!(
        out,
        "\n{}, {} bytes, capacity {}, {}, hint {}{}",
        first.benchmark,
        first.payload_bytes,
        first.capacity,
        first.placement,
        first.hint,
        if group.iter().any(|cell| cell.void && cell.drops() == 0) {
            ": VOID, rigtorp differs from itself"
        } else {
            ""
        },
    )?;
    let to_limit = format!("to {limit} [95 %]");
    row(
        out,
        "queue",
        "note",
        &format!("{} ", first.unit),
        "to rigtorp [95 %]",
        &to_limit,
        "rounds",
    )?;
    for cell in group {
        let mut rounds = match cell.dropped_rounds {
            0 => cell.rounds.to_string(),
            dropped => format!("{} ({dropped} dropped)", cell.rounds),
        };
        if cell.drops() > 0 {
            rounds += &format!(", VOID: full {} times", cell.drops());
        }
        let value = if cell.is_thin() {
            format!("{}{THIN_MARK}", number(cell.value()))
        } else {
            // As wide as the mark, so that the digits stay under each other.
            format!("{} ", number(cell.value()))
        };
        let (to_reference, to_limit) = (ratio(cell.to_reference()), ratio(cell.to_limit()));
        let marks = notes::marks(report, &cell.queue);
        row(
            out,
            &cell.queue,
            &marks,
            &value,
            &to_reference,
            &to_limit,
            &rounds,
        )?;
    }
    percentiles(out, group)
}

/// Of single messages, where they were timed.
fn percentiles(out: &mut String, group: &[Cell]) -> fmt::Result {
    let timed = group.iter().filter_map(|cell| match &cell.figures {
        Figures::Time {
            p50,
            p99,
            p999,
            p9999,
            max,
            samples: samples @ 1..,
            ..
        } => Some((
            &cell.queue,
            [Some(*p50), *p99, *p999, *p9999, *max],
            samples,
        )),
        _ => None,
    });
    let mut timed = timed.peekable();
    if timed.peek().is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "  {:<15}{:>10} {:>9} {:>9} {:>9} {:>9} {:>10}",
        "single, ns", "p50 ", "p99", "p99.9", "p99.99", "max", "messages"
    )?;
    for (queue, figures, samples) in timed {
        write!(out, "  {queue:<15}")?;
        for figure in figures {
            let figure = figure.map_or("-".to_owned(), number);
            write!(out, "{figure:>9} ")?;
        }
        writeln!(out, "{samples:>10}")?;
    }
    Ok(())
}

fn row(
    out: &mut String,
    queue: &str,
    marks: &str,
    value: &str,
    to_reference: &str,
    to_limit: &str,
    rounds: &str,
) -> fmt::Result {
    writeln!(
        out,
        "  {queue:<21} {marks:<5}{value:>9} {to_reference:<21}{to_limit:<21}{rounds}"
    )
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

/// A ratio with its interval, or with a mark if there is none.
pub fn ratio((ratio, interval): (Option<f64>, Option<[f64; 2]>)) -> String {
    match (ratio, interval) {
        (Some(ratio), Some([low, high])) => {
            format!("{} [{}, {}]", number(ratio), number(low), number(high))
        }
        (Some(ratio), None) => format!("{}{THIN_MARK}", number(ratio)),
        (None, _) => "-".to_owned(),
    }
}

/// Each target's rows, in the order of the targets.
pub fn by_target(rows: &[TargetRow]) -> impl Iterator<Item = &[TargetRow]> {
    rows.chunk_by(|one, other| one.target == other.target)
}

/// How many rows have which verdict, of those that any has.
pub fn counts(rows: &[TargetRow]) -> Vec<(&'static str, usize)> {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    ["holds", "misses", "undecided", "void"]
        .into_iter()
        .map(|verdict| (verdict, count(verdict)))
        .filter(|(_, count)| *count != 0)
        .collect()
}

/// What the letters behind the queues mean.
fn departures(out: &mut String, report: &Report) -> fmt::Result {
    let letters = notes::letters(report);
    if letters.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nnotes")?;
    for (letter, words) in letters {
        prose(out, "  ", &format!("{letter}: {words}"))?;
    }
    Ok(())
}

fn threats(out: &mut String, report: &Report) -> fmt::Result {
    if report.threats.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nthreats to validity")?;
    for threat in &report.threats {
        prose(out, "  ", threat)?;
    }
    Ok(())
}

fn overall(out: &mut String, rows: &[OverallRow]) -> fmt::Result {
    for of_target in rows.chunk_by(|one, other| one.target == other.target) {
        writeln!(out)?;
        prose(out, "  ", &of_target[0].target)?;
        for row in of_target {
            let interval = row.ci.map_or(String::new(), |[low, high]| {
                format!(" [{}, {}]", number(low), number(high))
            });
            writeln!(
                out,
                "    {:<9} {:<8}{}{interval}, {} of {} cells, {}",
                row.verdict, row.placement, row.found, row.cells, row.cells_named, row.bound
            )?;
        }
    }
    Ok(())
}

fn lost(out: &mut String, report: &Report) -> fmt::Result {
    if report.lost.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nnot measured, since every round was dropped (is the machine busy with something else?)"
    )?;
    for group in report.lost.chunk_by(Lost::is_beside) {
        let first = &group[0];
        let queues: Vec<&str> = group.iter().map(|cell| cell.queue.as_str()).collect();
        prose(
            out,
            "  ",
            &format!(
                "{}, {} bytes, capacity {}: {}",
                first.benchmark,
                first.payload_bytes,
                first.capacity,
                queues.join(", ")
            ),
        )?;
    }
    Ok(())
}

fn machine(out: &mut String, machine: &Machine) -> fmt::Result {
    let [first, second] = machine.cores;
    writeln!(out)?;
    prose(
        out,
        "",
        &format!(
            "{} ({} cores, {}), cores {first} and {second}, {}, Linux {}",
            machine.cpu_model, machine.core_count, machine.arch, machine.scheduling, machine.kernel
        ),
    )?;
    prose(
        out,
        "",
        &format!("{}; {}", machine.compilers.rustc, machine.compilers.cxx),
    )?;
    prose(out, "", &machine.flags)?;
    writeln!(
        out,
        "clock: step {} ns, {} ns a reading; load average at the start {}",
        number(machine.clock.step_ns),
        number(machine.clock.cost_ns),
        machine.loadavg[0]
    )
}

fn peers(out: &mut String, report: &Report) -> fmt::Result {
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
        prose(out, "", &said)?;
    }
    Ok(())
}

fn targets(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out)?;
    prose(
        out,
        "",
        &format!("targets (in throughput, by rule: {})", report.rule),
    )?;
    for rows in by_target(&report.targets) {
        let counts: Vec<String> = counts(rows)
            .into_iter()
            .map(|(verdict, count)| format!("{verdict} {count}"))
            .collect();
        writeln!(out)?;
        prose(out, "  ", &rows[0].target)?;
        writeln!(out, "    {} of {}", counts.join(", "), rows.len())?;
        if let Some(entry) = missing(&report.unmeasured, &rows[0].target) {
            not_measured(out, entry)?;
        }
        for row in rows.iter().filter(|row| row.verdict != "holds") {
            writeln!(
                out,
                "    {:<9} {:<15}{:<8}{:>3} B {:>5} {:<8}{:<22}{}",
                row.verdict,
                row.queue,
                short(&row.benchmark),
                row.payload_bytes,
                row.capacity,
                row.placement,
                ratio((Some(row.value), row.ci)),
                row.bound
            )?;
        }
    }
    for entry in unjudged(report) {
        writeln!(out)?;
        prose(out, "  ", &entry.target)?;
        not_measured(out, entry)?;
    }
    Ok(())
}

/// A target's queues that were not measured.
pub fn missing<'a>(unmeasured: &'a [Unmeasured], target: &str) -> Option<&'a Unmeasured> {
    unmeasured.iter().find(|entry| entry.target == target)
}

/// The targets of which nothing was measured that could be judged.
pub fn unjudged(report: &Report) -> impl Iterator<Item = &Unmeasured> {
    let judged = |entry: &&Unmeasured| report.targets.iter().any(|row| row.target == entry.target);
    report.unmeasured.iter().filter(move |entry| !judged(entry))
}

fn not_measured(out: &mut String, entry: &Unmeasured) -> fmt::Result {
    let text = format!("not measured: {}", entry.queues.join(", "));
    prose(out, "    ", &text)
}

/// A benchmark's name within eight letters.
fn short(benchmark: &str) -> &str {
    match benchmark {
        "round_trip" => "trip",
        "one_way" => "one way",
        "throughput" => "through",
        "bulk_throughput" => "bulk",
        "single_thread" => "single",
        "pop_empty" => "empty",
        other => other,
    }
}

/// Text of any length, broken into lines.
fn prose(out: &mut String, indent: &str, text: &str) -> fmt::Result {
    let hanging = format!("{indent}  ");
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(indent)
        .subsequent_indent(&hanging)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    writeln!(out, "{}", textwrap::fill(text, options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{cell, report};

    #[test]
    fn doubts_come_before_the_figures() {
        let said = text(&report(vec![cell("line-cpp", "near", 5, 5)], &[]));
        let (before, figures) = said.split_once("throughput, 8 bytes").unwrap();
        assert!(
            before.starts_with("0 cells lost, 50 % of pairs dropped"),
            "{said}"
        );
        assert!(
            before.contains("near, far:") && before.contains("\n?: fewer than 6"),
            "{said}"
        );
        assert!(figures.contains("1.00? 1.50?"), "{said}");
        assert!(
            !said.contains("notes") && !said.contains("threats"),
            "{said}"
        );
        let quiet = text(&report(vec![cell("line-cpp", "near", 6, 0)], &[]));
        assert!(quiet.starts_with("sibling, near, far:"), "{quiet}");
        assert!(
            !quiet.contains("fewer than 6") && quiet.contains("  1.00  1.50"),
            "{quiet}"
        );
    }

    #[test]
    fn notes_and_threats_stand_below_the_figures() {
        let mut report = report(vec![cell("rigtorp", "near", 9, 0)], &[]);
        report.queues = notes::queues(&report);
        report.threats = doubts::threats(&report);
        let said = text(&report);
        assert!(said.contains("  rigtorp               a "), "{said}");
        assert!(said.contains("\nnotes\n  a: has no bulk"), "{said}");
        assert!(said.contains("\nthreats to validity\n"), "{said}");
        assert!(
            said.lines().all(|line| line.chars().count() <= COLUMNS),
            "{said}"
        );
    }

    #[test]
    fn single_messages_have_their_percentiles_and_drops_are_said() {
        let mut timed = cell("line-cpp", "near", 9, 0);
        timed.void = true;
        timed.figures = Figures::Time {
            p50: 61.0,
            middle_half_mean: Some(60.0),
            p99: Some(71.0),
            p999: Some(82.0),
            p9999: None,
            max: Some(9300.0),
            samples: 81_000,
            histogram: None,
            rate_hz: Some(100_000),
            drops: Some(4),
            ratio_to_rigtorp: None,
            ratio_to_rigtorp_ci: None,
            ratio_to_floor: None,
            ratio_to_floor_ci: None,
        };
        let said = text(&report(vec![timed], &[]));
        let line = said.lines().find(|line| line.contains("81000")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(
            words,
            ["line-cpp", "61.0", "71.0", "82.0", "-", "9300", "81000"]
        );
        assert!(said.contains("9, VOID: full 4 times"), "{said}");
        assert!(!said.contains("differs from itself"), "{said}");
        assert!(!text(&report(vec![cell("boost", "near", 9, 0)], &[])).contains("single, ns"));
    }

    #[test]
    fn a_target_without_its_queues_is_not_left_out() {
        let mut report = report(Vec::new(), &[]);
        report.unmeasured.push(Unmeasured {
            target: "as fast as light".to_owned(),
            queues: vec!["line-cpp".to_owned(), "boost".to_owned()],
        });
        let said = text(&report);
        assert!(
            said.contains("  as fast as light\n    not measured: line-cpp, boost\n"),
            "{said}"
        );
    }
}
