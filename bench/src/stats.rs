//! Medians, their intervals, and what follows from them about a bound. No distribution is assumed.

/// Samples below which there is no interval.
pub const FEWEST: usize = 6;

/// The median of some samples, and where it lies with 95 % certainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The middle of the samples.
    pub median: f64,
    /// None if there are too few samples for an interval: below [`FEWEST`].
    pub interval: Option<[f64; 2]>,
    /// How many samples.
    pub count: usize,
}

impl Estimate {
    /// Of these samples; `None` if there are none.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        if count == 0 {
            return None;
        }
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        let interval = outer_ranks(count).map(|outer| [sorted[outer], sorted[count - 1 - outer]]);
        Some(Self {
            median,
            interval,
            count,
        })
    }
}

/// The middle of some samples; `None` if there are none.
pub fn median(samples: impl IntoIterator<Item = f64>) -> Option<f64> {
    Estimate::of(samples).map(|estimate| estimate.median)
}

/// The mean of the middle half: as steady as the median, and finer than the step of a clock. `None` if there are none.
pub fn middle_half(mut samples: Vec<f64>) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    let outer = samples.len() / 4;
    let middle = &samples[outer..samples.len() - outer];
    (!middle.is_empty()).then(|| middle.iter().sum::<f64>() / middle.len() as f64)
}

/// How many samples to leave out at either end for the rest to hold the median with 95 % certainty: how many lie below the
/// median is a matter of as many fair coins.
fn outer_ranks(count: usize) -> Option<usize> {
    const EITHER_SIDE: f64 = 0.025;
    let mut outer = None;
    let mut probability = 0.5_f64.powi(count as i32);
    let mut below = 0.0;
    for rank in 0..count {
        below += probability;
        if below > EITHER_SIDE {
            break;
        }
        outer = Some(rank);
        probability *= (count - rank) as f64 / (rank + 1) as f64;
    }
    outer
}

/// Single messages beyond a percentile below which it is not given: their number is sure to a third or so.
const BEYOND: f64 = 50.0;

/// Whether so many samples are enough to give a percentile.
pub fn is_enough(percent: f64, samples: u64) -> bool {
    // A product of fractions is off by less than this.
    const ERROR: f64 = 1e-6;
    samples as f64 * (1.0 - percent / 100.0) + ERROR >= BEYOND
}

/// What a target asks of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
    /// Between the two.
    Between(f64, f64),
}

/// What the samples say about a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval satisfies it.
    Holds,
    /// None of the interval satisfies it.
    Misses,
    /// The interval reaches over it, or there is none.
    Undecided,
    /// The control failed, so nothing is said.
    Void,
}

impl Verdict {
    /// As in the tables and the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Misses => "misses",
            Self::Undecided => "undecided",
            Self::Void => "void",
        }
    }

    /// On an estimate. A control that failed voids it.
    pub fn on(estimate: &Estimate, bound: Bound, control: Control) -> Self {
        if control == Control::Failed {
            return Self::Void;
        }
        let Some([low, high]) = estimate.interval else {
            return Self::Undecided;
        };
        let (least, most) = match bound {
            Bound::AtMost(most) => (f64::NEG_INFINITY, most),
            Bound::AtLeast(least) => (least, f64::INFINITY),
            Bound::Between(least, most) => (least, most),
        };
        if least <= low && high <= most {
            Self::Holds
        } else if high < least || low > most {
            Self::Misses
        } else {
            Self::Undecided
        }
    }
}

/// What the reference measured against itself says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The interval of its ratio holds 1, or there are too few rounds to tell.
    Passed,
    /// It does not: something else than the queues made a difference.
    Failed,
}

