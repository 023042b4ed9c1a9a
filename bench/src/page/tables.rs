//! A group's cells as a table, with what each interval says.

use super::chart::family;
use crate::catalog::REFERENCE;
use crate::report::{Cell, Figures};
use crate::table::{number, ratio};
use maud::{html, Markup};

pub fn heading(group: &[Cell]) -> String {
    group.first().map_or_else(String::new, |cell| {
        format!("{} bytes, capacity {}", cell.payload_bytes, cell.capacity)
    })
}

pub fn cells(group: &[Cell]) -> Markup {
    let Some(first) = group.first() else {
        return html! {};
    };
    let timed = matches!(first.figures, Figures::Time { .. });
    html! {
        div.wide tabindex="0" { table {
            caption { (heading(group)) ", hint " (first.hint) }
            thead { tr {
                th scope="col" { "queue" }
                th.number scope="col" { (first.unit) }
                th.number scope="col" { "to " (REFERENCE) " [95 %]" }
                th scope="col" { "verdict" }
                th.number scope="col" { (if timed { "to floor [95 %]" } else { "to block [95 %]" }) }
                @if timed { @for name in ["p99", "p99.9", "p99.99", "max"] { th.number scope="col" { (name) } } }
                th.number scope="col" { "rounds" }
                th.number scope="col" { "dropped" }
            } }
            tbody { @for cell in group { tr.thin[cell.is_thin()] {
                th scope="row" { (cell.queue) }
                td.number { (number(cell.value())) @if cell.is_thin() { "?" } }
                td.number { (ratio(cell.to_reference())) }
                @let (class, words) = verdict(cell);
                td class=(class) { (words) }
                td.number { (ratio(cell.to_limit())) }
                @if let Figures::Time { p99, p999, p9999, max, .. } = cell.figures {
                    @for figure in [p99, p999, p9999, max] {
                        td.number { (figure.map_or_else(|| "-".to_owned(), number)) }
                    }
                }
                td.number { (cell.rounds) }
                td.number { (cell.dropped_rounds) }
            } } }
        } }
    }
}

/// The groups side by side: how many times the reference, and what the interval says.
pub fn overview(groups: &[&[Cell]]) -> Markup {
    let mut queues: Vec<&str> = Vec::new();
    for cell in groups.iter().copied().flatten() {
        if !queues.contains(&cell.queue.as_str()) {
            queues.push(&cell.queue);
        }
    }
    html! {
        div.wide tabindex="0" { table {
            caption { "Times " (REFERENCE) " [95 %]" }
            thead { tr {
                th scope="col" { "queue" }
                @for group in groups { th scope="col" { (group[0].payload_bytes) " B, " (group[0].capacity) } }
            } }
            tbody { @for queue in queues { tr {
                th scope="row" { (queue) }
                @for group in groups { @match group.iter().find(|cell| cell.queue == queue) {
                    Some(cell) => (brief(cell)),
                    None => td { "–" },
                } }
            } } }
        } }
    }
}

fn brief(cell: &Cell) -> Markup {
    let (class, words) = verdict(cell);
    let sign = words
        .split(' ')
        .next()
        .filter(|sign| ["▲", "▼", "void"].contains(sign));
    html! { td { @match cell.to_reference() {
        (None, _) => "–",
        (Some(times), None) => { span.soft { (number(times)) "?" } },
        (Some(times), Some([low, high])) => {
            span class=(class) { (number(times)) @if let Some(sign) = sign { " " (sign) } }
            " " small { "[" (number(low)) ", " (number(high)) "]" }
        },
    } } }
}

/// A class, and how a cell stands to the reference: ahead or behind where its whole interval is on one side of 1.
fn verdict(cell: &Cell) -> (&'static str, &'static str) {
    let timed = matches!(cell.figures, Figures::Time { .. });
    match cell.to_reference() {
        _ if cell.queue == REFERENCE => ("", "reference"),
        _ if family(&cell.queue) == "limit" => ("", "limit"),
        (None, _) => ("", "-"),
        _ if cell.void => ("undecided", "void"),
        (_, None) => ("undecided", "no result"),
        (_, Some([low, high])) if low > 1.0 || high < 1.0 => {
            if (high < 1.0) == timed {
                ("holds", "▲ ahead")
            } else {
                ("misses", "▼ behind")
            }
        }
        _ => ("undecided", "undecided"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::cell;

    fn said(queue: &str, interval: Option<[f64; 2]>, timed: bool) -> &'static str {
        let mut cell = cell(queue, "near", 9, 0);
        cell.figures = if timed {
            let time = serde_json::json!({"p50": 1.0, "ratio_to_rigtorp": 1.0, "ratio_to_rigtorp_ci": interval});
            serde_json::from_value(time).unwrap()
        } else {
            let rate = serde_json::json!({"rate": 1.0, "ratio_to_rigtorp": 1.0, "ratio_to_rigtorp_ci": interval});
            serde_json::from_value(rate).unwrap()
        };
        verdict(&cell).1
    }

    #[test]
    fn an_interval_on_one_side_of_1_decides() {
        assert_eq!(said("line-cpp", Some([0.6, 0.7]), true), "▲ ahead");
        assert_eq!(said("line-cpp", Some([0.6, 0.7]), false), "▼ behind");
        assert_eq!(said("line-cpp", Some([1.1, 1.2]), true), "▼ behind");
        assert_eq!(said("line-cpp", Some([1.1, 1.2]), false), "▲ ahead");
        assert_eq!(said("line-cpp", Some([0.9, 1.2]), false), "undecided");
        assert_eq!(said("line-cpp", None, false), "no result");
        assert_eq!(said(REFERENCE, Some([1.0, 1.0]), false), "reference");
        assert_eq!(said("floor-rust", Some([0.4, 0.5]), true), "limit");
    }
}
