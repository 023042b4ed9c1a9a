//! Bars, lying, so that their names are beside them: a row for each series under each label. On a logarithmic axis, where a length
//! means nothing, and for points, a mark instead.

use super::axis::{tenth, Axis, Scale};
use super::text::{self, number, FONT, LINE};
use super::{heights, mark, title, Drawing, INSET, WIDTH};
use crate::study::result::{Figure, Form, Point};
use maud::{html, Markup};

const TOP: f64 = 4.0;
const THICK: f64 = 10.0;
/// Above a label that has several bars.
const GAP: f64 = 6.0;
const BELOW: f64 = 38.0;
const NAMES: f64 = 134.0;

/// A row of the picture.
enum Row<'a> {
    /// What the bars below it have in common.
    Heading(Vec<String>),
    /// A bar: its series, its name, its value.
    Bar(usize, Vec<String>, &'a Point),
}

impl Row<'_> {
    fn height(&self) -> f64 {
        match self {
            Self::Heading(lines) => GAP + lines.len() as f64 * LINE,
            Self::Bar(_, lines, _) => 6.0 + (lines.len() as f64 * LINE).max(THICK),
        }
    }
}

pub fn draw(figure: &Figure) -> Drawing {
    let rows = rows(figure);
    let names = rows.iter().filter_map(|row| match row {
        Row::Bar(_, lines, _) => Some(lines),
        Row::Heading(_) => None,
    });
    let left = names
        .flatten()
        .map(|line| text::width(line, FONT))
        .fold(0.0, f64::max)
        + 10.0;
    let values = figure.series.iter().flat_map(|series| &series.points);
    let value_room = values
        .map(|point| text::width(&number(point.y), FONT))
        .fold(0.0, f64::max)
        + 12.0;
    let right = WIDTH - value_room;
    let all = figure.series.iter().flat_map(heights);
    let scale = if figure.y.log {
        Scale::Log
    } else {
        Scale::Linear
    };
    let lengths = figure.form == Form::Bars && !figure.y.log;
    let axis = Axis::around(scale, &figure.y.unit, all, [left.ceil(), right.floor()]);
    let axis = if lengths {
        axis.with_zero().rounded()
    } else {
        axis.rounded().inset(INSET, false)
    };
    let bottom = TOP + rows.iter().map(Row::height).sum::<f64>() + 4.0;

    let mut y = TOP;
    let placed: Vec<(f64, &Row)> = rows
        .iter()
        .map(|row| {
            let top = y;
            y += row.height();
            (top, row)
        })
        .collect();
    let marks = html! {
        @for (value, words) in axis.ticks(&[], true) {
            @let x = axis.place(value);
            line class="grid" x1=(x) x2=(x) y1=(TOP) y2=(bottom) {}
            text class="tick middle" x=(x) y=(bottom + 16.0) { (words) }
        }
        @for (top, row) in placed {
            @match row {
                Row::Heading(lines) => { (words(lines, "heading", 0.0, top + GAP)) }
                Row::Bar(series, lines, point) => { (bar(&axis, *series, lines, point, top + 3.0, lengths)) }
            }
        }
        line class="base" x1=(axis.start()) x2=(axis.start()) y1=(TOP) y2=(bottom) {}
        text class="axis end" x=(WIDTH - 2.0) y=(bottom + 32.0) { (title(&figure.y, &axis)) }
    };
    Drawing {
        height: bottom + BELOW,
        marks,
    }
}

fn rows(figure: &Figure) -> Vec<Row<'_>> {
    if let [series] = figure.series.as_slice() {
        let bar = |point| Row::Bar(0, text::wrapped(&name(point), NAMES), point);
        return series.points.iter().map(bar).collect();
    }
    let mut labels: Vec<String> = Vec::new();
    for point in figure.series.iter().flat_map(|series| &series.points) {
        let label = name(point);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let of_label = |label: &str| {
        let mut bars = Vec::new();
        for (index, series) in figure.series.iter().enumerate() {
            let name_of_series = text::wrapped(&series.name, NAMES);
            let points = series.points.iter().filter(|point| name(point) == label);
            bars.extend(points.map(|point| Row::Bar(index, name_of_series.clone(), point)));
        }
        bars
    };
    let alone = labels.len() == 1;
    let mut rows = Vec::new();
    for label in &labels {
        if !alone || !label.is_empty() {
            rows.push(Row::Heading(text::wrapped(label, WIDTH)));
        }
        rows.extend(of_label(label));
    }
    rows
}

fn name(point: &Point) -> String {
    point.label.clone().unwrap_or_else(|| text::short(point.x))
}

fn words(lines: &[String], class: &str, x: f64, top: f64) -> Markup {
    html! { @for (row, line) in lines.iter().enumerate() {
        text class=(class) x=(x) y=(tenth(top + LINE * (row as f64 + 0.78))) { (line) }
    } }
}

fn bar(
    axis: &Axis,
    series: usize,
    name: &[String],
    point: &Point,
    top: f64,
    length: bool,
) -> Markup {
    let middle = tenth(top + (name.len() as f64 * LINE).max(THICK) / 2.0);
    let (start, end) = (axis.place(0.0), axis.place(point.y));
    let bounds = point
        .low
        .zip(point.high)
        .map(|(low, high)| (axis.place(low), axis.place(high)));
    let after = bounds.map_or(end, |(low, high)| end.max(low).max(high));
    html! {
        (words(name, "name end", axis.start() - 7.0, top))
        g class=(mark::class(series)) {
            @if length {
                rect class="bar" x=(start.min(end)) width=(tenth((end - start).abs())) y=(middle - THICK / 2.0) height=(THICK) {}
            } @else {
                (mark::mark(series, end, middle))
            }
            @if let Some((low, high)) = bounds { (mark::lying_bounds(middle, low, high)) }
        }
        text class="value" x=(after + 6.0) y=(middle + 4.0) { (number(point.y)) }
    }
}
