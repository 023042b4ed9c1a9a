//! Figures as SVG, drawn from a study's description of them: no colour is needed to read them, and none is fixed here, since the
//! style sheet has two sets.

mod axis;
mod bars;
mod density;
mod mark;
mod percentiles;
mod plane;
mod ratios;
mod text;

pub use percentiles::{is_given, value_at};
pub use ratios::{family, panel};
pub use text::{number, percent};

use crate::study::result::{Axis, Figure, Form, Series};
use maud::{html, Markup};

/// The width of every figure in units of the picture: little enough for its texts to be read on a phone.
const WIDTH: f64 = 380.0;

/// From the frame to the outermost values.
const INSET: f64 = 9.0;

/// What a form draws: the height it takes, and its contents.
struct Drawing {
    height: f64,
    marks: Markup,
}

/// A figure's picture; `id` is its own in the page.
pub fn draw(figure: &Figure, id: &str) -> Markup {
    if figure.series.iter().all(|series| series.points.is_empty()) {
        return html! { p.soft { "Nothing to draw." } };
    }
    let drawing = match figure.form {
        Form::Points if is_of_categories(figure) => bars::draw(figure),
        Form::Lines | Form::Points | Form::Percentiles => plane::draw(figure),
        Form::Bars => bars::draw(figure),
        Form::Density => density::draw(figure),
    };
    framed(id, &figure.title, &description(figure), drawing)
}

/// A picture with its title and description for those who do not see it.
fn framed(id: &str, title: &str, description: &str, drawing: Drawing) -> Markup {
    let labels = format!("{id}-title {id}-about");
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {}", drawing.height)) role="img" aria-labelledby=(labels) {
            title id=(format!("{id}-title")) { (title) }
            desc id=(format!("{id}-about")) { (description) }
            (drawing.marks)
        }
    }
}

fn description(figure: &Figure) -> String {
    let form = match figure.form {
        Form::Lines => "Lines",
        Form::Points => "Points",
        Form::Bars => "Bars",
        Form::Density => "Strips that are darker where more samples fell",
        Form::Percentiles => "Lines of percentiles",
    };
    let names: Vec<&str> = figure
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    format!(
        "{form}: {} over {}, of {}. The figures are in the table below it.",
        label(&figure.y),
        label(&figure.x),
        names.join(", ")
    )
}

/// An axis in words, with its unit.
pub fn label(axis: &Axis) -> String {
    match axis.unit.as_str() {
        "" => axis.label.clone(),
        unit => format!("{} ({unit})", axis.label),
    }
}

/// An axis as its title names it: with its unit, unless its texts carry that, and how it is spread.
fn title(axis: &Axis, drawn: &axis::Axis) -> String {
    let name = if drawn.names_unit() {
        axis.label.clone()
    } else {
        label(axis)
    };
    format!("{name}, {}", drawn.kind())
}

/// Whether the first axis holds no quantity but names: every point has one, and they are only counted.
pub fn is_of_categories(figure: &Figure) -> bool {
    let points = || figure.series.iter().flat_map(|series| &series.points);
    let count = places(figure).len();
    figure.x.unit.is_empty()
        && points().all(|point| point.label.is_some() && point.x.fract() == 0.0)
        && places(figure).first() == Some(&0.0)
        && places(figure).last() == Some(&(count as f64 - 1.0))
}

/// Every value of a series on its second axis, bounds too.
fn heights(series: &Series) -> impl Iterator<Item = f64> + '_ {
    series
        .points
        .iter()
        .flat_map(|point| [Some(point.y), point.low, point.high].into_iter().flatten())
}

/// The different values of all points on the first axis, in order.
pub fn places(figure: &Figure) -> Vec<f64> {
    let points = figure.series.iter().flat_map(|series| &series.points);
    let mut places: Vec<f64> = points.map(|point| point.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::result::Point;

    fn figure(form: Form, points: &[(f64, &str)]) -> Figure {
        let point = |&(x, name): &(f64, &str)| Point {
            x,
            y: 10.0 + x,
            label: Some(name.to_owned()),
            ..Point::default()
        };
        Figure {
            title: "t".to_owned(),
            caption: String::new(),
            x: Axis::linear("clock", ""),
            y: Axis::linear("offset", "ns"),
            form,
            series: vec![Series {
                name: "clock".to_owned(),
                points: points.iter().map(point).collect(),
            }],
        }
    }

    #[test]
    fn categories_bear_their_names() {
        let clocks = [(0.0, "rdtsc"), (1.0, "rdtscp"), (2.0, "CLOCK_MONOTONIC")];
        let drawn = draw(&figure(Form::Points, &clocks), "id").into_string();
        for (_, name) in clocks {
            assert!(drawn.contains(&format!(">{name}<")), "{drawn}");
        }
        assert!(
            drawn.contains(">offset (ns), linear<") && !drawn.contains(">clock"),
            "{drawn}"
        );
        let measured = [(6.9, "Park"), (99.9, "Spin")];
        assert!(!is_of_categories(&figure(Form::Points, &measured)));
    }

    #[test]
    fn every_axis_says_how_it_is_spread() {
        for form in [
            Form::Lines,
            Form::Points,
            Form::Bars,
            Form::Percentiles,
            Form::Density,
        ] {
            let mut figure = figure(form, &[(50.0, "a"), (90.0, "b")]);
            (figure.x.log, figure.y.log) = (form == Form::Density, form == Form::Bars);
            let drawn = draw(&figure, "id").into_string();
            let said = match form {
                Form::Percentiles => "clock, log of the rest<",
                Form::Density => "clock, log<",
                Form::Bars => "offset, log<",
                Form::Lines | Form::Points => "clock, linear<",
            };
            assert!(drawn.contains(said), "{said} in {drawn}");
        }
    }
}
