//! Lines, points and percentiles: two axes, and each series named at its last point.

use super::axis::{is_doubling, tenth, Axis, Scale};
use super::text::{self, FONT, LINE};
use super::{heights, mark, places, title, Drawing, INSET, WIDTH};
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
/// Between a name and the mark before it, where several points have one line in common.
const KEY: f64 = 12.0;
/// Points that are nearer than this have one line to their names in common.
const CLOSE: f64 = 12.0;
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
    let key = if figure.form == Form::Points {
        KEY
    } else {
        0.0
    };
    let names: Vec<Vec<String>> = figure
        .series
        .iter()
        .map(|series| text::wrapped(&series.name, NAMES - key))
        .collect();
    let widest = names
        .iter()
        .flatten()
        .map(|line| text::width(line, FONT))
        .fold(0.0, f64::max);
    let right = WIDTH - widest - LEAD - key - 2.0;
    let rows: usize = names.iter().map(Vec::len).sum();
    let bottom = TOP + LEAST_HEIGHT.max(rows as f64 * LINE + 12.0);

    let y = Axis::around(
        scale(figure.y.log),
        &figure.y.unit,
        all_heights(figure),
        [bottom, TOP],
    )
    .rounded()
    .inset(INSET, true);
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
    let x = Axis::around(x_scale, &figure.x.unit, across, [left, right]);
    let x = if x_scale == Scale::Log && is_doubling(&own) {
        x
    } else {
        x.rounded()
    };
    let plane = Plane {
        x: x.inset(INSET, false),
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
        html! {
            @for (value, words) in rungs {
                @let y = self.y.place(*value);
                line class="grid" x1=(left) x2=(right) y1=(y) y2=(y) {}
                text class="tick end" x=(left - 5.0) y=(y + 4.0) { (words) }
            }
            @for (value, words) in self.x.ticks(own, true) {
                @let x = self.x.place(value);
                line class="grid" x1=(x) x2=(x) y1=(TOP) y2=(bottom + 4.0) {}
                text class="tick middle" x=(x) y=(bottom + 17.0) { (words) }
            }
            line class="base" x1=(left) x2=(right) y1=(bottom) y2=(bottom) {}
            line class="base" x1=(left) x2=(left) y1=(TOP) y2=(bottom) {}
            text class="axis" x="2" y="12" { (title(&figure.y, &self.y)) }
            text class="axis end" x=(WIDTH - 2.0) y=(bottom + 33.0) { (title(&figure.x, &self.x)) }
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
            @if form != Form::Points && !path.is_empty() {
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

    /// The names of the series, each as near to its last point as the others let it. Points that lie on each other have their names
    /// under each other and one line to them all.
    fn names(&self, figure: &Figure, names: &[Vec<String>]) -> Markup {
        let ends: Vec<(usize, (f64, f64))> = figure
            .series
            .iter()
            .enumerate()
            .filter_map(|(index, series)| {
                let ordered = ordered(series);
                Some((index, self.at(figure.form, ordered.last()?)))
            })
            .collect();
        let near = if figure.form == Form::Points {
            CLOSE
        } else {
            0.0
        };
        let heaps = heaps(&ends, near);
        let boxes: Vec<(f64, f64)> = heaps
            .iter()
            .map(|heap| {
                let lines: usize = heap.iter().map(|(index, _)| names[*index].len()).sum();
                let height = lines as f64 * LINE;
                let middle = heap.iter().map(|(_, (_, y))| y).sum::<f64>() / heap.len() as f64;
                (middle - height / 2.0, height)
            })
            .collect();
        let tops = text::spread(&boxes, [TOP - 8.0, self.bottom + 8.0]);
        html! {
            @for (heap, (top, (_, height))) in heaps.iter().zip(tops.iter().zip(&boxes)) {
                (self.heap(figure.form, heap, names, [*top, top + height]))
            }
        }
    }

    /// The names of some series between these heights.
    fn heap(
        &self,
        form: Form,
        heap: &[(usize, (f64, f64))],
        names: &[Vec<String>],
        [top, bottom]: [f64; 2],
    ) -> Markup {
        let x = self.right + LEAD;
        let middle = tenth((top + bottom) / 2.0);
        let (end_x, end_y) = heap
            .iter()
            .fold((f64::NEG_INFINITY, 0.0), |last, (_, end)| {
                if end.0 > last.0 {
                    *end
                } else {
                    last
                }
            });
        let mut y = top;
        let placed: Vec<(usize, f64)> = heap
            .iter()
            .map(|(index, _)| {
                let above = y;
                y += names[*index].len() as f64 * LINE;
                (*index, above)
            })
            .collect();
        let key = if form == Form::Points { KEY } else { 0.0 };
        let colour = if heap.len() == 1 {
            mark::class(heap[0].0)
        } else {
            "several".to_owned()
        };
        html! {
            g class=(colour) {
                path class="lead" d=(format!("M{} {end_y}L{} {end_y}L{} {middle}", end_x + 5.0, self.right + 2.0, x - 4.0)) {}
                @if heap.len() > 1 {
                    path class="lead" d=(format!("M{0} {1}V{2}", x - 4.0, tenth(top + 1.0), tenth(bottom - 1.0))) {}
                }
            }
            @for (index, above) in placed {
                g class=(mark::class(index)) {
                    @if form == Form::Points { (mark::mark(index, x + 3.0, tenth(above + LINE * 0.5))) }
                    @for (row, line) in names[index].iter().enumerate() {
                        text class="name" x=(x + key) y=(tenth(above + LINE * (row as f64 + 0.78))) { (line) }
                    }
                }
            }
        }
    }
}

/// What ends within this distance of each other, or of one that does, from above; the rest alone.
fn heaps(ends: &[(usize, (f64, f64))], near: f64) -> Vec<Vec<(usize, (f64, f64))>> {
    let mut heaps: Vec<Vec<(usize, (f64, f64))>> = Vec::new();
    for &(index, (x, y)) in ends {
        let touches = |heap: &Vec<(usize, (f64, f64))>| {
            let close = |(_, (a, b)): &(usize, (f64, f64))| (a - x).hypot(b - y) < near;
            heap.iter().any(close)
        };
        let (touched, mut rest): (Vec<_>, Vec<_>) = heaps.into_iter().partition(touches);
        let mut heap: Vec<_> = touched.into_iter().flatten().collect();
        heap.push((index, (x, y)));
        rest.push(heap);
        heaps = rest;
    }
    for heap in &mut heaps {
        heap.sort_by(|(_, one), (_, other)| one.1.total_cmp(&other.1));
    }
    heaps.sort_by(|one, other| one[0].1 .1.total_cmp(&other[0].1 .1));
    heaps
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_on_each_other_is_one_heap() {
        let ends = [
            (0, (10.0, 100.0)),
            (1, (200.0, 101.0)),
            (2, (18.0, 100.0)),
            (3, (26.0, 96.0)),
            (4, (10.0, 40.0)),
        ];
        let heaps = |near| -> Vec<Vec<usize>> {
            let heaps = heaps(&ends, near).into_iter();
            heaps
                .map(|heap| heap.into_iter().map(|(index, _)| index).collect())
                .collect()
        };
        assert_eq!(heaps(12.0), [vec![4], vec![3, 0, 2], vec![1]]);
        assert_eq!(heaps(0.0).len(), 5);
    }
}
