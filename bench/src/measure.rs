//! Runs the rounds and keeps what they give.

use crate::abi::{Kernel, Run};
use crate::catalog::{self, Benchmark, CONTROL, FLOOR, REFERENCE};
use crate::clock::Clock;
use crate::options::Options;
use crate::plan::{self, Group, Turn};
use crate::probe::{Divides, Probe, Prober};
use crate::registry::Registry;
use crate::stats;
use crate::threads::{Cell, Crew};
use crate::watchdog::Watchdog;
use anyhow::{bail, Result};
use fastrand::Rng;
use hdrhistogram::Histogram;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Messages in a sample of `round_trip`: the median is taken over batches, so that reading the clock weighs little.
const BATCH: u64 = 32;

/// Single messages timed in a round for the percentiles, so that the base rounds give 10^6, with some to spare.
const SINGLES: u64 = 75_000;

/// When `--quick` stops.
const QUICK: Duration = Duration::from_secs(76);

/// When a run without `--quick` stops, unless it was told how many rounds to run: on a busy machine, or with a target at its very
/// bound, it would go on for an hour.
const FULL: Duration = Duration::from_secs(8 * 60);

/// Round trips of single messages in nanoseconds, to three digits.
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
    /// Single round trips, if they were taken.
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
        };
        Self {
            group,
            series: queues.into_iter().map(empty).collect(),
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
    crew: Crew,
    clock: Clock,
    prober: Prober,
    watchdog: Watchdog,
    rng: Rng,
    samples: Vec<AtomicU64>,
    hint: usize,
    singles: bool,
    smoke: bool,
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
        crew: Crew,
        clock: Clock,
    ) -> Result<Self> {
        let takes_part = |queue: &str, group: &Group| registry.find(queue, group).is_some();
        let asked = |queue: &str| options.wants(queue) || queue == CONTROL;
        let groups: Vec<GroupData> = plan::groups(&options.benchmarks())
            .into_iter()
            .map(|group| {
                let queues = catalog::QUEUES.iter().map(|queue| queue.id).filter(|&id| {
                    id != REFERENCE && id != FLOOR && asked(id) && takes_part(id, &group)
                });
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
            crew,
            clock,
            prober: Prober::new(registry)?,
            watchdog: Watchdog::new()?,
            rng: Rng::new(),
            samples: (0..SINGLES).map(|_| AtomicU64::new(0)).collect(),
            hint: options.hint as usize,
            singles: !options.quick,
            smoke: options.smoke,
            deadline: match (options.quick, options.rounds) {
                (true, _) => Some(Instant::now() + QUICK),
                (false, None) => Some(Instant::now() + FULL),
                (false, Some(_)) => None,
            },
            progress,
            groups,
        })
    }

    /// Runs rounds until every group has kept those it wants, or lost too many. The next is always of the group that had the least time, so that
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
            let Some((index, _)) = next.min_by_key(|(_, data)| data.spent) else {
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
        let mut before = self.probe();
        for turn in plan::round(self.groups[index].series.len(), &mut self.rng) {
            let pair = self.pair(&group, self.groups[index].series[turn.queue].queue, turn)?;
            let after = self.probe();
            let GroupData {
                series,
                rounds,
                wanted,
                ..
            } = &mut self.groups[index];
            let series = &mut series[turn.queue];
            match pair {
                Some(pair) if before.agrees(&after) => {
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

    fn probe(&mut self) -> Probe {
        self.watchdog.start("a probe of the floor");
        self.prober.probe(&mut self.crew, &self.clock, self.hint)
    }

    /// A queue and the reference, one right after the other. `None` if the system interfered.
    fn pair(&mut self, group: &Group, queue: &'static str, turn: Turn) -> Result<Option<Pair>> {
        let Some(&kernel) = self.registry.find(queue, group) else {
            return Ok(None);
        };
        let reference = self.registry.find(REFERENCE, group).copied();
        let mut beside = None;
        if let (Some(reference), false) = (&reference, turn.first) {
            beside = self.cell(group, REFERENCE, reference)?;
        }
        let value = self.cell(group, queue, &kernel)?;
        if let (Some(reference), true) = (&reference, turn.first) {
            beside = self.cell(group, REFERENCE, reference)?;
        }
        let singles = match group.benchmark {
            Benchmark::RoundTrip if self.singles => self.single_messages(group, queue, &kernel)?,
            _ => None,
        };
        let complete = beside.is_some() || reference.is_none();
        Ok(value.filter(|_| complete).map(|value| Pair {
            value,
            reference: beside,
            singles,
        }))
    }

    /// One cell: its figure, or `None` if the system took a thread off its core.
    fn cell(&mut self, group: &Group, queue: &str, kernel: &Kernel) -> Result<Option<f64>> {
        let messages = if self.smoke {
            10 * BATCH
        } else {
            group.messages(queue)
        };
        let Some(ticks) = self.time(group, queue, kernel, messages, BATCH)? else {
            return Ok(None);
        };
        if group.benchmark.is_time() {
            let samples = self.samples[..(messages / BATCH) as usize].iter();
            return Ok(stats::median(samples.map(|ticks| {
                self.clock.ns(ticks.load(Ordering::Relaxed)) / BATCH as f64
            })));
        }
        const NS_PER_US: f64 = 1e3;
        Ok(Some(messages as f64 / self.clock.ns(ticks) * NS_PER_US))
    }

    /// Round trips timed one by one: each holds the cost of reading the clock, which matters little far from the median.
    fn single_messages(
        &mut self,
        group: &Group,
        queue: &str,
        kernel: &Kernel,
    ) -> Result<Option<Distribution>> {
        if self.time(group, queue, kernel, SINGLES, 1)?.is_none() {
            return Ok(None);
        }
        let mut distribution = Distribution::new(3)?;
        for ticks in &self.samples {
            distribution.record(self.clock.ns(ticks.load(Ordering::Relaxed)) as u64)?;
        }
        Ok(Some(distribution))
    }

    fn time(
        &mut self,
        group: &Group,
        queue: &str,
        kernel: &Kernel,
        messages: u64,
        batch: u64,
    ) -> Result<Option<u64>> {
        self.watchdog.start(&format!("{queue} in {group}"));
        // Moves what is allocated next, so that no queue keeps the luck of one address.
        let shift: Vec<u8> = Vec::with_capacity(64 * self.rng.usize(1..=1024));
        let mut cell = Cell::new(kernel, group.capacity as usize);
        let run = Run::new(messages, batch, &self.samples);
        let switches = cell.run(&mut self.crew, self.hint, &run);
        drop(cell);
        drop(shift);
        let wrong =
            run.wrong_led.load(Ordering::Relaxed) | run.wrong_followed.0.load(Ordering::Relaxed);
        if wrong != 0 {
            bail!("{queue} did not deliver what was sent in {group}");
        }
        Ok((switches == 0).then(|| run.ticks.load(Ordering::Relaxed)))
    }
}

/// A queue's figure and the reference's beside it.
struct Pair {
    value: f64,
    reference: Option<f64>,
    singles: Option<Distribution>,
}
