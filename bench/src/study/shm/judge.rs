//! What becomes of the prediction.

use super::row::{Kind, Row, Subject, Way, BYTES, KINDS};
use super::Placed;
use crate::stats::{Bound, Control, Estimate};
use crate::study::claim::{self, Part};
use crate::study::result::{Claim, Table, Verdict};

const RECORD: &str = "docs/adr/0024-between-two-processes.md";
const PREDICTION: &str = "Across two processes a ring takes at most 1.05 of what it takes in one, by line and by index, with 8 and 48 bytes, there and back as well as one way; the border alone, between two ends of a segment, moves a round trip by at \
     most 3 %; iceoryx2 takes at least 3 times the round trip of by line across.";
/// How far the control may be off: beyond that, something else than the subject made a difference.
const CONTROL_WITHIN: f64 = 0.01;

/// The claim, and its parts as a table. Without iceoryx2 the whole cannot be confirmed.
pub fn judge(placed: &[Placed<'_>], with_iceoryx2: bool) -> (Claim, Table) {
    let parts: Vec<Part> = placed.iter().flat_map(parts).collect();
    let mut claim = claim::claim(RECORD, PREDICTION, &parts);
    if !with_iceoryx2 {
        if claim.verdict == Verdict::Confirmed {
            claim.verdict = Verdict::Undecided;
        }
        claim.margin += "; iceoryx2 is missing";
    }
    (claim, claim::table(&parts))
}

fn parts(placed: &Placed<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = |clause, row: Row, to: Subject, control: Kind, bound| {
        let to = row.with(to);
        let Some(estimate) = placed.ratio(row, to) else {
            return;
        };
        let control = placed.ratio(
            row.with(Subject::Again(control)),
            row.with(Subject::Local(control)),
        );
        let what = format!(
            "{} to {}, {} of {} B, cores {}",
            row.subject.name(),
            to.subject.name(),
            row.way.name().to_lowercase(),
            row.bytes,
            placed.placement.name()
        );
        parts.push(Part::figure(
            clause,
            what,
            &estimate,
            bound,
            tolerant(control),
        ));
    };
    for (clause, way) in [(1, Way::RoundTrip), (2, Way::OneWay)] {
        for kind in KINDS {
            for bytes in BYTES {
                let row = Row {
                    way,
                    bytes,
                    subject: Subject::Across(kind),
                };
                part(clause, row, Subject::Local(kind), kind, Bound::AtMost(1.05));
                if way == Way::RoundTrip {
                    let bound = Bound::Between(0.97, 1.03);
                    part(3, row, Subject::Segment(kind), kind, bound);
                }
            }
        }
    }
    for bytes in BYTES {
        let row = Row {
            way: Way::RoundTrip,
            bytes,
            subject: Subject::Iceoryx2,
        };
        let across = Subject::Across(Kind::Line);
        part(4, row, across, Kind::Line, Bound::AtLeast(3.0));
    }
    parts
}

/// [`Control::of`], but an error too small to matter is none.
fn tolerant(ratio: Option<Estimate>) -> Control {
    let widened = ratio.map(|estimate| Estimate {
        interval: estimate
            .interval
            .map(|[low, high]| [low - CONTROL_WITHIN, high + CONTROL_WITHIN]),
        ..estimate
    });
    Control::of(widened.as_ref())
}

#[cfg(test)]
mod tests {
    use super::super::stands::Sample;
    use super::super::Round;
    use super::*;
    use crate::probe::Placement;
    use crate::study::result::Value;

    fn verdict(with_iceoryx2: bool, typical: impl Fn(Row) -> f64) -> (Verdict, usize) {
        let sample = |row| Sample {
            typical: typical(row),
            latencies: vec![typical(row) as f32],
            disturbed: false,
        };
        let round = || Round {
            floor: 100.0,
            cells: Row::all(with_iceoryx2)
                .into_iter()
                .map(|row| (row, sample(row)))
                .collect(),
        };
        let rounds: Vec<Round> = (0..10).map(|_| round()).collect();
        let placed = Placed {
            placement: Placement::Near,
            rounds: rounds.iter().collect(),
        };
        let (claim, table) = judge(&[placed], with_iceoryx2);
        let missing = |row: &&Vec<Value>| row[4] == "misses".into();
        (claim.verdict, table.rows.iter().filter(missing).count())
    }

    fn as_predicted(row: Row) -> f64 {
        match row.subject {
            Subject::Across(_) => 103.0,
            Subject::Segment(_) => 102.0,
            Subject::Iceoryx2 => 400.0,
            _ => 100.0,
        }
    }

    #[test]
    fn what_comes_as_predicted_confirms_it() {
        assert_eq!(verdict(true, as_predicted), (Verdict::Confirmed, 0));
    }

    #[test]
    fn each_figure_that_is_off_refutes_it() {
        for way in [Way::RoundTrip, Way::OneWay] {
            for kind in KINDS {
                let slow = |row: Row| match row.subject {
                    Subject::Across(of) if of == kind && row.way == way => 107.0,
                    Subject::Segment(of) if of == kind => 106.0,
                    _ => as_predicted(row),
                };
                assert_eq!(
                    verdict(true, slow),
                    (Verdict::Refuted, 2),
                    "{way:?} {kind:?}"
                );
            }
        }
        let border = |row: Row| match row.subject {
            Subject::Segment(Kind::Index) => 99.0,
            _ => as_predicted(row),
        };
        assert_eq!(verdict(true, border), (Verdict::Refuted, 2));
        let near = |row: Row| match row.subject {
            Subject::Iceoryx2 if row.bytes == 48 => 300.0,
            _ => as_predicted(row),
        };
        assert_eq!(verdict(true, near), (Verdict::Refuted, 1));
    }

    #[test]
    fn without_iceoryx2_or_with_a_control_that_differs_nothing_is_confirmed() {
        assert_eq!(verdict(false, as_predicted).0, Verdict::Undecided);
        let off = |row: Row| match row.subject {
            Subject::Again(_) => 102.0,
            _ => as_predicted(row),
        };
        assert_eq!(verdict(true, off), (Verdict::Undecided, 0));
    }
}
