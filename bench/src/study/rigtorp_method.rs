//! The published benchmark of `rigtorp::SPSCQueue`, which passes its messages through a queue as long as the run, beside
//! the throughput of the comparison.

use super::result::{
    Axis, Claim, Disturbed, Figure, Findings, Form, Point, Series, Table, Verdict,
};
use super::Setup;
use crate::catalog::{Benchmark, REFERENCE};
use crate::plan::Group;
use crate::probe::{Divides, Placement, Probe, PLACEMENTS};
use crate::registry::Registry;
use crate::stand::{Stand, Subject};
use crate::stats::{median, Estimate};
use anyhow::{Context, Result};
use std::collections::BTreeMap;

const RECORD: &str = "docs/adr/0019-a-queue-as-long-as-the-run.md";
const PREDICTION: &str =
    "untouched memory costs rigtorp at least a fifth and line-cpp and moodycamel nothing; a queue that never fills \
     flatters rigtorp by a fifth or more; the lead of line-cpp shrinks to 0.8 of itself; and the order changes";

const QUEUES: [&str; 5] = [REFERENCE, "line-cpp", "ring-cpp", "boost", "moodycamel"];

const PAYLOAD: u32 = 8;
/// The capacity of the comparison that the method is held against.
const OURS: u32 = 1024;

/// How the queue is made and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Arm {
    /// The published method.
    Untouched,
    /// The same with its memory touched first.
    Touched,
    /// As in the comparison.
    Ours,
}

const ARMS: [Arm; 3] = [Arm::Untouched, Arm::Touched, Arm::Ours];

impl Arm {
    const fn name(self) -> &'static str {
        match self {
            Self::Untouched => "long, untouched",
            Self::Touched => "long, touched",
            Self::Ours => "capacity 1024",
        }
    }

    fn subject(self, registry: &Registry, queue: &str, length: u32) -> Result<Subject> {
        let group = Group {
            benchmark: Benchmark::Throughput,
            payload: PAYLOAD,
            capacity: if self == Self::Ours { OURS } else { length },
        };
        let kernel = match self {
            Self::Untouched => registry.named(queue, "throughput_untouched", PAYLOAD),
            _ => registry.find(queue, &group),
        };
        let kernel = kernel.with_context(|| {
            format!("{queue} cannot be measured: it was not found when this program was built")
        })?;
        let subject = Subject::new(queue, *kernel, group);
        Ok(match self {
            Self::Ours => subject,
            _ => subject.passing(u64::from(length)),
        })
    }
}

/// What a queue did in an arm in one round.
#[derive(Clone, Copy, Debug)]
struct Sample {
    arm: Arm,
    queue: usize,
    round: u64,
    rate: f64,
    probe: Probe,
}

/// How the queues' order by one method is to that by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Every two are surely in the same order.
    Same,
    /// Some may not be.
    Unsure,
    /// Some are surely not.
    Differs,
}

impl Order {
    /// Of both: one that differs is enough.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Differs, _) | (_, Self::Differs) => Self::Differs,
            (Self::Same, Self::Same) => Self::Same,
            _ => Self::Unsure,
        }
    }
}

/// What was kept of one placement: rates by arm and queue, and in each by round.
#[derive(Default)]
struct Rates(BTreeMap<(Arm, usize), BTreeMap<u64, f64>>);

impl Rates {
    /// The ratio of one to another within a round.
    fn ratio(&self, one: (Arm, usize), other: (Arm, usize)) -> Option<Estimate> {
        let (one, other) = (self.0.get(&one)?, self.0.get(&other)?);
        Estimate::of(
            one.iter()
                .filter_map(|(round, rate)| Some(rate / other.get(round)?)),
        )
    }

    /// How many times further the lead over the reference reaches in one arm than in another, within a round.
    fn lead(&self, queue: usize, arm: Arm, other: Arm) -> Option<Estimate> {
        let rates = |arm, queue| self.0.get(&(arm, queue));
        let (here, there) = (rates(arm, queue)?, rates(other, queue)?);
        let (base_here, base_there) = (rates(arm, 0)?, rates(other, 0)?);
        Estimate::of(here.iter().filter_map(|(round, rate)| {
            let lead = rate / base_here.get(round)?;
            Some(lead / (there.get(round)? / base_there.get(round)?))
        }))
    }