impl Control {
    /// Of the ratio of the reference to itself, if it was measured.
    pub fn of(ratio: Option<&Estimate>) -> Self {
        match ratio.and_then(|estimate| estimate.interval) {
            Some([low, high]) if low > 1.0 || high < 1.0 => Self::Failed,
            _ => Self::Passed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_half_has_no_outliers() {
        assert_eq!(middle_half(vec![]), None);
        assert_eq!(middle_half(vec![7.0]), Some(7.0));
        assert_eq!(middle_half(vec![1e9, 4.0, 2.0, -1e9]), Some(3.0));
        assert_eq!(
            middle_half((0..100).rev().map(f64::from).collect()),
            Some(49.5)
        );
    }

    fn numbers(count: i32) -> Vec<f64> {
        (1..=count).map(f64::from).collect()
    }

    fn estimate(low: f64, high: f64) -> Estimate {
        Estimate {
            median: (low + high) / 2.0,
            interval: Some([low, high]),
            count: 15,
        }
    }

    #[test]
    fn a_percentile_needs_50_samples_beyond_it() {
        for (percent, samples) in [(50.0, 100), (99.0, 5_000), (99.9, 50_000), (99.99, 500_000)] {
            assert!(is_enough(percent, samples), "{percent}");
            assert!(!is_enough(percent, samples - 1), "{percent}");
        }
    }

    #[test]
    fn medians_of_odd_even_and_unsorted_samples() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median([]), None);
        assert_eq!(
            median([1.0, 1.0, 1000.0]),
            Some(1.0),
            "an outlier does not move it"
        );
    }

    #[test]
    fn intervals_have_the_ranks_of_the_published_tables() {
        // Ranks from 1, as tables of the sign test have them.
        for (count, lowest, highest) in [
            (6, 1, 6),
            (8, 1, 8),
            (9, 2, 8),
            (15, 4, 12),
            (20, 6, 15),
            (60, 22, 39),
        ] {
            let interval = Estimate::of(numbers(count)).unwrap().interval.unwrap();
            assert_eq!(
                interval,
                [f64::from(lowest), f64::from(highest)],
                "{count} samples"
            );
        }
        for count in 1..6 {
            assert_eq!(
                Estimate::of(numbers(count)).unwrap().interval,
                None,
                "{count} samples"
            );
        }
    }

    #[test]
    fn a_verdict_needs_the_whole_interval_on_one_side() {
        let verdict = |low, high, bound| Verdict::on(&estimate(low, high), bound, Control::Passed);
        assert_eq!(verdict(0.60, 0.70, Bound::AtMost(0.70)), Verdict::Holds);
        assert_eq!(verdict(0.60, 0.71, Bound::AtMost(0.70)), Verdict::Undecided);
        assert_eq!(verdict(0.71, 0.80, Bound::AtMost(0.70)), Verdict::Misses);
        assert_eq!(verdict(1.20, 1.50, Bound::AtLeast(1.2)), Verdict::Holds);
        assert_eq!(verdict(1.10, 1.50, Bound::AtLeast(1.2)), Verdict::Undecided);
        assert_eq!(verdict(1.10, 1.19, Bound::AtLeast(1.2)), Verdict::Misses);
        assert_eq!(
            verdict(0.95, 1.05, Bound::Between(0.9, 1.1)),
            Verdict::Holds
        );
        assert_eq!(
            verdict(1.05, 1.15, Bound::Between(0.9, 1.1)),
            Verdict::Undecided
        );
        assert_eq!(
            verdict(1.15, 1.25, Bound::Between(0.9, 1.1)),
            Verdict::Misses
        );
        assert_eq!(
            verdict(0.75, 0.85, Bound::Between(0.9, 1.1)),
            Verdict::Misses
        );
    }

    #[test]
    fn without_an_interval_nothing_is_decided() {
        let few = Estimate::of([0.5; 5]).unwrap();
        assert_eq!(
            Verdict::on(&few, Bound::AtMost(0.7), Control::Passed),
            Verdict::Undecided
        );
    }

    #[test]
    fn a_control_that_misses_1_voids_the_cell() {
        let control = |low, high| Control::of(Some(&estimate(low, high)));
        assert_eq!(control(0.98, 1.01), Control::Passed);
        assert_eq!(control(1.00, 1.02), Control::Passed);
        assert_eq!(control(1.01, 1.03), Control::Failed);
        assert_eq!(control(0.95, 0.99), Control::Failed);
        assert_eq!(Control::of(None), Control::Passed);
        let good = estimate(0.5, 0.6);
        assert_eq!(
            Verdict::on(&good, Bound::AtMost(0.7), Control::Failed),
            Verdict::Void
        );
    }
}
