//! The findings as tables and figures.

use super::judge;
use super::row::{Kind, Row, Subject, Way, BYTES};
use super::Placed;
use crate::study::ladder::{self, Ladder};
use crate::study::result::{Axis, Figure, Findings, Form, Point, Series, Table, Value};

const TITLE: &str = "What the border between two processes costs";
const DRAWN: [Subject; 3] = [
    Subject::Local(Kind::Line),
    Subject::Across(Kind::Line),
    Subject::Iceoryx2,
];

pub fn findings(placed: &[Placed<'_>], with_iceoryx2: bool) -> Findings {
    let (claim, parts) = judge::judge(placed, with_iceoryx2);
    let mut tables = Vec::new();
    let mut figures = Vec::new();
    for placed in placed {
        for way in [Way::RoundTrip, Way::OneWay] {
            let rows: Vec<Row> = Row::all(with_iceoryx2)
                .into_iter()
                .filter(|row| row.way == way)
                .collect();
            tables.push(times(placed, way, &rows));
            figures.push(ratios(placed, way, &rows));
        }
        figures.extend(BYTES.map(|bytes| distributions(placed, bytes)));
    }
    tables.push(parts);
    Findings {
        claim: Some(claim),
        tables,
        figures,
        notes: vec![
            "Typical is the median of round trips timed 32 at a time, and one way the mean of the middle half, which the clock's step does not round; percentiles are of messages timed one by one, with the readings of the clock in \
             them. One way, the sender is on one core in one round and on the other in the next."
                .to_owned(),
            "Ratios are to the same ring in one process, and of iceoryx2 to by line across: medians over rounds with 95 % intervals.".to_owned(),
        ],
        ..Findings::new(TITLE)
    }
}

/// Every message of a row that was timed alone.
fn ladder(placed: &Placed<'_>, row: Row) -> Option<Ladder> {
    let mut ladder = ladder::new().ok()?;
    for latency in placed.latencies(row) {
        // A histogram begins at 1.
        ladder.record((latency.round() as u64).max(1)).ok()?;
    }
    Some(ladder)
}

fn times(placed: &Placed<'_>, way: Way, rows: &[Row]) -> Table {
    let mut table = Table::new(
        &format!("{}, cores {}", way.name(), placed.placement.name()),
        &[
            ("bytes", ""),
            ("what", ""),
            ("typical", "ns"),
            ("p50", "ns"),
            ("p99", "ns"),
            ("p99.9", "ns"),
            ("max", "ns"),
            ("ratio", ""),
        ],
    );
    for &row in rows {
        let ladder = ladder(placed, row);
        let rung = |percent| -> Value {
            let rung = ladder.as_ref().filter(|ladder| !ladder.is_empty());
            rung.and_then(|ladder| ladder::rung(ladder, percent)).into()
        };
        let typical = placed.typical(row).map(|typical| typical.median);
        let ratio = (row != row.reference())
            .then(|| placed.ratio(row, row.reference()))
            .flatten();
        table.row([
            (row.bytes as u64).into(),
            row.subject.name().into(),
            typical.into(),
            rung(50.0),
            rung(99.0),
            rung(99.9),
            rung(100.0),
            ratio.into(),
        ]);
    }
    table
}

fn ratios(placed: &Placed<'_>, way: Way, rows: &[Row]) -> Figure {
    let bars = |bytes| {
        let rows = rows.iter().filter(move |row| {
            row.bytes == bytes
                && matches!(
                    row.subject,
                    Subject::Again(_) | Subject::Segment(_) | Subject::Across(_)
                )
        });
        let bar = |(number, row): (u32, &Row)| {
            let ratio = placed.ratio(*row, row.reference())?;
            Some(Point {
                label: Some(row.subject.name()),
                ..Point::of(f64::from(number), &ratio)
            })
        };
        Series {
            name: format!("{bytes} bytes"),
            points: (0..).zip(rows).filter_map(bar).collect(),
        }
    };
    Figure {
        title: format!(
            "{} to that of the same ring in one process, cores {}",
            way.name(),
            placed.placement.name()
        ),
        caption: "Medians over rounds with 95 % intervals.".to_owned(),
        x: Axis::linear("between", ""),
        y: Axis::linear("to one process", ""),
        form: Form::Bars,
        series: BYTES.map(bars).into(),
    }
}

fn distributions(placed: &Placed<'_>, bytes: usize) -> Figure {
    let curve = |subject: Subject| {
        let row = Row {
            way: Way::RoundTrip,
            bytes,
            subject,
        };
        let ladder = ladder(placed, row).filter(|ladder| !ladder.is_empty())?;
        Some(Series::new(&subject.name(), ladder::curve(&ladder)))
    };
    Figure {
        title: format!(
            "Round trips of {bytes} bytes, cores {}",
            placed.placement.name()
        ),
        caption: "Not exceeded by a share of the messages.".to_owned(),
        x: Axis::linear("messages", "%"),
        y: Axis::log("round trip", "ns"),
        form: Form::Percentiles,
        series: DRAWN.into_iter().filter_map(curve).collect(),
    }
}
