//! From samples to the report's cells and targets.

use crate::catalog::{Benchmark, BLOCK, REFERENCE};
use crate::measure::{Distribution, GroupData};
use crate::plan::Group;
use crate::probe::Divides;
use crate::report::{Cell, Figures, Lost, OverallRow, TargetRow, Unmeasured};
use crate::stats::{self, Control, Estimate, Verdict};
use crate::views::{ratio, Track, View};
use crate::{overall, targets};

/// The judged part of a report.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// What was measured.
    pub cells: Vec<Cell>,
    /// What lost every round.
    pub lost: Vec<Lost>,
    /// Whether the targets were reached.
    pub targets: Vec<TargetRow>,
    /// What kept targets from being judged.
    pub unmeasured: Vec<Unmeasured>,
    /// Whether those over all cells were reached.
    pub overall: Vec<OverallRow>,
    /// The groups with a target that more rounds may decide.
    pub undecided: Vec<Group>,
}

/// Judges all that was measured.
pub fn evaluate(groups: &[GroupData], divides: Divides, hint: &str, rate: u32) -> Evaluation {
    let mut evaluation = Evaluation {
        unmeasured: targets::unmeasured(groups),
        ..Evaluation::default()
    };
    let mut views = Vec::new();
    for data in groups {
        for series in data
            .series
            .iter()
            .filter(|series| series.samples.is_empty() && series.dropped > 0)
        {
            evaluation.lost.push(Lost {
                benchmark: data.group.benchmark.name().to_owned(),
                queue: series.queue.to_owned(),
                payload_bytes: data.group.payload,
                capacity: data.group.capacity,
                dropped_rounds: series.dropped,
            });
        }
        for view in View::of(data, divides) {
            let rows = targets::judge(&view);
            let open = [Verdict::Undecided.name(), Verdict::Void.name()];
            let is_open = |row: &TargetRow| {
                open.contains(&row.verdict.as_str()) && targets::must_be_decided(&row.target)
            };
            if rows.iter().any(is_open) && !evaluation.undecided.contains(&view.group) {
                evaluation.undecided.push(view.group);
            }
            evaluation.targets.extend(rows);
            let void = targets::control(&view) == Control::Failed;
            evaluation.cells.extend(
                view.tracks
                    .iter()
                    .map(|track| cell(&view, track, void, hint, rate)),
            );
            views.push(view);
        }
    }
    evaluation.overall = overall::judge(&views);
    evaluation
        .targets
        .sort_by_key(|row| targets::rank(&row.target));
    evaluation
}

fn cell(view: &View, track: &Track, void: bool, hint: &str, rate: u32) -> Cell {
    let benchmark = view.group.benchmark;
    let middle = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.median);
    let interval = |estimate: Option<Estimate>| estimate.and_then(|estimate| estimate.interval);
    let value =
        middle(Estimate::of(track.points.values().map(|point| point.value))).unwrap_or_default();
    let to_reference = view.to_reference(track);
    let figures = if benchmark.is_time() {
        let to_floor = Estimate::of(track.points.values().map(|point| point.value / point.floor));
        let singles = track.singles.as_ref();
        let percentile = |percent| singles.and_then(|singles| percentile(singles, percent));
        let one_way = benchmark == Benchmark::OneWay;
        let median = if one_way { percentile(50.0) } else { None };
        Figures::Time {
            p50: median.unwrap_or(value),
            middle_half_mean: one_way.then_some(value),
            p99: percentile(99.0),
            p999: percentile(99.9),
            p9999: percentile(99.99),
            max: singles.map(|singles| singles.max() as f64),
            histogram: track.histogram(),
            samples: singles.map_or(0, Distribution::len),
            rate_hz: one_way.then_some(rate),
            drops: one_way.then_some(track.drops),
            ratio_to_rigtorp: middle(to_reference),
            ratio_to_rigtorp_ci: interval(to_reference),
            ratio_to_floor: middle(to_floor),
            ratio_to_floor_ci: interval(to_floor),
        }
    } else {
        let to_block = view
            .track(BLOCK)
            .and_then(|block| Estimate::of(track.beside(block, ratio).map(|(_, ratio)| ratio)));
        Figures::Rate {
            rate: value,
            ratio_to_rigtorp: middle(to_reference),
            ratio_to_rigtorp_ci: interval(to_reference),
            ratio_to_block: middle(to_block),
            ratio_to_block_ci: interval(to_block),
        }
    };
    Cell {
        benchmark: benchmark.name().to_owned(),
        queue: track.queue.to_owned(),
        payload_bytes: view.group.payload,
        capacity: view.group.capacity,
        hint: hint.to_owned(),
        placement: view.placement.name().to_owned(),
        rounds: track.points.len(),
        dropped_rounds: track.dropped,
        void: (void && track.queue != REFERENCE) || track.drops > 0,
        unit: benchmark.unit().to_owned(),
        figures,
    }
}

