//! Latency against processor time: what each way of waiting costs and gives, in three regimes of arrivals.

mod arrivals;
mod cell;
mod consumers;
mod judge;
mod notify;
mod show;

use super::result::{Disturbed, Findings};
use super::Setup;
use crate::away;
use crate::probe::{Divides, Placement, Prober};
use crate::registry::Registry;
use anyhow::{Context, Result};
use arrivals::{Regime, REGIMES};
use cell::{Cell, Outcome};
use consumers::{Counter, Waiter, Way, WAYS};
use std::collections::HashMap;

/// How long a cell lasts, in nanoseconds.
const CELL: f64 = 2.4e8;
const QUICK_CELL: f64 = 1e8;

/// What one cell says.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The mean of the middle half, in nanoseconds.
    pub mean: f64,
    /// In nanoseconds.
    pub p50: f64,
    /// Processor time over wall time.
    pub duty: f64,
}

/// The cells of one round, and where the cores were.
pub struct Round {
    floor: f64,
    /// Those that were not disturbed.
    cells: HashMap<(Regime, Way), (Sample, Vec<f64>)>,
    rates: notify::Rates,
}

/// What of a cell's time the system may keep a thread from its core: as much as 1 % of the messages that p99.9 rests on.
const SHARE: f64 = 1e-3;

impl Outcome {
    /// Whether something else had a core for longer than does not matter.
    fn is_disturbed(&self, ns_per_tick: f64) -> bool {
        let lasted = self.lasted as f64 * ns_per_tick;
        self.away.iter().any(|away| away.disturbs(lasted, SHARE))
    }
}

/// All rounds in which the cores were as far apart.
pub struct Placed<'r> {
    /// How far.
    pub placement: Placement,
    /// The rounds.
    pub rounds: Vec<&'r Round>,
}

impl Placed<'_> {
    /// One figure of one cell in every round.
    pub fn each(&self, regime: Regime, way: Way, figure: impl Fn(&Sample) -> f64) -> Vec<f64> {
        self.cells(regime, way)
            .map(|(sample, _)| figure(sample))
            .collect()
    }

    /// Every latency, in rising order.
    pub fn latencies(&self, regime: Regime, way: Way) -> Vec<f64> {
        let mut all: Vec<f64> = self
            .cells(regime, way)
            .flat_map(|(_, latencies)| latencies.iter().copied())
            .collect();
        all.sort_by(f64::total_cmp);
        all
    }

    fn cells(&self, regime: Regime, way: Way) -> impl Iterator<Item = &(Sample, Vec<f64>)> {
        self.rounds
            .iter()
            .filter_map(move |round| round.cells.get(&(regime, way)))
    }

    /// What every round says of the cost of ringing.
    pub fn rates(&self) -> impl Iterator<Item = &notify::Rates> {
        self.rounds.iter().map(|round| &round.rates)
    }
}

/// The value that a share of some values in rising order does not exceed.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(last as f64 * share).round() as usize])
}

fn sample(outcome: &Outcome, ns_per_tick: f64) -> Option<(Sample, Vec<f64>)> {
    let mut latencies: Vec<f64> = outcome
        .latencies
        .iter()
        .map(|&ticks| ticks as f64 * ns_per_tick)
        .collect();
    latencies.sort_by(f64::total_cmp);
    let count = latencies.len();
    let middle = latencies.get(count / 4..count - count / 4)?;
    let mean = middle.iter().sum::<f64>() / middle.len() as f64;
    let sample = Sample {
        mean,
        p50: quantile(&latencies, 0.5)?,
        duty: outcome.charged / (outcome.lasted as f64 * ns_per_tick),
    };
    Some((sample, latencies))
}

/// Which ways a regime is measured with: the bare futex is a control in one of them.
fn takes_part(regime: Regime, way: Way) -> bool {
    way != Way::Futex || regime == Regime::Steady
}

