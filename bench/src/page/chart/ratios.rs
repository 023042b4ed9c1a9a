//! How many times the reference each queue takes or moves, with its interval, on a logarithmic axis.

use super::axis::{tenth, Axis, Scale};
use super::mark::lying_bounds;
use super::text::{self, FONT};
use super::{framed, Drawing, WIDTH};
use crate::catalog::{BLOCK, CONTROL, FLOOR, QUEUES, REFERENCE};
use crate::report::Cell;
use crate::table::number;
use maud::{html, Markup};

const ROW: f64 = 19.0;
const TOP: f64 = 18.0;
const AXIS: f64 = 24.0;
/// The room of a figure, and of a ratio with its number of rounds.
const FIGURE: f64 = 50.0;
const RATIO: f64 = 62.0;

/// One panel: the queues of a group under each other; `id` is its own in the page.
pub fn panel(group: &[Cell], id: &str) -> Markup {
    let rows: Vec<(&Cell, f64, Option<[f64; 2]>)> = group
        .iter()
        .filter_map(|cell| {
            let (ratio, interval) = cell.to_reference();
            Some((cell, ratio?, interval))
        })
        .collect();
    let Some((first, ..)) = rows.first() else {
        return html! {};
    };
    let title = format!(
        "{} of {} bytes at capacity {}, {}: multiples of {REFERENCE}",
        first.benchmark, first.payload_bytes, first.capacity, first.placement
    );
    let said: Vec<String> = rows
        .iter()
        .map(|(cell, ratio, _)| format!("{} {}", cell.queue, number(*ratio)))
        .collect();
    let drawing = drawing(&rows);
    framed(
        id,
        &title,
        &format!(
            "{}. The figures are in the table below it.",
            said.join(", ")
        ),
        drawing,
    )
}

fn drawing(rows: &[(&Cell, f64, Option<[f64; 2]>)]) -> Drawing {
    let names = rows
        .iter()
        .map(|(cell, ..)| text::width(&cell.queue, FONT))
        .fold(0.0, f64::max)
        .ceil();
    let left = names + FIGURE + 12.0;
    let values = rows.iter().flat_map(|(_, ratio, interval)| {
        let [low, high] = interval.unwrap_or([*ratio; 2]);
        [*ratio, low, high]
    });
    // Room around 1, so that what equals the reference is seen to.
    let around = values.filter(|value| *value > 0.0).chain([0.93, 1.07]);
    let axis = Axis::around(Scale::Log, "", around, [left, WIDTH - RATIO]).rounded();
    let bottom = TOP + ROW * rows.len() as f64;
    let one = axis.place(1.0);
    let marks = html! {
        @for (value, words) in axis.ticks(&[], true) {
            @let x = axis.place(value);
            line class="grid" x1=(x) x2=(x) y1=(TOP) y2=(bottom) {}
            text class="tick middle" x=(x) y=(bottom + 15.0) { (words) }
        }
        line class="one" x1=(one) x2=(one) y1=(TOP) y2=(bottom) {}
        text class="axis end" x=(left - 10.0) y="11" { (rows[0].0.unit) }
        text class="axis end" x=(WIDTH - 2.0) y="11" { "times " (REFERENCE) ", " (axis.kind()) }
        @for (index, (cell, ratio, interval)) in rows.iter().enumerate() {
            @let y = TOP + ROW * (index as f64 + 0.5);
            @let x = axis.place(*ratio);
            g class={ (family(&cell.queue)) @if cell.is_thin() { " thin" } } {
                title { (cell.queue) ", rounds: " (cell.rounds) }
                text class="name end" x=(names) y=(y + 4.0) { (cell.queue) }
                text class="figure end" x=(left - 10.0) y=(y + 4.0) { (number(cell.value())) }
                @if let Some([low, high]) = interval { (lying_bounds(y, axis.place(*low), axis.place(*high))) }
                (mark(&cell.queue, x, y))
                text class="figure end" x=(WIDTH - 2.0) y=(y + 4.0) {
                    (number(*ratio)) @if cell.is_thin() { ", n " (cell.rounds) }
                }
            }
        }
    };
    Drawing {
        height: bottom + AXIS,
        marks,
    }
}

/// The mark tells the family without its colour: filled is ours, round Rust, square C++, triangular C; hollow is not ours.
fn mark(queue: &str, x: f64, y: f64) -> Markup {
    const R: f64 = 4.5;
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners
            .iter()
            .map(|(dx, dy)| format!("{},{}", tenth(x + dx * R), tenth(y + dy * R)))
            .collect();
        html! { polygon class="mark" points=(corners.join(" ")) {} }
    };
    match (family(queue), queue) {
        ("ours", id) if id.contains("-rust") => {
            html! { circle class="mark" cx=(x) cy=(y) r=(R) {} }
        }
        ("ours", id) if id.contains("-cpp") => {
            polygon(&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
        }
        ("ours", _) => polygon(&[(0.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
        ("limit", _) => polygon(&[(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)]),
        _ => html! { circle class="mark" cx=(x) cy=(y) r=(R) {} },
    }
}

/// What the names of the project's own queues begin with: its kinds, and variants of them.
const OURS: [&str; 4] = ["line-", "ring-", "mpsc-", "lab-"];

/// Whose it is: a class of the style sheet.
pub fn family(queue: &str) -> &'static str {
    let peer = QUEUES
        .iter()
        .any(|entry| entry.id == queue && entry.peer.is_some());
    match queue {
        id if id.starts_with(FLOOR) || id == BLOCK => "limit",
        id if id == CONTROL || peer => "peer",
        id if OURS.iter().any(|kind| id.starts_with(kind)) => "ours",
        _ => "peer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{BASELINE, SLEEPER};

    #[test]
    fn every_queue_has_a_family() {
        // What is nobody's queue: the limits, and what a program has that takes none.
        let neither = [FLOOR, BLOCK, BASELINE, SLEEPER];
        for queue in &QUEUES {
            let expected = match queue.id {
                FLOOR | BLOCK => "limit",
                id if queue.peer.is_some() || neither.contains(&id) => "peer",
                _ => "ours",
            };
            assert_eq!(family(queue.id), expected, "{}", queue.id);
        }
        assert_eq!(family("rigtorp-again"), "peer");
        assert_eq!(family("floor-rust"), "limit");
        assert_eq!(family("ring-cpp-span"), "ours");
    }
}
