//! The predictions of `docs/adr/0012` and `docs/adr/0015`, clause by clause.

use super::arrivals::{Regime, REGIMES};
use super::consumers::Way;
use super::notify::LANGUAGES;
use super::{Placed, Sample};
use crate::stats::{Bound, Control, Estimate, Verdict};

/// What became of one clause in one placement.
pub struct Clause {
    /// The record that has it.
    pub record: &'static str,
    /// In words.
    pub words: String,
    /// What was measured, if it is one figure.
    pub figure: Option<Estimate>,
    /// The bound in words.
    pub bound: String,
    /// Against the bound.
    pub verdict: Verdict,
}

const FRONTIER: &str = "0012";
const PARK: &str = "0015";

const BUDGETS: [u32; 3] = [10, 25, 50];

/// The ways that an adaptive consumer is held against.
const OTHERS: [Way; 6] = [
    Way::Spin,
    Way::Backoff,
    Way::Yield,
    Way::Park,
    Way::Nap,
    Way::SpinNap,
];

/// Every clause.
pub fn clauses(placed: &Placed<'_>) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut judge = |record, words: String, figure: Option<Estimate>, bound: Bound| {
        let verdict = figure.map_or(Verdict::Undecided, |figure| {
            Verdict::on(&figure, bound, Control::Passed)
        });
        clauses.push(Clause {
            record,
            words,
            figure,
            bound: in_words(bound),
            verdict,
        });
    };
    let half = Way::Adaptive(50);
    judge(
        FRONTIER,
        "bursts, Adaptive 50 %: p50 / Spin's".into(),
        ratio(placed, Regime::Bursts, half, Way::Spin, |cell| cell.p50),
        Bound::AtMost(1.1),
    );
    judge(
        FRONTIER,
        "bursts, Adaptive 50 %: duty".into(),
        Estimate::of(placed.each(Regime::Bursts, half, |cell| cell.duty)),
        Bound::AtMost(0.3),
    );
    let bought = [
        (Regime::Steady, 10),
        (Regime::Steady, 25),
        (Regime::Steady, 50),
        (Regime::Poisson, 10),
        (Regime::Poisson, 25),
    ];
    for (regime, percent) in bought {
        judge(
            FRONTIER,
            format!(
                "{}, Adaptive {percent} %: middle mean / Park's",
                regime.name()
            ),
            ratio(placed, regime, Way::Adaptive(percent), Way::Park, |cell| {
                cell.mean
            }),
            Bound::AtMost(1.1),
        );
    }
    for regime in [Regime::Steady, Regime::Poisson] {
        for way in [Way::Nap, Way::SpinNap] {
            judge(
                FRONTIER,
                format!("{}, {}: p50 in ns", regime.name(), way.name()),
                Estimate::of(placed.each(regime, way, |cell| cell.p50)),
                Bound::AtLeast(100_000.0),
            );
        }
    }
    judge(
        PARK,
        "steady, Park: p50 / a bare futex's".into(),
        ratio(placed, Regime::Steady, Way::Park, Way::Futex, |cell| {
            cell.p50
        }),
        Bound::AtMost(1.1),
    );
    for (language, name) in LANGUAGES.into_iter().enumerate() {
        let against = |which: usize| {
            Estimate::of(placed.rates().filter_map(|rates| {
                let rates = rates[language];
                Some(rates[which]? / rates[0]?)
            }))
        };
        judge(
            PARK,
            format!("{name}: ringing pushes / plain ones, awake and declared"),
            against(1),
            Bound::AtLeast(0.95),
        );
        judge(
            PARK,
            format!("{name}: ringing pushes / plain ones, awake and not declared"),
            against(2),
            Bound::AtMost(0.5),
        );
    }
    clauses.extend(frontier(placed));
    clauses
}

