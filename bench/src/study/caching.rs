//! What the older copy of the other end's index is worth.

use super::claim;
use super::paired::{self, Trial};
use super::result::{Axis, Findings};
use super::Setup;
use crate::catalog::Benchmark;
use crate::plan::Group;
use crate::queues::lab::Kind;
use crate::stand::Subject;
use crate::stats::Bound;
use anyhow::{Context, Result};
use gimmal::policy::lab::Uncached;
use gimmal::policy::Shared;
use std::time::Duration;

const RECORD: &str = "docs/adr/0009-cached-indices.md";
const PREDICTION: &str = "With the copies, from capacity 1024 on at least 1.2 times as many messages pass; at 16 at most 1.05 times; a round trip takes at most 0.9 times as long at \
     every capacity.";

const CAPACITIES: [u32; 6] = [16, 64, 256, 1024, 4096, 16384];

/// Asks it.
///
/// # Errors
///
/// If a queue delivered something else than what was sent.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let mut trials = Vec::new();
    for benchmark in [Benchmark::Throughput, Benchmark::RoundTrip] {
        for capacity in CAPACITIES {
            let group = Group {
                benchmark,
                payload: 8,
                capacity,
            };
            let cached = Kind::Index.kernel::<Shared>(benchmark, group.payload);
            let uncached = Kind::Index.kernel::<Uncached>(benchmark, group.payload);
            trials.push(Trial {
                key: (),
                label: vec![u64::from(capacity).into()],
                subject: Subject::new("cached", cached.context("no such kernel")?, group),
                reference: Subject::new("uncached", uncached.context("no such kernel")?, group),
            });
        }
    }
    let time = Duration::from_secs(setup.amount(90, 20));
    let outcomes = paired::run(setup, &trials, time)?;
    let parts: Vec<_> = (1..=3)
        .flat_map(|clause| {
            claim::ratios(clause, &outcomes, &trials, |(), group| bound(clause, group))
        })
        .collect();

    let columns = [("capacity", "")];
    let axis = Axis::log("capacity", "messages");
    let caption = "With the copies, as a multiple of without, within a pair of runs; medians with 95 % intervals; messages of 8 bytes, by index.";
    let figures = outcomes.figures(
        "What the copies are worth",
        caption,
        &axis,
        &trials,
        |trial| {
            let group = trial.group();
            Some((group.benchmark.name().to_owned(), f64::from(group.capacity)))
        },
    );
    Ok(Findings {
        claim: Some(claim::claim(RECORD, PREDICTION, &parts)),
        tables: vec![
            outcomes.table(
                "Throughput with the copies beside without",
                &columns,
                &trials,
                Benchmark::Throughput,
            ),
            outcomes.table(
                "Round trip with the copies beside without",
                &columns,
                &trials,
                Benchmark::RoundTrip,
            ),
            claim::table(&parts),
        ],
        figures,
        notes: vec![outcomes.note()],
        disturbed: Some(outcomes.disturbed()),
        ..Findings::new("What the older copy of the other end's index is worth")
    })
}

/// What a clause of the record asks of cached to uncached.
fn bound(clause: u32, group: &Group) -> Option<Bound> {
    match (clause, group.benchmark, group.capacity) {
        (1, Benchmark::Throughput, 1024..) => Some(Bound::AtLeast(1.2)),
        (2, Benchmark::Throughput, 16) => Some(Bound::AtMost(1.05)),
        (3, Benchmark::RoundTrip, _) => Some(Bound::AtMost(0.9)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_asks_what_the_record_says() {
        let asked = |clause, benchmark| {
            CAPACITIES.map(|capacity| {
                let group = Group {
                    benchmark,
                    payload: 8,
                    capacity,
                };
                bound(clause, &group)
            })
        };
        let more = Some(Bound::AtLeast(1.2));
        assert_eq!(
            asked(1, Benchmark::Throughput),
            [None, None, None, more, more, more]
        );
        assert_eq!(asked(1, Benchmark::RoundTrip), [None; 6]);
        let no_gain = Some(Bound::AtMost(1.05));
        assert_eq!(
            asked(2, Benchmark::Throughput),
            [no_gain, None, None, None, None, None]
        );
        assert_eq!(
            asked(3, Benchmark::RoundTrip),
            [Some(Bound::AtMost(0.9)); 6]
        );
    }
}
