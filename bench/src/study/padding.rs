//! How far apart the two ends' words must lie.

use super::claim::{self, Part};
use super::paired::{self, Trial};
use super::result::{Axis, Findings, Table};
use super::Setup;
use crate::abi::Kernel;
use crate::catalog::Benchmark;
use crate::counters::Counters;
use crate::plan::Group;
use crate::queues::lab::{Kind, KINDS};
use crate::registry::Registry;
use crate::stand::{Stand, Subject};
use crate::stats::{Bound, Control, Estimate};
use anyhow::{Context, Result};
use gimmal::layout::Gap;
use gimmal::policy::lab::WithPadding;
use gimmal::policy::Shared;
use std::time::Duration;

const RECORD: &str = "docs/adr/0007-padding-between-the-indices.md";
const PREDICTION: &str = "Below 64 bytes a round trip takes at least 1.15 times as long, and 8-byte throughput falls to at most 0.7 by index and 0.5 by line; there is no step \
     between 64, 128 and 256 (0.95 to 1.05 in round trip, 0.9 to 1.1 in throughput), and the frozen layout is like 128.";

const CAPACITY: u32 = 1024;
const REFERENCE: Space = Space::Gap(128);
/// A line of the processor.
const LINE: u32 = 64;

/// What lies between the producer's words and the consumer's.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Space {
    /// So many bytes.
    Gap(u32),
    /// As the layout has it.
    Frozen,
}

const SPACES: [Space; 6] = [
    Space::Gap(0),
    Space::Gap(16),
    Space::Gap(32),
    Space::Gap(64),
    Space::Gap(256),
    Space::Frozen,
];

impl Space {
    fn name(self) -> String {
        match self {
            Self::Gap(bytes) => bytes.to_string(),
            Self::Frozen => "frozen layout".to_owned(),
        }
    }

    fn kernel(self, kind: Kind, benchmark: Benchmark, payload: u32) -> Option<Kernel> {
        match self {
            Self::Gap(0) => kind.kernel::<WithPadding<Gap<0>>>(benchmark, payload),
            Self::Gap(16) => kind.kernel::<WithPadding<Gap<16>>>(benchmark, payload),
            Self::Gap(32) => kind.kernel::<WithPadding<Gap<32>>>(benchmark, payload),
            Self::Gap(64) => kind.kernel::<WithPadding<Gap<64>>>(benchmark, payload),
            Self::Gap(128) => kind.kernel::<WithPadding<Gap<128>>>(benchmark, payload),
            Self::Gap(256) => kind.kernel::<WithPadding<Gap<256>>>(benchmark, payload),
            Self::Gap(_) => None,
            Self::Frozen => kind.kernel::<Shared>(benchmark, payload),
        }
    }
}

/// What a trial is of.
#[derive(Clone, Copy)]
struct Of {
    kind: Kind,
    space: Space,
}

fn subject(of: Of, group: Group) -> Result<Subject> {
    let kernel = of.space.kernel(of.kind, group.benchmark, group.payload);
    let name = format!("{}, gap {}", of.kind.name(), of.space.name());
    Ok(Subject::new(name, kernel.context("no such kernel")?, group))
}

fn groups() -> impl Iterator<Item = (Kind, Group)> {
    let benchmarks = [Benchmark::RoundTrip, Benchmark::Throughput];
    benchmarks.into_iter().flat_map(|benchmark| {
        KINDS.into_iter().flat_map(move |kind| {
            [8, 48].map(|payload| {
                let group = Group {
                    benchmark,
                    payload,
                    capacity: CAPACITY,
                };
                (kind, group)
            })
        })
    })
}

