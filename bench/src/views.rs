//! The samples sorted for judging: by group and placement, each queue's by round.

use crate::catalog::{Benchmark, FLOOR, QUEUES, REFERENCE};
use crate::measure::{Distribution, GroupData, Sample};
use crate::plan::Group;
use crate::probe::{Divides, Placement, PLACEMENTS};
use crate::stats::{median, Estimate};
use std::collections::BTreeMap;

/// The floor in C++, beside the floor itself.
pub const FLOOR_CPP: &str = "floor-cpp";
/// The floor in Rust.
pub const FLOOR_RUST: &str = "floor-rust";

/// What a queue did in one round.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Nanoseconds, or million a second.
    pub value: f64,
    /// As a multiple of the reference beside it, or as it is where there is none.
    pub relative: f64,
    /// The least that there could be: the floor around it, or half of it one way.
    pub floor: f64,
    /// The 99.9th percentile of single messages, if they were timed.
    pub tail: Option<f64>,
}

/// A queue's rounds.
#[derive(Debug)]
pub struct Track {
    /// The queue's id.
    pub queue: &'static str,
    /// By number of the round.
    pub points: BTreeMap<u32, Point>,
    /// Rounds dropped, in any placement.
    pub dropped: u32,
    /// Messages that found the queue full, in any placement.
    pub drops: u64,
    /// Single messages of all rounds.
    pub singles: Option<Distribution>,
}

/// A group in one placement.
#[derive(Debug)]
pub struct View {
    /// The group.
    pub group: Group,
    /// The placement.
    pub placement: Placement,
    /// Whether there is a reference, so that ratios to it mean something.
    pub has_reference: bool,
    /// In the order of the tables.
    pub tracks: Vec<Track>,
}

impl View {
    /// A group's view in each placement that was seen.
    pub fn of(data: &GroupData, divides: Divides) -> Vec<Self> {
        PLACEMENTS
            .into_iter()
            .filter_map(|placement| Self::in_one(data, divides, placement))
            .collect()
    }

    fn in_one(data: &GroupData, divides: Divides, placement: Placement) -> Option<Self> {
        let here = |sample: &&Sample| divides.placement(sample.probe.least()) == placement;
        let all: Vec<&Sample> = data
            .series
            .iter()
            .flat_map(|series| &series.samples)
            .filter(here)
            .collect();
        if all.is_empty() {
            return None;
        }
        let mut tracks: Vec<Track> = data
            .series
            .iter()
            .map(|series| Track {
                queue: series.queue,
                points: series
                    .samples
                    .iter()
                    .filter(here)
                    .map(|sample| (sample.round, point(sample, data.group.benchmark)))
                    .collect(),
                dropped: series.dropped,
                drops: series.drops,
                singles: merged(series.samples.iter().filter(here)),
            })
            .filter(|track| !track.points.is_empty())
            .collect();
        let has_reference = all.iter().any(|sample| sample.reference.is_some());
        if has_reference {
            tracks.push(Track {
                drops: data.reference_drops,
                ..derived(REFERENCE, &all, data.group.benchmark, |sample| {
                    sample.reference.unwrap_or_default()
                })
            });
        }
        if data.group.benchmark == Benchmark::RoundTrip {
            let mut floor = |name, value: fn(&Sample) -> f64| {
                tracks.push(derived(name, &all, Benchmark::RoundTrip, value));
            };
            floor(FLOOR, |sample| sample.probe.least());
            floor(FLOOR_CPP, |sample| sample.probe.cpp);
            floor(FLOOR_RUST, |sample| sample.probe.rust);
        }
        tracks.sort_by_key(|track| order(track.queue));
        Some(Self {
            group: data.group,
            placement,
            has_reference,
            tracks,
        })
    }

    /// A queue's track, if it has any rounds here.
    pub fn track(&self, queue: &str) -> Option<&Track> {
        self.tracks.iter().find(|track| track.queue == queue)
    }

    /// A queue's multiples of the reference.
    pub fn to_reference(&self, track: &Track) -> Option<Estimate> {
        self.has_reference
            .then(|| Estimate::of(track.points.values().map(|point| point.relative)))?
    }
}

