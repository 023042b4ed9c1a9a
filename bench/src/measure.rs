//! Runs the rounds and keeps what they give.

use crate::catalog::{self, Benchmark, CONTROL, FLOOR, REFERENCE};
use crate::clock::Clock;
use crate::options::Options;
use crate::plan::{self, Group, Turn};
use crate::probe::{Divides, Probe};
use crate::registry::Registry;
use crate::stand::{Stand, Subject};
use crate::threads::Crew;
use anyhow::Result;
use hdrhistogram::Histogram;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// When `--quick` stops.
const QUICK: Duration = Duration::from_secs(76);

/// When a run of neither profile stops, unless it was told how many rounds to run: on a busy machine, or with a target at its
/// very bound, it would go on for an hour.
const USUAL: Duration = Duration::from_secs(8 * 60);

/// Latencies of single messages in nanoseconds.
pub type Distribution = Histogram<u32>;

/// What a queue did in one round.
#[derive(Debug)]
pub struct Sample {
    /// Which round: samples of different queues are compared within it.
    pub round: u32,
    /// Nanoseconds, or million a second.
    pub value: f64,
    /// The same of the reference, measured beside it.
    pub reference: Option<f64>,
    /// The floor, measured around both.
    pub probe: Probe,
    /// Single messages, if they were timed.
    pub singles: Option<Distribution>,
}

impl Sample {
    /// As a multiple of the reference, or as it is where there is no reference.
    pub fn relative(&self) -> f64 {
        self.value / self.reference.unwrap_or(1.0)
    }
}

/// A queue's samples in a group.
#[derive(Debug)]
pub struct Series {
    /// The queue's id.
    pub queue: &'static str,
    /// Those that were kept.
    pub samples: Vec<Sample>,
    /// How many were not.
    pub dropped: u32,
    /// Messages of `one_way` that found the queue full, though the system let both threads run.
    pub drops: u64,
}

impl Series {
    fn kept(&self) -> u32 {
        self.samples.len() as u32
    }
}

/// What was measured of a group.
#[derive(Debug)]
pub struct GroupData {
    /// Which.
    pub group: Group,
    /// For every queue but the reference, which is in every sample.
    pub series: Vec<Series>,
    /// The reference's messages of `one_way` that found the queue full.
    pub reference_drops: u64,
    /// Rounds run.
    rounds: u32,
    /// Rounds that every queue should have kept.
    wanted: u32,
    spent: Duration,
}

impl GroupData {
    /// Nothing measured yet.
    pub fn new(group: Group, queues: impl IntoIterator<Item = &'static str>, wanted: u32) -> Self {
        let empty = |queue| Series {
            queue,
            samples: Vec::new(),
            dropped: 0,
            drops: 0,
        };
        Self {
            group,
            series: queues.into_iter().map(empty).collect(),
            reference_drops: 0,
            rounds: 0,
            wanted,
            spent: Duration::ZERO,
        }
    }

    /// Whether another round is due: a queue has fewer than it should, and there is hope.
    fn is_short(&self) -> bool {
        const TRIES: u32 = 3;
        self.rounds < TRIES * self.wanted
            && self.series.iter().any(|series| series.kept() < self.wanted)
    }
}

/// Measures, and holds what was measured.
pub struct Bench<'a> {
    registry: &'a Registry,
    stand: Stand<'a>,
    singles: bool,
    deadline: Option<Instant>,
    progress: ProgressBar,
    /// The groups measured, in the order of the tables.
    pub groups: Vec<GroupData>,
}

impl<'a> Bench<'a> {
    /// Sets up what `options` ask for, over the two threads of `crew`.
    ///
    /// # Errors
    ///
    /// If the watchdog or the probes cannot be set up.
    pub fn new(
        options: &Options,
        registry: &'a Registry,
        crew: &'a mut Crew,
        clock: Clock,
    ) -> Result<Self> {
        let takes_part = |queue: &str, group: &Group| {
            registry.find(queue, group).is_some()
                && (queue == CONTROL || options.measures(queue, group.benchmark, group.capacity))
        };
        let asked = plan::groups(
            &options.benchmarks(),
            &options.payloads(),
            &options.capacities(),
        );
        let groups: Vec<GroupData> = asked
            .into_iter()
            .map(|group| {
                let queues = catalog::QUEUES
                    .iter()
                    .map(|queue| queue.id)
                    .filter(|&id| id != REFERENCE && id != FLOOR && takes_part(id, &group));
                GroupData::new(group, queues, options.base_rounds())
            })
            .collect();
        let pairs: u64 = groups
            .iter()
            .map(|data| u64::from(data.wanted) * data.series.len() as u64)
            .sum();
        // Hidden unless the error stream is a terminal.
        let progress = ProgressBar::new(pairs).with_style(ProgressStyle::with_template(
            "{elapsed_precise} {bar:30} {pos}/{len} pairs, {wide_msg}",
        )?);
        Ok(Self {
            registry,
            stand: Stand::new(registry, crew, clock, options.hint as usize, options.smoke)?
                .at_rate(options.rate),
            singles: !options.quick,
            deadline: match (options.quick, options.full, options.rounds) {
                (true, ..) => Some(Instant::now() + QUICK),
                (_, false, None) if !options.is_one_way_alone() => Some(Instant::now() + USUAL),
                _ => None,
            },
            progress,
            groups,
        })
    }

