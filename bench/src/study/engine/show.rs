//! The findings as tables and figures.

use super::events::EVALUATORS;
use super::judge;
use super::row::Row;
use super::Placed;
use crate::stats::Estimate;
use crate::study::ladder;
use crate::study::result::{Axis, Figure, Findings, Form, Point, Series, Table, Value};

const TITLE: &str = "What a risk pipeline costs from end to end";
/// The rows whose distributions are drawn.
const DRAWN: [Row; 4] = [Row::Base, Row::ByIndex, Row::Untouched, Row::Ordinary];

pub fn findings(placed: &[Placed<'_>], rows: &[Row]) -> Findings {
    let (claim, parts) = judge::judge(placed);
    let ordered: Vec<Row> = Row::all(true)
        .into_iter()
        .filter(|row| rows.contains(row))
        .collect();
    let mut tables = Vec::new();
    let mut figures = Vec::new();
    for placed in placed {
        tables.extend([
            latencies(placed, &ordered),
            budget(placed),
            evaluators(placed),
        ]);
        figures.extend([ratios(placed, &ordered), distributions(placed, &ordered)]);
    }
    tables.push(parts);
    Findings {
        claim: Some(claim),
        tables,
        figures,
        notes: vec![
            "Typical is the mean of the middle half, which the clock's step does not round; less the clock, it is less the median of two readings of that row's clock with nothing \
             between. The producer is on one core in one round and on the other in the next."
                .to_owned(),
            "The budget's last part is what publishing, copying and the loops of both ends add to a bare line's way between the cores; where it is below 0, a message by itself travels faster than half of a \
             round trip tells."
                .to_owned(),
        ],
        ..Findings::new(TITLE)
    }
}

/// The value that a share does not exceed.
fn at(sorted: &[f32], share: f64) -> Value {
    let place = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(place).map(|&value| f64::from(value)).into()
}

fn latencies(placed: &Placed<'_>, rows: &[Row]) -> Table {
    let mut table = Table::new(
        &format!(
            "From the submission to the result, cores {}",
            placed.placement.name()
        ),
        &[
            ("changed", ""),
            ("min", "ns"),
            ("p50", "ns"),
            ("p95", "ns"),
            ("p99", "ns"),
            ("p99.9", "ns"),
            ("max", "ns"),
            ("typical", "ns"),
            ("less the clock", "ns"),
            ("to the base", ""),
        ],
    );
    for &row in rows {
        let sorted = placed.latencies(row);
        let less = |round: &super::Round| Some(round.typical(row)? - round.readings.get(&row)?);
        let typical = placed.estimate(|round| round.typical(row));
        table.row([
            row.name().into(),
            at(&sorted, 0.0),
            at(&sorted, 0.5),
            at(&sorted, 0.95),
            at(&sorted, 0.99),
            at(&sorted, 0.999),
            at(&sorted, 1.0),
            typical.map(|typical| typical.median).into(),
            placed.estimate(less).map(|less| less.median).into(),
            placed.ratio(row, Row::Base).into(),
        ]);
    }
    table
}

fn budget(placed: &Placed<'_>) -> Table {
    const PARTS: [&str; 4] = [
        "half the floor's round trip",
        "hybrid evaluator",
        "clock",
        "ring, copies, loops",
    ];
    let mut table = Table::new(
        &format!(
            "Where the base's time goes, cores {}",
            placed.placement.name()
        ),
        &[("part", ""), ("time", "ns")],
    );
    for (part, name) in PARTS.into_iter().enumerate() {
        let of_round = |round: &super::Round| round.budget().map(|budget| budget[part]);
        table.row([name.into(), placed.estimate(of_round).into()]);
    }
    let sum = placed.estimate(|round| round.typical(Row::Base));
    table.row(["from end to end".into(), sum.into()]);
    table
}

fn evaluators(placed: &Placed<'_>) -> Table {
    let mut table = Table::new(
        &format!(
            "An evaluation among others, events uniform over the bands, cores {}",
            placed.placement.name()
        ),
        &[("evaluator", ""), ("time", "ns")],
    );
    for (number, name) in EVALUATORS.into_iter().enumerate() {
        let time = placed.estimate(|round| Some(round.evaluators[number]));
        table.row([name.into(), time.into()]);
    }
    table
}

fn ratios(placed: &Placed<'_>, rows: &[Row]) -> Figure {
    let bar = |(number, &row): (u32, &Row)| {
        let ratio: Estimate = placed.ratio(row, Row::Base)?;
        Some(Point {
            label: Some(row.name().to_owned()),
            ..Point::of(f64::from(number), &ratio)
        })
    };
    Figure {
        title: format!("What each change does, cores {}", placed.placement.name()),
        caption: "Typical latency to that of the base; medians over rounds with 95 % intervals."
            .to_owned(),
        x: Axis::linear("changed", ""),
        y: Axis::linear("latency to the base's", ""),
        form: Form::Bars,
        series: vec![Series {
            name: "to the base".to_owned(),
            points: (0..).zip(rows).filter_map(bar).collect(),
        }],
    }
}

fn distributions(placed: &Placed<'_>, rows: &[Row]) -> Figure {
    let drawn = DRAWN.into_iter().filter(|row| rows.contains(row));
    let curve = |row: Row| {
        let mut ladder = ladder::new().ok()?;
        for latency in placed.latencies(row) {
            // A histogram begins at 1.
            ladder.record((latency.round() as u64).max(1)).ok()?;
        }
        Some(Series::new(row.name(), ladder::curve(&ladder)))
    };
    Figure {
        title: format!(
            "From the submission to the result, cores {}",
            placed.placement.name()
        ),
        caption: "Latency not exceeded by a share of the events.".to_owned(),
        x: Axis::linear("events", "%"),
        y: Axis::log("latency", "ns"),
        form: Form::Percentiles,
        series: drawn.filter_map(curve).collect(),
    }
}