impl Track {
    /// Single messages: nanoseconds, to the two digits that a figure shows, and how many took as long.
    pub fn histogram(&self) -> Option<Vec<[u64; 2]>> {
        self.singles.as_ref().map(compact)
    }

    /// What `compare` makes of this queue and another, in every round that both have.
    pub fn beside<'a>(
        &'a self,
        other: &'a Self,
        compare: impl Fn(&Point, &Point) -> f64 + 'a,
    ) -> impl Iterator<Item = (u32, f64)> + 'a {
        self.points.iter().filter_map(move |(round, point)| {
            Some((*round, compare(point, other.points.get(round)?)))
        })
    }
}

/// The ratio of two queues in a round: of their multiples of the reference, which take out what changed between the pairs.
pub fn ratio(one: &Point, other: &Point) -> f64 {
    one.relative / other.relative
}

fn point(sample: &Sample, benchmark: Benchmark) -> Point {
    const TAIL: f64 = 0.999;
    let tail = |singles: &Distribution| singles.value_at_quantile(TAIL) as f64;
    Point {
        value: sample.value,
        relative: sample.relative(),
        floor: sample.probe.least() * benchmark.floor_share(),
        tail: sample.singles.as_ref().map(tail),
    }
}

fn merged<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<Distribution> {
    let mut all: Option<Distribution> = None;
    for singles in samples.filter_map(|sample| sample.singles.as_ref()) {
        match &mut all {
            None => all = Some(singles.clone()),
            // Both have the same digits and grow as needed, so adding cannot fail.
            Some(all) => all.add(singles).unwrap_or_default(),
        }
    }
    all
}

/// A track of something that is measured with every pair: the middle of each round.
fn derived(
    queue: &'static str,
    samples: &[&Sample],
    benchmark: Benchmark,
    value: impl Fn(&Sample) -> f64,
) -> Track {
    let mut rounds: BTreeMap<u32, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        rounds.entry(sample.round).or_default().push(sample);
    }
    let middle = |samples: &[&Sample], value: &dyn Fn(&Sample) -> f64| {
        median(samples.iter().map(|s| value(s))).unwrap_or_default()
    };
    let points = rounds.into_iter().map(|(round, samples)| {
        let point = Point {
            value: middle(&samples, &value),
            relative: middle(&samples, &|sample| {
                value(sample) / sample.reference.unwrap_or(1.0)
            }),
            floor: middle(&samples, &|sample| sample.probe.least()) * benchmark.floor_share(),
            tail: None,
        };
        (round, point)
    });
    Track {
        queue,
        points: points.collect(),
        dropped: 0,
        drops: 0,
        singles: None,
    }
}

fn order(queue: &str) -> (usize, &str) {
    let listed = if queue.starts_with(FLOOR) {
        FLOOR
    } else {
        queue
    };
    (
        QUEUES
            .iter()
            .position(|entry| entry.id == listed)
            .unwrap_or(QUEUES.len()),
        queue,
    )
}

fn compact(singles: &Distribution) -> Vec<[u64; 2]> {
    const DIGITS: u8 = 2;
    let mut coarse = Distribution::new(DIGITS).expect("two digits are allowed");
    for value in singles.iter_recorded() {
        // It grows as needed, so recording cannot fail.
        coarse
            .record_n(value.value_iterated_to(), value.count_at_value())
            .unwrap_or_default();
    }
    let recorded = coarse.iter_recorded();
    recorded
        .map(|value| [value.value_iterated_to(), value.count_at_value().into()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_keeps_every_message_to_two_digits() {
        let mut singles = Distribution::new(3).unwrap();
        singles.record_n(70, 5).unwrap();
        singles.record_n(1_001, 2).unwrap();
        singles.record_n(1_002, 3).unwrap();
        let [[least, few], [more, many]] = compact(&singles)[..] else {
            panic!("{:?}", compact(&singles))
        };
        assert_eq!((least, few, many), (70, 5, 5));
        assert!(more.abs_diff(1_001) <= 10, "{more}");
    }
}
