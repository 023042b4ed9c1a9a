//! What to conclude, in words made from the results.

use super::chart::family;
use super::study::verdict;
use super::{comparison, Content, Place, Source};
use crate::catalog::CONTROL;
use crate::report::{Cell, Figures, Report};
use crate::study::result::Claim;
use crate::table::{groups, number};
use maud::{html, Markup};

/// The head of the page: a sentence or two of every result.
pub fn summary(placed: &[(&Source, Place)]) -> Markup {
    html! {
        section.summary aria-label="In short" {
            h2 { "In short" }
            ul { @for (source, place) in placed { li {
                a href=(format!("#{}", place.name)) { (source.title()) } " " span.soft { (source.circumstances()) }
                @match &source.content {
                    Content::Study(study) => {
                        @if let Some(claim) = &study.claim {
                            div { b { (capital(&verdict(claim, study.is_quick()))) } ": " (telling(claim)) "." }
                            div.soft.roomy { "Predicted: " (claim.prediction.trim_end_matches('.')) "." }
                        } @else {
                            div.soft { "A look without a prediction." }
                        }
                    },
                    Content::Comparison(report) => {
                        @for line in standing(report) { div { (line) } }
                        @if let Some(line) = targets(report) { div.soft { (line) } }
                    },
                }
            } } }
        }
    }
}

/// The part of what was found that tells most: the first that misses, or the first; the rest is particulars.
fn telling(claim: &Claim) -> &str {
    let mut parts = claim.margin.split("; ");
    let first = parts.clone().next().unwrap_or_default();
    parts.find(|part| part.contains(" misses")).unwrap_or(first)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// How the best of the project's queues stands to the best peer.
#[derive(Default)]
struct Standing {
    /// Cells in which the intervals say so.
    ahead: usize,
    behind: usize,
    cells: usize,
    /// Its gain over the best peer in the worst cell and in the best.
    gain: Option<[f64; 2]>,
}

/// A sentence for each placement: where the project's queues are ahead, where behind, and where it is mixed.
fn standing(report: &Report) -> Vec<String> {
    let sentence = |placement| {
        let mut kinds: [Vec<String>; 3] = Default::default();
        for benchmark in comparison::measured(report) {
            let mut standing = Standing::default();
            let of = |cell: &&Cell| cell.benchmark == benchmark && cell.placement == placement;
            let cells: Vec<Cell> = report.cells.iter().filter(of).cloned().collect();
            groups(&cells).for_each(|group| standing.add(group));
            if let Some((kind, words)) = standing.words(benchmark) {
                kinds[kind].push(words);
            }
        }
        let heads = ["ahead of the best peer in ", "behind it in ", "mixed in "];
        let parts = heads
            .iter()
            .zip(&kinds)
            .filter(|(_, words)| !words.is_empty());
        let parts: Vec<String> = parts
            .map(|(head, words)| format!("{head}{}", words.join(", ")))
            .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "Cores {placement}, the best of gimmal's queues: {}.",
                parts.join("; ")
            )
        })
    };
    report
        .placements()
        .into_iter()
        .filter_map(sentence)
        .collect()
}

impl Standing {
    fn add(&mut self, group: &[Cell]) {
        let counts = |cell: &&Cell| !cell.void && !cell.is_thin() && cell.queue != CONTROL;
        let best = |whose: &str| {
            let cells = group.iter().filter(|cell| family(&cell.queue) == whose);
            cells
                .filter(counts)
                .max_by(|one, other| goodness(one).total_cmp(&goodness(other)))
        };
        let (Some(ours), Some(theirs)) = (best("ours"), best("peer")) else {
            return;
        };
        self.cells += 1;
        let gain = goodness(ours) / goodness(theirs);
        let [least, most] = self.gain.unwrap_or([gain; 2]);
        self.gain = Some([least.min(gain), most.max(gain)]);
        if surely_better(ours, theirs) {
            self.ahead += 1;
        } else if surely_better(theirs, ours) {
            self.behind += 1;
        }
    }

    /// Whether most cells are ahead (0), behind (1) or neither (2), and how many by how much; nothing without a cell.
    fn words(&self, benchmark: &str) -> Option<(usize, String)> {
        let [least, most] = self.gain?.map(number);
        let kind = match self {
            _ if 2 * self.ahead > self.cells => 0,
            _ if 2 * self.behind > self.cells => 1,
            _ => 2,
        };
        let Self {
            ahead,
            behind,
            cells,
            ..
        } = self;
        let count = [
            format!("{ahead} of {cells} cells"),
            format!("{behind} of {cells} cells"),
            format!("{ahead} ahead and {behind} behind of {cells} cells"),
        ];
        let gain = if least == most {
            least
        } else {
            format!("{least} to {most}")
        };
        Some((
            kind,
            format!("{benchmark} ({}, {gain} times as fast)", count[kind]),
        ))
    }
}

