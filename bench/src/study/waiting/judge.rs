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
            Estimate::of(
                placed
                    .rates()
                    .map(|rates| rates[language][which] / rates[language][0]),
            )
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
    let below_one = |figure: &Option<Estimate>| matches!(figure, Some(Estimate { interval: Some([_, high]), .. }) if *high < 1.0);
    let known = |figure: &Option<Estimate>| figure.is_some_and(|figure| figure.interval.is_some());
    let mut clauses = Vec::new();
    for regime in REGIMES {
        for percent in BUDGETS {
            let adaptive = Way::Adaptive(percent);
            let mut better = Vec::new();
            let mut all_known = true;
            for other in OTHERS {
                let mean = ratio(placed, regime, other, adaptive, |cell| cell.mean);
                let duty = ratio(placed, regime, other, adaptive, |cell| cell.duty);
                all_known &= known(&mean) && known(&duty);
                if below_one(&mean) && below_one(&duty) {
                    better.push(other.name());
                }
            }
            let verdict = match (better.is_empty(), all_known) {
                (false, _) => Verdict::Misses,
                (true, true) => Verdict::Holds,
                (true, false) => Verdict::Undecided,
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
                verdict: match (below_one(&p50), known(&p50)) {
                    (true, _) => Verdict::Misses,
                    (false, true) => Verdict::Holds,
                    (false, false) => Verdict::Undecided,
                },
                figure: p50,
                bound: "not below 1".into(),
            });
        }
    }
    clauses
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
