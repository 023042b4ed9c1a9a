//! Coordinated omission: what a load generator leaves out that waits for what it measures.

use super::ladder::{self, Ladder, RUNGS};
use super::result::{
    Axis, Claim, Disturbed, Figure, Findings, Form, Series, Table, Value, Verdict,
};
use super::Setup;
use crate::away::Away;
use crate::clock::{now, Clock};
use crate::stats::{Bound, Control, Estimate};
use anyhow::{ensure, Result};

/// The workload, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Workload {
    /// From one operation to the next.
    period: u64,
    /// An operation.
    spin: u64,
    /// One in so many stalls,
    stall_every: u64,
    /// for so long.
    stall: u64,
}

const WORKLOAD: Workload = Workload {
    period: 100_000,
    spin: 1000,
    stall_every: 10_000,
    stall: 1_000_000,
};

/// A clock that can be simulated; in ticks of its own.
trait Time {
    fn now(&mut self) -> u64;
    fn ticks(&self, ns: u64) -> u64;
    fn ns(&self, ticks: u64) -> u64;
}

impl Time for Clock {
    #[inline(always)]
    fn now(&mut self) -> u64 {
        now()
    }

    fn ticks(&self, ns: u64) -> u64 {
        Self::ticks(self, ns as f64)
    }

    fn ns(&self, ticks: u64) -> u64 {
        Self::ns(self, ticks) as u64
    }
}

/// An operation as it was seen by the two disciplines, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Operation {
    /// From its start to its end.
    naive: u64,
    /// From its intended time to its end.
    by_schedule: u64,
}

/// Offers so many operations on the schedule.
fn offer<T: Time>(time: &mut T, workload: &Workload, count: u64) -> Vec<Operation> {
    let mut operations = vec![Operation::default(); count as usize];
    let [period, spin, stall] =
        [workload.period, workload.spin, workload.stall].map(|ns| time.ticks(ns));
    let mut due = time.now() + period;
    for (number, operation) in (1..).zip(&mut operations) {
        let mut start = time.now();
        while start < due {
            start = time.now();
        }
        // In the middle of a block, so that what a stall delays is within the round.
        let stalls = number % workload.stall_every == workload.stall_every / 2;
        let length = if stalls { stall } else { spin };
        let mut end = time.now();
        while end - start < length {
            end = time.now();
        }
        *operation = Operation {
            naive: time.ns(end - start),
            by_schedule: time.ns(end - due),
        };
        due += period;
    }
    operations
}

/// The three ways to record one round.
struct Round {
    naive: Ladder,
    by_schedule: Ladder,
    corrected: Ladder,
}

impl Round {
    fn of(operations: &[Operation], workload: &Workload) -> Result<Self> {
        let mut round = Self::new()?;
        for operation in operations {
            round.naive.record(operation.naive.max(1))?;
            round.by_schedule.record(operation.by_schedule.max(1))?;
            round
                .corrected
                .record_correct(operation.naive.max(1), workload.period)?;
        }
        Ok(round)
    }

    fn new() -> Result<Self> {
        Ok(Self {
            naive: ladder::new()?,
            by_schedule: ladder::new()?,
            corrected: ladder::new()?,
        })
    }
}

const DISCIPLINES: [&str; 3] = ["naive", "by schedule", "slip-corrected"];

/// What was predicted, and the bounds that it is judged by.
const RECORD: &str = "docs/adr/0011-coordinated-omission.md";
const PREDICTION: &str = "At p99.95 the naive figure is at least 100 times too small; at the median the three agree within 10 %, at the maximum within 1 %; \
    slip-corrected, p99.95 and p99.99 are within 10 % of the schedule's; at p99.9 or p99.99 the understatement differs between rounds by a factor of at least 2.";
const TOO_SMALL: Bound = Bound::AtLeast(100.0);
const SAME_MEDIAN: Bound = Bound::Between(0.9, 1.1);
const SAME_MAXIMUM: Bound = Bound::Between(0.99, 1.01);
const CORRECTED: Bound = Bound::Between(0.9, 1.1);
const UNSTABLE: f64 = 2.0;

