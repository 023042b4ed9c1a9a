//! What capacity does to a ring.

use super::claim;
use super::paired::{self, Trial};
use super::result::{Axis, Findings};
use super::Setup;
use crate::catalog::Benchmark;
use crate::plan::Group;
use crate::queues::lab::{Kind, KINDS};
use crate::stand::Subject;
use crate::stats::Bound;
use anyhow::{Context, Result};
use gimmal::policy::Shared;
use std::time::Duration;

const RECORD: &str = "docs/adr/0010-capacity.md";
const PREDICTION: &str = "Beside capacity 1024: throughput at 2 is at most 0.35, and of 8 bytes at least 0.8 at 256 and 4096; a round trip of 8 bytes at 2 takes 1.15 to 1.6 times as \
     long by index and 0.85 to 1.15 times by line, and 0.85 to 1.15 times from 16 to 16384.";

const CAPACITIES: [u32; 9] = [2, 4, 8, 16, 64, 256, 4096, 16384, 65536];
const REFERENCE: u32 = 1024;

fn subject(kind: Kind, group: Group) -> Result<Subject> {
    let kernel = kind.kernel::<Shared>(group.benchmark, group.payload);
    Ok(Subject::new(
        kind.name(),
        kernel.context("no such kernel")?,
        group,
    ))
}

/// Asks it.
///
/// # Errors
///
/// If a queue delivered something else than what was sent.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let mut trials = Vec::new();
    for benchmark in [Benchmark::RoundTrip, Benchmark::Throughput] {
        for kind in KINDS {
            for payload in [8, 48] {
                for capacity in CAPACITIES {
                    let group = |capacity| Group {
                        benchmark,
                        payload,
                        capacity,
                    };
                    trials.push(Trial {
                        key: kind,
                        label: vec![
                            kind.name().into(),
                            u64::from(payload).into(),
                            u64::from(capacity).into(),
                        ],
                        subject: subject(kind, group(capacity))?,
                        reference: subject(kind, group(REFERENCE))?,
                    });
                }
            }
        }
    }
    let time = Duration::from_secs(setup.amount(130, 40));
    let outcomes = paired::run(setup, &trials, time)?;
    let parts: Vec<_> = (1..=4)
        .flat_map(|clause| {
            claim::ratios(clause, &outcomes, &trials, |&kind, group| {
                bound(clause, kind, group)
            })
        })
        .collect();

    let columns = [("kind", ""), ("message", "B"), ("capacity", "")];
    let axis = Axis::log("capacity", "messages");
    let figures = |title: &str, benchmark| {
        let caption =
            "Ratio to the same ring of 1024, within a pair of runs; medians with 95 % intervals.";
        outcomes.figures(title, caption, &axis, &trials, |trial| {
            let group = trial.group();
            let name = format!("{}, {} bytes", trial.key.name(), group.payload);
            (group.benchmark == benchmark).then_some((name, f64::from(group.capacity)))
        })
    };
    let mut drawn = figures("Round trip by capacity", Benchmark::RoundTrip);
    drawn.extend(figures("Throughput by capacity", Benchmark::Throughput));
    Ok(Findings {
        claim: Some(claim::claim(RECORD, PREDICTION, &parts)),
        tables: vec![
            outcomes.table("Round trip beside capacity 1024", &columns, &trials, Benchmark::RoundTrip),
            outcomes.table("Throughput beside capacity 1024", &columns, &trials, Benchmark::Throughput),
            claim::table(&parts),
        ],
        figures: drawn,
        notes: vec![
            outcomes.note(),
            "By line a ring has two cells at least, of 7 messages of 8 bytes or 1 of 48 each, and holds at least what was asked.".to_owned(),
        ],
        disturbed: Some(outcomes.disturbed()),
        ..Findings::new("What capacity does to a ring")
    })
}

/// What a clause of the record asks of the ratio to capacity 1024.
fn bound(clause: u32, kind: Kind, group: &Group) -> Option<Bound> {
    let steady = Bound::Between(0.85, 1.15);
    match (clause, group.benchmark, group.payload, group.capacity) {
        (1, Benchmark::Throughput, _, 2) => Some(Bound::AtMost(0.35)),
        (2, Benchmark::Throughput, 8, 256 | 4096) => Some(Bound::AtLeast(0.8)),
        (3, Benchmark::RoundTrip, 8, 2) => Some(match kind {
            Kind::Index => Bound::Between(1.15, 1.6),
            Kind::Line => steady,
        }),
        (4, Benchmark::RoundTrip, 8, 16..=16384) => Some(steady),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_asks_what_the_record_says() {
        let count = |clause| {
            let mut count = 0;
            for benchmark in [Benchmark::RoundTrip, Benchmark::Throughput] {
                for kind in KINDS {
                    for payload in [8, 48] {
                        for capacity in CAPACITIES {
                            let group = Group {
                                benchmark,
                                payload,
                                capacity,
                            };
                            count += u32::from(bound(clause, kind, &group).is_some());
                        }
                    }
                }
            }
            count
        };
        // Kinds by sizes by capacities.
        assert_eq!([1, 2, 3, 4].map(count), [2 * 2, 2 * 2, 2, 2 * 5]);
        let small = Group {
            benchmark: Benchmark::RoundTrip,
            payload: 8,
            capacity: 2,
        };
        assert_eq!(
            bound(3, Kind::Index, &small),
            Some(Bound::Between(1.15, 1.6))
        );
        assert_eq!(
            bound(3, Kind::Line, &small),
            Some(Bound::Between(0.85, 1.15))
        );
    }
}
