//! The queues that were measured, where the peers come from, and what was lost.

use crate::catalog::QUEUES;
use crate::report::Report;
use maud::{html, Markup};

/// Whether a queue was measured, or lost.
fn was_run(report: &Report, queue: &str) -> bool {
    report.cells.iter().any(|cell| cell.queue == queue)
        || report.lost.iter().any(|cell| cell.queue == queue)
}

pub fn queues(report: &Report) -> Markup {
    html! {
        div.wide tabindex="0" { table {
            caption { "Queues" }
            thead { tr { th scope="col" { "id" } th scope="col" { "what it is, and how its use departs from the others'" } } }
            tbody { @for queue in QUEUES.iter().filter(|queue| was_run(report, queue.id)) {
                tr { th scope="row" { (queue.id) } td.about { (queue.about) @for each in queue.deviations { "; " (each.words()) } } }
            } }
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
