//! The measuring stand: times a kernel on the two threads, or two of them one right after the other, and probes the floor.

use crate::abi::{Kernel, Pace, Run};
use crate::catalog::{Benchmark, RATE};
use crate::clock::Clock;
use crate::measure::Distribution;
use crate::one_way::{self, OneWay};
use crate::plan::{self, Group};
use crate::probe::{Probe, Prober};
use crate::registry::Registry;
use crate::stats;
use crate::threads::{Cell, Crew};
use crate::watchdog::Watchdog;
use anyhow::{bail, Result};
use fastrand::Rng;
use std::sync::atomic::{AtomicU64, Ordering};

/// Messages in a sample of `round_trip`: the median is taken over batches, so that reading the clock weighs little.
const BATCH: u64 = 32;

/// Single messages timed in a round for the percentiles, so that the base rounds give 10^6, with some to spare.
const SINGLES: u64 = 75_000;

/// By how much `one_way` may send late without its counting, in nanoseconds: several readings of the clock, and far below any
/// time that a core is taken away for.
const GRAIN_NS: f64 = 200.0;

/// What is measured: a queue's kernel in a group.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is called where something goes wrong.
    pub name: String,
    kernel: Kernel,
    group: Group,
    messages: Option<u64>,
}

impl Subject {
    /// A kernel of the group's benchmark and size.
    pub fn new(name: impl Into<String>, kernel: Kernel, group: Group) -> Self {
        Self {
            name: name.into(),
            kernel,
            group,
            messages: None,
        }
    }

    /// With so many messages, whatever the plan says.
    pub fn passing(self, messages: u64) -> Self {
        Self {
            messages: Some(messages),
            ..self
        }
    }

    /// The group.
    pub fn group(&self) -> &Group {
        &self.group
    }
}

/// The two threads and all that is needed to time kernels on them.
pub struct Stand<'a> {
    crew: &'a mut Crew,
    clock: Clock,
    prober: Prober,
    watchdog: Watchdog,
    rng: Rng,
    samples: Vec<AtomicU64>,
    arrivals: Vec<AtomicU64>,
    rate: u32,
    hint: usize,
    smoke: bool,
}

impl<'a> Stand<'a> {
    /// Over the two threads of `crew`, with the hint of that number; next to no messages if it is a `smoke` test.
    ///
    /// # Errors
    ///
    /// If the watchdog or the probes cannot be set up.
    pub fn new(
        registry: &Registry,
        crew: &'a mut Crew,
        clock: Clock,
        hint: usize,
        smoke: bool,
    ) -> Result<Self> {
        Ok(Self {
            crew,
            clock,
            prober: Prober::new(registry)?,
            watchdog: Watchdog::new()?,
            rng: Rng::new(),
            samples: (0..SINGLES).map(|_| AtomicU64::new(0)).collect(),
            arrivals: (0..SINGLES).map(|_| AtomicU64::new(0)).collect(),
            rate: RATE,
            hint,
            smoke,
        })
    }

    /// With so many messages a second in `one_way`.
    pub fn at_rate(mut self, rate: u32) -> Self {
        self.rate = rate;
        self
    }

    /// For orders and places that differ from round to round.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Measures the floor.
    pub fn probe(&mut self) -> Probe {
        self.watchdog.start("a probe of the floor");
        self.prober.probe(self.crew, &self.clock, self.hint)
    }

    /// The figures of a subject and of its reference, if it has one, which runs right after or right before it. `None` if the
    /// system interfered.
    ///
    /// # Errors
    ///
    /// If a queue delivered something else than what was sent.
    pub fn pair(
        &mut self,
        subject: &Subject,
        reference: Option<&Subject>,
        first: bool,
    ) -> Result<Option<(f64, Option<f64>)>> {
        self.beside(subject, reference, first, Self::figure)
    }

    /// As [`Self::pair`], with all there is to say of messages of `one_way`.
    ///
    /// # Errors
    ///
    /// If a queue delivered something else than what was sent, or before it was sent.
    pub fn one_way_pair(
        &mut self,
        subject: &Subject,
        reference: Option<&Subject>,
        first: bool,
    ) -> Result<Option<(OneWay, Option<OneWay>)>> {
        self.beside(subject, reference, first, Self::one_way)
    }

    fn beside<T>(
        &mut self,
        subject: &Subject,
        reference: Option<&Subject>,
        first: bool,
        measure: impl Fn(&mut Self, &Subject) -> Result<Option<T>>,
    ) -> Result<Option<(T, Option<T>)>> {
        let mut beside = None;
        if let (Some(reference), false) = (reference, first) {
            beside = measure(self, reference)?;
        }
        let value = measure(self, subject)?;
        if let (Some(reference), true) = (reference, first) {
            beside = measure(self, reference)?;
        }
        let complete = beside.is_some() || reference.is_none();
        Ok(value.filter(|_| complete).map(|value| (value, beside)))
    }

