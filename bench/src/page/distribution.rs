//! A group's single messages as figures: where they fell, and their percentiles.

use crate::report::{Cell, Figures};
use crate::stats::is_enough;
use crate::study::result::{Axis, Figure, Form, Series};

/// Percentiles of the curve, each a step of the axis by a third of a nine or so.
const PERCENTILES: [f64; 15] = [
    0.0, 25.0, 50.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.5, 99.8, 99.9, 99.95, 99.98, 99.99,
];

/// The figures of a group; none if no distribution was recorded.
pub fn figures(group: &[Cell], title: &str) -> Vec<Figure> {
    let series: Vec<Series> = group.iter().filter_map(series).collect();
    if series.is_empty() {
        return Vec::new();
    }
    let message = match group[0].benchmark.as_str() {
        "one_way" => "one message there",
        _ => "one message there and back",
    };
    let curves = series.iter().map(curve).collect();
    vec![
        Figure {
            title: format!("{title}: where single messages fell"),
            caption: String::new(),
            x: Axis::log(message, "ns"),
            y: Axis::linear("messages", ""),
            form: Form::Density,
            series,
        },
        Figure {
            title: format!("{title}: percentiles of single messages"),
            caption: String::new(),
            x: Axis::linear("messages that took no longer", "%"),
            y: Axis::log(message, "ns"),
            form: Form::Percentiles,
            series: curves,
        },
    ]
}

/// A queue's distribution.
fn series(cell: &Cell) -> Option<Series> {
    let Figures::Time { histogram, .. } = &cell.figures else {
        return None;
    };
    let points = histogram.as_ref()?.iter();
    Some(Series::new(
        &cell.queue,
        points.map(|[ns, count]| (*ns as f64, *count as f64)),
    ))
}

fn curve(series: &Series) -> Series {
    let count: f64 = series.points.iter().map(|point| point.y).sum();
    let enough = |percentile: &f64| is_enough(*percentile, count as u64);
    let points = PERCENTILES
        .into_iter()
        .filter(enough)
        .filter_map(|percentile| Some((percentile, super::chart::value_at(series, percentile)?)));
    Series::new(&series.name, points)
}
