//! What is to be reached, as data, and whether it was.

use crate::catalog::{self, Benchmark, BLOCK, CONTROL, FLOOR, REFERENCE};
use crate::measure::GroupData;
use crate::plan::{self, Group};
use crate::report::{TargetRow, Unmeasured};
use crate::rule;
use crate::stats::{median, Bound, Control, Estimate, Verdict};
use crate::views::{ratio, Point, Track, View, FLOOR_RUST};
use std::collections::BTreeMap;

/// A published target. It is judged in every cell that it names, in each placement seen.
struct Target {
    words: &'static str,
    benchmarks: &'static [Benchmark],
    payloads: &'static [u32],
    capacities: &'static [u32],
    subject: Subject,
    against: Against,
    bound: Bound,
}

/// Who is to reach it.
enum Subject {
    Queues(&'static [&'static str]),
    /// The queue that the published rule names for the cell.
    Ruled,
}

/// What it is measured against.
enum Against {
    /// The ratio to another queue.
    Queue(&'static str),
    /// The ratio to the best of several, chosen on the other half of the rounds than those it is compared in.
    Best(&'static [&'static str]),
    /// The ratio to the best peer that was measured, chosen likewise.
    BestPeer,
    /// The same of the 99.9th percentile.
    BestTail,
    /// The ratio to the ring by line of the same language.
    ByLine,
    /// The ratio to the same ring in C++.
    InCpp,
    /// Nanoseconds of a push and a pop over the same ring inlined in C++.
    OverInline,
}

const LANGUAGE: f64 = 1.12;

/// What the targets of single cells name.
const PAYLOADS: [u32; 2] = [8, 48];
const CAPACITIES: [u32; 3] = [64, 1024, 65536];

/// Every queue of another project.
pub const PEERS: [&str; 11] = [
    REFERENCE,
    "boost",
    "boost-fixed",
    "moodycamel",
    "atomic_queue",
    "atomic_queue-optimist",
    "heapless",
    "rtrb",
    "crossbeam",
    "ringbuf",
    OPTIONAL,
];

/// Those of them that copy batches by operations of their own.
pub const BULK_PEERS: [&str; 4] = ["boost", "boost-fixed", "rtrb", "ringbuf"];

/// The peer that few machines have: the best of the peers is the best of the others where it is not there.
const OPTIONAL: &str = "folly";

/// Where messages pass through the same ring. Not `pop_empty`: no message passes there, and what it compares is the shape
/// that two compilers give a loop around one load.
const MESSAGES_PASS: [Benchmark; 5] = [
    Benchmark::RoundTrip,
    Benchmark::OneWay,
    Benchmark::Throughput,
    Benchmark::BulkThroughput,
    Benchmark::SingleThread,
];

/// By the words of this one, undecided will do: rounds without end would not decide it.
const TAIL: &str =
    "the slowest thousandth one way is no slower than the best peer's, or it is undecided";

