//! What was to be reached, and whether it was.

use crate::report::{OverallRow, Report, TargetRow, Unmeasured};
use crate::table::{by_target, counts, missing, ratio, unjudged};
use maud::{html, Markup};

pub fn targets(report: &Report) -> Markup {
    html! {
        p {
            "A target holds, or is missed, where the whole 95 % interval is on one side of its bound; otherwise it is undecided. "
            "What stands for the project in a throughput cell follows a rule, not the better result: " (report.rule) ". "
            "The targets are those of the version that took these figures"
            @if let Some(taken) = &report.taken { " (" (taken.words()) ")" }
            "."
            @let others = outdated(report);
            @if !others.is_empty() {
                " The version that drew this page has these otherwise, or no more: "
                @for (index, words) in others.iter().enumerate() { @if index > 0 { "; " } (words) }
                "."
            }
        }
        @for rows in by_target(&report.targets) {
            details.target {
                summary {
                    (rows[0].target) " "
                    span.counts { @for (verdict, count) in counts(rows) { span class=(verdict) { (verdict) " " (count) } " " } "of " (rows.len()) }
                }
                (table(rows))
            }
            @if let Some(entry) = missing(&report.unmeasured, &rows[0].target) { p { (not_measured(entry)) } }
        }
        @for rows in report.overall.chunk_by(|one, other| one.target == other.target) { (overall(rows)) }
        @for entry in unjudged(report) { p { (entry.target) ": " (not_measured(entry)) } }
    }
}

/// The targets that the program has in other words now.
fn outdated(report: &Report) -> Vec<&str> {
    let mut named: Vec<&str> = report
        .targets
        .iter()
        .map(|row| row.target.as_str())
        .collect();
    named.dedup();
    named.retain(|words| !crate::targets::is_current(words));
    named
}

/// A target over all cells of a benchmark.
fn overall(rows: &[OverallRow]) -> Markup {
    html! {
        div.wide tabindex="0" { table {
            caption { (rows[0].target) }
            thead { tr {
                @for name in ["verdict", "benchmark", "cores", "found"] { th scope="col" { (name) } }
                th.number scope="col" { "figure [95 %]" } th scope="col" { "bound" } th.number scope="col" { "cells that count" }
            } }
            tbody { @for row in rows { tr {
                td class=(row.verdict) { (row.verdict) }
                td { (row.benchmark) }
                td { (row.placement) }
                td { (row.found) }
                td.number { (ratio((Some(row.value), row.ci))) }
                td { (row.bound) }
                td.number { (row.cells) " of " (row.cells_named) }
            } } }
        } }
    }
}

fn not_measured(entry: &Unmeasured) -> Markup {
    html! { span.soft { "not measured: " (entry.queues.join(", ")) } }
}

fn table(rows: &[TargetRow]) -> Markup {
    html! {
        div.wide tabindex="0" { table {
            caption { (rows[0].target) }
            thead { tr {
                @for name in ["verdict", "benchmark"] { th scope="col" { (name) } }
                @for name in ["bytes", "capacity"] { th.number scope="col" { (name) } }
                @for name in ["cores", "queue", "against"] { th scope="col" { (name) } }
                th.number scope="col" { "figure [95 %]" } th scope="col" { "bound" } th.number scope="col" { "rounds" }
            } }
            tbody {
                @for row in rows { tr {
                    td class=(row.verdict) { (row.verdict) }
                    td { (row.benchmark) }
                    td.number { (row.payload_bytes) }
                    td.number { (row.capacity) }
                    td { (row.placement) }
                    td { (row.queue) }
                    td { (row.against) }
                    td.number { (ratio((Some(row.value), row.ci))) }
                    td { (row.bound) }
                    td.number { (row.rounds) }
                } }
            }
        } }
    }
}
