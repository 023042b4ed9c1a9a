//! What the memory orderings cost, and what their absence breaks.

use super::claim::{self, Part};
use super::paired::{self, Trial};
use super::programs::Programs;
use super::result::{Axis, Figure, Findings, Form, Point, Series, Table, Value};
use super::Setup;
use crate::catalog::Benchmark;
use crate::plan::Group;
use crate::queues::lab::{Kind, KINDS};
use crate::stand::Subject;
use crate::stats::Bound;
use anyhow::{Context, Result};
use gimmal::policy::lab::WithEdges;
use gimmal::policy::Shared;
use gimmal::raw::lab::{Fences, SeqCst};
use std::collections::BTreeSet;
use std::time::Duration;

const RECORD: &str = "docs/adr/0008-memory-orderings.md";
const PREDICTION: &str = "x86-64: fences time as acquire and release do; sequential consistency adds exchanges, which halve 8-byte throughput at least and make a round trip 1.0 to 1.3 times as long. \
     AArch64: sequential consistency and acquire and release are the same instructions, fences are `dmb`. The broken control shows no fault on x86-64 or under emulation \
     there, and stale and torn messages in the model, which finds none in the others.";

/// The policies that are timed here, beside acquire and release. The broken one is not: it may never end, or deliver what was not sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Timed {
    SeqCst,
    Fences,
}

impl Timed {
    const fn name(self) -> &'static str {
        match self {
            Self::SeqCst => "sequentially consistent",
            Self::Fences => "relaxed with fences",
        }
    }
}

/// Asks it.
///
/// # Errors
///
/// If a queue delivered something else than what was sent, or the file about the programs cannot be read.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let programs = super::programs("ordering")?;
    let trials = trials()?;
    let time = Duration::from_secs(setup.amount(75, 20));
    let outcomes = paired::run(setup, &trials, time)?;
    let mut parts = Vec::new();
    if cfg!(target_arch = "x86_64") {
        for clause in 1..=2 {
            parts.extend(claim::ratios(
                clause,
                &outcomes,
                &trials,
                |&(_, timed), group| bound(clause, timed, group),
            ));
        }
    }
    parts.extend(facts(&programs));

    let columns = [("kind", ""), ("message", "B"), ("orderings", "")];
    let tables = vec![
        outcomes.table(
            "Round trip beside acquire and release",
            &columns,
            &trials,
            Benchmark::RoundTrip,
        ),
        outcomes.table(
            "Throughput beside acquire and release",
            &columns,
            &trials,
            Benchmark::Throughput,
        ),
        loops(&programs),
        runs(&programs),
        models(&programs),
        claim::table(&parts),
    ];
    let mut notes = vec![outcomes.note()];
    notes.extend(INSTRUMENTS.map(str::to_owned));
    notes.extend(programs.missing.iter().cloned());
    Ok(Findings {
        claim: Some(claim::claim(RECORD, PREDICTION, &parts)),
        tables,
        figures: figures(&outcomes, &trials),
        notes,
        disturbed: Some(outcomes.disturbed()),
        ..Findings::new("What the memory orderings cost, and what their absence breaks")
    })
}

/// What each instrument can show, and what it cannot.
const INSTRUMENTS: [&str; 4] = [
    "A native run shows what this processor and this compiler do. x86-64 keeps loads in order, and stores, whatever the program asked; so only a compiler that moved an access across a \
     relaxed one could show a fault, and no fault is no proof.",
    "Emulation of AArch64 shows that the program runs and which instructions it has. It cannot show weak ordering on a stronger host: the host's own order holds.",
    "The model (loom) explores the values that each load may return by the language's memory model, with at most 3 preemptions, 3 messages and 2 slots or cells; a message is two relaxed words there. It shows faults \
     that hardware may never show; it treats sequentially consistent accesses as acquire and release, and does not move a store before an earlier load.",
    "The loops are of the program that counts the faults: messages of 48 bytes; a loop is every instruction that can be reached from itself.",
];

