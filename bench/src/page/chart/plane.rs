//! Lines, points and percentiles: two axes, and each series named at its last point.

use super::axis::{tenth, Axis, Scale};
use super::text::{self, FONT, LINE};
use super::{heights, label, mark, places, Drawing, WIDTH};
use crate::study::result::{Figure, Form, Point, Series};
use maud::{html, Markup};

const TOP: f64 = 26.0;
const LEAST_HEIGHT: f64 = 210.0;
/// Below the plane: the texts of the axis and its title.
const BELOW: f64 = 38.0;
/// The most that names take of the width.
const NAMES: f64 = 106.0;
/// From the plane to the names, where a thin line leads from the one to the other.
const LEAD: f64 = 16.0;
/// More points than this are drawn as a line without marks.
const MARKED: usize = 24;

/// The plane between its axes.
struct Plane {
    x: Axis,
    y: Axis,
    right: f64,
    bottom: f64,
}

pub fn draw(figure: &Figure) -> Drawing {
    let names: Vec<Vec<String>> = figure
        .series
        .iter()
        .map(|series| text::wrapped(&series.name, NAMES))
        .collect();
    let widest = names
        .iter()
        .flatten()
        .map(|line| text::width(line, FONT))
        .fold(0.0, f64::max);
    let right = WIDTH - widest - LEAD - 2.0;
    let rows: usize = names.iter().map(Vec::len).sum();
    let bottom = TOP + LEAST_HEIGHT.max(rows as f64 * LINE + 12.0);

    let y = Axis::around(
        scale(figure.y.log),
        &figure.y.unit,
        all_heights(figure),
        [bottom, TOP],
    );
    let rungs = y.ticks(&[], false);
    let gutter = rungs
        .iter()
        .map(|(_, text)| text::width(text, FONT))
        .fold(0.0, f64::max);
    let left = (gutter + 8.0).ceil();
    let (own, x_scale) = if figure.form == Form::Percentiles {
        (Vec::new(), Scale::Nines)
    } else {
        (places(figure), scale(figure.x.log))
    };
    let across = places(figure).into_iter().map(|x| share(figure.form, x));
    let plane = Plane {
        x: Axis::around(x_scale, &figure.x.unit, across, [left, right]),
        y,
        right,
        bottom,
    };
    let marks = html! {
        (plane.grid(figure, &rungs, &own))
        @for (index, series) in figure.series.iter().enumerate() { (plane.series(figure.form, index, series)) }
        (plane.names(figure, &names))
    };
    Drawing {
        height: bottom + BELOW,
        marks,
    }
}

impl Plane {
    fn grid(&self, figure: &Figure, rungs: &[(f64, String)], own: &[f64]) -> Markup {
        let (left, right, bottom) = (self.x.start(), self.right, self.bottom);
        let title = |axis, names_unit| {
            let axis: &crate::study::result::Axis = axis;
            if names_unit {
                axis.label.clone()
            } else {
                label(axis)
            }
        };
        html! {
            @for (value, words) in rungs {
                @let y = self.y.place(*value);
                line class="grid" x1=(left) x2=(right) y1=(y) y2=(y) {}
                text class="tick end" x=(left - 5.0) y=(y + 4.0) { (words) }
            }
            @for (value, words) in self.x.ticks(own, true) {
                @let x = self.x.place(value);
                line class="grid" x1=(x) x2=(x) y1=(bottom) y2=(bottom + 4.0) {}
                text class="tick middle" x=(x) y=(bottom + 17.0) { (words) }
            }
            line class="base" x1=(left) x2=(right) y1=(bottom) y2=(bottom) {}
            text class="axis" x="2" y="12" { (title(&figure.y, self.y.names_unit())) }
            text class="axis end" x=(right) y=(bottom + 33.0) { (title(&figure.x, self.x.names_unit())) }
        }
    }

    fn at(&self, form: Form, point: &Point) -> (f64, f64) {
        (self.x.place(share(form, point.x)), self.y.place(point.y))
    }

    fn series(&self, form: Form, index: usize, series: &Series) -> Markup {
        let points = ordered(series);
        let marked = points.len() <= MARKED;
        let path: Vec<String> = points
            .iter()
            .map(|point| self.at(form, point))
            .map(|(x, y)| format!("{x} {y}"))
            .collect();
        html! { g class=(mark::class(index)) {
            title { (series.name) }
            @if form != Form::Points {
                path class="line" stroke-dasharray=(mark::dashes(index)) d=(format!("M{}", path.join("L"))) {}
            }
            @for point in &points {
                @let (x, y) = self.at(form, point);
                @if let (Some(low), Some(high)) = (point.low, point.high) {
                    (mark::upright_bounds(x, self.y.place(low), self.y.place(high)))
                }
                @if marked || form == Form::Points { (mark::mark(index, x, y)) }
            }
        } }
    }

    /// The names of the series, each as near to its last point as the others let it.
    fn names(&self, figure: &Figure, names: &[Vec<String>]) -> Markup {
        let ends: Vec<Option<(f64, f64)>> = figure
            .series
            .iter()
            .map(|series| {
                ordered(series)
                    .last()
                    .map(|point| self.at(figure.form, point))
            })
            .collect();
        let boxes: Vec<(f64, f64)> = ends
            .iter()
            .zip(names)
            .map(|(end, lines)| {
                let height = lines.len() as f64 * LINE;
                (end.map_or(self.bottom, |(_, y)| y) - height / 2.0, height)
            })
            .collect();
        let tops = text::spread(&boxes, [TOP - 8.0, self.bottom + 8.0]);
        let x = self.right + LEAD;
        html! {
            @for (index, lines) in names.iter().enumerate() {
                @if let Some((end_x, end_y)) = ends[index] {
                    @let middle = tenth(tops[index] + boxes[index].1 / 2.0);
                    g class=(mark::class(index)) {
                        path class="lead" d=(format!("M{} {end_y}L{} {end_y}L{} {middle}", end_x + 5.0, self.right + 2.0, x - 3.0)) {}
                        @for (row, line) in lines.iter().enumerate() {
                            text class="name" x=(x) y=(tenth(tops[index] + LINE * (row as f64 + 0.78))) { (line) }
                        }
                    }
                }
            }
        }
    }
}

fn scale(log: bool) -> Scale {
    if log {
        Scale::Log
    } else {
        Scale::Linear
    }
}

/// A place on the first axis as the scale takes it: percentiles come in percent.
fn share(form: Form, x: f64) -> f64 {
    if form == Form::Percentiles {
        x / 100.0
    } else {
        x
    }
}

fn all_heights(figure: &Figure) -> Vec<f64> {
    figure.series.iter().flat_map(heights).collect()
}

fn ordered(series: &Series) -> Vec<&Point> {
    let mut points: Vec<&Point> = series.points.iter().collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    points
}
