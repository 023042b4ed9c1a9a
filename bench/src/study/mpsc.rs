//! What many producers cost: two of them and a consumer on two cores, every thread yielding when it cannot progress.

use super::result::{
    Axis, Claim, Disturbed, Figure, Findings, Form, Point, Series, Table, Value, Verdict as Judged,
};
use super::Setup;
use crate::abi::Kernel;
use crate::kernels::many::PRODUCERS;
use crate::probe::{Divides, Placement, Probe, Prober, PLACEMENTS};
use crate::registry::Registry;
use crate::stats::{median, Bound, Control, Estimate, Verdict};
use crate::trio::{self, Outcome};
use crate::watchdog::Watchdog;
use anyhow::{ensure, Context, Result};
use fastrand::Rng;
use std::collections::BTreeMap;

/// Ours, and a ring for each producer in place of one for all.
const OURS: [&str; 4] = ["mpsc-cpp", "mpsc-rust", "mpsc-c", LANES];
const LANES: &str = "lanes-cpp";

/// Has no bound: a producer never waits, and the queue may come to hold all messages of a run.
const UNBOUNDED: &str = "concurrentqueue";

/// Those of others, which have kernels for many producers alone.
const PEERS: [&str; 5] = [
    UNBOUNDED,
    "concurrentqueue-bounded",
    "boost-queue",
    "atomic_queue-many",
    "crossbeam-many",
];

/// Whether a queue is measured by this study.
#[must_use]
pub fn is_measured(queue: &str) -> bool {
    OURS.contains(&queue) || PEERS.contains(&queue)
}

const SIZES: [u32; 2] = [8, 48];
const CAPACITIES: [u32; 3] = [64, 1024, 65536];

/// The capacity that the prediction is about, and its bounds.
const PREDICTED: u32 = 1024;
const OVER_PEERS: f64 = 1.2;
/// What others may have of the two cores' time: a little above the twentieth that the kernel keeps for them beside real-time threads.
const OTHERS: f64 = 0.07;
const RUST_TO_CPP: f64 = 0.9;

/// The rates of one queue by round, in millions a second.
struct Track {
    queue: &'static str,
    /// By round; none where others had too much of the cores, or these were elsewhere.
    rates: Vec<Option<f64>>,
}

/// The queues beside each other.
struct Group {
    size: u32,
    capacity: u32,
    placement: Placement,
    tracks: Vec<Track>,
}

/// A rate in millions a second, and the floor between the cores about then.
#[derive(Clone, Copy)]
struct Sample {
    rate: f64,
    floor: f64,
}