/// More is better.
fn goodness(cell: &Cell) -> f64 {
    match cell.figures {
        Figures::Time { .. } => 1.0 / cell.value(),
        Figures::Rate { .. } => cell.value(),
    }
}

/// Whether the intervals of two multiples of the reference lie apart, the first on the better side.
fn surely_better(one: &Cell, other: &Cell) -> bool {
    // The reference itself is 1 by definition.
    let interval = |cell: &Cell| match cell.to_reference() {
        (Some(1.0), None) => Some([1.0; 2]),
        (_, interval) => interval,
    };
    let (Some(one_is), Some(other_is)) = (interval(one), interval(other)) else {
        return false;
    };
    match one.figures {
        Figures::Time { .. } => one_is[1] < other_is[0],
        Figures::Rate { .. } => one_is[0] > other_is[1],
    }
}

fn targets(report: &Report) -> Option<String> {
    let count = |verdict: &str| {
        report
            .targets
            .iter()
            .filter(|row| row.verdict == verdict)
            .count()
    };
    let all = report.targets.len();
    (all > 0).then(|| {
        format!(
            "Targets, cell by cell, of the version that took it: {} of {all} hold, {} are missed, {} are open.",
            count("holds"),
            count("misses"),
            all - count("holds") - count("misses")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{cell, report};

    fn rate(queue: &str, rate: f64, interval: [f64; 2]) -> Cell {
        let mut cell = cell(queue, "near", 9, 0);
        cell.figures = Figures::Rate {
            rate,
            ratio_to_rigtorp: Some(rate),
            ratio_to_rigtorp_ci: Some(interval),
            ratio_to_block: None,
            ratio_to_block_ci: None,
        };
        cell
    }

    #[test]
    fn the_best_stands_against_the_best() {
        let line = |ours: [f64; 2]| {
            let cells = vec![
                rate("ring-cpp", 1.1, [1.0, 1.2]),
                rate("mpsc-cpp", 2.0, ours),
                rate("boost", 1.5, [1.4, 1.6]),
                rate("rigtorp", 1.0, [1.0, 1.0]),
                rate("block", 9.0, [9.0, 9.0]),
            ];
            standing(&report(cells, &[])).join("\n")
        };
        assert_eq!(
            line([1.9, 2.1]),
            "Cores near, the best of gimmal's queues: ahead of the best peer in throughput (1 of 1 cells, 1.33 times as fast)."
        );
        assert!(
            line([1.5, 2.1]).contains("mixed in throughput (0 ahead and 0 behind of 1 cells"),
            "{}",
            line([1.5, 2.1])
        );
        let thin = standing(&report(
            vec![
                cell("line-cpp", "near", 5, 0),
                rate("boost", 1.0, [0.9, 1.1]),
            ],
            &[],
        ));
        assert!(thin.is_empty(), "{thin:?}");
    }

    #[test]
    fn what_misses_tells_more_than_what_holds() {
        let mut claim = crate::study::result::examples::result().claim.unwrap();
        claim.margin = "one holds: 1.0; another misses: 52; a third misses: 3".to_owned();
        assert_eq!(telling(&claim), "another misses: 52");
        claim.margin = "3 of 5 parts hold, 2 miss; the furthest off: one".to_owned();
        assert_eq!(telling(&claim), "3 of 5 parts hold, 2 miss");
    }

    #[test]
    fn less_time_is_better() {
        let timed = |queue: &str, p50: f64, interval: [f64; 2]| {
            let mut cell = cell(queue, "near", 9, 0);
            let time = serde_json::json!({"p50": p50, "ratio_to_rigtorp": 1.0, "ratio_to_rigtorp_ci": interval});
            cell.figures = serde_json::from_value(time).unwrap();
            cell
        };
        let cells = vec![
            timed("line-cpp", 120.0, [0.9, 0.95]),
            timed("boost", 60.0, [0.4, 0.5]),
        ];
        let lines = standing(&report(cells, &[]));
        assert!(
            lines[0].contains("behind it in throughput (1 of 1 cells, 0.50 times"),
            "{lines:?}"
        );
    }
}
