//! Messages between two processes: what the border costs, and how far iceoryx2 is.

mod create;
mod ends;
mod judge;
mod order;
mod partner;
mod process;
mod row;
mod show;
mod stands;

pub use partner::serve;

use super::result::{Disturbed, Findings};
use super::Setup;
use crate::probe::{Divides, Placement, Prober, PLACEMENTS};
use crate::registry::Registry;
use crate::stats::Estimate;
use crate::watchdog::Watchdog;
use anyhow::{Context, Result};
use row::Row;
use stands::{Sample, Stands};
use std::collections::HashMap;
use std::path::PathBuf;

/// The variable that names iceoryx2's program.
const ICEORYX2: &str = "GIMMAL_ICEORYX2";

/// What one round says, in nanoseconds.
pub struct Round {
    /// The bare round trip.
    floor: f64,
    /// The cells that nobody disturbed.
    cells: HashMap<Row, Sample>,
}

/// All rounds in which the cores were as far apart.
pub struct Placed<'r> {
    placement: Placement,
    rounds: Vec<&'r Round>,
}

impl Placed<'_> {
    /// Of a row's typical time.
    fn typical(&self, row: Row) -> Option<Estimate> {
        let cells = self.rounds.iter().filter_map(|round| round.cells.get(&row));
        Estimate::of(cells.map(|cell| cell.typical))
    }

    /// Of a row's typical time to another's.
    fn ratio(&self, row: Row, to: Row) -> Option<Estimate> {
        let ratios = self.rounds.iter().filter_map(|round| {
            Some(round.cells.get(&row)?.typical / round.cells.get(&to)?.typical)
        });
        Estimate::of(ratios)
    }

    /// Every message of a row that was timed alone.
    fn latencies(&self, row: Row) -> impl Iterator<Item = f32> + '_ {
        let cells = self
            .rounds
            .iter()
            .filter_map(move |round| round.cells.get(&row));
        cells.flat_map(|cell| cell.latencies.iter().copied())
    }
}

/// Measures.
///
/// # Errors
///
/// If there is no memory, a process does not start, or nothing was measured.
pub fn measure(setup: &mut Setup) -> Result<Findings> {
    let iceoryx2 = std::env::var_os(ICEORYX2).map(PathBuf::from);
    let mut rows = Row::all(iceoryx2.is_some());
    let created = create::table(setup)?;
    let mut stands = Stands::new(setup, iceoryx2.as_deref())?;
    let mut random = fastrand::Rng::with_seed(2027);
    let mut prober = Prober::new(&Registry::new())?;
    let mut watchdog = Watchdog::new()?;
    let hint = setup.options.hint as usize;
    let count = setup.amount(200, 12);
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
        let mut cells = HashMap::new();
        for &row in &rows {
            watchdog.start(&row.subject.name());
            let sample = stands.cell(row, setup, number % 2 == 1)?;
            disturbed.count(!sample.disturbed);
            if !sample.disturbed {
                cells.insert(row, sample);
            }
            bar.inc(1);
        }
        let after = prober.probe(&mut setup.crew, &setup.clock, hint);
        if before.agrees(&after) {
            rounds.push(Round {
                floor: before.between(&after).least(),
                cells,
            });
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
    let mut findings = show::findings(&placed, iceoryx2.is_some());
    findings.tables.push(created);
    findings.notes.insert(
        0,
        format!(
            "{} rounds of {count} count; in the others the cores moved.",
            rounds.len()
        ),
    );
    if iceoryx2.is_none() {
        findings.notes.push(
            "iceoryx2 is missing: its program was not built, so nothing is said of it.".to_owned(),
        );
    }
    findings.disturbed = Some(disturbed);
    Ok(findings)
}