/// Asks it.
///
/// # Errors
///
/// If a queue delivered something else than what was sent.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let mut trials = Vec::new();
    for (kind, group) in groups() {
        for space in SPACES {
            trials.push(Trial {
                key: Of { kind, space },
                label: vec![
                    kind.name().into(),
                    u64::from(group.payload).into(),
                    space.name().into(),
                ],
                subject: subject(Of { kind, space }, group)?,
                reference: subject(
                    Of {
                        kind,
                        space: REFERENCE,
                    },
                    group,
                )?,
            });
        }
    }
    let time = Duration::from_secs(setup.amount(100, 30));
    let outcomes = paired::run(setup, &trials, time)?;

    let mut parts = Vec::new();
    for clause in 1..=4 {
        parts.extend(claim::ratios(clause, &outcomes, &trials, |&of, group| {
            bound(clause, of, group)
        }));
    }
    let mut notes = vec![
        outcomes.note(),
        "A group of words is 24 bytes, so the indices are 24 bytes farther apart than the gap. `tail` starts a line of 256 bytes' alignment, and the slots start \
         another; the frozen layout's groups start 128 bytes apart."
            .to_owned(),
    ];
    let columns = [("kind", ""), ("message", "B"), ("gap", "B")];
    let mut tables = vec![
        outcomes.table(
            "Round trip beside a gap of 128",
            &columns,
            &trials,
            Benchmark::RoundTrip,
        ),
        outcomes.table(
            "Throughput beside a gap of 128",
            &columns,
            &trials,
            Benchmark::Throughput,
        ),
    ];
    match misses(setup) {
        Ok((table, more)) => {
            tables.push(table);
            parts.extend(more);
        }
        Err(error) => notes.push(format!(
            "First-level data misses were not counted, and clause 5 is left out: this machine gives no such counter ({error:#})."
        )),
    }
    tables.push(claim::table(&parts));

    let figures = |title: &str, benchmark| {
        let axis = Axis::linear("bytes between the ends' words", "B");
        let caption = "Ratio to the same ring with a gap of 128 bytes, within a pair of runs; medians with 95 % intervals.";
        outcomes.figures(title, caption, &axis, &trials, |trial| {
            let Of {
                kind,
                space: Space::Gap(bytes),
            } = trial.key
            else {
                return None;
            };
            let group = trial.group();
            let name = format!("{}, {} bytes", kind.name(), group.payload);
            (group.benchmark == benchmark).then_some((name, f64::from(bytes)))
        })
    };
    let mut drawn = figures("Round trip by the gap", Benchmark::RoundTrip);
    drawn.extend(figures("Throughput by the gap", Benchmark::Throughput));
    Ok(Findings {
        claim: Some(claim::claim(RECORD, PREDICTION, &parts)),
        tables,
        figures: drawn,
        notes,
        disturbed: Some(outcomes.disturbed()),
        ..Findings::new("How far apart the two ends' words must lie")
    })
}

/// What a clause of the record asks of the ratio to a gap of 128.
fn bound(clause: u32, of: Of, group: &Group) -> Option<Bound> {
    let shared = matches!(of.space, Space::Gap(bytes) if bytes < LINE);
    let round_trip = group.benchmark == Benchmark::RoundTrip;
    let alike = if round_trip {
        Bound::Between(0.95, 1.05)
    } else {
        Bound::Between(0.9, 1.1)
    };
    match (clause, of.space) {
        (1, _) if shared && round_trip => Some(Bound::AtLeast(1.15)),
        (2, _) if shared && !round_trip && group.payload == 8 => {
            Some(Bound::AtMost(match of.kind {
                Kind::Index => 0.7,
                Kind::Line => 0.5,
            }))
        }
        (3, Space::Gap(bytes)) if bytes >= LINE => Some(alike),
        (4, Space::Frozen) => Some(alike),
        _ => None,
    }
}

