//! What a reader must know before the figures: how much of what was run does not count.

use crate::catalog::{FLOOR, REFERENCE};
use crate::report::{Cell, Report};
use std::collections::{BTreeMap, BTreeSet};

/// The share of dropped pairs, in percent, from which the machine is called busy.
pub const MANY: u64 = 20;

/// One line, if cells were lost or many pairs dropped.
pub fn warning(report: &Report) -> Option<String> {
    let percent = dropped_percent(report);
    let lost = report.lost.len();
    (lost > 0 || percent as u64 >= MANY).then(|| {
        format!(
            "{lost} {} lost, {percent} % of pairs dropped: the machine was busy (load average {}); try a quiet machine{}",
            if lost == 1 { "cell" } else { "cells" },
            report.machine.loadavg[0],
            if report.machine.is_realtime() { "" } else { " or --rt" }
        )
    })
}

/// What is said of a cell that kept too few rounds.
pub const THIN: &str = "fewer than 6 rounds were kept, too few for an interval: no result";

/// What may be wrong with the figures though everything was done as it should be.
const ALWAYS: [&str; 6] = [
    "One machine, one compiler of each language and one pair of cores: another processor may rank the queues otherwise, and \
     the nearer two queues stand to each other here, the likelier.",
    "Nothing is done with a message but to make it and to look at its first and last word. In a program that has other work, \
     and other data in its caches, queues differ less.",
    "The memory of every queue is touched before the clock starts, so what it costs to allocate it and to fault it in is not \
     in any figure.",
    "The adapters are written by the authors of one of the queues, who know that one best; a peer's author might use it \
     better. How the use of each departs from that of the others stands in the notes.",
    "Every queue is asked for the same capacity, but those that round it up hold more, which is worth something in throughput.",
    "No hardware counter is read, so why one queue is faster than another is not shown by these figures.",
];

/// All of that, and what is particular to this run.
pub fn threats(report: &Report) -> Vec<String> {
    let mut all: Vec<String> = ALWAYS.map(str::to_owned).to_vec();
    let placements: BTreeSet<&str> = report
        .cells
        .iter()
        .map(|cell| cell.placement.as_str())
        .collect();
    if let [only] = placements.iter().collect::<Vec<_>>()[..] {
        all.push(format!(
            "The two cores were seen in one placement alone ({only}), so nothing is said of any other."
        ));
    }
    if report.machine.hypervisor == Some(true) {
        all.push(
            "The machine is virtual: its host may stop a core or move it elsewhere unseen. Pairs whose probes disagree are \
             dropped, which removes long disturbances and not short ones."
                .to_owned(),
        );
    }
    if report.machine.is_realtime() {
        all.push(
            "The threads ran under SCHED_FIFO, as those of few programs do: ordinary threads are interrupted more often."
                .to_owned(),
        );
    }
    all.extend(report.machine.throttling());
    let thin = report.cells.iter().filter(|cell| cell.is_thin()).count();
    if thin > 0 {
        all.push(format!(
            "{thin} of {} cells kept too few rounds for an interval, and are no result.",
            report.cells.len()
        ));
    }
    let absent: Vec<&str> = report
        .peers
        .iter()
        .filter(|peer| !peer.found)
        .map(|peer| peer.id.as_str())
        .collect();
    if !absent.is_empty() {
        all.push(format!(
            "Not measured, since they were not there when this was built: {}.",
            absent.join(", ")
        ));
    }
    all
}

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
    fn threats_name_what_is_particular_to_a_run() {
        let mut report = report(vec![cell("line-cpp", "near", 9, 1)], &[]);
        let said = |report: &Report| threats(report)[ALWAYS.len()..].join("\n");
        assert!(said(&report).contains("(near)"), "{}", said(&report));
        assert_eq!(threats(&report).len(), ALWAYS.len() + 1);
        report.cells.push(cell("line-cpp", "far", 5, 1));
        assert_eq!(
            said(&report),
            "1 of 2 cells kept too few rounds for an interval, and are no result."
        );
        report.cells.pop();
        report.machine.hypervisor = Some(true);
        report.machine.scheduling = "SCHED_FIFO".to_owned();
        report.peers.push(crate::report::Peer {
            id: "folly".to_owned(),
            version: None,
            found: false,
            from: None,
            note: None,
        });
        report.machine.sched_rt_runtime_us = Some(950_000);
        for words in [
            "virtual",
            "SCHED_FIFO",
            "built: folly",
            "runtime_us at 950000",
        ] {
            assert!(said(&report).contains(words), "{}", said(&report));
        }
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
        assert!(
            said.contains("load average 3.5") && said.ends_with("or --rt"),
            "{said}"
        );
        let mut realtime = report(cells(), &[]);
        realtime.machine.scheduling = "SCHED_FIFO".to_owned();
        assert!(warning(&realtime).unwrap().ends_with("try a quiet machine"));
        let said = warning(&report(cells(), &[5])).unwrap();
        assert!(
            said.starts_with("1 cell lost, 55 % of pairs dropped"),
            "{said}"
        );
    }
}