const TARGETS: [Target; 15] = [
    Target {
        words: "by line in C++, a round trip takes at most 0.64 of rigtorp's",
        benchmarks: &[Benchmark::RoundTrip],
        payloads: &[8, 48],
        capacities: &[1024],
        subject: Subject::Queues(&["line-cpp"]),
        against: Against::Queue(REFERENCE),
        bound: Bound::AtMost(0.64),
    },
    Target {
        words: "by line in Rust, a round trip takes at most 0.70 of rigtorp's",
        benchmarks: &[Benchmark::RoundTrip],
        payloads: &[8, 48],
        capacities: &[1024],
        subject: Subject::Queues(&["line-rust"]),
        against: Against::Queue(REFERENCE),
        bound: Bound::AtMost(0.70),
    },
    Target {
        words: "by line in C++, a message one way takes at most 0.60 of rigtorp's time",
        benchmarks: &[Benchmark::OneWay],
        payloads: &[8, 48],
        capacities: &[1024],
        subject: Subject::Queues(&["line-cpp"]),
        against: Against::Queue(REFERENCE),
        bound: Bound::AtMost(0.60),
    },
    Target {
        words: "by line in C++, latency is ahead of every peer's",
        benchmarks: &[Benchmark::RoundTrip, Benchmark::OneWay],
        payloads: &[8, 48],
        capacities: &[1024],
        subject: Subject::Queues(&["line-cpp"]),
        against: Against::BestPeer,
        bound: Bound::AtMost(1.0),
    },
    Target {
        words: TAIL,
        benchmarks: &[Benchmark::OneWay],
        payloads: &[8, 48],
        capacities: &[1024],
        subject: Subject::Queues(&["line-cpp"]),
        against: Against::BestTail,
        bound: Bound::AtMost(1.0),
    },
    Target {
        words: "by index, a round trip takes at most 1.03 of rigtorp's",
        benchmarks: &[Benchmark::RoundTrip],
        payloads: &PAYLOADS,
        capacities: &CAPACITIES,
        subject: Subject::Queues(&["ring-cpp", "ring-rust"]),
        against: Against::Queue("rigtorp"),
        bound: Bound::AtMost(1.03),
    },
    Target {
        words: "for many producers, with one, a round trip takes at most 1.15 of that by line",
        benchmarks: &[Benchmark::RoundTrip],
        payloads: &[8, 48],
        capacities: &[1024],
        subject: Subject::Queues(&["mpsc-cpp", "mpsc-rust"]),
        against: Against::ByLine,
        bound: Bound::AtMost(1.15),
    },
    Target {
        words:
            "the kind that the rule names passes 1.2 times what the best of rigtorp and boost does",
        benchmarks: &[Benchmark::Throughput],
        payloads: &PAYLOADS,
        capacities: &CAPACITIES,
        subject: Subject::Ruled,
        against: Against::Best(&["rigtorp", "boost", "boost-fixed"]),
        bound: Bound::AtLeast(1.2),
    },
    Target {
        words: "the kind that the rule names passes more than every peer does",
        benchmarks: &[Benchmark::Throughput],
        payloads: &catalog::PAYLOADS,
        capacities: &catalog::CAPACITIES,
        subject: Subject::Ruled,
        against: Against::Best(&PEERS),
        bound: Bound::AtLeast(1.0),
    },
    Target {
        words: "spans pass at least 0.6 of what blocks do",
        benchmarks: &[Benchmark::BulkThroughput],
        payloads: &catalog::PAYLOADS,
        capacities: &catalog::CAPACITIES,
        subject: Subject::Queues(&["ring-cpp-span"]),
        against: Against::Queue(BLOCK),
        bound: Bound::AtLeast(0.6),
    },
    Target {
        words: "copied batches pass as fast as boost's",
        benchmarks: &[Benchmark::BulkThroughput],
        payloads: &PAYLOADS,
        capacities: &CAPACITIES,
        subject: Subject::Queues(&["ring-cpp"]),
        against: Against::Best(&["boost", "boost-fixed"]),
        bound: Bound::AtLeast(1.0),
    },
    Target {
        words: "spans of 8-byte messages pass 1.5 times as fast as boost's batches",
        benchmarks: &[Benchmark::BulkThroughput],
        payloads: &[8],
        capacities: &CAPACITIES,
        subject: Subject::Queues(&["ring-cpp-span"]),
        against: Against::Best(&["boost", "boost-fixed"]),
        bound: Bound::AtLeast(1.5),
    },
    Target {
        words: "Rust is within 12 % of C++",
        benchmarks: &MESSAGES_PASS,
        payloads: &PAYLOADS,
        capacities: &CAPACITIES,
        subject: Subject::Queues(&["line-rust", "ring-rust", "ring-rust-span"]),
        against: Against::InCpp,
        bound: Bound::Between(1.0 / LANGUAGE, LANGUAGE),
    },
    Target {
        words: "the floor in Rust is within 12 % of that in C++ (control)",
        benchmarks: &[Benchmark::RoundTrip],
        payloads: &PAYLOADS,
        capacities: &CAPACITIES,
        subject: Subject::Queues(&[FLOOR_RUST]),
        against: Against::InCpp,
        bound: Bound::Between(1.0 / LANGUAGE, LANGUAGE),
    },
    Target {
        words: "a push and a pop through the C ABI take at most 5 ns more than inlined",
        benchmarks: &[Benchmark::SingleThread],
        payloads: &PAYLOADS,
        capacities: &CAPACITIES,
        subject: Subject::Queues(&["line-c", "ring-c"]),
        against: Against::OverInline,
        bound: Bound::AtMost(5.0),
    },
];

/// Every target that the view has the queues for.
pub fn judge(view: &View) -> Vec<TargetRow> {
    let control = control(view);
    let mut rows = Vec::new();
    for target in TARGETS.iter().filter(|target| target.names(&view.group)) {
        for queue in target.queues(&view.group) {
            if let Some((against, estimate)) = view
                .track(queue)
                .and_then(|track| target.measure(view, track))
            {
                let drops = view.track(queue).is_some_and(|track| track.drops > 0);
                let control = if drops { Control::Failed } else { control };
                rows.push(target.row(view, queue, against, &estimate, control));
            }
        }
    }
    rows
}

