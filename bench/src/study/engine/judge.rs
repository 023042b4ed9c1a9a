//! What becomes of the prediction.

use super::row::Row;
use super::{Placed, Round};
use crate::stats::{Bound, Control, Estimate};
use crate::study::claim::{self, Part};
use crate::study::result::{Claim, Table};

const RECORD: &str = "docs/adr/0023-the-risk-pipeline.md";
const PREDICTION: &str = "By line takes at most 0.75 of what the same pipeline takes by index; over half the floor, the evaluator and the clock there is at most half of half the floor; hybrid takes at most 1.05 of the better \
     of branched and branchless, and none of the three moves the pipeline by more than 5 %; places that straddle lines cost 1.05 to 1.40; locking and priority move the median by less than 5 %, no pinning by less than 10 %; without touching, \
     p99 at least doubles; the system's clock adds at least 20 ns, and a counter with no fence shows less; looking 4 cells ahead takes at most 0.75 of the base and of by index.";

/// The claim, and its parts as a table.
pub fn judge(placed: &[Placed<'_>]) -> (Claim, Table) {
    let parts: Vec<Part> = placed.iter().flat_map(parts).collect();
    (
        claim::claim(RECORD, PREDICTION, &parts),
        claim::table(&parts),
    )
}

fn parts(placed: &Placed<'_>) -> Vec<Part> {
    let control = Control::of(placed.ratio(Row::Again, Row::Base).as_ref());
    let mut parts = Vec::new();
    let mut part = |clause, what: &str, estimate: Option<Estimate>, bound| {
        let what = format!("{what}, cores {}", placed.placement.name());
        parts
            .extend(estimate.map(|estimate| Part::figure(clause, what, &estimate, bound, control)));
    };
    let to_base = |row| placed.ratio(row, Row::Base);
    let within = |share: f64| Bound::Between(1.0 - share, 1.0 + share);
    let overhead = |round: &Round| round.budget().map(|[half, _, _, left]| left / half);
    let hybrid = |round: &Round| {
        let [branched, branchless, hybrid] = round.evaluators;
        Some(hybrid / branched.min(branchless))
    };
    let tail = |round: &Round| {
        Some(round.cells.get(&Row::Untouched)?.p99 / round.cells.get(&Row::Base)?.p99)
    };
    let clock = |round: &Round| Some(round.typical(Row::SystemClock)? - round.typical(Row::Base)?);

    part(
        1,
        "base to by index",
        placed.ratio(Row::Base, Row::ByIndex),
        Bound::AtMost(0.75),
    );
    part(
        2,
        "overhead to half the floor",
        placed.estimate(overhead),
        Bound::AtMost(0.5),
    );
    part(
        3,
        "hybrid to the better of the two",
        placed.estimate(hybrid),
        Bound::AtMost(1.05),
    );
    part(
        3,
        "branched in the pipeline",
        to_base(Row::Branched),
        within(0.05),
    );
    part(
        3,
        "branchless in the pipeline",
        to_base(Row::Branchless),
        within(0.05),
    );
    part(
        4,
        "by index, not padded, to padded",
        placed.ratio(Row::SideBySide, Row::ByIndex),
        Bound::Between(1.05, 1.40),
    );
    part(5, "memory not locked", to_base(Row::Unlocked), within(0.05));
    part(
        5,
        "no real-time priority",
        to_base(Row::Ordinary),
        within(0.05),
    );
    part(
        5,
        "not touched, not warm",
        to_base(Row::Untouched),
        within(0.10),
    );
    part(
        5,
        "p99, not touched, not warm",
        placed.estimate(tail),
        Bound::AtLeast(2.0),
    );
    part(6, "not pinned", to_base(Row::Unpinned), within(0.10));
    part(
        7,
        "system's clock, in ns over the base",
        placed.estimate(clock),
        Bound::AtLeast(20.0),
    );
    part(
        7,
        "counter with no fence",
        to_base(Row::PlainCounter),
        Bound::AtMost(1.0),
    );
    part(
        8,
        "looking 4 ahead to the base",
        to_base(Row::Ahead(4)),
        Bound::AtMost(0.75),
    );
    part(
        8,
        "looking 4 ahead to by index",
        placed.ratio(Row::Ahead(4), Row::ByIndex),
        Bound::AtMost(0.75),
    );
    parts
}

#[cfg(test)]
mod tests {
    use super::super::cell::Sample;
    use super::*;
    use crate::probe::Placement;
    use crate::study::result::{Value, Verdict};
    use std::collections::HashMap;

    fn round(typical: impl Fn(Row) -> f64) -> Round {
        let sample = |row| Sample {
            typical: typical(row),
            p99: typical(row) * if row == Row::Untouched { 3.0 } else { 1.0 },
            latencies: vec![typical(row) as f32],
            disturbed: false,
        };
        Round {
            floor: 100.0,
            evaluators: [9.0, 6.0, 5.0],
            readings: Row::all(true).into_iter().map(|row| (row, 10.0)).collect(),
            cells: Row::all(true)
                .into_iter()
                .map(|row| (row, sample(row)))
                .collect::<HashMap<_, _>>(),
        }
    }

    fn as_predicted(row: Row) -> f64 {
        match row {
            Row::ByIndex => 130.0,
            Row::SideBySide => 150.0,
            Row::SystemClock => 115.0,
            Row::PlainCounter => 75.0,
            Row::Ahead(_) => 55.0,
            _ => 80.0,
        }
    }

    fn verdict(typical: impl Fn(Row) -> f64) -> (Verdict, usize) {
        let rounds: Vec<Round> = (0..10).map(|_| round(&typical)).collect();
        let placed = Placed {
            placement: Placement::Near,
            rounds: rounds.iter().collect(),
        };
        let (claim, table) = judge(&[placed]);
        let missing = |row: &&Vec<Value>| row[4] == "misses".into();
        (claim.verdict, table.rows.iter().filter(missing).count())
    }

    #[test]
    fn a_pipeline_as_predicted_confirms_it() {
        assert_eq!(verdict(as_predicted), (Verdict::Confirmed, 0));
    }

    #[test]
    fn each_figure_that_is_off_refutes_it() {
        for (changed, value, parts) in [
            (Row::ByIndex, 100.0, 2),
            (Row::Ahead(4), 70.0, 1),
            (Row::SideBySide, 131.0, 1),
            (Row::Branched, 90.0, 1),
            (Row::Branchless, 90.0, 1),
            (Row::Unlocked, 90.0, 1),
            (Row::Ordinary, 90.0, 1),
            (Row::Unpinned, 90.0, 1),
            (Row::Untouched, 90.0, 1),
            (Row::SystemClock, 85.0, 1),
            (Row::PlainCounter, 85.0, 1),
        ] {
            let off = |row| {
                if row == changed {
                    value
                } else {
                    as_predicted(row)
                }
            };
            assert_eq!(verdict(off), (Verdict::Refuted, parts), "{changed:?}");
        }
        // 120 less 50, 5 and 10 is more than 25.
        let slow = |row| as_predicted(row) * 1.5;
        assert_eq!(verdict(slow), (Verdict::Refuted, 1));
    }

    #[test]
    fn a_control_that_differs_decides_nothing() {
        let off = |row| {
            if row == Row::Again {
                90.0
            } else {
                as_predicted(row)
            }
        };
        assert_eq!(verdict(off).0, Verdict::Undecided);
    }
}