/// Runs it.
///
/// # Errors
///
/// If no round was run.
pub fn run(setup: Setup) -> Result<Findings> {
    const STALLS: u64 = 5;
    /// What of a round something else may have of the core: a tenth of what the stalls have.
    const SHARE: f64 = 1e-4;
    let keeps_all = setup.options.smoke;
    let rounds = setup.amount(12, 3);
    let workload = Workload {
        stall_every: setup.amount(WORKLOAD.stall_every, WORKLOAD.stall_every),
        ..WORKLOAD
    };
    let count = STALLS * workload.stall_every;
    let progress = setup.progress(rounds)?;
    // One thread is enough, and another that spins would take a core from whatever else runs.
    let Setup {
        mut clock, crew, ..
    } = setup;
    drop(crew);
    let mut recorded = Vec::new();
    let mut disturbed = Disturbed {
        of: "rounds".to_owned(),
        kept: 0,
        dropped: 0,
    };
    for _ in 0..rounds {
        let before = Away::so_far();
        let operations = offer(&mut clock, &workload, count);
        let away = Away::so_far().since(before);
        let lasted = (count * workload.period) as f64;
        let keeps = keeps_all || !away.disturbs(lasted, SHARE);
        disturbed.count(keeps);
        if keeps {
            recorded.push(Round::of(&operations, &workload)?);
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    ensure!(
        !recorded.is_empty(),
        "in each of {rounds} rounds something else had the core for too long: try a quiet machine or --rt"
    );
    Ok(Findings {
        disturbed: Some(disturbed),
        ..findings(&recorded, &workload, count)?
    })
}

fn findings(rounds: &[Round], workload: &Workload, count: u64) -> Result<Findings> {
    let mut all = Round::new()?;
    for round in rounds {
        all.naive.add(&round.naive)?;
        all.by_schedule.add(&round.by_schedule)?;
        all.corrected.add(&round.corrected)?;
    }
    let ladders = [&all.naive, &all.by_schedule, &all.corrected];
    let series = |points: fn(&Ladder) -> Vec<(f64, f64)>| {
        let named = DISCIPLINES.into_iter().zip(ladders);
        named
            .map(|(name, ladder)| Series::new(name, points(ladder)))
            .collect()
    };
    Ok(Findings {
        claim: Some(claim(rounds)),
        tables: vec![ladder_table(ladders), ratio_table(rounds)],
        figures: vec![
            Figure {
                title: "One workload, recorded three ways".to_owned(),
                caption: "Latency not exceeded by a share of the operations.".to_owned(),
                x: Axis::linear("operations", "%"),
                y: Axis::log("latency", "ns"),
                form: Form::Percentiles,
                series: series(ladder::curve),
            },
            Figure {
                title: "Where the operations lie".to_owned(),
                caption: "The share of operations at each latency; what is slow is a thousandth of them.".to_owned(),
                x: Axis::log("latency", "ns"),
                y: Axis::log("share of operations", "%"),
                form: Form::Density,
                series: series(ladder::density),
            },
        ],
        notes: vec![
            format!(
                "{} rounds of {count} operations of {} ns, one every {} ns; one in {} takes {} ns. A stall delays the operations that fall \
                 due in it: by schedule they are late, naively they begin later and look fast.",
                rounds.len(), workload.spin, workload.period, workload.stall_every, workload.stall,
            ),
            "Where the system took the core away between two operations, the schedule shows it and the naive record does not, \
             nor does its correction; a round with more than a ten-thousandth of such time is left out."
                .to_owned(),
            "A percentile of all rounds is given where 50 operations lie beyond it. Within a round fewer do, at the far ones: what stands there are the stalls, which \
             come by number and not by chance."
                .to_owned(),
        ],
        ..Findings::new("What a load generator leaves out that waits for what it measures")
    })
}

fn ladder_table(ladders: [&Ladder; 3]) -> Table {
    let columns: Vec<(&str, &str)> = std::iter::once(("percentile", ""))
        .chain(DISCIPLINES.map(|name| (name, "ns")))
        .collect();
    let mut table = Table::new("The three ladders, all rounds together", &columns);
    for (name, percent) in RUNGS {
        let figures = ladders.map(|ladder| Value::from(ladder::rung(ladder, percent)));
        table.row(
            std::iter::once(name.into())
                .chain(figures)
                .collect::<Vec<_>>(),
        );
    }
    table
}

/// The rounds' ratio of one way to record to another, at a percentile.
fn ratios<'a>(
    rounds: &'a [Round],
    percent: f64,
    of: fn(&Round) -> &Ladder,
    to: fn(&Round) -> &Ladder,
) -> impl Iterator<Item = f64> + 'a {
    let at = move |ladder: &Ladder| ladder.value_at_percentile(percent) as f64;
    rounds
        .iter()
        .map(move |round| at(of(round)) / at(to(round)))
}

