//! What becomes of a prediction: its parts, each judged alone, and the verdict on the whole.

use super::paired::{Outcomes, Trial};
use super::result::{self, Claim, Table, Value};
use crate::plan::Group;
use crate::stats::{Bound, Control, Estimate, Verdict};

/// A part of a prediction that can be judged.
#[derive(Debug)]
pub struct Part {
    /// The number of the clause in the record.
    clause: u32,
    what: String,
    found: Value,
    predicted: String,
    verdict: Verdict,
    /// How far from its bound, as a ratio's logarithm: below 0 on the wrong side.
    room: f64,
}

impl Part {
    /// A figure that should lie within a bound.
    pub fn figure(
        clause: u32,
        what: String,
        estimate: &Estimate,
        bound: Bound,
        control: Control,
    ) -> Self {
        Self {
            clause,
            what,
            found: (*estimate).into(),
            predicted: words(bound),
            verdict: Verdict::on(estimate, bound, control),
            room: room(estimate.median, bound),
        }
    }

    /// Something that is so or is not.
    pub fn fact(clause: u32, what: String, found: String, predicted: &str, holds: bool) -> Self {
        Self {
            clause,
            what,
            found: found.into(),
            predicted: predicted.to_owned(),
            verdict: if holds {
                Verdict::Holds
            } else {
                Verdict::Misses
            },
            room: if holds {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            },
        }
    }
}

/// The parts of a clause about ratios: every trial for which `bound` gives one, in each placement.
pub fn ratios<K>(
    clause: u32,
    outcomes: &Outcomes,
    trials: &[Trial<K>],
    bound: impl Fn(&K, &Group) -> Option<Bound>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for &placement in &outcomes.placements {
        for (number, trial) in trials.iter().enumerate() {
            let (Some(bound), Some(outcome)) = (
                bound(&trial.key, trial.group()),
                outcomes.of(number, placement),
            ) else {
                continue;
            };
            let what = format!(
                "{} in {}, cores {}",
                trial.subject.name,
                trial.group(),
                placement.name()
            );
            parts.push(Part::figure(
                clause,
                what,
                &outcome.ratio,
                bound,
                outcome.control,
            ));
        }
    }
    parts
}

/// The verdict on the whole: confirmed if every part holds, refuted if one misses.
pub fn claim(record: &str, prediction: &str, parts: &[Part]) -> Claim {
    let count = |verdict| parts.iter().filter(|part| part.verdict == verdict).count();
    let (held, missed) = (count(Verdict::Holds), count(Verdict::Misses));
    let (verdict, decisive) = if missed > 0 {
        (result::Verdict::Refuted, Some(Verdict::Misses))
    } else if held == parts.len() && held > 0 {
        (result::Verdict::Confirmed, Some(Verdict::Holds))
    } else {
        (result::Verdict::Undecided, None)
    };
    let deciding = parts.iter().filter(|part| {
        decisive.map_or(part.verdict != Verdict::Holds, |verdict| {
            part.verdict == verdict
        })
    });
    let margin = deciding.min_by(|one, other| one.room.total_cmp(&other.room));
    Claim {
        record: record.to_owned(),
        prediction: prediction.to_owned(),
        verdict,
        margin: format!(
            "{held} of {} parts hold, {missed} miss{}",
            parts.len(),
            margin.map_or(String::new(), |part| format!(
                "; {}: {}: {}, predicted {}",
                if missed > 0 {
                    "the furthest off"
                } else {
                    "the closest"
                },
                part.what,
                show(&part.found),
                part.predicted
            ))
        ),
    }
}

/// Every part, as a table.
pub fn table(parts: &[Part]) -> Table {
    let columns = ["clause", "part", "found", "predicted", "verdict"].map(|name| (name, ""));
    let mut table = Table::new("The prediction, part by part", &columns);
    for part in parts {
        table.row([
            u64::from(part.clause).into(),
            part.what.as_str().into(),
            part.found.clone(),
            part.predicted.as_str().into(),
            part.verdict.name().into(),
        ]);
    }
    table
}

fn words(bound: Bound) -> String {
    match bound {
        Bound::AtMost(most) => format!("at most {most}"),
        Bound::AtLeast(least) => format!("at least {least}"),
        Bound::Between(least, most) => format!("{least} to {most}"),
    }
}

fn room(value: f64, bound: Bound) -> f64 {
    match bound {
        Bound::AtMost(most) => (most / value).ln(),
        Bound::AtLeast(least) => (value / least).ln(),
        Bound::Between(least, most) => (most / value).ln().min((value / least).ln()),
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Missing => "nothing".to_owned(),
        Value::Number(number) => format!("{number:.2}"),
        Value::Text(text) => text.clone(),
        Value::Within(within) => format!(
            "{:.2} [{:.2}, {:.2}]",
            within.value, within.low, within.high
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(value: f64, bound: Bound) -> Part {
        let estimate = Estimate {
            median: value,
            interval: Some([value - 0.01, value + 0.01]),
            count: 20,
        };
        Part::figure(1, format!("of {value}"), &estimate, bound, Control::Passed)
    }

    fn verdict(parts: &[Part]) -> result::Verdict {
        claim("record", "words", parts).verdict
    }

    #[test]
    fn a_claim_stands_only_as_a_whole() {
        use result::Verdict::{Confirmed, Refuted, Undecided};
        let holds = || part(1.5, Bound::AtLeast(1.2));
        let open = || part(1.2, Bound::AtLeast(1.2));
        let misses = || part(1.0, Bound::AtLeast(1.2));
        assert_eq!(verdict(&[holds(), holds()]), Confirmed);
        assert_eq!(verdict(&[holds(), open()]), Undecided);
        assert_eq!(verdict(&[holds(), open(), misses()]), Refuted);
        assert_eq!(verdict(&[]), Undecided, "nothing measured confirms nothing");
        let fact = |holds| Part::fact(2, String::new(), String::new(), "", holds);
        assert_eq!(verdict(&[holds(), fact(true)]), Confirmed);
        assert_eq!(verdict(&[holds(), fact(false)]), Refuted);
    }

    #[test]
    fn a_control_that_failed_decides_nothing() {
        let estimate = Estimate::of([0.5; 12]).unwrap();
        let void = Part::figure(
            1,
            String::new(),
            &estimate,
            Bound::AtLeast(1.2),
            Control::Failed,
        );
        assert_eq!(verdict(&[void]), result::Verdict::Undecided);
    }

    #[test]
    fn the_margin_is_that_of_the_worst() {
        let at_most = Bound::AtMost(1.0);
        let refuted = claim(
            "",
            "",
            &[part(1.1, at_most), part(2.0, at_most), part(0.5, at_most)],
        );
        assert!(refuted.margin.starts_with("1 of 3 parts hold, 2 miss; the furthest off: of 2: 2.00 [1.99, 2.01], predicted at most 1"), "{}", refuted.margin);
        let confirmed = claim("", "", &[part(0.9, at_most), part(0.5, at_most)]);
        assert!(
            confirmed.margin.contains("the closest: of 0.9"),
            "{}",
            confirmed.margin
        );
        let within = [
            part(0.97, Bound::Between(0.9, 1.1)),
            part(1.08, Bound::Between(0.9, 1.1)),
        ];
        assert!(claim("", "", &within).margin.contains("of 1.08"));
        let undecided = claim("", "", &[part(0.5, at_most), part(1.0, at_most)]);
        assert!(undecided.margin.contains("of 1:"), "{}", undecided.margin);
    }
}
