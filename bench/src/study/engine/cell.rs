//! A tenth of a second of one pipeline: paced events, and how long each took from end to end.

use super::ends::{Inlet, Outlet};
use crate::away::Away;
use crate::clock::{self, Clock};
use crate::clocks::{Fenced, Source};
use crate::stats::middle_half;
use crate::threads::{free, set_priority, settle, Crew};
use anyhow::{ensure, Context, Result};
use gimmal_engine::RiskEvent;
use std::hint::black_box;

/// From one event to the next, in nanoseconds: 100 kHz.
const PERIOD: f64 = 10_000.0;
/// By how much an event may be late without that being anybody's doing.
const GRAIN: f64 = 200.0;
/// The share of a cell for which a thread may be off its core.
const AWAY: f64 = 0.05;

/// How the two threads of a cell run.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'c> {
    /// The cores that they are on between cells.
    pub cores: [usize; 2],
    /// Those that they may move to meanwhile, if they are not pinned.
    pub free: Option<&'c [usize]>,
    /// Whether the priority that they have between cells is taken from them.
    pub ordinary: bool,
    /// The producer follows.
    pub reversed: bool,
}

/// What one cell says, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The mean of the middle half, which the clock's step does not round.
    pub typical: f64,
    /// Not exceeded by 99 %.
    pub p99: f64,
    /// All of them, in rising order.
    pub latencies: Vec<f32>,
    /// Whether the system kept a thread off its core for long.
    pub disturbed: bool,
}

/// The buffers of the cells, made before any clock runs.
pub struct Cells {
    events: Vec<RiskEvent>,
    late: Vec<u64>,
    taken: Vec<u64>,
}

impl Cells {
    /// For so many events a cell, of these.
    pub fn new(events: Vec<RiskEvent>, count: usize) -> Self {
        Self {
            events,
            late: vec![1; count],
            taken: vec![1; count],
        }
    }

    /// Passes so many events as fast as they go, of which nobody takes note, on the calling thread.
    pub fn warm_up(&self, inlet: &mut impl Inlet, outlet: &mut impl Outlet, events: usize) {
        for event in self.events.iter().cycle().take(events) {
            inlet.submit(event, 0);
            outlet.step(&mut |_, result| {
                black_box(result);
            });
        }
    }

    /// Runs a cell.
    ///
    /// # Errors
    ///
    /// If a thread cannot be set free or put back.
    pub fn run<S: Source>(
        &mut self,
        crew: &mut Crew,
        clock: &Clock,
        threads: Threads<'_>,
        inlet: &mut impl Inlet,
        outlet: &mut impl Outlet,
    ) -> Result<Sample> {
        let Self {
            events,
            late,
            taken,
        } = self;
        let period = clock.ticks(PERIOD);
        let count = late.len();
        let [producer, consumer] = if threads.reversed {
            [threads.cores[1], threads.cores[0]]
        } else {
            threads.cores
        };
        let (mut produced, mut consumed) = (Ok(Away::default()), Ok(Away::default()));
        let produce = || {
            produced = threads.on(producer, || paced::<S>(inlet, events, late, period));
        };
        let consume = || consumed = threads.on(consumer, || stamped::<S>(outlet, taken));
        if threads.reversed {
            crew.both(consume, produce);
        } else {
            crew.both(produce, consume);
        }
        let lasted = count as f64 * PERIOD;
        let disturbed = [produced?, consumed?]
            .iter()
            .any(|away| away.disturbs(lasted, AWAY));
        sample::<S>(clock, late, taken, disturbed)
    }
}

impl Threads<'_> {
    /// Runs one side on the thread of this core; tells how the system kept it from running.
    fn on(&self, core: usize, side: impl FnOnce()) -> Result<Away> {
        // The other side waits for this one, so it runs in any case.
        let freed = self.free.map_or(Ok(()), free);
        let lowered = if self.ordinary {
            set_priority(false)
        } else {
            Ok(())
        };
        let before = Away::so_far();
        side();
        let away = Away::so_far().since(before);
        freed.and(lowered)?;
        if self.free.is_some() {
            settle(core)?;
        }
        if self.ordinary {
            set_priority(true)?;
        }
        Ok(away)
    }
}

/// Submits an event every period, and notes by how much it came late to each.
#[inline(never)]
fn paced<S: Source>(inlet: &mut impl Inlet, events: &[RiskEvent], late: &mut [u64], period: u64) {
    let mut due = clock::now() + period;
    for (late, event) in late.iter_mut().zip(events.iter().cycle()) {
        let mut now = clock::now();
        while now < due {
            now = clock::now();
        }
        *late = now - due;
        // The ring holds more than a cell has.
        while !inlet.submit(event, S::now()) {}
        due += period;
    }
}

/// Takes as many events as there are places, and notes how long each took by its own stamp.
#[inline(never)]
fn stamped<S: Source>(outlet: &mut impl Outlet, taken: &mut [u64]) {
    let mut at = 0;
    while at < taken.len() {
        outlet.step(&mut |enqueued, result| {
            black_box(result);
            // Wraps where the counters of the two cores are apart, which `sample` refuses.
            taken[at] = S::now().wrapping_sub(enqueued);
            at += 1;
        });
    }
}

fn sample<S: Source>(
    clock: &Clock,
    late: &[u64],
    taken: &[u64],
    disturbed: bool,
) -> Result<Sample> {
    let unit = S::ns_per_unit(clock);
    let mut latencies = Vec::with_capacity(taken.len());
    for (&late, &taken) in late.iter().zip(taken) {
        ensure!(
            (taken as i64) >= 0 || S::NAME != Fenced::NAME,
            "an event was taken before it was sent: the counters of the two cores are not synchronised"
        );
        let late = clock.ns(late);
        let since_due = if late > GRAIN { late } else { 0.0 };
        latencies.push(taken as i64 as f64 * unit + since_due);
    }
    latencies.sort_by(f64::total_cmp);
    let p99 = latencies.get(latencies.len() * 99 / 100);
    Ok(Sample {
        p99: *p99.context("no event was timed")?,
        latencies: latencies.iter().map(|&ns| ns as f32).collect(),
        typical: middle_half(latencies).context("no event was timed")?,
        disturbed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock {
        ns_per_tick: 0.5,
        step_ns: 1.0,
        cost_ns: 10.0,
    };

    #[test]
    fn a_producer_that_came_late_is_not_excused() {
        let sample =
            sample::<Fenced>(&CLOCK, &[0, 300, 1000, 0], &[200, 200, 200, 200], false).unwrap();
        assert_eq!(sample.latencies, [100.0, 100.0, 100.0, 600.0]);
        assert_eq!((sample.typical, sample.p99), (100.0, 600.0));
    }

    #[test]
    fn time_that_runs_back_is_refused_of_the_fenced_counter() {
        let before = 5_u64.wrapping_sub(6);
        assert!(super::sample::<Fenced>(&CLOCK, &[0], &[before], false).is_err());
        let plain = super::sample::<crate::clocks::Plain>(&CLOCK, &[0], &[before], false).unwrap();
        assert_eq!(plain.latencies, [-0.5]);
    }
}
