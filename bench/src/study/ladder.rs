//! Ladders of percentiles from histograms, and the curves to draw them by.

use crate::stats::is_enough;
use anyhow::Result;
use hdrhistogram::Histogram;

/// Nanoseconds, to three digits.
pub type Ladder = Histogram<u64>;

/// The rungs that tables show.
pub const RUNGS: [(&str, f64); 7] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.95", 99.95),
    ("p99.99", 99.99),
    ("max", 100.0),
];

/// An empty one.
///
/// # Errors
///
/// None in practice: the digits are a constant.
pub fn new() -> Result<Ladder> {
    const DIGITS: u8 = 3;
    Ok(Ladder::new(DIGITS)?)
}

/// The value at a percentile, if enough lies beyond it; the greatest is a fact.
pub fn rung(ladder: &Ladder, percent: f64) -> Option<u64> {
    let is_given = percent >= 100.0 || is_enough(percent, ladder.len());
    is_given.then(|| ladder.value_at_percentile(percent))
}

/// Percent and value: more points towards 100, as far as enough lies beyond; then the greatest.
pub fn curve(ladder: &Ladder) -> Vec<(f64, f64)> {
    const PER_HALVING: u32 = 4;
    let points = ladder.iter_quantiles(PER_HALVING);
    points
        .map(|point| (point.quantile() * 100.0, point.value_iterated_to() as f64))
        .filter(|(percent, _)| *percent >= 100.0 || is_enough(*percent, ladder.len()))
        .collect()
}

/// Value and percent of the samples, in steps of a tenth.
pub fn density(ladder: &Ladder) -> Vec<(f64, f64)> {
    const STEP: f64 = 1.1;
    let (mut points, mut low) = (Vec::new(), 1.0_f64);
    while low <= ladder.max() as f64 {
        let high = (low * STEP).max(low + 1.0).floor();
        let count = ladder.count_between(low as u64, high as u64 - 1);
        if count > 0 {
            points.push((
                (low * high).sqrt(),
                100.0 * count as f64 / ladder.len() as f64,
            ));
        }
        low = high;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Ladder {
        let mut ladder = new().unwrap();
        for value in 1..=1000 {
            ladder.record(value).unwrap();
        }
        ladder
    }

    #[test]
    fn a_curve_climbs_to_the_maximum() {
        let curve = curve(&example());
        assert!(curve.is_sorted_by(|one, other| one.0 <= other.0 && one.1 <= other.1));
        assert_eq!(curve.last(), Some(&(100.0, 1000.0)));
        let given = curve.iter().map(|(percent, _)| *percent);
        assert!(given
            .filter(|percent| *percent < 100.0)
            .all(|percent| percent <= 95.0));
        assert!(curve
            .iter()
            .any(|(percent, _)| *percent > 90.0 && *percent < 100.0));
    }

    #[test]
    fn a_rung_needs_enough_beyond_it() {
        let ladder = example();
        assert_eq!(
            [90.0, 95.0, 99.0, 100.0].map(|percent| rung(&ladder, percent)),
            [Some(900), Some(950), None, Some(1000)]
        );
    }

    #[test]
    fn a_density_counts_every_sample_once() {
        let density = density(&example());
        let sum: f64 = density.iter().map(|(_, percent)| percent).sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
        assert!(density.len() > 30, "{}", density.len());
        assert!(density.is_sorted_by(|one, other| one.0 < other.0));
    }
}
