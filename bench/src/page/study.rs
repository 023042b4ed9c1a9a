//! A study: what was claimed, what came of it, its figures and tables.

use super::chart::number;
use super::machine::Origin;
use super::{figure, Place};
use crate::doubts;
use crate::study::result::{Claim, StudyResult, Table, Value, Verdict};
use maud::{html, Markup};

pub fn parts(study: &StudyResult, place: Place) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    if let Some(claim) = &study.claim {
        parts.push((
            place.id("claim"),
            format!("claim: {}", verdict(claim, study.is_quick())),
        ));
    }
    for (index, figure) in study.figures.iter().enumerate() {
        parts.push((place.id(&format!("figure-{index}")), figure.title.clone()));
    }
    parts
}

pub fn body(study: &StudyResult, place: Place) -> Markup {
    let origin = Origin {
        command: &study.command,
        taken: study.taken.as_ref(),
        machine: &study.machine,
        place,
    };
    let throttling = study.machine.throttling();
    let notes = || {
        study
            .notes
            .iter()
            .filter(|note| Some(*note) != throttling.as_ref())
    };
    html! {
        @if let Some(warning) = warning(study) { p.warning { (warning) } }
        (origin.block())
        @if let Some(claim) = &study.claim { (self::claim(claim, study.is_quick(), place)) }
        @if !study.figures.is_empty() {
            div.figures { @for (index, figure) in study.figures.iter().enumerate() {
                @let id = place.id(&format!("figure-{index}"));
                @let heading = html! { h3 id=(id) { (figure.title) } };
                (figure::whole(figure, &format!("{id}-svg"), &heading, origin))
            } }
        }
        @if !study.tables.is_empty() {
            h3 { "Tables" }
            @for table in &study.tables { (self::table(table)) }
        }
        @if notes().next().is_some() {
            h3 { "Notes" }
            ul { @for note in notes() { li { (note) } } }
        }
    }
}

/// A line, if so much was left out that a reader should know before anything else.
fn warning(study: &StudyResult) -> Option<String> {
    let disturbed = study.disturbed.as_ref()?;
    (disturbed.percent() >= doubts::MANY).then(|| {
        format!(
            "{}; try a quiet machine{}",
            disturbed.words(),
            if study.machine.is_realtime() {
                ""
            } else {
                " or --rt"
            }
        )
    })
}

fn claim(claim: &Claim, quick: bool, place: Place) -> Markup {
    let class = match claim.verdict {
        _ if quick => "undecided",
        Verdict::Confirmed => "holds",
        Verdict::Refuted => "misses",
        Verdict::Undecided | Verdict::Unjudged => "undecided",
    };
    html! {
        div.claim id=(place.id("claim")) {
            h3 { "Claim: " span class=(class) { (verdict(claim, quick)) } }
            dl {
                div { dt { "predicted" } dd { (claim.prediction) } }
                div { dt { "found" } dd { (claim.margin) } }
                div { dt { "record" } dd {
                    @match place.root {
                        Some(root) => a href=(format!("{root}{}", claim.record)) { (claim.record) },
                        None => code { (claim.record) },
                    }
                } }
            }
        }
    }
}

/// What became of a claim, in words. A quick look gives no verdict, whatever its file says: earlier versions gave one.
pub fn verdict(claim: &Claim, quick: bool) -> String {
    match (quick, claim.verdict) {
        (true, Verdict::Unjudged) => "no verdict, a quick look".to_owned(),
        (true, so_far) => format!("no verdict, a quick look ({} so far)", so_far.words()),
        (false, verdict) => verdict.words().to_owned(),
    }
}

fn table(table: &Table) -> Markup {
    html! {
        div.wide tabindex="0" { table {
            caption { (table.title) }
            thead { tr { @for (index, column) in table.columns.iter().enumerate() {
                th.number[is_numeric(table, index)] scope="col" {
                    (column.name) @if let Some(unit) = column.unit.as_ref().filter(|_| !table.is_long(index)) { ", " (unit) }
                }
            } } }
            tbody { @for row in &table.rows { tr { @for (index, value) in row.iter().enumerate() { (cell(value, table.is_long(index))) } } } }
        } }
    }
}

fn is_numeric(table: &Table, column: usize) -> bool {
    let values = table.rows.iter().filter_map(|row| row.get(column));
    let mut numbers = values.filter(|value| **value != Value::Missing).peekable();
    numbers.peek().is_some()
        && numbers.all(|value| matches!(value, Value::Number(_) | Value::Within(_)))
}

fn cell(value: &Value, long: bool) -> Markup {
    let (unit, name) = if long { value.unit() } else { (1.0, "") };
    let number = |value: f64| number(value / unit);
    match value {
        Value::Missing => html! { td.number { "–" } },
        Value::Number(value) => html! { td.number { (number(*value)) (name) } },
        Value::Within(interval) => html! { td.number {
            (number(interval.value)) (name) " [" (number(interval.low)) ", " (number(interval.high)) "]"
        } },
        Value::Text(text) => html! { td.about[text.len() > 40] { (text) } },
    }
}

#[cfg(test)]
mod tests {
    use super::super::{page, Content, Source};
    use super::*;
    use crate::study::result::{examples, Disturbed};

    fn page_of(study: StudyResult) -> String {
        let source = Source {
            name: "study".to_owned(),
            content: Content::Study(Box::new(study)),
        };
        page(&[source], None)
    }

    #[test]
    fn long_times_have_a_unit_each() {
        let mut study = examples::result();
        study.tables[0].rows[0][1] = Value::within(21_951_316.0, 1e6, 47_844_640.0);
        let page = page_of(study);
        assert!(
            page.contains("22.0 ms [1, 47.8]") && page.contains(">100 ns<"),
            "{page}"
        );
        assert!(
            page.contains(">time<") && !page.contains(">time, ns<"),
            "{page}"
        );
    }

    #[test]
    fn a_quick_look_has_no_verdict_whatever_its_file_says() {
        let mut study = examples::result();
        assert!(page_of(study.clone()).contains(">confirmed<"));
        study.command += " --quick";
        let page = page_of(study);
        assert!(
            page.contains("no verdict, a quick look (confirmed so far)"),
            "{page}"
        );
        assert!(
            !page.contains(">confirmed<") && !page.contains("class=\"holds\""),
            "{page}"
        );
    }

    #[test]
    fn what_was_disturbed_and_throttled_is_said_once() {
        let mut study = examples::result();
        assert!(!page_of(study.clone()).contains("class=\"warning\""));
        study.disturbed = Some(Disturbed {
            of: "cells".to_owned(),
            kept: 3,
            dropped: 7,
        });
        let page = page_of(study.clone());
        assert!(
            page.contains("7 of 10 cells (70 %) were left out") && page.contains("or --rt"),
            "{page}"
        );
        study.machine.scheduling = "SCHED_FIFO".to_owned();
        study.machine.sched_rt_runtime_us = Some(950_000);
        study.notes.extend(study.machine.throttling());
        let page = page_of(study);
        assert_eq!(
            page.matches("sched_rt_runtime_us at 950000").count(),
            1,
            "{page}"
        );
        assert!(!page.contains("or --rt"), "{page}");
    }
}
