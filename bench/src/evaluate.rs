//! From samples to the report's cells and targets.

use crate::catalog::{BLOCK, REFERENCE};
use crate::measure::GroupData;
use crate::plan::Group;
use crate::probe::Divides;
use crate::report::{Cell, Figures, Lost, TargetRow};
use crate::stats::{Control, Estimate, Verdict};
use crate::targets;
use crate::views::{ratio, Track, View};

/// Single messages below which no percentile beyond the median is given.
const ENOUGH: u64 = 1_000_000;

/// The judged part of a report.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// What was measured.
    pub cells: Vec<Cell>,
    /// What lost every round.
    pub lost: Vec<Lost>,
    /// Whether the targets were reached.
    pub targets: Vec<TargetRow>,
    /// The groups with a target that more rounds may decide.
    pub undecided: Vec<Group>,
}

/// Judges all that was measured.
pub fn evaluate(groups: &[GroupData], divides: Divides, hint: &str) -> Evaluation {
    let mut evaluation = Evaluation::default();
    for data in groups {
        for series in data
            .series
            .iter()
            .filter(|series| series.samples.is_empty() && series.dropped > 0)
        {
            evaluation.lost.push(Lost {
                benchmark: data.group.benchmark.name().to_owned(),
                queue: series.queue.to_owned(),
                payload_bytes: data.group.payload,
                capacity: data.group.capacity,
                dropped_rounds: series.dropped,
            });
        }
        for view in View::of(data, divides) {
            let rows = targets::judge(&view);
            let open = [Verdict::Undecided.name(), Verdict::Void.name()];
            if rows.iter().any(|row| open.contains(&row.verdict.as_str()))
                && !evaluation.undecided.contains(&view.group)
            {
                evaluation.undecided.push(view.group);
            }
            evaluation.targets.extend(rows);
            let void = targets::control(&view) == Control::Failed;
            evaluation.cells.extend(
                view.tracks
                    .iter()
                    .map(|track| cell(&view, track, void, hint)),
            );
        }
    }
    evaluation
        .targets
        .sort_by_key(|row| targets::rank(&row.target));
    evaluation
}

fn cell(view: &View, track: &Track, void: bool, hint: &str) -> Cell {
    let benchmark = view.group.benchmark;
    let middle = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.median);
    let interval = |estimate: Option<Estimate>| estimate.and_then(|estimate| estimate.interval);
    let value =
        middle(Estimate::of(track.points.values().map(|point| point.value))).unwrap_or_default();
    let to_reference = view.to_reference(track);
    let figures = if benchmark.is_time() {
        let to_floor = Estimate::of(track.points.values().map(|point| point.value / point.floor));
        let singles = track
            .singles
            .as_ref()
            .filter(|singles| singles.len() >= ENOUGH);
        let percentile =
            |quantile| singles.map(|singles| singles.value_at_quantile(quantile) as f64);
        Figures::Time {
            p50: value,
            p99: percentile(0.99),
            p999: percentile(0.999),
            p9999: percentile(0.9999),
            max: singles.map(|singles| singles.max() as f64),
            ratio_to_rigtorp: middle(to_reference),
            ratio_to_rigtorp_ci: interval(to_reference),
            ratio_to_floor: middle(to_floor),
            ratio_to_floor_ci: interval(to_floor),
        }
    } else {
        let to_block = view
            .track(BLOCK)
            .and_then(|block| Estimate::of(track.beside(block, ratio).map(|(_, ratio)| ratio)));
        Figures::Rate {
            rate: value,
            ratio_to_rigtorp: middle(to_reference),
            ratio_to_rigtorp_ci: interval(to_reference),
            ratio_to_block: middle(to_block),
            ratio_to_block_ci: interval(to_block),
        }
    };
    Cell {
        benchmark: benchmark.name().to_owned(),
        queue: track.queue.to_owned(),
        payload_bytes: view.group.payload,
        capacity: view.group.capacity,
        hint: hint.to_owned(),
        placement: view.placement.name().to_owned(),
        rounds: track.points.len(),
        dropped_rounds: track.dropped,
        void: void && track.queue != REFERENCE,
        unit: benchmark.unit().to_owned(),
        figures,
    }
}