fn trials() -> Result<Vec<Trial<(Kind, Timed)>>> {
    let mut trials = Vec::new();
    for benchmark in [Benchmark::RoundTrip, Benchmark::Throughput] {
        for kind in KINDS {
            for payload in [8, 48] {
                for timed in [Timed::SeqCst, Timed::Fences] {
                    let group = Group {
                        benchmark,
                        payload,
                        capacity: 1024,
                    };
                    let kernel = match timed {
                        Timed::SeqCst => kind.kernel::<WithEdges<SeqCst>>(benchmark, payload),
                        Timed::Fences => kind.kernel::<WithEdges<Fences>>(benchmark, payload),
                    };
                    let reference = kind.kernel::<Shared>(benchmark, payload);
                    trials.push(Trial {
                        key: (kind, timed),
                        label: vec![
                            kind.name().into(),
                            u64::from(payload).into(),
                            timed.name().into(),
                        ],
                        subject: Subject::new(
                            format!("{}, {}", kind.name(), timed.name()),
                            kernel.context("no such kernel")?,
                            group,
                        ),
                        reference: Subject::new(
                            kind.name(),
                            reference.context("no such kernel")?,
                            group,
                        ),
                    });
                }
            }
        }
    }
    Ok(trials)
}

/// What a clause of the record asks of the ratio to acquire and release.
fn bound(clause: u32, timed: Timed, group: &Group) -> Option<Bound> {
    match (clause, timed, group.benchmark) {
        (1, Timed::Fences, Benchmark::RoundTrip) => Some(Bound::Between(0.95, 1.05)),
        (1, Timed::Fences, Benchmark::Throughput) => Some(Bound::Between(0.9, 1.1)),
        (2, Timed::SeqCst, Benchmark::RoundTrip) => Some(Bound::Between(1.0, 1.3)),
        (2, Timed::SeqCst, Benchmark::Throughput) if group.payload == 8 => Some(Bound::AtMost(0.5)),
        _ => None,
    }
}

/// What clauses 2 to 5 say about the programs and the models.
fn facts(programs: &Programs) -> Vec<Part> {
    let mut parts = Vec::new();
    for each in &programs.loops {
        let of = |edges: &str| {
            let same = |other: &&super::programs::Loop| {
                (&other.arch, &other.kind, &other.end) == (&each.arch, &each.kind, &each.end)
                    && other.edges == edges
            };
            programs
                .loops
                .iter()
                .find(same)
                .map(|found| distinct(&found.ordering))
        };
        let found = distinct(&each.ordering);
        let (clause, predicted, holds) = match (each.arch.as_str(), each.edges.as_str()) {
            ("x86_64", "seq-cst") => (2, "xchg", found == BTreeSet::from(["xchg"])),
            ("x86_64", _) => (1, "none", found.is_empty()),
            ("aarch64", "acquire-release") => {
                let acquires_and_releases = found.iter().any(|name| name.starts_with("ldar"))
                    && found.iter().any(|name| name.starts_with("stlr"));
                (
                    3,
                    "ldar, stlr",
                    acquires_and_releases && !found.iter().any(|name| name.starts_with("dmb")),
                )
            }
            ("aarch64", "seq-cst") => (
                3,
                "as acquire and release",
                Some(&found) == of("acquire-release").as_ref(),
            ),
            ("aarch64", "fences") => (
                3,
                "dmb",
                !found.is_empty() && found.iter().all(|name| name.starts_with("dmb")),
            ),
            ("aarch64", "all-relaxed") => (3, "none", found.is_empty()),
            _ => continue,
        };
        let what = format!(
            "ordering instructions of {} by {}, {}, {}",
            each.end, each.kind, each.edges, each.arch
        );
        parts.push(Part::fact(
            clause,
            what,
            list(&each.ordering),
            predicted,
            holds,
        ));
    }
    for run in programs
        .runs
        .iter()
        .filter(|run| run.edges == "all-relaxed")
    {
        let (found, holds) = match run.faults {
            Some(faults) => (
                format!(
                    "{} stale, {} torn of {}",
                    faults.stale, faults.torn, run.messages
                ),
                faults.stale + faults.torn == 0,
            ),
            None => (format!("stalled for {} s", run.limit), false),
        };
        let what = format!("faults of the control by {}, {}", run.kind, run.instrument);
        parts.push(Part::fact(4, what, found, "none", holds));
    }
    for model in &programs.models {
        let found = format!(
            "{} stale, {} torn of {} executions",
            model.stale, model.torn, model.executions
        );
        let broken = model.edges == "all-relaxed";
        let holds = if broken {
            model.stale > 0 && model.torn > 0
        } else {
            model.stale + model.torn == 0
        };
        let what = format!("faults in the model by {}, {}", model.kind, model.edges);
        parts.push(Part::fact(
            5,
            what,
            found,
            if broken { "stale and torn" } else { "none" },
            holds,
        ));
    }
    parts
}

