//! Figures: how many times the reference each queue takes or moves, with its interval, on a logarithmic axis.

use crate::catalog::{BLOCK, CONTROL, FLOOR, QUEUES, REFERENCE};
use crate::report::Cell;
use crate::table::number;
use maud::{html, Markup};

const WIDTH: f64 = 440.0;
/// Where names end.
const NAMES: f64 = 100.0;
/// Where the axis begins and ends: names and figures stand to its left, ratios to its right.
const LEFT: f64 = 196.0;
const RIGHT: f64 = 376.0;
const ROW: f64 = 19.0;
const TOP: f64 = 8.0;
const AXIS: f64 = 24.0;

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Around all of these, 1 among them.
    fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (0.9_f64, 1.1_f64);
        for value in values
            .into_iter()
            .filter(|value| value.is_finite() && *value > 0.0)
        {
            low = low.min(value);
            high = high.max(value);
        }
        Self {
            low: low / 1.05,
            high: high * 1.05,
        }
    }

    fn x(&self, value: f64) -> f64 {
        let share =
            (value.max(self.low).min(self.high) / self.low).ln() / (self.high / self.low).ln();
        (LEFT + share * (RIGHT - LEFT)).round()
    }

    /// Round numbers on the axis, as many as have room.
    fn ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = if decades > 1.5 {
            &[1.0]
        } else if decades > 0.6 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0, 8.0, 9.0]
        };
        (-4..6)
            .flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

/// One panel: the queues of a group under each other.
pub fn panel(group: &[Cell]) -> Markup {
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
    let axis = Axis::around(rows.iter().flat_map(|(_, ratio, interval)| {
        [
            Some(*ratio),
            interval.map(|[low, _]| low),
            interval.map(|[_, high]| high),
        ]
        .into_iter()
        .flatten()
    }));
    let bottom = TOP + ROW * rows.len() as f64;
    let title = format!(
        "{} of {} bytes at capacity {}, {}: multiples of {REFERENCE}",
        first.benchmark, first.payload_bytes, first.capacity, first.placement
    );
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {}", bottom + AXIS)) role="img" aria-label=(title) {
            @for tick in axis.ticks() {
                @let x = axis.x(tick);
                line class=(if tick == 1.0 { "one" } else { "grid" }) x1=(x) x2=(x) y1=(TOP) y2=(bottom) {}
                text class="tick" x=(x) y=(bottom + 15.0) { (trimmed(tick)) }
            }
            @for (index, (cell, ratio, interval)) in rows.iter().enumerate() {
                @let y = TOP + ROW * (index as f64 + 0.5);
                g class={ (family(&cell.queue)) @if cell.is_thin() { " thin" } } {
                    title { (cell.queue) ", rounds: " (cell.rounds) }
                    text class="name" x=(NAMES) y=(y + 4.0) { (cell.queue) }
                    text class="figure" x=(LEFT - 10.0) y=(y + 4.0) { (number(cell.value())) " " (cell.unit) }
                    @if let Some([low, high]) = interval {
                        line class="interval" x1=(axis.x(*low)) x2=(axis.x(*high)) y1=(y) y2=(y) {}
                    }
                    (mark(&cell.queue, axis.x(*ratio), y))
                    text class="value" x=(WIDTH - 4.0) y=(y + 4.0) {
                        (number(*ratio)) @if cell.is_thin() { ", n " (cell.rounds) }
                    }
                }
            }
        }
    }
}

/// The mark tells the family without its colour: filled is ours, round Rust, square C++, triangular C; hollow is not ours.
fn mark(queue: &str, x: f64, y: f64) -> Markup {
    const R: f64 = 4.5;
    let triangle = format!("{},{} {},{} {},{}", x, y - R, x + R, y + R, x - R, y + R);
    let diamond = format!("{},{y} {x},{} {},{y} {x},{}", x - R, y - R, x + R, y + R);
    html! {
        @match (family(queue), queue) {
            ("ours", id) if id.contains("-rust") => circle cx=(x) cy=(y) r=(R) {},
            ("ours", id) if id.contains("-cpp") => rect x=(x - R) y=(y - R) width=(2.0 * R) height=(2.0 * R) {},
            ("ours", _) => polygon points=(triangle) {},
            ("limit", _) => polygon points=(diamond) {},
            _ => circle cx=(x) cy=(y) r=(R) {},
        }
    }
}

/// Whose it is: a class of the style sheet.
pub fn family(queue: &str) -> &'static str {
    let peer = QUEUES
        .iter()
        .any(|entry| entry.id == queue && entry.peer.is_some());
    match queue {
        id if id.starts_with(FLOOR) || id == BLOCK => "limit",
        id if id == CONTROL || peer => "peer",
        id if id.starts_with("line-") || id.starts_with("ring-") => "ours",
        _ => "peer",
    }
}

fn trimmed(tick: f64) -> String {
    let text = format!("{tick:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_all_values_in_order_and_has_ticks() {
        for values in [
            vec![0.6, 1.0],
            vec![0.03, 12.0],
            vec![1.0, 1.01],
            vec![0.0, f64::NAN, 2.0],
        ] {
            let axis = Axis::around(values.clone());
            assert!(axis.ticks().contains(&1.0), "{values:?}");
            assert!(
                (1..=10).contains(&axis.ticks().len()),
                "{values:?}: {:?}",
                axis.ticks()
            );
            let mut sorted: Vec<f64> = values.into_iter().filter(|value| *value > 0.0).collect();
            sorted.sort_by(f64::total_cmp);
            let places: Vec<f64> = sorted.iter().map(|value| axis.x(*value)).collect();
            assert!(
                places.is_sorted() && places.iter().all(|x| (LEFT..=RIGHT).contains(x)),
                "{places:?}"
            );
        }
    }

    #[test]
    fn every_queue_has_a_family() {
        let families: Vec<_> = QUEUES.iter().map(|queue| family(queue.id)).collect();
        assert_eq!(
            families.iter().filter(|family| **family == "limit").count(),
            2
        );
        assert_eq!(family("rigtorp-again"), "peer");
        assert_eq!(family("floor-rust"), "limit");
        assert_eq!(family("ring-cpp-span"), "ours");
    }
}
