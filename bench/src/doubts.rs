//! What a reader must know before the figures: how much of what was run does not count.

use crate::catalog::{FLOOR, REFERENCE};
use crate::report::{Cell, Report};
use std::collections::BTreeMap;

/// The share of dropped pairs, in percent, from which the machine is called busy.
const MANY: usize = 20;

/// One line, if cells were lost or many pairs dropped.
pub fn warning(report: &Report) -> Option<String> {
    let percent = dropped_percent(report);
    let lost = report.lost.len();
    (lost > 0 || percent >= MANY).then(|| {
        format!(
            "{lost} {} lost, {percent} % of pairs dropped: the machine was busy (load average {}); try a quiet machine or --rt",
            if lost == 1 { "cell" } else { "cells" },
            report.machine.loadavg[0]
        )
    })
}

/// What is said of a cell that kept too few rounds.
pub const THIN: &str = "fewer than 6 rounds were kept, too few for an interval: no result";

fn dropped_percent(report: &Report) -> usize {
    let mut kept = 0;
    // A cell names the rounds dropped in any placement, so each is counted once.
    let mut dropped = BTreeMap::new();
    for cell in report.cells.iter().filter(|cell| is_of_pairs(cell)) {
        kept += cell.rounds;
        let key = (
            cell.benchmark.as_str(),
            cell.queue.as_str(),
            cell.payload_bytes,
            cell.capacity,
        );
        dropped.insert(key, cell.dropped_rounds as usize);
    }
    let lost = report.lost.iter().map(|cell| cell.dropped_rounds as usize);
    let dropped = dropped.values().sum::<usize>() + lost.sum::<usize>();
    (100 * dropped).checked_div(kept + dropped).unwrap_or(0)
}

/// Whether a cell's rounds are pairs of its own: the reference and the floors are measured with everyone else's.
fn is_of_pairs(cell: &Cell) -> bool {
    cell.queue != REFERENCE && !cell.queue.starts_with(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{cell, report};

    #[test]
    fn a_quiet_run_needs_no_warning() {
        let cells = || vec![cell("line-cpp", "near", 9, 1)];
        assert_eq!(warning(&report(cells(), &[])), None);
        assert_eq!(warning(&report(Vec::new(), &[])), None);
    }

    #[test]
    fn dropped_pairs_are_counted_once_and_lost_cells_too() {
        let cells = || {
            vec![
                cell("line-cpp", "near", 4, 6),
                cell("line-cpp", "far", 5, 6),
                cell(REFERENCE, "near", 100, 0),
                cell("floor-cpp", "near", 100, 0),
            ]
        };
        let said = warning(&report(cells(), &[])).unwrap();
        assert!(
            said.starts_with("0 cells lost, 40 % of pairs dropped"),
            "{said}"
        );
        assert!(said.contains("load average 3.5"), "{said}");
        let said = warning(&report(cells(), &[5])).unwrap();
        assert!(
            said.starts_with("1 cell lost, 55 % of pairs dropped"),
            "{said}"
        );
    }
}