/// The queues beside each other, wherever the cores were.
struct Measured {
    size: u32,
    capacity: u32,
    /// By queue, then by round; none where others had too much of the cores, or these moved.
    samples: Vec<(&'static str, Vec<Option<Sample>>)>,
}

/// What the cells gave.
struct Measurements {
    cells: Vec<Measured>,
    /// Runs of peers in which messages came out of order.
    unordered: BTreeMap<&'static str, u32>,
}

/// Measures, and judges the prediction.
///
/// # Errors
///
/// If a queue loses a message or mixes up a producer's order, or the two cores cannot be had.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let Measurements {
        cells: measured,
        unordered,
    } = measure(setup)?;
    let samples = || {
        let queues = measured.iter().flat_map(|cell| &cell.samples);
        queues.flat_map(|(_, samples)| samples)
    };
    let groups = by_placement(&measured);
    let seen: Vec<Placement> = PLACEMENTS
        .into_iter()
        .filter(|placement| groups.iter().any(|group| group.placement == *placement))
        .collect();
    let mut findings = Findings {
        disturbed: Some(Disturbed {
            of: "cells".to_owned(),
            kept: samples().flatten().count() as u64,
            dropped: samples().filter(|sample| sample.is_none()).count() as u64,
        }),
        tables: groups.iter().map(table).collect(),
        figures: seen
            .iter()
            .flat_map(|&placement| SIZES.map(|size| (size, placement)))
            .map(|(size, placement)| figure(&groups, size, placement))
            .collect(),
        claim: judge(&groups),
        ..Findings::new(
            "Two producers and a consumer on two cores, every thread yielding when it cannot progress",
        )
    };
    findings.notes.push(
        "Rates are of all messages together, from the start to the consumer's last; the threads are free to run on either core. The time of a \
         cell includes the scheduler's: with three threads for two cores, one is always waiting. A cell in \
         which others had more than 7 % of the two cores' time while two threads at least were at work is left out, and so is one during which the cores \
         moved."
            .to_owned(),
    );
    findings.notes.push(
        "concurrentqueue has no bound: its producers never wait, and it may come to hold every message of the run. concurrentqueue-bounded is the same \
         queue, whose producers keep the bound by the size that it estimates. lanes-cpp is a ring by line for each producer, of half the capacity, and a \
         consumer that takes turns. These three keep each producer's order alone; the rings of many producers keep one order of all."
            .to_owned(),
    );
    findings.notes.extend(unordered.iter().map(|(peer, runs)| {
        format!(
            "{peer} gave messages out of a producer's order in {runs} runs, which are left out. The slots of atomic_queue do not tell laps apart: a \
             producer that is stopped between its claim and its store may be overtaken in its slot by one a lap later."
        )
    }));
    let registry = Registry::new();
    let absent: Vec<_> = PEERS
        .into_iter()
        .filter(|peer| registry.many(peer, SIZES[0], PREDICTED).is_none())
        .collect();
    if !absent.is_empty() {
        findings.notes.push(format!(
            "Not built, since they were not found: {}.",
            absent.join(", ")
        ));
    }
    Ok(findings)
}

