//! What a place is told to do in a cell, also as a line that goes to another process.

use crate::abi::Pace;
use anyhow::{Context, Result};
use std::fmt;
use std::str::FromStr;

/// Round trips that are timed as one.
pub const BATCH: u64 = 32;

/// A part of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Sends, waits for the answer, and keeps the time.
    Lead,
    /// Sends back what comes.
    Answer,
    /// Sends on a schedule.
    Pace,
    /// Takes what comes on a schedule, and tells how long it took.
    Take,
}

const DUTIES: [(Duty, &str); 4] = [
    (Duty::Lead, "lead"),
    (Duty::Answer, "answer"),
    (Duty::Pace, "pace"),
    (Duty::Take, "take"),
];

/// What to do, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Which part.
    pub duty: Duty,
    /// Messages that do not count.
    pub warming: usize,
    /// Batches of round trips.
    pub batches: usize,
    /// Messages that are timed one by one.
    pub singles: usize,
    /// The schedule of what is sent on one.
    pub pace: Pace,
}

impl Order {
    /// How many messages go there and back.
    pub const fn round_trips(&self) -> usize {
        self.warming + self.batches * BATCH as usize + self.singles
    }

    /// The same for the other side.
    pub const fn with(self, duty: Duty) -> Self {
        Self { duty, ..self }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = DUTIES.iter().find(|(duty, _)| *duty == self.duty);
        let name = name.map_or("", |(_, name)| name);
        write!(
            formatter,
            "{name} {} {} {} {} {}",
            self.warming, self.batches, self.singles, self.pace.period, self.pace.grain
        )
    }
}

impl FromStr for Order {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> Result<Self> {
        let mut words = line.split_whitespace();
        let name = words.next();
        let duty = DUTIES.iter().find(|(_, duty)| Some(*duty) == name);
        let (duty, _) = duty.with_context(|| format!("no duty in: {line}"))?;
        let mut number = || -> Result<u64> {
            let word = words.next();
            Ok(word
                .with_context(|| format!("too little in: {line}"))?
                .parse()?)
        };
        Ok(Self {
            duty: *duty,
            warming: number()? as usize,
            batches: number()? as usize,
            singles: number()? as usize,
            pace: Pace {
                period: number()?,
                grain: number()?,
                reversed: 0,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_reads_back_as_it_was_given() {
        for (duty, _) in DUTIES {
            let order = Order {
                duty,
                warming: 5,
                batches: 3,
                singles: 7,
                pace: Pace {
                    period: 11,
                    grain: 13,
                    reversed: 0,
                },
            };
            assert_eq!(order.to_string().parse::<Order>().unwrap(), order);
            assert_eq!(order.round_trips(), 5 + 96 + 7);
        }
        for line in [
            "",
            "lead",
            "lead 1 2 3 4",
            "dance 1 2 3 4 5",
            "lead 1 2 3 4 x",
        ] {
            assert!(line.parse::<Order>().is_err(), "{line}");
        }
    }
}
