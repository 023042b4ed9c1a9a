//! What tells one series from another: a shape and a pattern of dashes, and a colour of the style sheet beside them.

use super::axis::tenth;
use maud::{html, Markup};

/// As many as the style sheet has colours; the shapes and dashes come round at other numbers, so that two series differ in one of
/// the three for long.
const COLOURS: usize = 8;
const DASHES: [&str; 5] = ["none", "7 3", "2 2.5", "9 3 2 3", "12 4"];

/// The class that colours a series.
pub fn class(series: usize) -> String {
    format!("series c{}", series % COLOURS)
}

/// The pattern of a series' line.
pub fn dashes(series: usize) -> &'static str {
    DASHES[series % DASHES.len()]
}

/// A series' mark.
pub fn mark(series: usize, x: f64, y: f64) -> Markup {
    const R: f64 = 3.6;
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners
            .iter()
            .map(|(dx, dy)| format!("{},{}", tenth(x + dx * R), tenth(y + dy * R)))
            .collect();
        html! { polygon class="mark" points=(corners.join(" ")) {} }
    };
    match series % 6 {
        0 => html! { circle class="mark" cx=(x) cy=(y) r=(R) {} },
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)]),
        3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => polygon(&[(0.0, 1.2), (1.15, -0.9), (-1.15, -0.9)]),
        _ => html! { circle class="mark hollow" cx=(x) cy=(y) r=(R) {} },
    }
}

/// The bounds of a value, upright at `x`.
pub fn upright_bounds(x: f64, low: f64, high: f64) -> Markup {
    bounds(format!(
        "M{x} {low}V{high}M{} {low}h6M{} {high}h6",
        x - 3.0,
        x - 3.0
    ))
}

/// The bounds of a value, lying at `y`.
pub fn lying_bounds(y: f64, low: f64, high: f64) -> Markup {
    bounds(format!(
        "M{low} {y}H{high}M{low} {}v6M{high} {}v6",
        y - 3.0,
        y - 3.0
    ))
}

fn bounds(path: String) -> Markup {
    html! { path class="bounds" d=(path) {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_dozen_series_differ_without_colour() {
        let looks: std::collections::BTreeSet<String> = (0..12)
            .map(|series| mark(series, 0.0, 0.0).into_string() + dashes(series))
            .collect();
        assert_eq!(looks.len(), 12);
    }
}