    /// Whether two queues surely change places from one method to the other.
    fn orders(&self, one: Arm, other: Arm) -> Order {
        let side = |arm, a, b| {
            let interval = self.ratio((arm, a), (arm, b))?.interval?;
            (interval[1] < 1.0 || interval[0] > 1.0).then_some(interval[0] > 1.0)
        };
        let mut orders = Order::Same;
        for a in 0..QUEUES.len() {
            for b in 0..a {
                orders = orders.and(match (side(one, a, b), side(other, a, b)) {
                    (Some(here), Some(there)) if here == there => Order::Same,
                    (Some(_), Some(_)) => Order::Differs,
                    _ => Order::Unsure,
                });
            }
        }
        orders
    }

    /// The queues from the fastest to the slowest.
    fn order(&self, arm: Arm) -> Option<Vec<usize>> {
        let mut medians = Vec::new();
        for queue in 0..QUEUES.len() {
            medians.push((median(self.0.get(&(arm, queue))?.values().copied())?, queue));
        }
        medians.sort_by(|one, other| other.0.total_cmp(&one.0));
        Some(medians.into_iter().map(|(_, queue)| queue).collect())
    }
}

/// Measures all of it.
///
/// # Errors
///
/// If a queue was not built, or delivered something else than what was sent.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let length = setup.amount(1 << 23, 1 << 20).next_power_of_two().max(64) as u32;
    let rounds = setup.amount(15, 7).min(15);
    let registry = Registry::new();
    let mut subjects = Vec::new();
    for arm in ARMS {
        for (queue, id) in QUEUES.iter().enumerate() {
            subjects.push((arm, queue, arm.subject(&registry, id, length)?));
        }
    }
    let progress = setup.progress(rounds * subjects.len() as u64)?;
    let (hint, smoke) = (setup.options.hint as usize, setup.options.smoke);
    let mut stand = Stand::new(&registry, &mut setup.crew, setup.clock, hint, smoke)?;
    let mut samples = Vec::new();
    for round in 0..rounds {
        stand.rng().shuffle(&mut subjects);
        let mut before = stand.probe();
        for (arm, queue, subject) in &subjects {
            progress.set_message(format!("{}, {}", subject.name, arm.name()));
            let rate = stand.figure(subject)?;
            let after = stand.probe();
            if let Some(rate) = rate.filter(|_| before.agrees(&after)) {
                samples.push(Sample {
                    arm: *arm,
                    queue: *queue,
                    round,
                    rate,
                    probe: before.between(&after),
                });
            }
            before = after;
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok(Findings {
        disturbed: Some(Disturbed {
            of: "runs".to_owned(),
            kept: samples.len() as u64,
            dropped: rounds * subjects.len() as u64 - samples.len() as u64,
        }),
        ..judge(&samples, length)
    })
}

fn judge(samples: &[Sample], length: u32) -> Findings {
    let divides = Divides::of(samples.iter().map(|sample| sample.probe.least()));
    let mut findings = Findings::new("A queue as long as the run, and what it hides");
    let mut clauses = Vec::new();
    let mut orders: Option<Order> = None;
    for placement in PLACEMENTS {
        let mut rates = Rates::default();
        for sample in samples {
            if divides.placement(sample.probe.least()) == placement {
                let of = rates.0.entry((sample.arm, sample.queue)).or_default();
                of.insert(sample.round, sample.rate);
            }
        }
        if rates.0.is_empty() {
            continue;
        }
        findings.tables.push(table(&rates, placement));
        findings.figures.push(figure(&rates, placement));
        clauses.extend(predicted(&rates, placement));
        if let (Some(theirs), Some(ours)) = (rates.order(Arm::Untouched), rates.order(Arm::Ours)) {
            let here = rates.orders(Arm::Untouched, Arm::Ours);
            orders = Some(orders.map_or(here, |orders| orders.and(here)));
            let names = |order: Vec<usize>| {
                let names: Vec<_> = order.into_iter().map(|queue| QUEUES[queue]).collect();
                names.join(", ")
            };
            findings.notes.push(format!(
                "{}: from the fastest, by the published method {}; at capacity 1024 {}.",
                placement.name(),
                names(theirs),
                names(ours)
            ));
        }
    }
    findings.notes.push(format!(
        "{length} messages of {PAYLOAD} bytes through a queue of as many places. The published method starts its thread within \
         the timing and passes 4 bytes; neither is repeated."
    ));
    findings.claim = Some(claim(&clauses, orders.unwrap_or(Order::Unsure)));
    findings
}

/// One clause of the prediction where it was measured.
struct Clause {
    words: String,
    estimate: Option<Estimate>,
    bound: (f64, f64),
}

impl Clause {
    fn verdict(&self) -> Verdict {
        let interval = self.estimate.and_then(|estimate| estimate.interval);
        let Some([low, high]) = interval else {
            return Verdict::Undecided;
        };
        let (least, most) = self.bound;
        if least <= low && high <= most {
            Verdict::Confirmed
        } else if high < least || low > most {
            Verdict::Refuted
        } else {
            Verdict::Undecided
        }
    }
}

fn predicted(rates: &Rates, placement: Placement) -> Vec<Clause> {
    const ANY: f64 = f64::INFINITY;
    let place = |id: &str| QUEUES.iter().position(|queue| *queue == id).unwrap_or(0);
    let clause = |words: &str, estimate, bound| Clause {
        words: format!("{words}, {}", placement.name()),
        estimate,
        bound,
    };
    let untouched = |id: &str| {
        let queue = place(id);
        rates.ratio((Arm::Untouched, queue), (Arm::Touched, queue))
    };
    let wrapping = rates.ratio((Arm::Touched, 0), (Arm::Ours, 0));
    let lead = rates.lead(place("line-cpp"), Arm::Untouched, Arm::Ours);
    vec![
        clause(
            "rigtorp untouched to touched",
            untouched(REFERENCE),
            (0.0, 0.8),
        ),
        clause(
            "line-cpp untouched to touched",
            untouched("line-cpp"),
            (0.9, 1.1),
        ),
        clause(
            "moodycamel untouched to touched",
            untouched("moodycamel"),
            (0.9, 1.1),
        ),
        clause("rigtorp long to 1024", wrapping, (1.2, ANY)),
        clause(
            "lead of line-cpp, published method to 1024",
            lead,
            (0.0, 0.8),
        ),
    ]
}

fn claim(clauses: &[Clause], orders: Order) -> Claim {
    let mut verdict = match orders {
        Order::Differs => Verdict::Confirmed,
        Order::Same => Verdict::Refuted,
        Order::Unsure => Verdict::Undecided,
    };
    let mut margin = Vec::new();
    for clause in clauses {
        match (clause.verdict(), verdict) {
            (Verdict::Refuted, _) => verdict = Verdict::Refuted,
            (Verdict::Undecided, Verdict::Confirmed) => verdict = Verdict::Undecided,
            _ => {}
        }
        let figure = match clause
            .estimate
            .map(|estimate| (estimate.median, estimate.interval))
        {
            Some((median, Some([low, high]))) => format!("{median:.2} [{low:.2}, {high:.2}]"),
            Some((median, None)) => format!("{median:.2}?"),
            None => "not measured".to_owned(),
        };
        margin.push(format!("{}: {figure}", clause.words));
    }
    margin.push(format!(
        "the order {}",
        match orders {
            Order::Differs => "differs",
            Order::Same => "is the same",
            Order::Unsure => "may differ",
        }
    ));
    Claim {
        record: RECORD.to_owned(),
        prediction: PREDICTION.to_owned(),
        verdict,
        margin: margin.join("; "),
    }
}

fn table(rates: &Rates, placement: Placement) -> Table {
    let mut table = Table::new(
        &format!("Millions of messages a second, {}", placement.name()),
        &[
            ("method", ""),
            ("queue", ""),
            ("rate", "million/s"),
            ("to rigtorp", ""),
            ("to touched", ""),
            ("rounds", ""),
        ],
    );
    for arm in ARMS {
        for (queue, id) in QUEUES.iter().enumerate() {
            let Some(of) = rates.0.get(&(arm, queue)) else {
                continue;
            };
            table.row([
                arm.name().into(),
                (*id).into(),
                Estimate::of(of.values().copied()).into(),
                rates.ratio((arm, queue), (arm, 0)).into(),
                rates.ratio((arm, queue), (Arm::Touched, queue)).into(),
                (of.len() as u64).into(),
            ]);
        }
    }
    table
}

fn figure(rates: &Rates, placement: Placement) -> Figure {
    let series = ARMS.map(|arm| {
        let points = QUEUES.iter().enumerate().filter_map(|(queue, id)| {
            let estimate = rates.ratio((arm, queue), (arm, 0))?;
            Some(Point {
                label: Some((*id).to_owned()),
                ..Point::of(queue as f64, &estimate)
            })
        });
        Series {
            name: arm.name().to_owned(),
            points: points.collect(),
        }
    });
    Figure {
        title: format!("The same queues by two methods, {}", placement.name()),
        caption: "Throughput of 8-byte messages as a multiple of rigtorp's by the same method; medians of the ratio within a \
                  round, with 95 % intervals."
            .to_owned(),
        x: Axis::linear("queue", ""),
        y: Axis::log("to rigtorp", ""),
        form: Form::Bars,
        series: series.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates that are so many times those of touched memory, near.
    fn samples(times: impl Fn(Arm, usize) -> f64) -> Vec<Sample> {
        let probe = Probe {
            cpp: 60.0,
            rust: 60.0,
        };
        let mut all = Vec::new();
        for round in 0..9 {
            for arm in ARMS {
                for queue in 0..QUEUES.len() {
                    let noise = 1.0 + 0.001 * (round % 3) as f64;
                    let rate = (10.0 + queue as f64) * noise * times(arm, queue);
                    all.push(Sample {
                        arm,
                        queue,
                        round,
                        rate,
                        probe,
                    });
                }
            }
        }
        all
    }

    fn as_predicted(arm: Arm, queue: usize) -> f64 {
        match (arm, queue) {
            (Arm::Untouched, 0) => 0.7,
            (Arm::Ours, 0) => 0.7,
            (Arm::Ours, 1) => 1.5,
            _ => 1.0,
        }
    }

    fn verdict(times: impl Fn(Arm, usize) -> f64) -> (Verdict, String) {
        let claim = judge(&samples(times), 64).claim.unwrap();
        (claim.verdict, claim.margin)
    }

    #[test]
    fn the_claim_needs_every_clause() {
        let (confirmed, margin) = verdict(as_predicted);
        assert_eq!(confirmed, Verdict::Confirmed, "{margin}");
        assert!(
            margin.contains("rigtorp untouched to touched, near: 0.70"),
            "{margin}"
        );
        let (refuted, margin) = verdict(|arm, queue| match (arm, queue) {
            (Arm::Untouched, 0) => 0.9,
            _ => as_predicted(arm, queue),
        });
        assert_eq!(refuted, Verdict::Refuted, "{margin}");
        assert_eq!(verdict(|_, _| 1.0).0, Verdict::Refuted);
    }

    #[test]
    fn queues_that_cannot_be_told_apart_change_no_order() {
        // The second and third queue are within a thousandth of each other, either way by chance.
        let orders = |ours: f64| {
            let all = samples(|arm, queue| match (arm, queue) {
                (Arm::Untouched, 2) => 11.0 / 12.0,
                (Arm::Ours, 2) => ours,
                _ => 1.0,
            });
            let shaken: Vec<_> = all
                .into_iter()
                .map(|sample| Sample {
                    rate: sample.rate
                        * (1.0 + 0.01 * ((sample.round * 7 + sample.queue as u64 * 3) % 5) as f64),
                    ..sample
                })
                .collect();
            let mut rates = Rates::default();
            for sample in shaken {
                let of = rates.0.entry((sample.arm, sample.queue)).or_default();
                of.insert(sample.round, sample.rate);
            }
            rates.orders(Arm::Untouched, Arm::Ours)
        };
        assert_eq!(orders(11.0 / 12.0 * 1.001), Order::Unsure);
        assert_eq!(orders(1.0), Order::Unsure);
        let mut rates = Rates::default();
        for sample in samples(|arm, queue| {
            if arm == Arm::Ours && queue == 0 {
                2.0
            } else {
                1.0
            }
        }) {
            let of = rates.0.entry((sample.arm, sample.queue)).or_default();
            of.insert(sample.round, sample.rate);
        }
        assert_eq!(rates.orders(Arm::Untouched, Arm::Ours), Order::Differs);
        assert_eq!(rates.orders(Arm::Untouched, Arm::Touched), Order::Same);
    }

    #[test]
    fn too_few_rounds_decide_nothing() {
        let few: Vec<_> = samples(as_predicted)
            .into_iter()
            .filter(|sample| sample.round < 5)
            .collect();
        let findings = judge(&few, 64);
        assert_eq!(findings.claim.unwrap().verdict, Verdict::Undecided);
        assert_eq!(findings.tables[0].rows.len(), ARMS.len() * QUEUES.len());
    }

    #[test]
    fn orders_are_named_from_the_fastest() {
        let findings = judge(&samples(|_, _| 1.0), 64);
        assert!(
            findings.notes[0].contains("moodycamel, boost, ring-cpp, line-cpp, rigtorp"),
            "{:?}",
            findings.notes
        );
    }
}
