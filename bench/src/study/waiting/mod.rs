//! Latency against processor time: what each way of waiting costs and gives, in three regimes of arrivals.

mod arrivals;
mod cell;
mod consumers;
mod judge;
mod notify;
mod show;

use super::result::Findings;
use super::Setup;
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
    cells: HashMap<(Regime, Way), (Sample, Vec<f64>)>,
    rates: notify::Rates,
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
            let (waiter, outcome) = cell.run(&mut setup.crew);
            waiters.insert((regime, way), waiter);
            if let Some(sample) = sample(&outcome, setup.clock.ns_per_tick) {
                cells.insert((regime, way), sample);
            }
            bar.inc(1);
        }
        let rates = ringers.measure(setup);
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
    Ok(show::findings(&placed))
}