fn measure(setup: &mut Setup) -> Result<Measurements> {
    let registry = Registry::new();
    let rounds = setup.amount(30, 8);
    let mut cells: Vec<_> = SIZES
        .into_iter()
        .flat_map(|size| CAPACITIES.map(|capacity| (size, capacity)))
        .map(|(size, capacity)| Measured {
            size,
            capacity,
            samples: OURS
                .into_iter()
                .chain(PEERS)
                .filter(|queue| registry.many(queue, size, capacity).is_some())
                .map(|queue| (queue, Vec::new()))
                .collect(),
        })
        .collect();
    let mut unordered = BTreeMap::new();
    let mut watchdog = Watchdog::new()?;
    let mut rng = Rng::new();
    let mut prober = Prober::new(&registry)?;
    let progress = setup.progress(rounds * cells.len() as u64)?;
    let mut before = probe(setup, &mut prober);
    for _ in 0..rounds {
        for Measured {
            size,
            capacity,
            samples,
        } in &mut cells
        {
            let mut order: Vec<_> = (0..samples.len()).collect();
            rng.shuffle(&mut order);
            for index in order {
                let (queue, samples) = &mut samples[index];
                let name = format!("{queue} of {size} bytes at capacity {capacity}");
                watchdog.start(&name);
                let kernel = registry
                    .many(queue, *size, *capacity)
                    .context("a kernel that was there before")?;
                let outcome = run(setup, kernel, *capacity).context(name.clone())?;
                if outcome.wrong != 0 {
                    ensure!(
                        PEERS.contains(queue),
                        "{name}: messages differ in {:x} from those due",
                        outcome.wrong
                    );
                    *unordered.entry(*queue).or_default() += 1;
                }
                let rate = rate(setup, &outcome, *capacity);
                let after = probe(setup, &mut prober);
                let stayed = setup.options.smoke || before.agrees(&after);
                samples.push(rate.filter(|_| stayed).map(|rate| Sample {
                    rate,
                    floor: before.between(&after).least(),
                }));
                before = after;
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok(Measurements { cells, unordered })
}

fn probe(setup: &mut Setup, prober: &mut Prober) -> Probe {
    let hint = setup.options.hint as usize;
    prober.probe(&mut setup.crew, &setup.clock, hint)
}

/// What was measured in each placement that was seen, from the nearest on.
fn by_placement(cells: &[Measured]) -> Vec<Group> {
    let samples = cells.iter().flat_map(|cell| &cell.samples);
    let samples = samples.flat_map(|(_, samples)| samples).flatten();
    let floors: Vec<f64> = samples.map(|sample| sample.floor).collect();
    let divides = Divides::of(floors.iter().copied());
    let seen = |placement: &Placement| {
        let mut places = floors.iter().map(|&floor| divides.placement(floor));
        places.any(|place| place == *placement)
    };
    let in_place = |placement: Placement| {
        let at = move |sample: &Sample| divides.placement(sample.floor) == placement;
        cells.iter().map(move |cell| Group {
            size: cell.size,
            capacity: cell.capacity,
            placement,
            tracks: cell
                .samples
                .iter()
                .map(|(queue, samples)| Track {
                    queue,
                    rates: samples
                        .iter()
                        .map(|sample| sample.filter(at).map(|sample| sample.rate))
                        .collect(),
                })
                .collect(),
        })
    };
    PLACEMENTS
        .into_iter()
        .filter(seen)
        .flat_map(in_place)
        .collect()
}

/// Messages of each producer: 10 laps at least, and some tens of milliseconds.
fn messages(setup: &Setup, capacity: u32) -> u64 {
    if setup.options.smoke {
        u64::from(capacity)
    } else {
        u64::from(capacity).max(15_000) * 10
    }
}

fn run(setup: &mut Setup, kernel: &Kernel, capacity: u32) -> Result<Outcome> {
    let each = messages(setup, capacity);
    let cores = setup.cores;
    trio::run(&mut setup.crew, cores, kernel, capacity, each)
}

/// In millions a second; none if the run does not count.
fn rate(setup: &Setup, outcome: &Outcome, capacity: u32) -> Option<f64> {
    let all = PRODUCERS as u64 * messages(setup, capacity);
    let rate = all as f64 / setup.clock.ns(outcome.ticks) * 1000.0;
    // What the tests run is too short to tell by.
    let is_undisturbed = setup.options.smoke || outcome.others <= OTHERS;
    (is_undisturbed && outcome.wrong == 0).then_some(rate)
}

impl Group {
    fn track(&self, queue: &str) -> Option<&Track> {
        self.tracks.iter().find(|track| track.queue == queue)
    }

    /// The ratio to the best of these peers. Each half of the rounds is compared with the best of the other half, so that luck in
    /// a round does not choose.
    fn to_best_of(&self, track: &Track, peers: &[&str]) -> Option<Estimate> {
        let mut ratios = Vec::new();
        for half in [0, 1] {
            let best = self.best_in(1 - half, peers)?;
            ratios.extend(of_half(&ratios_of(track, best), half));
        }
        Estimate::of(ratios)
    }

    fn to_best(&self, track: &Track) -> Option<Estimate> {
        self.to_best_of(track, &PEERS)
    }

    fn to_best_bounded(&self, track: &Track) -> Option<Estimate> {
        let peers: Vec<_> = PEERS
            .into_iter()
            .filter(|&peer| peer != UNBOUNDED)
            .collect();
        self.to_best_of(track, &peers)
    }

    fn best_in(&self, half: usize, peers: &[&str]) -> Option<&Track> {
        let tracks = self.tracks.iter();
        let peers = tracks.filter(|track| peers.contains(&track.queue));
        peers.max_by(|a, b| {
            let middle = |track: &Track| median(of_half(&track.rates, half)).unwrap_or(0.0);
            middle(a).total_cmp(&middle(b))
        })
    }
}

fn of_half(values: &[Option<f64>], half: usize) -> Vec<f64> {
    let half = values.iter().skip(half).step_by(2);
    half.flatten().copied().collect()
}

fn ratios_of(track: &Track, other: &Track) -> Vec<Option<f64>> {
    track
        .rates
        .iter()
        .zip(&other.rates)
        .map(|(rate, other)| Some((*rate)? / (*other)?))
        .collect()
}

fn table(group: &Group) -> Table {
    let mut table = Table::new(
        &format!(
            "{} bytes at capacity {}, cores {}",
            group.size,
            group.capacity,
            group.placement.name()
        ),
        &[
            ("queue", ""),
            ("rate", "million/s"),
            ("to the best with a bound", ""),
            ("to the best of all", ""),
        ],
    );
    for track in &group.tracks {
        let ours = OURS.contains(&track.queue);
        let shown = |ratio: fn(&Group, &Track) -> Option<Estimate>| {
            let ratio = ours.then(|| ratio(group, track)).flatten();
            ratio.map_or(Value::Missing, Value::from)
        };
        table.row([
            track.queue.into(),
            Estimate::of(track.rates.iter().flatten().copied()).into(),
            shown(Group::to_best_bounded),
            shown(Group::to_best),
        ]);
    }
    table
}

fn figure(groups: &[Group], size: u32, placement: Placement) -> Figure {
    let of_size = || {
        let groups = groups.iter();
        groups.filter(move |group| group.size == size && group.placement == placement)
    };
    let point = |group: &Group, queue: &str| {
        let track = group.track(queue)?;
        Estimate::of(track.rates.iter().flatten().copied())
            .map(|rate| Point::of(group.capacity.into(), &rate))
    };
    Figure {
        title: format!("Two producers, {size} bytes, cores {}", placement.name()),
        caption: "Medians with 95 % intervals.".to_owned(),
        x: Axis::log("capacity", ""),
        y: Axis::linear("messages", "million/s"),
        form: Form::Lines,
        series: OURS
            .into_iter()
            .chain(PEERS)
            .map(|queue| Series {
                name: queue.to_owned(),
                points: of_size().filter_map(|group| point(group, queue)).collect(),
            })
            .filter(|series| !series.points.is_empty())
            .collect(),
    }
}

/// Every part of the prediction, in every size and in each placement that was seen. None if a queue that it names was not built.
fn judge(groups: &[Group]) -> Option<Claim> {
    let mut verdicts = Vec::new();
    let mut margins = Vec::new();
    for group in groups.iter().filter(|group| group.capacity == PREDICTED) {
        let (cpp, rust) = (group.track("mpsc-cpp")?, group.track("mpsc-rust")?);
        let to_cpp = Estimate::of(ratios_of(rust, cpp).into_iter().flatten());
        for (what, estimate, bound) in [
            ("mpsc-cpp to the best peer", group.to_best(cpp), OVER_PEERS),
            ("mpsc-rust to mpsc-cpp", to_cpp, RUST_TO_CPP),
        ] {
            // A placement in which the two were never seen in the same round settles nothing.
            let Some(estimate) = estimate else {
                verdicts.push(Verdict::Undecided);
                continue;
            };
            let verdict = Verdict::on(&estimate, Bound::AtLeast(bound), Control::Passed);
            let interval = estimate
                .interval
                .map_or_else(String::new, |[low, high]| format!(" [{low:.2}, {high:.2}]"));
            margins.push(format!(
                "{what} at {} bytes, {}, {:.2}{interval}, {} (at least {bound})",
                group.size,
                group.placement.name(),
                estimate.median,
                verdict.name()
            ));
            verdicts.push(verdict);
        }
    }
    Some(Claim {
        record: "docs/adr/0021-many-producers-on-few-cores.md".to_owned(),
        prediction: "with two producers at capacity 1024, mpsc-cpp passes at least 1.2 times the messages of the best peer, and mpsc-rust at least 0.9 of \
                     those of mpsc-cpp, at 8 and at 48 bytes"
            .to_owned(),
        verdict: outcome(&verdicts),
        margin: margins.join("; "),
    })
}

fn outcome(verdicts: &[Verdict]) -> Judged {
    if verdicts.contains(&Verdict::Misses) {
        Judged::Refuted
    } else if verdicts.iter().all(|verdict| *verdict == Verdict::Holds) {
        Judged::Confirmed
    } else {
        Judged::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group at the predicted capacity, each queue with its rates in every round.
    fn group(rates: &[(&'static str, [f64; 2])]) -> Group {
        let track = |&(queue, by_half): &(&'static str, [f64; 2])| Track {
            queue,
            rates: (0..12).map(|round| Some(by_half[round % 2])).collect(),
        };
        Group {
            size: 8,
            capacity: PREDICTED,
            placement: Placement::Near,
            tracks: rates.iter().map(track).collect(),
        }
    }

    fn judged(cpp: f64, rust: f64, boost: [f64; 2], crossbeam: [f64; 2]) -> Claim {
        judge(&[group(&[
            ("mpsc-cpp", [cpp; 2]),
            ("mpsc-rust", [rust; 2]),
            ("boost-queue", boost),
            ("crossbeam-many", crossbeam),
        ])])
        .unwrap()
    }

    #[test]
    fn the_best_peer_is_chosen_on_the_other_half_of_the_rounds() {
        // Boost is best in even rounds and crossbeam in odd ones: each is compared where it is not.
        let group = group(&[
            ("mpsc-cpp", [30.0; 2]),
            ("boost-queue", [20.0, 10.0]),
            ("crossbeam-many", [10.0, 20.0]),
        ]);
        let ratio = group.to_best(&group.tracks[0]).unwrap();
        assert_eq!((ratio.median, ratio.count), (3.0, 12));
    }

    #[test]
    fn a_round_that_was_disturbed_counts_for_neither() {
        let mut group = group(&[("mpsc-cpp", [30.0; 2]), ("boost-queue", [20.0; 2])]);
        group.tracks[0].rates[3] = None;
        group.tracks[1].rates[4] = None;
        let ratio = group.to_best(&group.tracks[0]).unwrap();
        assert_eq!((ratio.median, ratio.count), (1.5, 10));
    }

    #[test]
    fn near_and_far_do_not_mix() {
        let sample = |rate, floor| Some(Sample { rate, floor });
        let cell = Measured {
            size: 8,
            capacity: PREDICTED,
            samples: vec![
                ("mpsc-cpp", vec![sample(60.0, 55.0), sample(20.0, 330.0)]),
                ("boost-queue", vec![sample(10.0, 54.0), None]),
            ],
        };
        let groups = by_placement(&[cell]);
        let rates = |group: &Group| {
            group
                .tracks
                .iter()
                .map(|track| track.rates.clone())
                .collect()
        };
        let of: Vec<(Placement, Vec<_>)> = groups
            .iter()
            .map(|group| (group.placement, rates(group)))
            .collect();
        assert_eq!(
            of,
            [
                (
                    Placement::Near,
                    vec![vec![Some(60.0), None], vec![Some(10.0), None]]
                ),
                (
                    Placement::Far,
                    vec![vec![None, Some(20.0)], vec![None, None]]
                ),
            ]
        );
    }

    #[test]
    fn every_part_of_the_prediction_must_hold() {
        let steady = [20.0; 2];
        assert_eq!(
            judged(24.1, 22.0, steady, [5.0; 2]).verdict,
            Judged::Confirmed
        );
        assert_eq!(
            judged(23.9, 22.0, steady, [5.0; 2]).verdict,
            Judged::Refuted
        );
        assert_eq!(
            judged(30.0, 26.0, steady, [5.0; 2]).verdict,
            Judged::Refuted
        );
        let uneven = judged(24.0, 24.0, [15.0, 25.0], [1.0; 2]);
        assert_eq!(uneven.verdict, Judged::Undecided, "{}", uneven.margin);
        assert!(judge(&[group(&[("mpsc-cpp", [1.0; 2])])]).is_none());
    }
}
