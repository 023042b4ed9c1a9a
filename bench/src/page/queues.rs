//! The queues that were measured, where the peers come from, and what was lost.

use crate::catalog::QUEUES;
use crate::report::Report;
use maud::{html, Markup};

/// A queue's id, what it is, and how its use departs from that of the others: as the report says, or, from reports that say
/// nothing of it, as the catalogue does of the queues in them.
fn described(report: &Report) -> Vec<(&str, &str, Vec<&str>)> {
    if !report.queues.is_empty() {
        let notes = report.queues.iter();
        return notes
            .map(|note| {
                let deviations = note.deviations.iter().map(String::as_str);
                (note.id.as_str(), note.about.as_str(), deviations.collect())
            })
            .collect();
    }
    let was_run = |id: &str| {
        report.cells.iter().any(|cell| cell.queue == id)
            || report.lost.iter().any(|cell| cell.queue == id)
    };
    let queues = QUEUES.iter().filter(|queue| was_run(queue.id));
    queues
        .map(|queue| {
            let deviations = queue.deviations.iter().map(|deviation| deviation.words());
            (queue.id, queue.about, deviations.collect())
        })
        .collect()
}

pub fn queues(report: &Report) -> Markup {
    html! {
        div.wide tabindex="0" { table {
            caption { "Queues" }
            thead { tr { th scope="col" { "id" } th scope="col" { "what it is" } th scope="col" { "how its use departs from the others'" } } }
            tbody { @for (id, about, deviations) in described(report) { tr {
                th scope="row" { (id) }
                td.about { (about) }
                td.about { @if deviations.is_empty() { "–" } @else { ul { @for words in deviations { li { (words) } } } } }
            } } }
        } }
        div.wide tabindex="0" { table {
            caption { "Peers" }
            thead { tr { th scope="col" { "peer" } th scope="col" { "version" } th scope="col" { "from" } } }
            tbody { @for peer in &report.peers { tr {
                th scope="row" { (peer.id) }
                @if peer.found {
                    td { (peer.version.as_deref().unwrap_or_default()) }
                    td.about { (peer.from.as_deref().unwrap_or_default()) }
                } @else {
                    td.missing { "missing" }
                    td.about { (peer.note.as_deref().unwrap_or_default()) }
                }
            } } }
        } }
        @if !report.lost.is_empty() {
            p { "Not measured, since every round was dropped:" }
            ul { @for cell in &report.lost { li {
                (cell.queue) " in " (cell.benchmark) ", " (cell.payload_bytes) " bytes, capacity " (cell.capacity)
                " (" (cell.dropped_rounds) " rounds)"
            } } }
        }
    }
}

pub fn threats(report: &Report) -> Markup {
    html! { ul { @for threat in &report.threats { li { (threat) } } } }
}
