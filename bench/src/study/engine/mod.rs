//! A risk pipeline from end to end: where the time goes, and what each of the usual measures is worth.

mod cell;
mod ends;
mod events;
mod judge;
mod memory;
mod row;
mod show;
mod stands;

use super::result::{Disturbed, Findings};
use super::Setup;
use crate::clocks::{Fenced, Monotonic, Plain, Source};
use crate::probe::{Divides, Placement, Prober, PLACEMENTS};
use crate::registry::Registry;
use crate::stats::{median, Estimate};
use anyhow::{Context, Result};
use cell::{Cells, Sample};
use row::Row;
use stands::Stands;
use std::collections::HashMap;

/// What one round says, in nanoseconds.
pub struct Round {
    /// The bare round trip.
    floor: f64,
    /// An event by each evaluator.
    evaluators: [f64; 3],
    /// Two readings of a row's clock with nothing between.
    readings: HashMap<Row, f64>,
    /// The cells that nobody disturbed.
    cells: HashMap<Row, Sample>,
}

impl Round {
    fn typical(&self, row: Row) -> Option<f64> {
        self.cells.get(&row).map(|sample| sample.typical)
    }

    /// Half the floor, the evaluator, the clock, and what is left of the base.
    fn budget(&self) -> Option<[f64; 4]> {
        let parts = [
            self.floor / 2.0,
            self.evaluators[2],
            *self.readings.get(&Row::Base)?,
        ];
        let left = self.typical(Row::Base)? - parts.iter().sum::<f64>();
        Some([parts[0], parts[1], parts[2], left])
    }
}

/// All rounds in which the cores were as far apart.
pub struct Placed<'r> {
    placement: Placement,
    rounds: Vec<&'r Round>,
}

impl Placed<'_> {
    /// Of a figure of each round.
    fn estimate(&self, figure: impl Fn(&Round) -> Option<f64>) -> Option<Estimate> {
        Estimate::of(self.rounds.iter().filter_map(|round| figure(round)))
    }

    /// Of a row's typical latency to another's.
    fn ratio(&self, row: Row, to: Row) -> Option<Estimate> {
        self.estimate(|round| Some(round.typical(row)? / round.typical(to)?))
    }

    /// Every latency of a row, in rising order.
    fn latencies(&self, row: Row) -> Vec<f32> {
        let cells = self.rounds.iter().filter_map(|round| round.cells.get(&row));
        let mut all: Vec<f32> = cells
            .flat_map(|cell| cell.latencies.iter().copied())
            .collect();
        all.sort_by(f32::total_cmp);
        all
    }
}

/// Measures.
///
/// # Errors
///
/// If there is no memory, a thread cannot be moved, or nothing was measured.
pub fn measure(setup: &mut Setup) -> Result<Findings> {
    let mut random = fastrand::Rng::with_seed(2026);
    let events = events::uniform(&mut random);
    let count = match (setup.options.smoke, setup.options.quick) {
        (true, _) => 200,
        (false, true) => 2500,
        (false, false) => 10_000,
    };
    let mut cells = Cells::new(events.clone(), count);
    let mut stands = Stands::new()?;
    stands.touch(&cells)?;
    let mut rows = Row::all(setup.options.rt);
    rows.retain(|&row| row != Row::Unlocked || stands.locked);
    let mut prober = Prober::new(&Registry::new())?;
    let hint = setup.options.hint as usize;
    let count = setup.amount(100, 12);
    let bar = setup.progress(count * rows.len() as u64)?;
    let mut disturbed = Disturbed {
        of: "cells".to_owned(),
        kept: 0,
        dropped: 0,
    };
    let mut rounds = Vec::new();
    for number in 0..count {
        random.shuffle(&mut rows);
        let before = prober.probe(&mut setup.crew, &setup.clock, hint);
        let mut round = Round {
            floor: 0.0,
            evaluators: events::times(&events, &setup.clock, &mut random),
            readings: HashMap::new(),
            cells: HashMap::new(),
        };
        for &row in &rows {
            round.readings.insert(row, reading(row, setup)?);
            let sample = stands.cell(row, &mut cells, setup, number % 2 == 1)?;
            disturbed.count(!sample.disturbed);
            if !sample.disturbed {
                round.cells.insert(row, sample);
            }
            bar.inc(1);
        }
        let after = prober.probe(&mut setup.crew, &setup.clock, hint);
        if before.agrees(&after) {
            round.floor = before.between(&after).least();
            rounds.push(round);
        }
    }
    bar.finish_and_clear();
    let divides = Divides::of(rounds.iter().map(|round| round.floor));
    let placed: Vec<Placed<'_>> = PLACEMENTS
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
    placed
        .first()
        .context("in no round were the cores as far apart at the end as at the beginning")?;
    let mut findings = show::findings(&placed, &rows);
    findings.notes.insert(
        0,
        format!(
            "{} rounds of {count} count; in the others the cores moved.",
            rounds.len()
        ),
    );
    if !stands.locked {
        findings.notes.push(
            "This process may lock no memory (ulimit -l), so nothing here was locked.".to_owned(),
        );
    }
    findings.disturbed = Some(disturbed);
    Ok(findings)
}

/// Nanoseconds between two readings of a row's clock with nothing between.
fn reading(row: Row, setup: &Setup) -> Result<f64> {
    fn of<S: Source>(setup: &Setup) -> Option<f64> {
        const PAIRS: u32 = 1001;
        let differences = (0..PAIRS).map(|_| {
            let first = S::now();
            S::now().saturating_sub(first) as f64
        });
        Some(median(differences)? * S::ns_per_unit(&setup.clock))
    }
    let reading = match row {
        Row::SystemClock => of::<Monotonic>(setup),
        Row::PlainCounter => of::<Plain>(setup),
        #[cfg(target_arch = "x86_64")]
        Row::WaitingCounter => of::<crate::clocks::Rdtscp>(setup),
        _ => of::<Fenced>(setup),
    };
    reading.context("a clock was not read")
}