/// The targets with queues of which there is no round in any cell that the target names.
pub fn unmeasured(groups: &[GroupData]) -> Vec<Unmeasured> {
    let missing = |target: &Target| {
        let mut missing = Vec::new();
        for queue in target.everyone() {
            let in_group = |data: &GroupData| target.names(&data.group) && has_rounds(data, &queue);
            if !groups.iter().any(in_group) && !missing.contains(&queue) {
                missing.push(queue);
            }
        }
        missing
    };
    TARGETS
        .iter()
        .map(|target| Unmeasured {
            target: target.words.to_owned(),
            queues: missing(target),
        })
        .filter(|entry| !entry.queues.is_empty())
        .collect()
}

fn has_rounds(data: &GroupData, queue: &str) -> bool {
    let samples = data
        .series
        .iter()
        .flat_map(|series| series.samples.iter().map(|sample| (series.queue, sample)));
    // The reference and the floor are measured with every queue.
    samples.into_iter().any(|(of, sample)| match queue {
        REFERENCE => sample.reference.is_some(),
        floor if floor.starts_with(FLOOR) => true,
        _ => of == queue,
    })
}

/// Whether rounds are worth adding while a target is undecided.
pub fn must_be_decided(words: &str) -> bool {
    words != TAIL
}

/// Whether a target is still one, in the same words.
pub fn is_current(words: &str) -> bool {
    TARGETS.iter().any(|target| target.words == words)
}

/// Where a target stands in the list.
pub fn rank(words: &str) -> usize {
    TARGETS
        .iter()
        .position(|target| target.words == words)
        .unwrap_or(TARGETS.len())
}

/// The control of a view.
pub fn control(view: &View) -> Control {
    Control::of(
        view.track(CONTROL)
            .and_then(|track| view.to_reference(track))
            .as_ref(),
    )
}

impl Target {
    fn names(&self, group: &Group) -> bool {
        self.benchmarks.contains(&group.benchmark)
            && self.payloads.contains(&group.payload)
            && self.capacities.contains(&group.capacity)
    }

    /// Who is to reach it in a group.
    fn queues(&self, group: &Group) -> Vec<&'static str> {
        match self.subject {
            Subject::Queues(queues) => queues.to_vec(),
            Subject::Ruled => vec![rule::queue(group.payload, group.capacity)],
        }
    }

    /// Whoever takes part in it, on either side.
    fn everyone(&self) -> Vec<String> {
        let named = plan::groups(self.benchmarks, self.payloads, self.capacities)
            .into_iter()
            .filter(|group| self.names(group));
        let sides = |queue: &str| {
            let against = match self.against {
                Against::Queue(other) => vec![other.to_owned()],
                Against::Best(others) => others.iter().map(ToString::to_string).collect(),
                Against::BestPeer | Against::BestTail => vec![REFERENCE.to_owned()],
                Against::ByLine => vec![by_line(queue)],
                Against::InCpp => vec![in_cpp(queue)],
                Against::OverInline => vec![inlined(queue)],
            };
            std::iter::once(queue.to_owned())
                .chain(against)
                .collect::<Vec<_>>()
        };
        named
            .flat_map(|group| self.queues(&group))
            .flat_map(sides)
            .collect()
    }

    fn measure(&self, view: &View, track: &Track) -> Option<(String, Estimate)> {
        match self.against {
            Against::Queue(queue) => to_queue(view, track, queue.to_owned()),
            Against::Best(queues) => {
                let (others, ratios) = to_best(view, track, queues)?;
                Some((
                    format!("the best of {}", others.join(", ")),
                    Estimate::of(ratios)?,
                ))
            }
            Against::BestPeer => {
                let others = peers(view);
                Some((
                    best_of(&others),
                    Estimate::of(against_best(track, &others, ratio, score(view))?)?,
                ))
            }
            Against::BestTail => {
                let mut others = peers(view);
                // The reference's single messages are not kept; its twin's are.
                for other in &mut others {
                    if other.queue == REFERENCE {
                        *other = view.track(CONTROL)?;
                    }
                }
                let tail = |point: &Point| point.tail.unwrap_or(f64::NAN);
                let tails = against_best(
                    track,
                    &others,
                    |one, other| tail(one) / tail(other),
                    |point| -tail(point),
                )?;
                let estimate = Estimate::of(tails)?;
                Some((format!("p99.9 of {}", best_of(&peers(view))), estimate))
            }
            Against::ByLine => to_queue(view, track, by_line(track.queue)),
            Against::InCpp => to_queue(view, track, in_cpp(track.queue)),
            Against::OverInline => {
                let twin = inlined(track.queue);
                let ns = |million_a_second: f64| 1e3 / million_a_second;
                let over = track.beside(view.track(&twin)?, |one, other| {
                    ns(one.value) - ns(other.value)
                });
                let estimate = Estimate::of(over.map(|(_, over)| over))?;
                Some((twin, estimate))
            }
        }
    }

    fn row(
        &self,
        view: &View,
        queue: &str,
        against: String,
        estimate: &Estimate,
        control: Control,
    ) -> TargetRow {
        TargetRow {
            target: self.words.to_owned(),
            benchmark: view.group.benchmark.name().to_owned(),
            queue: queue.to_owned(),
            against,
            payload_bytes: view.group.payload,
            capacity: view.group.capacity,
            placement: view.placement.name().to_owned(),
            bound: match self.bound {
                Bound::AtMost(most) => format!("<= {most:.2}"),
                Bound::AtLeast(least) => format!(">= {least:.2}"),
                Bound::Between(least, most) => format!("{least:.2} to {most:.2}"),
            },
            value: estimate.median,
            ci: estimate.interval,
            rounds: estimate.count,
            verdict: Verdict::on(estimate, self.bound, control).name().to_owned(),
        }
    }
}