/// That nobody is better in both, and that spinning is never beaten.
fn frontier(placed: &Placed<'_>) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for regime in REGIMES {
        for percent in BUDGETS {
            let adaptive = Way::Adaptive(percent);
            let others = OTHERS.map(|other| {
                let to =
                    |figure: fn(&Sample) -> f64| ratio(placed, regime, other, adaptive, figure);
                (
                    other,
                    both_below(&to(|cell| cell.mean), &to(|cell| cell.duty)),
                )
            });
            let better: Vec<String> = others
                .iter()
                .filter(|(_, is_not)| *is_not == Verdict::Misses)
                .map(|(other, _)| other.name())
                .collect();
            let verdict = if !better.is_empty() {
                Verdict::Misses
            } else if others.iter().all(|(_, is_not)| *is_not == Verdict::Holds) {
                Verdict::Holds
            } else {
                Verdict::Undecided
            };
            let bound = match better.is_empty() {
                true => "no other is better in both".into(),
                false => format!("better in both: {}", better.join(", ")),
            };
            clauses.push(Clause {
                record: FRONTIER,
                words: format!("{}, Adaptive {percent} %: on the frontier", regime.name()),
                figure: None,
                bound,
                verdict,
            });
            let p50 = ratio(placed, regime, adaptive, Way::Spin, |cell| cell.p50);
            clauses.push(Clause {
                record: FRONTIER,
                words: format!("{}, Adaptive {percent} %: p50 / Spin's", regime.name()),
                verdict: not_below(&p50),
                figure: p50,
                bound: "not below 1".into(),
            });
        }
    }
    clauses
}

/// By how much something may be better and still not matter: what cannot be told apart from better by more decides nothing.
const MARGIN: f64 = 0.1;

/// Whether a ratio is not below 1. It is where its interval is; it is not where the interval leaves out all that is better by more than
/// the margin; and an interval that is too wide for either tells nothing.
fn not_below(ratio: &Option<Estimate>) -> Verdict {
    match ratio.and_then(|ratio| ratio.interval) {
        Some([_, high]) if high < 1.0 => Verdict::Misses,
        Some([low, _]) if low >= 1.0 - MARGIN => Verdict::Holds,
        _ => Verdict::Undecided,
    }
}

/// Whether not both of two ratios are below 1: one that is not is enough.
fn both_below(one: &Option<Estimate>, other: &Option<Estimate>) -> Verdict {
    match [not_below(one), not_below(other)] {
        [Verdict::Misses, Verdict::Misses] => Verdict::Misses,
        verdicts if verdicts.contains(&Verdict::Holds) => Verdict::Holds,
        _ => Verdict::Undecided,
    }
}

/// The ratio of one way to another within each round.
fn ratio(
    placed: &Placed<'_>,
    regime: Regime,
    way: Way,
    to: Way,
    figure: fn(&Sample) -> f64,
) -> Option<Estimate> {
    Estimate::of(placed.rounds.iter().filter_map(|round| {
        let of = |way| {
            round
                .cells
                .get(&(regime, way))
                .map(|(sample, _)| figure(sample))
        };
        Some(of(way)? / of(to)?)
    }))
}

fn in_words(bound: Bound) -> String {
    match bound {
        Bound::AtMost(most) => format!("at most {most}"),
        Bound::AtLeast(least) => format!("at least {least}"),
        Bound::Between(least, most) => format!("{least} to {most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, high: f64) -> Option<Estimate> {
        Some(Estimate {
            median: (low + high) / 2.0,
            interval: Some([low, high]),
            count: 9,
        })
    }

    #[test]
    fn an_interval_that_is_too_wide_decides_nothing() {
        assert_eq!(not_below(&estimate(0.0, 89.7)), Verdict::Undecided);
        assert_eq!(not_below(&estimate(0.95, 1.2)), Verdict::Holds);
        assert_eq!(not_below(&estimate(0.85, 1.01)), Verdict::Undecided);
        assert_eq!(not_below(&estimate(0.95, 0.99)), Verdict::Misses);
        assert_eq!(not_below(&estimate(1.2, 90.0)), Verdict::Holds);
        assert_eq!(not_below(&None), Verdict::Undecided);
        assert_eq!(not_below(&Estimate::of([1.0; 3])), Verdict::Undecided);
    }

    #[test]
    fn the_frontier_needs_one_figure_that_is_surely_no_better() {
        let (better, wide, worse) = (estimate(0.5, 0.6), estimate(0.1, 8.0), estimate(1.5, 2.0));
        assert_eq!(both_below(&better, &better), Verdict::Misses);
        assert_eq!(both_below(&better, &wide), Verdict::Undecided);
        assert_eq!(both_below(&wide, &wide), Verdict::Undecided);
        assert_eq!(both_below(&wide, &worse), Verdict::Holds);
        assert_eq!(both_below(&better, &worse), Verdict::Holds);
        assert_eq!(both_below(&better, &None), Verdict::Undecided);
    }
}