fn understatement(rounds: &[Round], percent: f64) -> impl Iterator<Item = f64> + '_ {
    ratios(
        rounds,
        percent,
        |round| &round.by_schedule,
        |round| &round.naive,
    )
}

fn correction(rounds: &[Round], percent: f64) -> impl Iterator<Item = f64> + '_ {
    ratios(
        rounds,
        percent,
        |round| &round.corrected,
        |round| &round.by_schedule,
    )
}

/// The greatest of the rounds' understatements over the least.
fn spread(rounds: &[Round], percent: f64) -> f64 {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for ratio in understatement(rounds, percent) {
        least = least.min(ratio);
        most = most.max(ratio);
    }
    most / least
}

fn ratio_table(rounds: &[Round]) -> Table {
    let mut table = Table::new(
        "Ratios within a round: medians with 95 % intervals",
        &[
            ("percentile", ""),
            ("naive is too small by", ""),
            ("greatest over least of the rounds", ""),
            ("slip-corrected to schedule", ""),
        ],
    );
    for (name, percent) in RUNGS {
        table.row([
            name.into(),
            Estimate::of(understatement(rounds, percent)).into(),
            spread(rounds, percent).into(),
            Estimate::of(correction(rounds, percent)).into(),
        ]);
    }
    table
}

fn claim(rounds: &[Round]) -> Claim {
    const MAXIMUM: f64 = 100.0;
    let clauses = [
        (
            "naive at p99.95",
            understatement(rounds, 99.95).collect::<Vec<_>>(),
            TOO_SMALL,
        ),
        (
            "naive at the median",
            understatement(rounds, 50.0).collect(),
            SAME_MEDIAN,
        ),
        (
            "corrected at the median",
            correction(rounds, 50.0).collect(),
            SAME_MEDIAN,
        ),
        (
            "naive at the maximum",
            understatement(rounds, MAXIMUM).collect(),
            SAME_MAXIMUM,
        ),
        (
            "corrected at the maximum",
            correction(rounds, MAXIMUM).collect(),
            SAME_MAXIMUM,
        ),
        (
            "corrected at p99.95",
            correction(rounds, 99.95).collect(),
            CORRECTED,
        ),
        (
            "corrected at p99.99",
            correction(rounds, 99.99).collect(),
            CORRECTED,
        ),
    ];
    let mut said = Vec::new();
    let mut verdict = Verdict::Confirmed;
    for (what, ratios, bound) in clauses {
        let Some(estimate) = Estimate::of(ratios) else {
            verdict = worse(verdict, crate::stats::Verdict::Undecided);
            continue;
        };
        let judged = crate::stats::Verdict::on(&estimate, bound, Control::Passed);
        verdict = worse(verdict, judged);
        let [low, high] = estimate.interval.unwrap_or([estimate.median; 2]);
        said.push(format!(
            "{what} {}: {:.3} [{low:.3}, {high:.3}]",
            judged.name(),
            estimate.median
        ));
    }
    let spread = [99.9, 99.99].map(|percent| spread(rounds, percent));
    let unstable = spread[0].max(spread[1]) >= UNSTABLE;
    if !unstable {
        verdict = Verdict::Refuted;
    }
    said.push(format!(
        "between rounds the understatement differs by {:.1} at p99.9 and by {:.1} at p99.99",
        spread[0], spread[1]
    ));
    Claim {
        record: RECORD.to_owned(),
        prediction: PREDICTION.to_owned(),
        verdict,
        margin: said.join("; "),
    }
}