fn distinct(names: &[String]) -> BTreeSet<&str> {
    names.iter().map(String::as_str).collect()
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}

fn loops(programs: &Programs) -> Table {
    let columns = [
        ("arch", ""),
        ("end", ""),
        ("kind", ""),
        ("orderings", ""),
        ("instructions", ""),
        ("that order", ""),
    ];
    let mut table = Table::new("The hot loops", &columns);
    for each in &programs.loops {
        table.row([
            each.arch.as_str().into(),
            each.end.as_str().into(),
            each.kind.as_str().into(),
            each.edges.as_str().into(),
            (each.instructions as u64).into(),
            list(&each.ordering).into(),
        ]);
    }
    table
}

fn runs(programs: &Programs) -> Table {
    let columns = [
        ("instrument", ""),
        ("kind", ""),
        ("orderings", ""),
        ("messages", ""),
        ("stale", ""),
        ("torn", ""),
        ("ended", ""),
    ];
    let mut table = Table::new("Messages that came wrong", &columns);
    for run in &programs.runs {
        let ended = if run.faults.is_some() {
            "yes".to_owned()
        } else {
            format!("stalled, ended after {} s", run.limit)
        };
        let count = |of: fn(super::programs::Faults) -> u64| Value::from(run.faults.map(of));
        table.row([
            run.instrument.as_str().into(),
            run.kind.as_str().into(),
            run.edges.as_str().into(),
            run.messages.into(),
            count(|faults| faults.stale),
            count(|faults| faults.torn),
            ended.into(),
        ]);
    }
    table
}

fn models(programs: &Programs) -> Table {
    let columns = [
        ("kind", ""),
        ("orderings", ""),
        ("executions", ""),
        ("with a stale message", ""),
        ("with a torn one", ""),
        ("all explored", ""),
    ];
    let mut table = Table::new("Executions that the memory model permits", &columns);
    for model in &programs.models {
        table.row([
            model.kind.as_str().into(),
            model.edges.as_str().into(),
            model.executions.into(),
            model.stale.into(),
            model.torn.into(),
            if model.complete {
                "yes"
            } else {
                "no, until the time limit"
            }
            .into(),
        ]);
    }
    table
}

