//! What the stamps of a paced run say: latencies, their mean without the outer quarters, their distribution.

use crate::clock::Clock;
use crate::stats::middle_half;
use anyhow::{ensure, Result};
use hdrhistogram::Histogram;

/// Latencies in nanoseconds, to two digits: there are as many of these as cells.
pub type Latencies = Histogram<u32>;

/// Messages at the start of a run that do not count: they warm what a long run has warm.
pub const WARMING: usize = 100;

/// A queue's messages in one cell.
#[derive(Debug, Clone)]
pub struct OneWay {
    /// The mean of the middle half in nanoseconds, averaged over the two directions.
    pub mean: f64,
    /// Every message of both.
    pub latencies: Latencies,
    /// Messages that found the queue full.
    pub drops: u64,
}

impl OneWay {
    /// Of the latencies in each direction, in nanoseconds.
    ///
    /// # Errors
    ///
    /// If a direction has none.
    pub fn of(directions: [Vec<f64>; 2], drops: u64) -> Result<Self> {
        const DIGITS: u8 = 2;
        let mut latencies = Latencies::new(DIGITS)?;
        for &ns in directions.iter().flatten() {
            // A histogram begins at 1.
            latencies.record((ns.round() as u64).max(1))?;
        }
        let mut mean = 0.0;
        for direction in directions {
            let middle = middle_half(direction);
            ensure!(middle.is_some(), "no message was counted in one direction");
            mean += middle.unwrap_or_default() / 2.0;
        }
        Ok(Self {
            mean,
            latencies,
            drops,
        })
    }
}

/// The latencies in nanoseconds of messages with these stamps, in ticks; those that warm are left out.
///
/// # Errors
///
/// If a message arrived before it was sent.
pub fn latencies(
    stamps: impl Iterator<Item = (u64, u64)>,
    clock: &Clock,
    queue: &str,
) -> Result<Vec<f64>> {
    let counted = stamps.skip(WARMING).map(|(from, arrived)| {
        ensure!(
            arrived >= from,
            "a message of {queue} arrived before it was sent: the counters of the two cores are not synchronised"
        );
        Ok(clock.ns(arrived - from))
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock {
        ns_per_tick: 0.5,
        step_ns: 1.0,
        cost_ns: 10.0,
    };

    #[test]
    fn the_directions_weigh_the_same_and_outliers_nothing() {
        let there = vec![1.0, 60.0, 70.0, 1e6];
        let back = vec![100.0; 400];
        let cell = OneWay::of([there, back], 3).unwrap();
        assert_eq!((cell.mean, cell.drops), (82.5, 3));
        assert_eq!(cell.latencies.len(), 404);
        assert!(cell.latencies.max() >= 990_000);
        assert!(OneWay::of([vec![1.0], vec![]], 0).is_err());
    }

    #[test]
    fn stamps_become_nanoseconds_once_all_is_warm() {
        let stamps =
            |late: u64| (0..WARMING as u64 + 2).map(move |n| (n * 1000, n * 1000 + late + n));
        let found = latencies(stamps(100), &CLOCK, "line").unwrap();
        assert_eq!(found, [100.0, 100.5]);
        let backwards = (0..200).map(|n| (1000 + n, 999));
        let error = latencies(backwards, &CLOCK, "line").unwrap_err();
        assert!(error.to_string().contains("not synchronised"), "{error}");
    }
}