/// Measures.
///
/// # Errors
///
/// If a kernel is missing, or nothing was measured.
pub fn measure(setup: &mut Setup) -> Result<Findings> {
    let registry = Registry::new();
    let mut prober = Prober::new(&registry)?;
    let mut ringers = notify::Ringers::new(&registry)?;
    let counter = Counter::new(setup.clock.ns_per_tick);
    let mut random = fastrand::Rng::with_seed(2026);
    let length = match (setup.options.smoke, setup.options.quick) {
        (true, _) => 2e6,
        (false, true) => QUICK_CELL,
        (false, false) => CELL,
    };
    let mut waiters = HashMap::new();
    let mut plan = Vec::new();
    for regime in REGIMES {
        for way in WAYS.into_iter().filter(|&way| takes_part(regime, way)) {
            waiters.insert((regime, way), Waiter::new(way, counter));
            plan.push((regime, way));
        }
    }
    // The first round teaches those who learn, and is left out.
    let count = 1 + setup.amount(15, 6);
    let bar = setup.progress(count * plan.len() as u64)?;
    let mut rounds = Vec::new();
    let mut disturbed = Disturbed {
        of: "cells".to_owned(),
        kept: 0,
        dropped: 0,
    };
    for number in 0..count {
        random.shuffle(&mut plan);
        let before = prober.probe(&mut setup.crew, &setup.clock, 0);
        let mut cells = HashMap::new();
        for &(regime, way) in &plan {
            let moments = regime.schedule(length, &mut random);
            let ticks = |ns: f64| (ns / setup.clock.ns_per_tick) as u64;
            let waiter = waiters.remove(&(regime, way)).flatten();
            let cell = Cell::new(
                waiter,
                way.carrier(),
                moments.into_iter().map(ticks).collect(),
            );
            let stolen = away::stolen(setup.cores);
            let (waiter, outcome) = cell.run(&mut setup.crew);
            waiters.insert((regime, way), waiter);
            let is_disturbed = stolen != away::stolen(setup.cores)
                || outcome.is_disturbed(setup.clock.ns_per_tick);
            // What the tests run is too short to tell by.
            let keeps = !is_disturbed || setup.options.smoke;
            if number > 0 {
                disturbed.count(keeps);
            }
            if let Some(sample) = sample(&outcome, setup.clock.ns_per_tick).filter(|_| keeps) {
                cells.insert((regime, way), sample);
            }
            bar.inc(1);
        }
        let rates = ringers.measure(setup);
        if number > 0 {
            for rate in rates.iter().flatten() {
                disturbed.count(rate.is_some());
            }
        }
        let after = prober.probe(&mut setup.crew, &setup.clock, 0);
        if number > 0 {
            rounds.push(Round {
                floor: before.between(&after).least(),
                cells,
                rates,
            });
        }
    }
    bar.finish_and_clear();
    let divides = Divides::of(rounds.iter().map(|round| round.floor));
    let placed: Vec<Placed<'_>> = crate::probe::PLACEMENTS
        .into_iter()
        .map(|placement| Placed {
            placement,
            rounds: rounds
                .iter()
                .filter(|round| divides.placement(round.floor) == placement)
                .collect(),
        })
        .filter(|placed| !placed.rounds.is_empty())
        .collect();
    placed.first().context("nothing was measured")?;
    Ok(Findings {
        disturbed: Some(disturbed),
        ..show::findings(&placed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_whose_core_something_else_had_is_disturbed() {
        use crate::threads::{allowed_cores, choose_cores, settle, Crew};
        use std::sync::atomic::{AtomicBool, Ordering};
        let cores = choose_cores(None, &allowed_cores().unwrap(), |_, _| false).unwrap();
        let crowd = AtomicBool::new(true);
        let clock = crate::clock::Clock::measure().unwrap();
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                settle(cores[1]).unwrap();
                // A flag and nothing else.
                while crowd.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let waiter = Waiter::new(Way::Spin, Counter::new(clock.ns_per_tick));
            let moments = (1..=200).map(|n| clock.ticks(f64::from(n) * 1e6)).collect();
            let cell = Cell::new(waiter, Way::Spin.carrier(), moments);
            // On a thread of its own, since it stays on its core.
            let run = scope.spawn(move || cell.run(&mut Crew::new(cores, false).unwrap()).1);
            let outcome = run.join().unwrap();
            crowd.store(false, Ordering::Relaxed);
            outcome
        });
        assert!(
            outcome.is_disturbed(clock.ns_per_tick),
            "{:?}",
            outcome.away
        );
    }
}