/// Bars: every trial of a benchmark, in each placement.
fn figures(outcomes: &paired::Outcomes, trials: &[Trial<(Kind, Timed)>]) -> Vec<Figure> {
    let figure = |title: &str, benchmark| {
        let series = outcomes.placements.iter().map(|&placement| {
            let of = trials
                .iter()
                .enumerate()
                .filter(|(_, trial)| trial.group().benchmark == benchmark);
            let points = (0_u32..).zip(of).filter_map(|(x, (number, trial))| {
                let (kind, timed) = trial.key;
                let label = format!(
                    "{}, {}, {} bytes",
                    timed.name(),
                    kind.name(),
                    trial.group().payload
                );
                Some(Point {
                    label: Some(label),
                    ..Point::of(x.into(), &outcomes.of(number, placement)?.ratio)
                })
            });
            Series {
                name: format!("cores {}", placement.name()),
                points: points.collect(),
            }
        });
        Figure {
            title: title.to_owned(),
            caption: "Ratio to acquire and release, within a pair of runs; medians with 95 % intervals; capacity 1024.".to_owned(),
            x: Axis::linear("orderings", ""),
            y: Axis::linear("ratio", ""),
            form: Form::Bars,
            series: series.collect(),
        }
    };
    vec![
        figure("Round trip by the orderings", Benchmark::RoundTrip),
        figure("Throughput by the orderings", Benchmark::Throughput),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::programs::{Faults, Loop, Model, Run};
    use super::super::result;
    use super::*;

    fn a_loop(arch: &str, edges: &str, ordering: &[&str]) -> Loop {
        Loop {
            arch: arch.to_owned(),
            kind: "index".to_owned(),
            end: "push".to_owned(),
            edges: edges.to_owned(),
            instructions: 20,
            ordering: ordering.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn as_predicted() -> Programs {
        let run = |instrument: &str, faults| Run {
            instrument: instrument.to_owned(),
            kind: "index".to_owned(),
            edges: "all-relaxed".to_owned(),
            messages: 1000,
            faults,
            limit: 60,
        };
        let model = |edges: &str, stale, torn| Model {
            kind: "line".to_owned(),
            edges: edges.to_owned(),
            executions: 500,
            stale,
            torn,
            complete: true,
        };
        Programs {
            loops: vec![
                a_loop("x86_64", "acquire-release", &[]),
                a_loop("x86_64", "fences", &[]),
                a_loop("x86_64", "seq-cst", &["xchg", "xchg"]),
                a_loop("aarch64", "acquire-release", &["ldar", "stlr"]),
                a_loop("aarch64", "seq-cst", &["ldar", "stlr", "stlr"]),
                a_loop("aarch64", "fences", &["dmb", "dmb"]),
                a_loop("aarch64", "all-relaxed", &[]),
            ],
            runs: vec![run("native", Some(Faults { stale: 0, torn: 0 }))],
            models: vec![model("all-relaxed", 3, 2), model("fences", 0, 0)],
            code: Vec::new(),
            embedded: Vec::new(),
            ring_functions: Vec::new(),
            missing: Vec::new(),
        }
    }

    fn verdict(programs: &Programs) -> result::Verdict {
        claim::claim("", "", &facts(programs)).verdict
    }

    #[test]
    fn every_fact_can_contradict_the_record() {
        assert_eq!(verdict(&as_predicted()), result::Verdict::Confirmed);
        let spoils: [fn(&mut Programs); 9] = [
            |programs| programs.loops[0].ordering.push("mfence".to_owned()),
            |programs| programs.loops[2].ordering.clear(),
            |programs| programs.loops[2].ordering.push("mfence".to_owned()),
            |programs| programs.loops[3].ordering.push("dmb".to_owned()),
            |programs| programs.loops[4].ordering.push("dmb".to_owned()),
            |programs| programs.loops[5].ordering.push("stlr".to_owned()),
            |programs| programs.runs[0].faults = None,
            |programs| programs.models[0].torn = 0,
            |programs| programs.models[1].stale = 1,
        ];
        for (number, spoil) in spoils.into_iter().enumerate() {
            let mut programs = as_predicted();
            spoil(&mut programs);
            assert_eq!(
                verdict(&programs),
                result::Verdict::Refuted,
                "spoil {number}"
            );
        }
    }

    #[test]
    fn the_tables_hold_what_was_found() {
        let mut programs = as_predicted();
        programs.runs[0].faults = None;
        assert_eq!(loops(&programs).rows[2][5], "xchg, xchg".into());
        assert_eq!(
            runs(&programs).rows[0][6],
            "stalled, ended after 60 s".into()
        );
        assert_eq!(models(&programs).rows[0][3], 3_u64.into());
    }

    #[test]
    fn timings_are_judged_as_the_record_says() {
        let group = |benchmark, payload| Group {
            benchmark,
            payload,
            capacity: 1024,
        };
        let rate = group(Benchmark::Throughput, 8);
        assert_eq!(bound(2, Timed::SeqCst, &rate), Some(Bound::AtMost(0.5)));
        assert_eq!(
            bound(2, Timed::SeqCst, &group(Benchmark::Throughput, 48)),
            None
        );
        assert_eq!(
            bound(1, Timed::Fences, &rate),
            Some(Bound::Between(0.9, 1.1))
        );
        assert_eq!(bound(1, Timed::SeqCst, &rate), None);
    }
}