    /// Runs rounds until every group has kept those it wants, or lost too many. The next is always of the group that had the least time for its share, so that
    /// each is spread over the whole comparison and none starves the others.
    ///
    /// # Errors
    ///
    /// If a queue delivered something else than what was sent.
    pub fn run(&mut self) -> Result<()> {
        loop {
            let next = self
                .groups
                .iter()
                .enumerate()
                .filter(|(_, data)| data.is_short());
            let Some((index, _)) = next.min_by_key(|(_, data)| data.spent / data.group.share())
            else {
                break;
            };
            if self
                .deadline
                .is_some_and(|deadline| Instant::now() > deadline)
            {
                break;
            }
            let start = Instant::now();
            self.round(index)?;
            let data = &mut self.groups[index];
            data.rounds += 1;
            data.spent += start.elapsed();
        }
        Ok(())
    }

    /// Asks for more rounds of a group, `most` in all. Returns whether it gets any.
    pub fn extend(&mut self, group: &Group, most: u32) -> bool {
        const MORE: u32 = 5;
        let Some(data) = self.groups.iter_mut().find(|data| data.group == *group) else {
            return false;
        };
        let wanted = most.min(data.wanted + MORE);
        if wanted == data.wanted {
            return false;
        }
        self.progress
            .inc_length(u64::from(wanted - data.wanted) * data.series.len() as u64);
        data.wanted = wanted;
        self.singles = false;
        data.is_short()
    }

    /// Ends the progress bar.
    pub fn finish(&self) {
        self.progress.finish_and_clear();
    }

    /// Where the floors of all samples divide the placements.
    pub fn divides(&self) -> Divides {
        let series = self.groups.iter().flat_map(|data| &data.series);
        Divides::of(
            series
                .flat_map(|series| &series.samples)
                .map(|sample| sample.probe.least()),
        )
    }

    fn round(&mut self, index: usize) -> Result<()> {
        let group = self.groups[index].group;
        self.progress.set_message(group.to_string());
        let mut before = self.stand.probe();
        for turn in plan::round(self.groups[index].series.len(), self.stand.rng()) {
            let pair = self.pair(&group, self.groups[index].series[turn.queue].queue, turn)?;
            let after = self.stand.probe();
            let GroupData {
                series,
                reference_drops,
                rounds,
                wanted,
                ..
            } = &mut self.groups[index];
            let series = &mut series[turn.queue];
            if let Some(pair) = &pair {
                series.drops += pair.drops[0];
                *reference_drops += pair.drops[1];
            }
            match pair {
                Some(pair) if before.agrees(&after) && pair.drops == [0, 0] => {
                    self.progress.inc(u64::from(series.kept() < *wanted));
                    series.samples.push(Sample {
                        round: *rounds,
                        value: pair.value,
                        reference: pair.reference,
                        probe: before.between(&after),
                        singles: pair.singles,
                    });
                }
                _ => series.dropped += 1,
            }
            before = after;
        }
        Ok(())
    }

    /// A queue and the reference, one right after the other. `None` if the system interfered.
    fn pair(&mut self, group: &Group, queue: &'static str, turn: Turn) -> Result<Option<Pair>> {
        let Some(&kernel) = self.registry.find(queue, group) else {
            return Ok(None);
        };
        let subject = Subject::new(queue, kernel, *group);
        let reference = self.registry.find(REFERENCE, group);
        let reference = reference.map(|&kernel| Subject::new(REFERENCE, kernel, *group));
        if group.benchmark == Benchmark::OneWay {
            let cells = self
                .stand
                .one_way_pair(&subject, reference.as_ref(), turn.first)?;
            return Ok(cells.map(|(cell, beside)| Pair {
                value: cell.mean,
                reference: beside.as_ref().map(|beside| beside.mean),
                singles: Some(cell.latencies),
                drops: [cell.drops, beside.map_or(0, |beside| beside.drops)],
            }));
        }
        let figures = self.stand.pair(&subject, reference.as_ref(), turn.first)?;
        let singles = match group.benchmark {
            Benchmark::RoundTrip if self.singles => self.stand.single_messages(&subject)?,
            _ => None,
        };
        Ok(figures.map(|(value, reference)| Pair {
            value,
            reference,
            singles,
            drops: [0, 0],
        }))
    }
}

/// A queue's figure and the reference's beside it.
struct Pair {
    value: f64,
    reference: Option<f64>,
    singles: Option<Distribution>,
    /// Messages of each that found the queue full.
    drops: [u64; 2],
}
