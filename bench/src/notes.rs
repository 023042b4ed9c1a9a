//! The queues of a report, and the notes on how their use departs from that of the others.

use crate::catalog::{FLOOR, QUEUES};
use crate::report::{QueueNote, Report};

/// Of every queue that was measured or lost, in the order of the tables.
pub fn queues(report: &Report) -> Vec<QueueNote> {
    let ran = |id: &str| {
        let cells = report.cells.iter().map(|cell| &cell.queue);
        let lost = report.lost.iter().map(|cell| &cell.queue);
        // The floor has a cell for each language beside its own.
        cells
            .chain(lost)
            .any(|queue| queue == id || (id == FLOOR && queue.starts_with(FLOOR)))
    };
    QUEUES
        .iter()
        .filter(|queue| ran(queue.id))
        .map(|queue| QueueNote {
            id: queue.id.to_owned(),
            peer: queue.peer.map(str::to_owned),
            about: queue.about.to_owned(),
            deviations: queue
                .deviations
                .iter()
                .map(|deviation| deviation.words().to_owned())
                .collect(),
        })
        .collect()
}

/// Each departure that any queue of the report has, with the letter that marks it.
pub fn letters(report: &Report) -> Vec<(char, &str)> {
    let mut all: Vec<&str> = Vec::new();
    for words in report.queues.iter().flat_map(|queue| &queue.deviations) {
        if !all.contains(&words.as_str()) {
            all.push(words);
        }
    }
    ('a'..='z').zip(all).collect()
}

/// The letters of one queue.
pub fn marks(report: &Report, queue: &str) -> String {
    let queue = if queue.starts_with(FLOOR) {
        FLOOR
    } else {
        queue
    };
    let Some(note) = report.queues.iter().find(|note| note.id == queue) else {
        return String::new();
    };
    letters(report)
        .into_iter()
        .filter(|(_, words)| note.deviations.iter().any(|deviation| deviation == words))
        .map(|(letter, _)| letter)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Deviation;
    use crate::report::examples::{cell, report};

    #[test]
    fn a_departure_has_one_letter_for_all_that_share_it() {
        let cells =
            ["rigtorp", "heapless", "floor-cpp", "boost"].map(|queue| cell(queue, "near", 9, 0));
        let mut report = report(cells.into(), &[]);
        report.queues = queues(&report);
        let ids: Vec<&str> = report.queues.iter().map(|note| note.id.as_str()).collect();
        assert_eq!(ids, ["rigtorp", "boost", "heapless", "floor"]);
        assert_eq!(letters(&report)[0], ('a', Deviation::NoBulk.words()));
        assert_eq!(marks(&report, "rigtorp"), "a");
        assert_eq!(marks(&report, "heapless"), "abc");
        assert_eq!(marks(&report, "floor-cpp"), "d");
        assert_eq!(marks(&report, "boost"), "");
    }

    #[test]
    fn a_queue_that_lost_every_round_is_noted_too() {
        let report = report(Vec::new(), &[3]);
        assert_eq!(queues(&report)[0].id, "boost");
    }
}