/// A percentile, if enough lies beyond it.
fn percentile(singles: &Distribution, percent: f64) -> Option<f64> {
    stats::is_enough(percent, singles.len()).then(|| singles.value_at_percentile(percent) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{CONTROL, RATE};
    use crate::measure::{Sample, Series};
    use crate::probe::Probe;

    const ROUNDS: u32 = 12;

    fn group(benchmark: Benchmark) -> Group {
        Group {
            benchmark,
            payload: 8,
            capacity: 1024,
        }
    }

    fn sample(round: u32, value: f64, floor: f64) -> Sample {
        let probe = Probe {
            cpp: floor,
            rust: floor * 1.01,
        };
        Sample {
            round,
            value,
            reference: Some(100.0),
            probe,
            singles: None,
        }
    }

    /// A queue that is, in each round, as many times the reference as `times` says, with some noise.
    fn series(queue: &'static str, floor: f64, times: impl Fn(u32) -> f64) -> Series {
        let noise = |round: u32| 1.0 + f64::from(round % 3) / 1000.0 - 0.001;
        let samples =
            (0..ROUNDS).map(|round| sample(round, 100.0 * times(round) * noise(round), floor));
        Series {
            queue,
            samples: samples.collect(),
            dropped: 0,
            drops: 0,
        }
    }

    fn judged(benchmark: Benchmark, all: Vec<Series>) -> Evaluation {
        let mut data = GroupData::new(group(benchmark), [], ROUNDS);
        data.series = all;
        let floors = data
            .series
            .iter()
            .flat_map(|series| &series.samples)
            .map(|sample| sample.probe.least());
        let divides = Divides::of(floors.collect::<Vec<_>>());
        evaluate(&[data], divides, "none", RATE)
    }

    fn rows<'a>(evaluation: &'a Evaluation, queue: &str, against: &str) -> Vec<&'a TargetRow> {
        let meant = |row: &&TargetRow| row.queue == queue && row.against.starts_with(against);
        evaluation.targets.iter().filter(meant).collect()
    }

    #[test]
    fn a_target_is_judged_by_the_ratio_within_a_round() {
        let evaluation = judged(
            Benchmark::RoundTrip,
            vec![
                series("line-cpp", 60.0, |_| 0.6),
                series("line-rust", 60.0, |_| 0.9),
                series(CONTROL, 60.0, |_| 1.0),
            ],
        );
        assert_eq!(rows(&evaluation, "line-cpp", "rigtorp")[0].verdict, "holds");
        assert_eq!(
            rows(&evaluation, "line-rust", "rigtorp")[0].verdict,
            "misses"
        );
        let twin = rows(&evaluation, "line-rust", "line-cpp")[0];
        assert!(
            (twin.value - 1.5).abs() < 0.01 && twin.verdict == "misses",
            "{twin:?}"
        );
        assert!(evaluation
            .cells
            .iter()
            .all(|cell| !cell.void && cell.placement == "near"));
        let floor = evaluation
            .cells
            .iter()
            .find(|cell| cell.queue == "floor")
            .unwrap();
        assert_eq!((floor.value(), floor.to_limit().0), (60.0, Some(1.0)));
        let line = evaluation
            .cells
            .iter()
            .find(|cell| cell.queue == "line-cpp")
            .unwrap();
        assert!(
            (line.to_limit().0.unwrap() - 1.0).abs() < 0.01,
            "60 ns over a floor of 60 ns"
        );
    }

    #[test]
    fn a_control_that_misses_1_voids_all_beside_it() {
        let evaluation = judged(
            Benchmark::RoundTrip,
            vec![
                series("line-cpp", 60.0, |_| 0.6),
                series(CONTROL, 60.0, |_| 1.05),
            ],
        );
        assert_eq!(rows(&evaluation, "line-cpp", "rigtorp")[0].verdict, "void");
        assert!(evaluation
            .cells
            .iter()
            .any(|cell| cell.queue == "line-cpp" && cell.void));
        assert_eq!(
            evaluation.undecided,
            [group(Benchmark::RoundTrip)],
            "more rounds may mend it"
        );
    }

    #[test]
    fn placements_are_judged_apart() {
        let mut line = series("line-cpp", 60.0, |_| 0.9);
        let far = series("line-cpp", 318.0, |_| 0.6).samples.into_iter();
        line.samples.extend(far.map(|sample| Sample {
            round: sample.round + ROUNDS,
            ..sample
        }));
        let evaluation = judged(Benchmark::RoundTrip, vec![line]);
        let verdicts: Vec<_> = rows(&evaluation, "line-cpp", "rigtorp")
            .into_iter()
            .map(|row| (row.placement.as_str(), row.verdict.as_str(), row.rounds))
            .collect();
        assert_eq!(verdicts, [("near", "misses", 12), ("far", "holds", 12)]);
    }

    #[test]
    fn queues_of_a_target_that_were_not_measured_are_named() {
        let evaluation = judged(
            Benchmark::RoundTrip,
            vec![
                series("line-rust", 60.0, |_| 0.6),
                series(CONTROL, 60.0, |_| 1.0),
            ],
        );
        let missing = |start: &str| {
            let of_target = |entry: &&Unmeasured| entry.target.starts_with(start);
            let entry = evaluation.unmeasured.iter().find(of_target);
            entry.map_or(Vec::new(), |entry| entry.queues.clone())
        };
        assert_eq!(missing("by line in C++, a round trip"), ["line-cpp"]);
        assert_eq!(missing("by index, a round trip"), ["ring-cpp", "ring-rust"]);
        assert_eq!(
            missing("Rust is"),
            [
                "line-cpp",
                "ring-rust",
                "ring-cpp",
                "ring-rust-span",
                "ring-cpp-span"
            ]
        );
        assert_eq!(
            missing("for many producers"),
            ["mpsc-cpp", "line-cpp", "mpsc-rust"]
        );
        assert_eq!(
            missing("the kind that the rule names")[..2],
            ["line-cpp", "rigtorp"]
        );
        assert!(missing("the floor in Rust").is_empty());
    }

    #[test]
    fn the_best_peer_is_chosen_on_the_other_half_of_the_rounds() {
        // Boost is lucky in the even rounds: compared in those, rigtorp stands for the peers, and boost in the odd ones.
        let lucky = |round: u32| if round % 2 == 0 { 2.0 } else { 0.5 };
        let evaluation = judged(
            Benchmark::Throughput,
            vec![
                series("line-cpp", 60.0, |_| 1.5),
                series("boost", 60.0, lucky),
                series("boost-fixed", 60.0, |_| 0.1),
            ],
        );
        let row = rows(&evaluation, "line-cpp", "the best of")[0];
        let [low, high] = row.ci.unwrap();
        assert!(
            (low - 1.5).abs() < 0.01 && (high - 3.0).abs() < 0.01,
            "{row:?}"
        );

        let steady = judged(
            Benchmark::Throughput,
            vec![
                series("line-cpp", 60.0, |_| 1.5),
                series("boost", 60.0, |_| 1.4),
                series("boost-fixed", 60.0, |_| 0.1),
            ],
        );
        let row = rows(&steady, "line-cpp", "the best of")[0];
        assert!(
            (row.value - 1.5 / 1.4).abs() < 0.01 && row.verdict == "misses",
            "{row:?}"
        );
    }

    #[test]
    fn many_producers_are_judged_by_the_ring_by_line_of_their_language() {
        let evaluation = judged(
            Benchmark::RoundTrip,
            vec![
                series("line-cpp", 60.0, |_| 0.6),
                series("line-rust", 60.0, |_| 0.5),
                series("mpsc-cpp", 60.0, |_| 0.66),
                series("mpsc-rust", 60.0, |_| 0.6),
            ],
        );
        let cpp = rows(&evaluation, "mpsc-cpp", "line-cpp")[0];
        assert!(
            (cpp.value - 1.1).abs() < 0.01 && cpp.verdict == "holds",
            "{cpp:?}"
        );
        let rust = rows(&evaluation, "mpsc-rust", "line-rust")[0];
        assert!(
            (rust.value - 1.2).abs() < 0.01 && rust.verdict == "misses",
            "{rust:?}"
        );
    }

    #[test]
    fn the_c_abi_is_judged_by_nanoseconds() {
        // 100 and 50 million a second: 10 ns and 20 ns.
        let evaluation = judged(
            Benchmark::SingleThread,
            vec![
                series("ring-cpp", 60.0, |_| 1.0),
                series("ring-c", 60.0, |_| 0.5),
            ],
        );
        let row = rows(&evaluation, "ring-c", "ring-cpp")[0];
        assert!(
            (row.value - 10.0).abs() < 0.1 && row.verdict == "misses",
            "{row:?}"
        );
    }

    fn time(evaluation: &Evaluation, queue: &str) -> Cell {
        let cell = evaluation.cells.iter().find(|cell| cell.queue == queue);
        cell.unwrap().clone()
    }

    #[test]
    fn a_percentile_needs_fifty_messages_beyond_it() {
        // In each of the rounds, so many messages of 70 ns and one of 900.
        let judged = |each: u32| {
            let mut line = series("line-cpp", 60.0, |_| 0.6);
            for sample in &mut line.samples {
                let mut singles = Distribution::new(3).unwrap();
                singles.record_n(70, each - 1).unwrap();
                singles.record(900).unwrap();
                sample.singles = Some(singles);
            }
            judged(Benchmark::RoundTrip, vec![line])
        };
        let figures = |each: u32| match time(&judged(each), "line-cpp").figures {
            Figures::Time {
                p99,
                p999,
                p9999,
                max,
                samples,
                ..
            } => (p99, p999, p9999, max, samples),
            Figures::Rate { .. } => panic!("a round trip is a time"),
        };
        let rounds = u64::from(ROUNDS);
        assert_eq!(figures(400), (None, None, None, Some(900.0), 400 * rounds),);
        let (p99, p999, ..) = figures(4170);
        assert_eq!((p99, p999), (Some(70.0), Some(70.0)), "50040 messages");
        assert_eq!(figures(4160).1, None, "49920 messages");
        assert_eq!(figures(42_000).2, Some(70.0), "504000 messages");
    }

    #[test]
    fn cells_without_a_round_are_named() {
        let lost = Series {
            queue: "mutex",
            samples: Vec::new(),
            dropped: 7,
            drops: 0,
        };
        let line = series("line-cpp", 60.0, |_| 0.6);
        let lost = judged(Benchmark::RoundTrip, vec![line, lost]).lost;
        assert_eq!(
            (lost.len(), lost[0].queue.as_str(), lost[0].dropped_rounds),
            (1, "mutex", 7)
        );
    }

    /// A queue one way, with such a tail.
    fn one_way(queue: &'static str, times: f64, tail: u64) -> Series {
        let mut line = series(queue, 120.0, |_| times);
        for sample in &mut line.samples {
            let mut latencies = Distribution::new(2).unwrap();
            latencies.record_n(64, 4990).unwrap();
            latencies
                .record_n(tail + u64::from(sample.round) % 3, 10)
                .unwrap();
            sample.singles = Some(latencies);
        }
        line
    }

    #[test]
    fn one_way_is_judged_by_the_middle_half_against_half_the_floor() {
        let evaluation = judged(
            Benchmark::OneWay,
            vec![
                one_way("line-cpp", 0.55, 200),
                one_way(CONTROL, 1.0, 200),
                one_way("boost", 0.9, 200),
            ],
        );
        assert_eq!(rows(&evaluation, "line-cpp", "rigtorp")[0].verdict, "holds");
        let cell = time(&evaluation, "line-cpp");
        assert!((cell.value() - 55.0).abs() < 0.1, "{cell:?}");
        assert!((cell.to_limit().0.unwrap() - 55.0 / 60.0).abs() < 0.01);
        let Figures::Time {
            p50,
            rate_hz,
            drops,
            samples,
            ..
        } = cell.figures
        else {
            panic!("one way is a time")
        };
        assert_eq!((p50, rate_hz, drops), (64.0, Some(RATE), Some(0)));
        assert_eq!(samples, 5000 * u64::from(ROUNDS));
    }

    #[test]
    fn a_queue_must_be_ahead_of_every_peer_that_was_measured() {
        let behind = judged(
            Benchmark::OneWay,
            vec![one_way("line-cpp", 0.55, 200), one_way("boost", 0.5, 200)],
        );
        let row = rows(&behind, "line-cpp", "the best of")[0];
        assert_eq!(row.verdict, "misses");
        assert!((row.value - 1.1).abs() < 0.01, "{row:?}");
        let ahead = judged(
            Benchmark::OneWay,
            vec![
                one_way("line-cpp", 0.55, 200),
                one_way("ring-cpp", 0.5, 200),
            ],
        );
        let row = rows(&ahead, "line-cpp", "the best of rigtorp")[0];
        assert_eq!(row.verdict, "holds", "a ring of ours is no peer: {row:?}");
    }

    #[test]
    fn the_tail_is_judged_by_the_best_peer_and_need_not_be_decided() {
        let judged = |tail| {
            let all = vec![
                one_way("line-cpp", 0.55, tail),
                one_way(CONTROL, 1.0, 400),
                one_way("boost", 0.9, 200),
            ];
            judged(Benchmark::OneWay, all)
        };
        let verdict = |evaluation: &Evaluation| {
            let row = rows(evaluation, "line-cpp", "p99.9")[0];
            (row.verdict.clone(), row.against.clone())
        };
        let (better, worse) = (judged(150), judged(260));
        let against = "p99.9 of the best of rigtorp, boost".to_owned();
        assert_eq!(verdict(&better), ("holds".to_owned(), against.clone()));
        assert_eq!(verdict(&worse), ("misses".to_owned(), against));
        let same = judged(200);
        assert!(
            same.undecided.is_empty(),
            "{:?}",
            rows(&same, "line-cpp", "p99.9")
        );
    }

    #[test]
    fn a_queue_that_drops_messages_is_void() {
        let mut full = one_way("line-cpp", 0.55, 200);
        full.drops = 3;
        let evaluation = judged(Benchmark::OneWay, vec![full, one_way("boost", 1.0, 200)]);
        let cell = time(&evaluation, "line-cpp");
        assert!(cell.void && !time(&evaluation, "boost").void);
        assert!(matches!(cell.figures, Figures::Time { drops: Some(3), .. }));
        let rows = rows(&evaluation, "line-cpp", "");
        assert!(rows.iter().all(|row| row.verdict == "void"), "{rows:?}");
    }
}