/// Of a clause and of those before it.
fn worse(so_far: Verdict, clause: crate::stats::Verdict) -> Verdict {
    use crate::stats::Verdict as Clause;
    match (so_far, clause) {
        (Verdict::Refuted, _) | (_, Clause::Misses) => Verdict::Refuted,
        (so_far, Clause::Holds) => so_far,
        _ => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In nanoseconds; each reading takes as long as the last number says, and the core is away once.
    struct Simulated {
        now: u64,
        step: u64,
        away: Option<(u64, u64)>,
    }

    impl Time for Simulated {
        fn now(&mut self) -> u64 {
            self.now += self.step;
            if let Some((_, length)) = self.away.take_if(|(at, _)| *at <= self.now) {
                self.now += length;
            }
            self.now
        }

        fn ticks(&self, ns: u64) -> u64 {
            ns
        }

        fn ns(&self, ticks: u64) -> u64 {
            ticks
        }
    }

    const SMALL: Workload = Workload {
        stall_every: 1000,
        ..WORKLOAD
    };

    fn round(away: Option<(u64, u64)>) -> Vec<Operation> {
        let mut time = Simulated {
            now: 0,
            step: 500,
            away,
        };
        offer(&mut time, &SMALL, 1000)
    }

    #[test]
    fn a_stall_is_one_slow_operation_naively_and_eleven_by_schedule() {
        let operations = round(None);
        let slow = |seen: fn(&Operation) -> u64| {
            operations
                .iter()
                .filter(|operation| seen(operation) > 5000)
                .count()
        };
        assert_eq!(slow(|operation| operation.naive), 1);
        assert_eq!(slow(|operation| operation.by_schedule), 11);
        let stall = SMALL.stall_every as usize / 2 - 1;
        assert!(operations[stall].naive >= SMALL.stall);
        let late = operations[stall + 1].by_schedule;
        assert!((895_000..910_000).contains(&late), "{late}");
        assert!(operations[stall - 1].by_schedule < 2500);
    }

    #[test]
    fn a_core_that_is_away_between_operations_shows_by_schedule_alone() {
        let operations = round(Some((50_050_000, 3_000_000)));
        let most = |seen: fn(&Operation) -> u64| operations[..480].iter().map(seen).max().unwrap();
        let operations_after = &operations[499..];
        assert!(most(|operation| operation.naive) < 5000);
        assert!(operations_after
            .iter()
            .any(|operation| operation.by_schedule > 2_900_000));
    }

    #[test]
    fn the_correction_puts_back_what_a_stall_left_out() {
        let Round {
            naive,
            by_schedule,
            corrected,
        } = Round::of(&round(None), &SMALL).unwrap();
        let beyond = |ladder: &Ladder, ns: u64| {
            ladder
                .iter_recorded()
                .filter(|value| value.value_iterated_to() > ns)
                .map(|value| value.count_at_value())
                .sum::<u64>()
        };
        assert_eq!(beyond(&naive, 90_000), 1);
        assert_eq!(beyond(&by_schedule, 90_000), 10);
        assert_eq!(beyond(&corrected, 90_000), 10);
        assert_eq!((naive.len(), by_schedule.len()), (1000, 1000));
    }

    #[test]
    fn the_claim_is_judged_clause_by_clause() {
        let rounds = |understated: u64| -> Vec<Round> {
            let rounds = (0..8).map(|round| {
                let slow = 50_000 * round + 100_000;
                let operations: Vec<Operation> = (0..10_000)
                    .map(|n| Operation {
                        naive: if n == 0 { 1_000_000 } else { 1000 },
                        by_schedule: match n {
                            0 => 1_000_000,
                            1..=9 => 1_000_000 - 100_000 * n,
                            10 => slow.min(1000 * understated),
                            _ => 1000,
                        },
                    })
                    .collect();
                Round::of(&operations, &WORKLOAD).unwrap()
            });
            rounds.collect()
        };
        let confirmed = claim(&rounds(400));
        assert_eq!(
            confirmed.verdict,
            Verdict::Confirmed,
            "{}",
            confirmed.margin
        );
        assert!(confirmed.margin.contains("naive at p99.95 holds"));
        let refuted = claim(&rounds(1));
        assert_eq!(refuted.verdict, Verdict::Refuted, "{}", refuted.margin);
        assert_eq!(
            claim(&rounds(400)[..3]).verdict,
            Verdict::Undecided,
            "too few rounds"
        );
    }
}
