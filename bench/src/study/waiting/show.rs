//! The tables, the figures and the verdict.

use super::arrivals::{Regime, REGIMES};
use super::consumers::{Way, WAYS};
use super::judge::{clauses, Clause};
use super::notify::LANGUAGES;
use super::{quantile, takes_part, Placed};
use crate::stats::{is_enough, Estimate, Verdict};
use crate::study::result::Verdict as Outcome;
use crate::study::result::{Axis, Claim, Figure, Findings, Form, Point, Series, Table, Value};

/// Everything that the study says.
pub fn findings(all: &[Placed<'_>]) -> Findings {
    let judged: Vec<(&Placed<'_>, Vec<Clause>)> =
        all.iter().map(|placed| (placed, clauses(placed))).collect();
    let mut findings =
        Findings::new("What each way of waiting costs in processor time and gives in latency");
    for placed in all {
        for regime in REGIMES {
            findings.tables.push(table(placed, regime));
            findings.figures.push(frontier(placed, regime));
        }
        findings.tables.push(rates(placed));
    }
    findings.tables.push(judgement(&judged));
    findings.claim = Some(claim(&judged));
    findings.notes = vec![
        "Latency is one way, from the moment at which the producer pushes to that at which the consumer has the element; the middle mean is that of its middle half. Duty is the consumer's \
         processor time over wall time, as the kernel counts it. Intervals are of the median over rounds; p99 and p99.9 are of all messages of all rounds, and are given where 50 of them lie beyond. A cell during which something else had a core for more than a \
         thousandth of its time is left out of its round."
            .to_owned(),
        "The bare futex is a control: a counter on which one thread sleeps and which another bumps, with a wake for every message and no ring.".to_owned(),
    ];
    findings
}

/// A percentile of single messages in rising order, if enough of them lie beyond it.
fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    is_enough(percent, sorted.len() as u64).then(|| quantile(sorted, percent / 100.0))?
}

fn titled(title: &str, placed: &Placed<'_>) -> String {
    format!("{title}, {}", placed.placement.name())
}

fn table(placed: &Placed<'_>, regime: Regime) -> Table {
    let mut table = Table::new(
        &titled(regime.name(), placed),
        &[
            ("strategy", ""),
            ("duty", "%"),
            ("middle mean", "ns"),
            ("p50", "ns"),
            ("p99", "ns"),
            ("p99.9", "ns"),
            ("messages", ""),
            ("rounds", ""),
        ],
    );
    for way in WAYS.into_iter().filter(|&way| takes_part(regime, way)) {
        let latencies = placed.latencies(regime, way);
        table.row([
            way.name().into(),
            Estimate::of(placed.each(regime, way, |cell| 100.0 * cell.duty)).into(),
            Estimate::of(placed.each(regime, way, |cell| cell.mean)).into(),
            Estimate::of(placed.each(regime, way, |cell| cell.p50)).into(),
            percentile(&latencies, 99.0).into(),
            percentile(&latencies, 99.9).into(),
            Value::from(latencies.len() as u64),
            Value::from(placed.each(regime, way, |cell| cell.p50).len() as u64),
        ]);
    }
    table
}

fn frontier(placed: &Placed<'_>, regime: Regime) -> Figure {
    let series = |way: Way| {
        let duty = Estimate::of(placed.each(regime, way, |cell| 100.0 * cell.duty))?;
        let mean = Estimate::of(placed.each(regime, way, |cell| cell.mean))?;
        Some(Series {
            name: way.name(),
            points: vec![Point {
                label: Some(way.name()),
                ..Point::of(duty.median, &mean)
            }],
        })
    };
    Figure {
        title: titled(&format!("Latency against processor time, {}", regime.name()), placed),
        caption: "Each strategy's mean of the middle half against its duty, with the 95 % interval of the median over rounds: the lower left is better.".to_owned(),
        x: Axis::linear("duty", "%"),
        y: Axis::log("middle mean", "ns"),
        form: Form::Points,
        series: WAYS
            .into_iter()
            .filter(|&way| takes_part(regime, way))
            .filter_map(series)
            .collect(),
    }
}

fn rates(placed: &Placed<'_>) -> Table {
    let mut table = Table::new(
        &titled(
            "Pushes to a consumer that is awake, 8 bytes by line",
            placed,
        ),
        &[
            ("language", ""),
            ("plain", "million/s"),
            ("ringing, declared", "million/s"),
            ("ringing, not declared", "million/s"),
        ],
    );
    for (language, name) in LANGUAGES.into_iter().enumerate() {
        let rate =
            |which: usize| Estimate::of(placed.rates().filter_map(|rates| rates[language][which]));
        table.row([name.into(), rate(0).into(), rate(1).into(), rate(2).into()]);
    }
    table
}

fn judgement(judged: &[(&Placed<'_>, Vec<Clause>)]) -> Table {
    let mut table = Table::new(
        "The predictions",
        &[
            ("record", ""),
            ("clause", ""),
            ("placement", ""),
            ("figure", ""),
            ("bound", ""),
            ("verdict", ""),
        ],
    );
    for (placed, clauses) in judged {
        for clause in clauses {
            table.row([
                clause.record.into(),
                clause.words.clone().into(),
                placed.placement.name().into(),
                clause.figure.into(),
                clause.bound.clone().into(),
                clause.verdict.name().into(),
            ]);
        }
    }
    table
}

fn claim(judged: &[(&Placed<'_>, Vec<Clause>)]) -> Claim {
    let of_record = || {
        judged
            .iter()
            .flat_map(|(_, clauses)| clauses)
            .filter(|clause| clause.record == "0012")
    };
    let count = |verdict| {
        of_record()
            .filter(|clause| clause.verdict == verdict)
            .count()
    };
    let (held, missed) = (count(Verdict::Holds), count(Verdict::Misses));
    let all = of_record().count();
    Claim {
        record: "docs/adr/0012-what-adaptive-waiting-wins.md".to_owned(),
        prediction: "Spinning under a budget is on the frontier of latency against processor time in every regime, and takes the median of spinning in bursts at a duty of at most 30 %"
            .to_owned(),
        verdict: match (missed, held) {
            (0, held) if held == all => Outcome::Confirmed,
            (0, _) => Outcome::Undecided,
            _ => Outcome::Refuted,
        },
        margin: format!("{held} of {all} clauses hold, {missed} miss"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_of_few_messages_is_not_given() {
        let messages = |count: u32| -> Vec<f64> { (0..count).map(f64::from).collect() };
        assert_eq!(percentile(&messages(5_994), 99.9), None);
        assert!(percentile(&messages(5_994), 99.0).is_some());
        assert!(percentile(&messages(50_000), 99.9).is_some());
    }
}
