//! Where samples fell: a strip for each series, darker where there are more, with ticks at its percentiles.

use super::axis::{tenth, Axis, Scale};
use super::percentiles::{beyond, is_given, value_at};
use super::text::{self, duration, number, percent, FONT, LINE};
use super::{mark, title, Drawing, WIDTH};
use crate::study::result::{Figure, Series};
use maud::{html, Markup};

const TOP: f64 = 4.0;
const STRIP: f64 = 15.0;
const BELOW: f64 = 38.0;
const NAMES: f64 = 106.0;
/// Steps along a strip.
const STEPS: usize = 110;
/// What of the samples the axis holds of the series that reaches furthest; the rest is a number at its end.
const SHOWN: f64 = 99.9;

pub fn draw(figure: &Figure) -> Drawing {
    let names: Vec<Vec<String>> = figure
        .series
        .iter()
        .map(|series| text::wrapped(&series.name, NAMES))
        .collect();
    let left = names
        .iter()
        .flatten()
        .map(|line| text::width(line, FONT))
        .fold(0.0, f64::max)
        + 8.0;
    let most = figure
        .series
        .iter()
        .filter_map(|series| value_at(series, SHOWN))
        .fold(0.0, f64::max);
    let ends: Vec<String> = figure
        .series
        .iter()
        .map(|series| end(series, most))
        .collect();
    let room = ends
        .iter()
        .map(|text| text::width(text, FONT))
        .fold(0.0, f64::max)
        + 8.0;
    let values = figure
        .series
        .iter()
        .flat_map(|series| &series.points)
        .map(|point| point.x);
    let scale = if figure.x.log {
        Scale::Log
    } else {
        Scale::Linear
    };
    let axis = Axis::around(
        scale,
        &figure.x.unit,
        values.filter(|value| *value <= most),
        [left.ceil(), (WIDTH - room).floor()],
    );
    let heights: Vec<f64> = names
        .iter()
        .map(|lines| 7.0 + (lines.len() as f64 * LINE).max(STRIP))
        .collect();
    let bottom = TOP + heights.iter().sum::<f64>();
    let above = |index: usize| TOP + heights[..index].iter().sum::<f64>();

    let marks = html! {
        @for (value, words) in axis.ticks(&[], true) {
            @let x = axis.place(value);
            line class="grid" x1=(x) x2=(x) y1=(TOP) y2=(bottom + 3.0) {}
            text class="tick middle" x=(x) y=(bottom + 17.0) { (words) }
        }
        @for (index, series) in figure.series.iter().enumerate() {
            @let middle = tenth(above(index) + heights[index] / 2.0);
            @let top = middle - names[index].len() as f64 * LINE / 2.0;
            @for (row, line) in names[index].iter().enumerate() {
                text class="name end" x=(axis.start() - 6.0) y=(tenth(top + LINE * (row as f64 + 0.78))) { (line) }
            }
            g class=(mark::class(index)) { (strip(&axis, series, middle - STRIP / 2.0)) (percentile_ticks(&axis, figure, series, middle, most)) }
            text class="value" x=(WIDTH - room + 6.0) y=(middle + 4.0) { (ends[index]) }
        }
        text class="axis end" x=(WIDTH - 2.0) y=(bottom + 33.0) { (title(&figure.x, &axis)) }
    };
    Drawing {
        height: bottom + BELOW,
        marks,
    }
}

/// What the axis does not show of a series.
fn end(series: &Series, most: f64) -> String {
    match beyond(series, most) {
        share if share <= 0.0 => String::new(),
        share if share < 1e-6 => "› <0.0001 %".to_owned(),
        share => format!("› {}", percent((share * 1e6).round() / 1e6)),
    }
}

fn strip(axis: &Axis, series: &Series, top: f64) -> Markup {
    let values = || series.points.iter().map(|point| axis.place(point.x));
    let (from, to) = (axis.start(), values().fold(0.0, f64::max));
    let step = ((WIDTH - from) / STEPS as f64).max(1.0);
    let count = ((to - from) / step) as usize + 1;
    let mut weights = vec![0.0; count];
    for (point, x) in series.points.iter().zip(values()) {
        let place = (((x - from) / step) as usize).min(count - 1);
        weights[place] += point.y;
    }
    // The root, so that a hundredth of the densest is still a tenth as dark.
    let densest = weights.iter().copied().fold(0.0, f64::max);
    html! {
        @for (place, weight) in weights.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0) {
            @let shade = (weight / densest).sqrt().max(0.04);
            rect class="ink" x=(tenth(from + place as f64 * step)) width=(tenth(step + 0.3)) y=(top) height=(STRIP)
                fill-opacity=(format!("{shade:.2}")) {}
        }
    }
}

/// The median across the strip and beyond, later percentiles shorter.
fn percentile_ticks(
    axis: &Axis,
    figure: &Figure,
    series: &Series,
    middle: f64,
    most: f64,
) -> Markup {
    html! {
        @for (percentile, half) in [(50.0, 10.5), (99.0, 4.0), (99.9, 2.0)] {
            @if let Some(value) = value_at(series, percentile).filter(|value| *value <= most && is_given(figure, series, percentile)) {
                @let x = axis.place(value);
                line class="median" x1=(x) x2=(x) y1=(middle - half) y2=(middle + half) {
                    title { (series.name) ", " (number(percentile)) " %: " (duration(value)) }
                }
            }
        }
    }
}
