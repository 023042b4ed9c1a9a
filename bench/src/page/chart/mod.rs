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

pub use percentiles::value_at;
pub use ratios::{family, panel};
pub use text::{number, percent};

use crate::study::result::{Axis, Figure, Form, Series};
use maud::{html, Markup};

/// The width of every figure in units of the picture: little enough for its texts to be read on a phone.
const WIDTH: f64 = 380.0;

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
