//! Targets over all cells of a benchmark together.

use crate::catalog::{Benchmark, CAPACITIES, PAYLOADS};
use crate::probe::PLACEMENTS;
use crate::report::OverallRow;
use crate::rule;
use crate::stats::{Bound, Control, Estimate, Verdict};
use crate::targets::{self, to_best, BULK_PEERS, PEERS};
use crate::views::View;

/// A target that no single cell decides.
struct Overall {
    words: &'static str,
    benchmark: Benchmark,
    subject: fn(u32, u32) -> &'static str,
    peers: &'static [&'static str],
    asks: Asks,
}

enum Asks {
    /// The geometric mean over the cells of the ratio to each cell's best peer.
    Mean(f64),
    /// Ahead of every peer, or tied with the best in so many cells at most.
    Tied(usize),
}

const OVERALL: [Overall; 3] = [
    Overall {
        words: "throughput: ahead of every peer, or tied within the interval in at most two cells",
        benchmark: Benchmark::Throughput,
        subject: rule::queue,
        peers: &PEERS,
        asks: Asks::Tied(2),
    },
    Overall {
        words: "throughput: 1.5 times the best peer of each cell, in the geometric mean",
        benchmark: Benchmark::Throughput,
        subject: rule::queue,
        peers: &PEERS,
        asks: Asks::Mean(1.5),
    },
    Overall {
        words: "copied batches: 1.2 times the best peer of each cell that has batches, in the geometric mean",
        benchmark: Benchmark::BulkThroughput,
        subject: rule::batch_queue,
        peers: &BULK_PEERS,
        asks: Asks::Mean(1.2),
    },
];

/// Every such target in each placement in which any of its cells was measured.
pub fn judge(views: &[View]) -> Vec<OverallRow> {
    let mut rows = Vec::new();
    for target in &OVERALL {
        for placement in PLACEMENTS {
            let cells: Vec<Vec<f64>> = views
                .iter()
                .filter(|view| view.placement == placement)
                .filter_map(|view| target.ratios(view))
                .collect();
            if !cells.is_empty() {
                rows.push(target.row(placement.name(), &cells));
            }
        }
    }
    rows
}

impl Overall {
    /// The ratios to the best peer in a cell, in the order of the rounds; none if the cell does not count.
    fn ratios(&self, view: &View) -> Option<Vec<f64>> {
        let group = &view.group;
        if group.benchmark != self.benchmark || targets::control(view) == Control::Failed {
            return None;
        }
        let subject = view.track((self.subject)(group.payload, group.capacity))?;
        to_best(view, subject, self.peers).map(|(_, ratios)| ratios)
    }

    fn row(&self, placement: &str, cells: &[Vec<f64>]) -> OverallRow {
        let named = PAYLOADS.len() * CAPACITIES.len();
        let complete = cells.len() == named;
        let (bound, found, value, ci, verdict) = match self.asks {
            Asks::Mean(least) => {
                let mean = Estimate::of(geometric_means(cells));
                let verdict = match &mean {
                    Some(mean) if complete => {
                        Verdict::on(mean, Bound::AtLeast(least), Control::Passed)
                    }
                    _ => Verdict::Undecided,
                };
                let value = mean.map_or(0.0, |mean| mean.median);
                let interval = mean.and_then(|mean| mean.interval);
                let found = format!("geometric mean {value:.2}");
                (format!(">= {least:.2}"), found, value, interval, verdict)
            }
            Asks::Tied(most) => {
                let count = |wanted: Verdict| {
                    let verdict = |cell: &&Vec<f64>| {
                        Estimate::of(cell.iter().copied()).map(|estimate| {
                            Verdict::on(&estimate, Bound::AtLeast(1.0), Control::Passed)
                        })
                    };
                    cells
                        .iter()
                        .filter(|cell| verdict(cell) == Some(wanted))
                        .count()
                };
                let (ahead, behind) = (count(Verdict::Holds), count(Verdict::Misses));
                let tied = cells.len() - ahead - behind;
                let verdict = if behind > 0 {
                    Verdict::Misses
                } else if complete && tied <= most {
                    Verdict::Holds
                } else {
                    Verdict::Undecided
                };
                let found = format!("ahead in {ahead}, tied in {tied}, behind in {behind}");
                (
                    format!("<= {most} tied, none behind"),
                    found,
                    ahead as f64,
                    None,
                    verdict,
                )
            }
        };
        OverallRow {
            target: self.words.to_owned(),
            benchmark: self.benchmark.name().to_owned(),
            placement: placement.to_owned(),
            cells: cells.len(),
            cells_named: named,
            bound,
            found,
            value,
            ci,
            verdict: verdict.name().to_owned(),
        }
    }
}

/// The mean over the cells of what each gave in its n-th round, for every n that all of them have. Rounds of different
/// cells have nothing in common, so any pairing will do, and this one makes samples of the mean that are as independent as
/// the rounds are.
fn geometric_means(cells: &[Vec<f64>]) -> Vec<f64> {
    let rounds = cells.iter().map(Vec::len).min().unwrap_or(0);
    let mean = |round: usize| {
        let logarithms = cells.iter().map(|cell| cell[round].ln());
        (logarithms.sum::<f64>() / cells.len() as f64).exp()
    };
    (0..rounds).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(ratios: &[f64], count: usize) -> Vec<Vec<f64>> {
        let noise = [0.99, 1.0, 1.01];
        let cell = |at: usize| {
            let ratio = ratios[at % ratios.len()];
            (0..9).map(|round| ratio * noise[round % 3]).collect()
        };
        (0..count).map(cell).collect()
    }

    #[test]
    fn the_mean_is_geometric_and_needs_every_cell() {
        let target = &OVERALL[1];
        let row = target.row("near", &cells(&[1.0, 4.0], 12));
        assert!(
            (row.value - 2.0).abs() < 0.03 && row.verdict == "holds",
            "{row:?}"
        );
        assert!(row.ci.unwrap()[0] > 1.9, "{row:?}");
        let row = target.row("near", &cells(&[1.0, 1.1], 12));
        assert_eq!(row.verdict, "misses");
        let row = target.row("near", &cells(&[4.0], 11));
        assert_eq!(
            (row.verdict.as_str(), row.cells, row.cells_named),
            ("undecided", 11, 12)
        );
    }

    #[test]
    fn a_round_that_a_cell_lacks_counts_in_none() {
        assert_eq!(
            geometric_means(&[vec![1.0, 2.0, 9.0], vec![4.0, 8.0]]),
            [2.0, 4.0]
        );
        assert!(geometric_means(&[]).is_empty());
    }

    #[test]
    fn two_ties_are_allowed_and_no_loss() {
        let target = &OVERALL[0];
        let verdict = |first: &[f64]| {
            let mut all = cells(&[2.0], 12 - first.len());
            all.extend(cells(first, first.len()));
            let row = target.row("far", &all);
            (row.verdict.clone(), row.found)
        };
        assert_eq!(verdict(&[1.0, 1.0]).0, "holds");
        assert_eq!(verdict(&[1.0, 1.0, 1.0]).0, "undecided");
        let (verdict, found) = verdict(&[1.0, 0.9]);
        assert_eq!(
            (verdict.as_str(), found.as_str()),
            ("misses", "ahead in 10, tied in 1, behind in 1")
        );
    }
}