/// The ratio to one other queue in every round.
fn to_queue(view: &View, track: &Track, queue: String) -> Option<(String, Estimate)> {
    let other = view.track(&queue)?;
    let ratios = track.beside(other, ratio).map(|(_, ratio)| ratio);
    Some((queue, Estimate::of(ratios)?))
}

/// The ring by line of the same language as one of many producers.
fn by_line(queue: &str) -> String {
    queue.replace("mpsc-", "line-")
}

/// The same ring in C++ as one in Rust.
fn in_cpp(queue: &str) -> String {
    queue.replace("-rust", "-cpp")
}

/// The same ring inlined as one behind the C ABI.
fn inlined(queue: &str) -> String {
    format!("{queue}pp")
}

/// The ratio to the best of several in every round, and which they were; none if one of them was not measured. Choosing the
/// best by the same rounds that it is compared in would favour whoever was lucky in them, so each half of the rounds is
/// compared with the best of the other half.
pub fn to_best(
    view: &View,
    track: &Track,
    queues: &[&'static str],
) -> Option<(Vec<&'static str>, Vec<f64>)> {
    let mut others = Vec::new();
    for queue in queues {
        match view.track(queue) {
            Some(track) => others.push(track),
            None if *queue == OPTIONAL => {}
            None => return None,
        }
    }
    let names = others.iter().map(|track| track.queue).collect();
    Some((names, against_best(track, &others, ratio, score(view))?))
}

/// Every queue of another project that has a track.
fn peers(view: &View) -> Vec<&Track> {
    let is_peer = |queue: &catalog::Queue| queue.peer.is_some() && queue.id != CONTROL;
    let ids = catalog::QUEUES.iter().filter(|queue| is_peer(queue));
    ids.filter_map(|queue| view.track(queue.id)).collect()
}

fn best_of(tracks: &[&Track]) -> String {
    let ids: Vec<&str> = tracks.iter().map(|track| track.queue).collect();
    format!("the best of {}", ids.join(", "))
}

/// What is more of the better.
fn score(view: &View) -> impl Fn(&Point) -> f64 {
    let sign = if view.group.benchmark.is_time() {
        -1.0
    } else {
        1.0
    };
    move |point| sign * point.relative
}

/// What `compare` makes of a track and the best of several, in every round.
fn against_best(
    track: &Track,
    others: &[&Track],
    compare: impl Fn(&Point, &Point) -> f64,
    score: impl Fn(&Point) -> f64,
) -> Option<Vec<f64>> {
    let mut ratios = BTreeMap::new();
    for half in [0, 1] {
        let best = best_in(others, 1 - half, &score)?;
        ratios.extend(
            track
                .beside(best, &compare)
                .filter(|(round, _)| round % 2 == half),
        );
    }
    Some(ratios.into_values().collect())
}

fn best_in<'a>(
    tracks: &[&'a Track],
    half: u32,
    score: impl Fn(&Point) -> f64,
) -> Option<&'a Track> {
    let scored = tracks.iter().filter_map(|track| {
        let rounds = track.points.iter().filter(|(round, _)| *round % 2 == half);
        Some((median(rounds.map(|(_, point)| score(point)))?, *track))
    });
    scored
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, track)| track)
}
