//! A study: what was claimed, what came of it, its figures and tables.

use super::chart::number;
use super::{figure, machine, Place};
use crate::study::result::{Claim, StudyResult, Table, Value, Verdict};
use maud::{html, Markup};

pub fn parts(study: &StudyResult, place: Place) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    if let Some(claim) = &study.claim {
        parts.push((
            place.id("claim"),
            format!("claim: {}", verdict(claim.verdict)),
        ));
    }
    for (index, figure) in study.figures.iter().enumerate() {
        parts.push((place.id(&format!("figure-{index}")), figure.title.clone()));
    }
    parts
}

pub fn body(study: &StudyResult, place: Place) -> Markup {
    html! {
        @if let Some(claim) = &study.claim { (self::claim(claim, place)) }
        @if !study.figures.is_empty() {
            div.figures { @for (index, figure) in study.figures.iter().enumerate() {
                @let id = place.id(&format!("figure-{index}"));
                @let heading = html! { h3 id=(id) { (figure.title) } };
                (figure::whole(figure, &format!("{id}-svg"), &heading, &study.command, &study.machine))
            } }
        }
        @if !study.tables.is_empty() {
            h3 { "Tables" }
            @for table in &study.tables { (self::table(table)) }
            (machine::block(&study.command, &study.machine))
        }
        @if !study.notes.is_empty() {
            h3 { "Notes" }
            ul { @for note in &study.notes { li { (note) } } }
        }
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "confirmed",
        Verdict::Refuted => "refuted",
        Verdict::Undecided | Verdict::Unjudged => "undecided",
    }
}

fn claim(claim: &Claim, place: Place) -> Markup {
    let class = match claim.verdict {
        Verdict::Confirmed => "holds",
        Verdict::Refuted => "misses",
        Verdict::Undecided | Verdict::Unjudged => "undecided",
    };
    html! {
        div.claim id=(place.id("claim")) {
            h3 { "Claim: " span class=(class) { (verdict(claim.verdict)) } }
            dl {
                div { dt { "predicted" } dd { (claim.prediction) } }
                div { dt { "margin" } dd { (claim.margin) } }
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

fn table(table: &Table) -> Markup {
    html! {
        div.wide tabindex="0" { table {
            caption { (table.title) }
            thead { tr { @for (index, column) in table.columns.iter().enumerate() {
                th.number[is_numeric(table, index)] scope="col" {
                    (column.name) @if let Some(unit) = &column.unit { ", " (unit) }
                }
            } } }
            tbody { @for row in &table.rows { tr { @for value in row { (cell(value)) } } } }
        } }
    }
}

fn is_numeric(table: &Table, column: usize) -> bool {
    let values = table.rows.iter().filter_map(|row| row.get(column));
    let mut numbers = values.filter(|value| **value != Value::Missing).peekable();
    numbers.peek().is_some()
        && numbers.all(|value| matches!(value, Value::Number(_) | Value::Within(_)))
}

fn cell(value: &Value) -> Markup {
    match value {
        Value::Missing => html! { td.number { "–" } },
        Value::Number(value) => html! { td.number { (number(*value)) } },
        Value::Within(interval) => html! { td.number {
            (number(interval.value)) " [" (number(interval.low)) ", " (number(interval.high)) "]"
        } },
        Value::Text(text) => html! { td.about[text.len() > 40] { (text) } },
    }
}
