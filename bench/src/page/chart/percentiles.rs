//! Percentiles of a series of values (x) with their weights (y).

use crate::stats::is_enough;
use crate::study::result::{Figure, Series};

/// The least value that so many percent of the weight do not exceed; none without weight.
pub fn value_at(series: &Series, percent: f64) -> Option<f64> {
    let mut points: Vec<(f64, f64)> = series
        .points
        .iter()
        .map(|point| (point.x, point.y))
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let total: f64 = points.iter().map(|(_, weight)| weight).sum();
    let wanted = total * percent / 100.0 * (1.0 - 1e-12);
    let mut sum = 0.0;
    let reaches = |(_, weight): &&(f64, f64)| {
        sum += weight;
        *weight > 0.0 && sum >= wanted
    };
    points.iter().find(reaches).map(|(value, _)| *value)
}

/// Whether a percentile of a density is one to give: whether enough samples lie beyond it, where they are counted. The least and the
/// greatest are facts.
pub fn is_given(figure: &Figure, series: &Series, percent: f64) -> bool {
    let counted = figure.y.unit.is_empty();
    let count: f64 = series.points.iter().map(|point| point.y).sum();
    !counted || percent <= 0.0 || percent >= 100.0 || is_enough(percent, count as u64)
}

/// The share of the weight at values above this.
pub fn beyond(series: &Series, most: f64) -> f64 {
    let total: f64 = series.points.iter().map(|point| point.y).sum();
    let above = series.points.iter().filter(|point| point.x > most);
    above.map(|point| point.y).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_of_few_samples_is_not_given() {
        use crate::study::result::{Axis, Form};
        let figure = |unit: &str| Figure {
            title: String::new(),
            caption: String::new(),
            x: Axis::log("t", "ns"),
            y: Axis::linear("messages", unit),
            form: Form::Density,
            series: vec![Series::new("s", [(30.0, 40_000.0), (50.0, 9_000.0)])],
        };
        let counted = figure("");
        let given = |percent| is_given(&counted, &counted.series[0], percent);
        assert!(given(0.0) && given(50.0) && given(99.0) && given(100.0));
        assert!(!given(99.9) && !given(99.99));
        let shares = figure("%");
        assert!(
            is_given(&shares, &shares.series[0], 99.9),
            "of how many is not known"
        );
    }

    #[test]
    fn the_median_has_half_at_or_below_it() {
        let series = Series::new("s", [(30.0, 1.0), (10.0, 5.0), (20.0, 4.0)]);
        let at = |percent| value_at(&series, percent);
        assert_eq!(
            [at(0.0), at(50.0), at(50.1)],
            [Some(10.0), Some(10.0), Some(20.0)]
        );
        assert_eq!(
            [at(90.0), at(90.1), at(100.0)],
            [Some(20.0), Some(30.0), Some(30.0)]
        );
        assert_eq!(value_at(&Series::new("s", []), 50.0), None);
        assert!((beyond(&series, 10.0) - 0.5).abs() < 1e-9 && beyond(&series, 30.0) == 0.0);
    }
}
