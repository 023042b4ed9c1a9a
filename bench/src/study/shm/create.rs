//! How long it takes to create a segment and to attach to it.

use crate::study::result::{Table, Value};
use crate::study::Setup;
use crate::{clock, stats::Estimate};
use anyhow::Result;
use gimmal_shm::Segment;

/// Elements of 48 bytes by line, a cell each: 1 MiB of them.
const CAPACITY: usize = 16384;
/// How the memory is held.
const HOW: [(&str, bool); 2] = [("as it comes", false), ("touched before it is used", true)];

type Element = [u64; 6];

/// Creates, attaches and removes, many times; the times as a table.
///
/// # Errors
///
/// If a segment cannot be made.
pub fn table(setup: &Setup) -> Result<Table> {
    let times = setup.amount(200, 50);
    let name = format!("study-{}", std::process::id());
    let mut table = Table::new(
        "To create a named segment of 1 MiB, and to attach to it",
        &[
            ("memory", ""),
            ("create", "ns"),
            ("attach", "ns"),
            ("both", "ns"),
        ],
    );
    for (how, touched) in HOW {
        let segment = || {
            let segment = Segment::named(&name).line(CAPACITY);
            if touched {
                segment.touch()
            } else {
                segment
            }
        };
        let mut columns = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..times {
            let begin = clock::now();
            let producer = segment().create_new().producer::<Element>()?;
            let created = clock::now();
            let consumer = segment().consumer::<Element>()?;
            let attached = clock::now();
            drop((producer, consumer));
            segment().remove()?;
            columns[0].push(setup.clock.ns(created - begin));
            columns[1].push(setup.clock.ns(attached - created));
            columns[2].push(setup.clock.ns(attached - begin));
        }
        let mut row: Vec<Value> = vec![how.into()];
        row.extend(columns.map(|column| Estimate::of(column).into()));
        table.row(row);
    }
    Ok(table)
}