/// First-level data misses for each message, on both threads together, and what clause 5 makes of them.
fn misses(setup: &mut Setup) -> Result<(Table, Vec<Part>)> {
    let mut counters = Counters::first_level_misses()?;
    let runs = setup.amount(15, 7);
    let registry = Registry::new();
    let (hint, smoke) = (setup.options.hint as usize, setup.options.smoke);
    let clock = setup.clock;
    let mut stand = Stand::new(&registry, &mut setup.crew, clock, hint, smoke)?;
    let mut count = |subject: &Subject| -> Result<Vec<f64>> {
        let messages = stand.messages(subject) as f64;
        let run = |_| {
            let (figure, misses) = counters.during(|| stand.figure(subject))?;
            Ok(figure.map(|_| misses as f64 / messages))
        };
        // Of a run that was disturbed there is no figure, and its misses are others' too.
        let counted: Result<Vec<Option<f64>>> = (0..runs).map(run).collect();
        Ok(counted?.into_iter().flatten().collect())
    };
    let columns = [
        ("benchmark", ""),
        ("kind", ""),
        ("message", "B"),
        ("gap", "B"),
        ("misses", "a message"),
        ("with a gap of 128", "a message"),
    ];
    let mut table = Table::new("First-level data misses", &columns);
    let mut parts = Vec::new();
    for (kind, group) in groups() {
        let apart = count(&subject(
            Of {
                kind,
                space: REFERENCE,
            },
            group,
        )?)?;
        for space in SPACES {
            let counted = count(&subject(Of { kind, space }, group)?)?;
            table.row([
                group.benchmark.name().into(),
                kind.name().into(),
                u64::from(group.payload).into(),
                space.name().into(),
                Estimate::of(counted.iter().copied()).into(),
                Estimate::of(apart.iter().copied()).into(),
            ]);
            let ratio = Estimate::of(counted.iter().zip(&apart).map(|(one, other)| one / other));
            if let (Space::Gap(0), Some(ratio)) = (space, ratio) {
                let what = format!("misses with a gap of 0, {} in {group}", kind.name());
                parts.push(Part::figure(
                    5,
                    what,
                    &ratio,
                    Bound::AtLeast(1.3),
                    Control::Passed,
                ));
            }
        }
    }
    Ok((table, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_asks_what_the_record_says() {
        let group = |benchmark, payload| Group {
            benchmark,
            payload,
            capacity: CAPACITY,
        };
        let asked = |clause, kind, space, group: Group| bound(clause, Of { kind, space }, &group);
        let trip = |payload| group(Benchmark::RoundTrip, payload);
        let rate = |payload| group(Benchmark::Throughput, payload);
        for bytes in [0, 16, 32] {
            let space = Space::Gap(bytes);
            assert_eq!(
                asked(1, Kind::Line, space, trip(48)),
                Some(Bound::AtLeast(1.15))
            );
            assert_eq!(
                asked(2, Kind::Index, space, rate(8)),
                Some(Bound::AtMost(0.7))
            );
            assert_eq!(
                asked(2, Kind::Line, space, rate(8)),
                Some(Bound::AtMost(0.5))
            );
            assert_eq!(asked(2, Kind::Line, space, rate(48)), None);
            assert_eq!(asked(3, Kind::Line, space, trip(8)), None);
        }
        for bytes in [64, 256] {
            let space = Space::Gap(bytes);
            assert_eq!(asked(1, Kind::Index, space, trip(8)), None);
            assert_eq!(
                asked(3, Kind::Index, space, trip(8)),
                Some(Bound::Between(0.95, 1.05))
            );
            assert_eq!(
                asked(3, Kind::Index, space, rate(48)),
                Some(Bound::Between(0.9, 1.1))
            );
        }
        assert_eq!(
            asked(4, Kind::Line, Space::Frozen, trip(8)),
            Some(Bound::Between(0.95, 1.05))
        );
        assert_eq!(asked(3, Kind::Line, Space::Frozen, trip(8)), None);
    }

    #[test]
    fn every_space_has_its_kernel() {
        for (kind, group) in groups() {
            for space in SPACES.into_iter().chain([REFERENCE]) {
                assert!(
                    subject(Of { kind, space }, group).is_ok(),
                    "{kind:?} {space:?}"
                );
            }
        }
    }
}