    /// One cell: nanoseconds, or million a second; `None` if the system took a thread off its core.
    ///
    /// # Errors
    ///
    /// If the queue delivered something else than what was sent.
    pub fn figure(&mut self, subject: &Subject) -> Result<Option<f64>> {
        if subject.group.benchmark == Benchmark::OneWay {
            return Ok(self.one_way(subject)?.map(|cell| cell.mean));
        }
        let messages = self.messages(subject);
        let is_time = subject.group.benchmark.is_time();
        // A rate has no samples, however long its run.
        let batch = if is_time { BATCH } else { messages };
        let Some(ticks) = self.time(subject, messages, batch)? else {
            return Ok(None);
        };
        if is_time {
            let samples = self.samples[..(messages / BATCH) as usize].iter();
            return Ok(stats::median(samples.map(|ticks| {
                self.clock.ns(ticks.load(Ordering::Relaxed)) / BATCH as f64
            })));
        }
        const NS_PER_US: f64 = 1e3;
        Ok(Some(messages as f64 / self.clock.ns(ticks) * NS_PER_US))
    }

    /// How many messages pass in a cell of this subject.
    pub fn messages(&self, subject: &Subject) -> u64 {
        if self.smoke {
            return 10 * BATCH;
        }
        let planned = || match subject.group.benchmark {
            Benchmark::OneWay => plan::paced(self.rate).min(SINGLES),
            _ => subject.group.messages(&subject.name),
        };
        subject.messages.unwrap_or_else(planned)
    }

    /// Round trips timed one by one: each holds the cost of reading the clock, which matters little far from the median.
    ///
    /// # Errors
    ///
    /// If the queue delivered something else than what was sent.
    pub fn single_messages(&mut self, subject: &Subject) -> Result<Option<Distribution>> {
        if self.time(subject, SINGLES, 1)?.is_none() {
            return Ok(None);
        }
        let mut distribution = Distribution::new(3)?;
        for ticks in &self.samples {
            distribution.record(self.clock.ns(ticks.load(Ordering::Relaxed)) as u64)?;
        }
        Ok(Some(distribution))
    }

    /// Messages on the schedule, half of them from the first core to the second and half the other way; `None` if the system took a
    /// thread off its core.
    ///
    /// # Errors
    ///
    /// If the queue delivered something else than what was sent, or before it was sent.
    pub fn one_way(&mut self, subject: &Subject) -> Result<Option<OneWay>> {
        const NS_PER_S: f64 = 1e9;
        let messages = self.messages(subject) / 2 + one_way::WARMING as u64;
        let mut drops = 0;
        let mut directions = [Vec::new(), Vec::new()];
        for (reversed, direction) in (0..).zip(&mut directions) {
            let pace = Pace {
                period: self.clock.ticks(NS_PER_S / f64::from(self.rate)),
                grain: self.clock.ticks(GRAIN_NS),
                reversed,
            };
            let run = Run::paced(messages, pace, &self.samples, &self.arrivals);
            if !self.undisturbed(subject, &run)? {
                return Ok(None);
            }
            drops += run.dropped.load(Ordering::Relaxed);
            let stamp = |stamp: &AtomicU64| stamp.load(Ordering::Relaxed);
            let stamps = self
                .samples
                .iter()
                .map(stamp)
                .zip(self.arrivals.iter().map(stamp));
            let stamps = stamps.take(messages as usize);
            *direction = one_way::latencies(stamps, &self.clock, &subject.name)?;
        }
        Ok(Some(OneWay::of(directions, drops)?))
    }

    fn time(&mut self, subject: &Subject, messages: u64, batch: u64) -> Result<Option<u64>> {
        let run = Run::new(messages, batch, &self.samples);
        let undisturbed = self.undisturbed(subject, &run)?;
        Ok(undisturbed.then(|| run.ticks.load(Ordering::Relaxed)))
    }

    /// Runs the kernel over a queue of its own; whether the system left both threads on their cores.
    fn undisturbed(&mut self, subject: &Subject, run: &Run) -> Result<bool> {
        let Subject {
            name,
            kernel,
            group,
            ..
        } = subject;
        self.watchdog.start(&format!("{name} in {group}"));
        // Moves what is allocated next, so that no queue keeps the luck of one address.
        let shift: Vec<u8> = Vec::with_capacity(64 * self.rng.usize(1..=1024));
        let mut cell = Cell::new(kernel, group.capacity as usize);
        let switches = cell.run(self.crew, self.hint, run);
        drop(cell);
        drop(shift);
        let wrong =
            run.wrong_led.load(Ordering::Relaxed) | run.wrong_followed.0.load(Ordering::Relaxed);
        if wrong != 0 {
            bail!("{name} did not deliver what was sent in {group}");
        }
        Ok(switches == 0)
    }
}
