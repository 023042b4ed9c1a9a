//! A figure with all that belongs under it: caption, where it comes from, and its values as a table.

use super::chart::{self, number, percent, value_at};
use super::machine::Origin;
use crate::study::result::{Figure, Form, Point, Series};
use maud::{html, Markup};

/// A figure on its own.
pub fn whole(figure: &Figure, id: &str, heading: &Markup, origin: Origin) -> Markup {
    html! {
        figure.one {
            (panel(figure, id, heading))
            figcaption { @if !figure.caption.is_empty() { p { (figure.caption) } } (origin.line()) }
        }
    }
}

/// The picture and its table.
pub fn panel(figure: &Figure, id: &str, heading: &Markup) -> Markup {
    html! {
        div.panel {
            (heading)
            (chart::draw(figure, id))
            details {
                summary { "As a table" }
                div.wide tabindex="0" { @match figure.form {
                    Form::Density => (percentiles(figure)),
                    _ => (values(figure)),
                } }
            }
        }
    }
}

/// What a density says in numbers.
fn percentiles(figure: &Figure) -> Markup {
    const PERCENTILES: [f64; 6] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99];
    let unit = &figure.x.unit;
    html! { table {
        caption { "Percentiles of " (figure.x.label) @if !unit.is_empty() { ", " (unit) } }
        thead { tr {
            th scope="col" { "series" }
            @for percentile in PERCENTILES { th.number scope="col" { @if percentile == 0.0 { "least" } @else { "p" (number(percentile)) } } }
            th.number scope="col" { "most" }
        } }
        tbody { @for series in &figure.series { tr {
            th scope="row" { (series.name) }
            @for percentile in PERCENTILES.into_iter().chain([100.0]) {
                @let given = chart::is_given(figure, series, percentile);
                td.number { (value_at(series, percentile).filter(|_| given).map_or_else(|| "–".to_owned(), number)) }
            }
        } } }
    } }
}

/// A row for each place on the first axis, a column for each series.
fn values(figure: &Figure) -> Markup {
    let of_names = figure.form == Form::Bars || chart::is_of_categories(figure);
    let rows = rows(figure, of_names);
    html! { table {
        caption { (chart::label(&figure.y)) }
        thead { tr {
            th scope="col" { @if figure.form == Form::Bars { "bar" } @else if of_names { (figure.x.label) } @else { (chart::label(&figure.x)) } }
            @for series in &figure.series { th.number scope="col" { (series.name) } }
        } }
        tbody { @for row in &rows { tr {
            th scope="row" { (row) }
            @for series in &figure.series { td.number { (cell(figure.form, of_names, series, row)) } }
        } } }
    } }
}

/// The heads of the rows: the labels of bars, or the places in order.
fn rows(figure: &Figure, of_names: bool) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    if of_names {
        for point in figure.series.iter().flat_map(|series| &series.points) {
            let head = head(figure.form, of_names, point);
            if !rows.contains(&head) {
                rows.push(head);
            }
        }
        return rows;
    }
    let mut points: Vec<&Point> = figure
        .series
        .iter()
        .flat_map(|series| &series.points)
        .collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    rows.extend(
        points
            .into_iter()
            .map(|point| head(figure.form, of_names, point)),
    );
    rows.dedup();
    rows
}

fn head(form: Form, of_names: bool, point: &Point) -> String {
    let place = match form {
        Form::Percentiles => percent(point.x / 100.0),
        _ => number(point.x),
    };
    match &point.label {
        Some(label) if of_names => label.clone(),
        Some(label) => format!("{place} ({label})"),
        None => place,
    }
}

fn cell(form: Form, of_names: bool, series: &Series, row: &str) -> String {
    let points = series
        .points
        .iter()
        .filter(|point| head(form, of_names, point) == row);
    let texts: Vec<String> = points
        .map(|point| match (point.low, point.high) {
            (Some(low), Some(high)) => {
                format!("{} [{}, {}]", number(point.y), number(low), number(high))
            }
            _ => number(point.y),
        })
        .collect();
    if texts.is_empty() {
        "–".to_owned()
    } else {
        texts.join("; ")
    }
}
