//! What is run, how much of it, and in which order.

use crate::catalog::{Benchmark, BASELINE, BENCHMARKS, CAPACITIES, PAYLOADS, RATE, SLEEPER};
use crate::kernels::BATCH;
use fastrand::Rng;

/// Where `one_way` is measured: at its pace a queue is all but empty, however much it holds.
const ROOMY: u32 = 1024;

/// Messages of one cell of `one_way`, both directions together: what is due in 50 ms, but enough for a mean.
pub fn paced(rate: u32) -> u64 {
    const CELLS_A_SECOND: u32 = 20;
    const FEWEST: u32 = 500;
    u64::from((rate / CELLS_A_SECOND).max(FEWEST))
}

/// The cells that are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// What is measured.
    pub benchmark: Benchmark,
    /// Bytes of a message.
    pub payload: u32,
    /// Messages that a queue holds.
    pub capacity: u32,
}

impl Group {
    /// Messages that pass in one cell of a queue.
    ///
    /// Short runs flatter: below 5 laps a queue hardly wraps, and for longer still one may run fast before its two ends
    /// settle into each other's way. So throughput runs 100 laps, or 20 of a capacity so large that 100 would take too
    /// long, and as many messages as a small capacity leaves time for; the baselines, which are slow, just the laps.
    pub fn messages(&self, queue: &str) -> u64 {
        let laps = u64::from(self.capacity) * if self.capacity > 16384 { 20 } else { 100 };
        let settled = match self.payload {
            // A queue of two messages passes each of them by hand.
            _ if self.capacity <= 2 => 50_000,
            ..=8 => 500_000,
            9..=64 => 200_000,
            _ => 100_000,
        };
        let wanted = match self.benchmark {
            Benchmark::RoundTrip => return 4096,
            Benchmark::OneWay => return paced(RATE),
            Benchmark::SingleThread => return 300_000,
            Benchmark::PopEmpty => return 1_000_000,
            _ if queue == BASELINE || queue == SLEEPER => laps,
            Benchmark::Throughput => laps.max(settled),
            Benchmark::BulkThroughput => laps.max(2 * settled),
        };
        wanted.next_multiple_of(BATCH as u64)
    }
}

impl Group {
    /// How much of a comparison's time it gets: a benchmark of one capacity as much as others get for all of theirs.
    pub const fn share(&self) -> u32 {
        match self.benchmark {
            Benchmark::OneWay => CAPACITIES.len() as u32,
            _ => 1,
        }
    }
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of {} bytes at capacity {}",
            self.benchmark.name(),
            self.payload,
            self.capacity
        )
    }
}

/// Every group of these, in the order of the tables.
pub fn groups(benchmarks: &[Benchmark], payloads: &[u32], capacities: &[u32]) -> Vec<Group> {
    let mut groups = Vec::new();
    for &benchmark in benchmarks {
        let measured = |capacity: &&u32| benchmark != Benchmark::OneWay || **capacity == ROOMY;
        for &payload in payloads {
            for &capacity in capacities.iter().filter(measured) {
                groups.push(Group {
                    benchmark,
                    payload,
                    capacity,
                });
            }
        }
    }
    groups
}

/// Every group that there are kernels for.
pub fn all_groups() -> Vec<Group> {
    groups(&BENCHMARKS, &PAYLOADS, &CAPACITIES)
}

/// A queue's turn in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its place in the list of queues.
    pub queue: usize,
    /// Whether it runs before the reference or after.
    pub first: bool,
}

/// A round: every queue once, in an order of its own.
pub fn round(queues: usize, rng: &mut Rng) -> Vec<Turn> {
    let mut turns: Vec<Turn> = (0..queues)
        .map(|queue| Turn {
            queue,
            first: rng.bool(),
        })
        .collect();
    rng.shuffle(&mut turns);
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::REFERENCE;

    #[test]
    fn a_round_has_every_queue_once_in_an_order_that_changes() {
        let mut rng = Rng::with_seed(1);
        let rounds: Vec<_> = (0..20).map(|_| round(10, &mut rng)).collect();
        for turns in &rounds {
            let mut queues: Vec<_> = turns.iter().map(|turn| turn.queue).collect();
            queues.sort_unstable();
            assert_eq!(queues, (0..10).collect::<Vec<_>>());
        }
        let orders: std::collections::HashSet<Vec<usize>> = rounds
            .iter()
            .map(|turns| turns.iter().map(|turn| turn.queue).collect())
            .collect();
        assert!(orders.len() > 15, "orders repeat");
        let first = rounds.iter().flatten().filter(|turn| turn.first).count();
        assert!(
            (60..140).contains(&first),
            "before the reference {first} times of 200"
        );
    }

    #[test]
    fn throughput_runs_as_many_laps_as_the_method_asks() {
        let limited = all_groups()
            .into_iter()
            .filter(|group| group.benchmark.has_block());
        for group in limited {
            for queue in [BASELINE, SLEEPER, REFERENCE] {
                let messages = group.messages(queue);
                let laps = messages / u64::from(group.capacity);
                let least = if group.capacity > 16384 { 20 } else { 100 };
                assert!(laps >= least, "{queue} in {group}: {laps} laps");
                assert_eq!(messages % BATCH as u64, 0, "{queue} in {group}");
            }
        }
    }

    #[test]
    fn every_benchmark_has_every_size_and_capacity() {
        assert_eq!(all_groups().len(), (BENCHMARKS.len() - 1) * 3 * 4 + 3);
        assert_eq!(
            groups(&[Benchmark::OneWay], &[8, 48], &[64, 1024]).len(),
            2,
            "one capacity"
        );
        assert_eq!(groups(&[Benchmark::PopEmpty], &[8, 48], &[64]).len(), 2);
    }

    #[test]
    fn a_cell_of_one_way_lasts_as_long_at_every_rate_but_has_enough() {
        assert_eq!(paced(RATE), 5000);
        assert_eq!(paced(1_000_000), 50_000);
        assert_eq!(paced(1), 500);
    }
}
