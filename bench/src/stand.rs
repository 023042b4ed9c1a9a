//! The measuring stand: times a kernel on the two threads, or two of them one right after the other, and probes the floor.

use crate::abi::{Kernel, Run};
use crate::clock::Clock;
use crate::measure::Distribution;
use crate::plan::Group;
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

/// What is measured: a queue's kernel in a group.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is called where something goes wrong.
    pub name: String,
    kernel: Kernel,
    group: Group,
}

impl Subject {
    /// A kernel of the group's benchmark and size.
    pub fn new(name: impl Into<String>, kernel: Kernel, group: Group) -> Self {
        Self {
            name: name.into(),
            kernel,
            group,
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
            hint,
            smoke,
        })
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
        let mut beside = None;
        if let (Some(reference), false) = (reference, first) {
            beside = self.figure(reference)?;
        }
        let value = self.figure(subject)?;
        if let (Some(reference), true) = (reference, first) {
            beside = self.figure(reference)?;
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
        let messages = self.messages(subject);
        let Some(ticks) = self.time(subject, messages, BATCH)? else {
            return Ok(None);
        };
        if subject.group.benchmark.is_time() {
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
            10 * BATCH
        } else {
            subject.group.messages(&subject.name)
        }
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

    fn time(&mut self, subject: &Subject, messages: u64, batch: u64) -> Result<Option<u64>> {
        let Subject {
            name,
            kernel,
            group,
        } = subject;
        self.watchdog.start(&format!("{name} in {group}"));
        // Moves what is allocated next, so that no queue keeps the luck of one address.
        let shift: Vec<u8> = Vec::with_capacity(64 * self.rng.usize(1..=1024));
        let mut cell = Cell::new(kernel, group.capacity as usize);
        let run = Run::new(messages, batch, &self.samples);
        let switches = cell.run(self.crew, self.hint, &run);
        drop(cell);
        drop(shift);
        let wrong =
            run.wrong_led.load(Ordering::Relaxed) | run.wrong_followed.0.load(Ordering::Relaxed);
        if wrong != 0 {
            bail!("{name} did not deliver what was sent in {group}");
        }
        Ok((switches == 0).then(|| run.ticks.load(Ordering::Relaxed)))
    }
}
