//! The ruler: what the clocks can tell apart, what they cost, and whether two cores agree about them.

use super::result::{Axis, Figure, Findings, Form, Point, Series, Table, Value};
use super::Setup;
use crate::clock;
use crate::clocks::{Fenced, FencedBefore, Monotonic, MonotonicRaw, Plain, Source};
use crate::skew::{exchange, Skew};
use crate::stats::Estimate;
use anyhow::{Context, Result};

/// What was measured of a clock, in nanoseconds.
#[derive(Debug)]
pub struct Reading {
    /// The clock.
    pub name: &'static str,
    /// The least that two readings differ by.
    pub step: f64,
    /// What a reading costs, among readings.
    pub cost: Estimate,
    /// How far the second core is ahead.
    pub offset: f64,
    /// By how much that may be wrong.
    pub uncertainty: f64,
    /// Exchanges between the cores.
    pub exchanges: usize,
    /// Those in which time seemed to run back.
    pub backwards: usize,
    /// The furthest that it did.
    pub furthest_back: f64,
}

/// Measures every clock that there is.
///
/// # Errors
///
/// If the counter tells no time.
pub fn measure(setup: &mut Setup) -> Result<Vec<Reading>> {
    Ok(vec![
        reading::<Plain>(setup)?,
        reading::<FencedBefore>(setup)?,
        reading::<Fenced>(setup)?,
        #[cfg(target_arch = "x86_64")]
        reading::<crate::clocks::Rdtscp>(setup)?,
        reading::<Monotonic>(setup)?,
        reading::<MonotonicRaw>(setup)?,
    ])
}

fn reading<S: Source>(setup: &mut Setup) -> Result<Reading> {
    let unit = S::ns_per_unit(&setup.clock);
    let batches = setup.amount(200, 50);
    let cost = Estimate::of((0..batches).map(|_| setup.clock.ns(cost::<S>())))
        .context("no reading was timed")?;
    let count = setup.amount(20_000, 5_000) as usize;
    let exchanges = exchange::<S>(&mut setup.crew, count);
    let skew = Skew::of(&exchanges).context("no exchange was made")?;
    Ok(Reading {
        name: S::NAME,
        step: step::<S>() as f64 * unit,
        cost,
        offset: skew.offset * unit,
        uncertainty: skew.uncertainty * unit,
        exchanges: exchanges.len(),
        backwards: skew.backwards,
        furthest_back: skew.furthest_back as f64 * unit,
    })
}

/// The least that two readings differ by, unless they are equal.
fn step<S: Source>() -> u64 {
    const PAIRS: u32 = 100_000;
    let differences = (0..PAIRS).map(|_| {
        let first = S::now();
        S::now().saturating_sub(first)
    });
    differences
        .filter(|&difference| difference > 0)
        .min()
        .unwrap_or(0)
}

/// A reading's cost in ticks, over a batch large enough for the clock that times it.
fn cost<S: Source>() -> u64 {
    const READINGS: u64 = 1000;
    let before = clock::now();
    for _ in 0..READINGS {
        std::hint::black_box(S::now());
    }
    (clock::now() - before) / READINGS
}

/// The clocks, a row each.
pub fn table(readings: &[Reading]) -> Table {
    let mut table = Table::new(
        "The clocks",
        &[
            ("clock", ""),
            ("step", "ns"),
            ("cost", "ns"),
            ("offset", "ns"),
            ("ran back", ""),
            ("furthest back", "ns"),
        ],
    );
    for reading in readings {
        table.row([
            reading.name.into(),
            reading.step.into(),
            reading.cost.into(),
            Value::within(
                reading.offset,
                reading.offset - reading.uncertainty,
                reading.offset + reading.uncertainty,
            ),
            format!("{} of {}", reading.backwards, reading.exchanges).into(),
            reading.furthest_back.into(),
        ]);
    }
    table
}

/// The study of the clocks alone.
pub fn findings(readings: &[Reading], taken_off: i64) -> Findings {
    let bars = |points: &dyn Fn(&Reading) -> Point| {
        let points = (0_u32..).zip(readings).map(|(place, reading)| Point {
            x: place.into(),
            label: Some(reading.name.to_owned()),
            ..points(reading)
        });
        vec![Series {
            name: "clock".to_owned(),
            points: points.collect(),
        }]
    };
    let figure = |title: &str, caption: &str, label: &str, form, series| Figure {
        title: title.to_owned(),
        caption: caption.to_owned(),
        x: Axis::linear("clock", ""),
        y: Axis::linear(label, "ns"),
        form,
        series,
    };
    Findings {
        tables: vec![table(readings)],
        figures: vec![
            figure(
                "What a reading costs",
                "Among readings of the same clock, one after the other; medians with 95 % intervals.",
                "cost",
                Form::Bars,
                bars(&|reading| Point::of(0.0, &reading.cost)),
            ),
            figure(
                "How far the second core's clock is ahead",
                "By the shortest exchange of readings over a shared line; the bounds are half the exchange.",
                "offset",
                Form::Points,
                bars(&|reading| Point {
                    y: reading.offset,
                    low: Some(reading.offset - reading.uncertainty),
                    high: Some(reading.offset + reading.uncertainty),
                    ..Point::default()
                }),
            ),
        ],
        notes: vec![
            "The offset is how far the second core is ahead. Time ran back where a reading on one core was below one that had been made on the other before it. A reading that \
             nothing holds in its place may be made before a load that precedes it has its value, so it can run back on cores \
             that agree; fenced before it cannot."
                .to_owned(),
            format!(
                "The system took a thread off its core {taken_off} times meanwhile. That lengthens some readings and exchanges: medians and the shortest exchange do not \
                 show it."
            ),
        ],
        ..Findings::new("What the clocks can tell apart, what they cost, and whether two cores agree about them")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Reading {
        Reading {
            name: "sundial",
            step: 10.0,
            cost: Estimate::of((0..9).map(|n| 20.0 + f64::from(n))).unwrap(),
            offset: -3.0,
            uncertainty: 40.0,
            exchanges: 100,
            backwards: 2,
            furthest_back: 7.0,
        }
    }

    #[test]
    fn the_table_and_the_figures_hold_what_was_read() {
        let findings = findings(&[example()], 3);
        assert!(findings.notes[1].contains("core 3 times"));
        let row = &findings.tables[0].rows[0];
        assert_eq!(row[0], "sundial".into());
        assert_eq!(row[3], Value::within(-3.0, -43.0, 37.0));
        assert_eq!((&row[4], &row[5]), (&"2 of 100".into(), &7.0.into()));
        let [cost, offset] = [0, 1].map(|figure| &findings.figures[figure].series[0].points[0]);
        assert_eq!((cost.y, cost.label.as_deref()), (24.0, Some("sundial")));
        assert_eq!((offset.low, offset.high), (Some(-43.0), Some(37.0)));
    }

    /// Counts up by 5 with each reading, but stands still at every other.
    struct Stepping;

    impl Source for Stepping {
        const NAME: &'static str = "stepping";

        fn now() -> u64 {
            use std::sync::atomic::{AtomicU64, Ordering};
            static READINGS: AtomicU64 = AtomicU64::new(0);
            // A count and nothing else.
            READINGS.fetch_add(1, Ordering::Relaxed) / 3 * 5
        }
    }

    #[test]
    fn the_step_is_the_least_difference_above_zero() {
        assert_eq!(step::<Stepping>(), 5);
    }
}
