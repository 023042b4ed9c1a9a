//! Probes of the floor: the bare round trip between the two cores, in both languages. They tell how far apart the cores
//! are at the moment, and whether that changed.

use crate::abi::Run;
use crate::clock::Clock;
use crate::registry::Registry;
use crate::stats;
use crate::threads::{Cell, Crew};
use anyhow::{Context, Result};
use std::sync::atomic::{AtomicU64, Ordering};

const SAMPLES: usize = 12;
const BATCH: u64 = 32;

/// By how much two probes around a pair may differ.
const TOLERANCE: f64 = 1.2;

/// What a probe found, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The least round trip of the C++ kernels.
    pub cpp: f64,
    /// The least round trip of the Rust kernels.
    pub rust: f64,
}

impl Probe {
    /// The floor.
    pub fn least(&self) -> f64 {
        self.cpp.min(self.rust)
    }

    /// Whether the cores seem to be as far apart as in another probe.
    pub fn agrees(&self, other: &Self) -> bool {
        let (low, high) = (
            self.least().min(other.least()),
            self.least().max(other.least()),
        );
        high <= low * TOLERANCE
    }

    /// The middle between two.
    pub fn between(&self, other: &Self) -> Self {
        Self {
            cpp: (self.cpp + other.cpp) / 2.0,
            rust: (self.rust + other.rust) / 2.0,
        }
    }
}

/// The probes' kernels and memory, kept for the whole comparison.
pub struct Prober {
    cpp: [Cell; 2],
    rust: [Cell; 2],
    samples: Vec<AtomicU64>,
}

impl Prober {
    /// Finds the kernels.
    ///
    /// # Errors
    ///
    /// If one is not in the table.
    pub fn new(registry: &Registry) -> Result<Self> {
        let cell = |id: &str| {
            Ok::<_, anyhow::Error>(Cell::new(
                registry.probe(id).context("no kernel to probe with")?,
                0,
            ))
        };
        Ok(Self {
            cpp: [cell("floor-cpp-one")?, cell("floor-cpp-two")?],
            rust: [cell("floor-rust-one")?, cell("floor-rust-two")?],
            samples: (0..SAMPLES).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Measures the floor.
    pub fn probe(&mut self, crew: &mut Crew, clock: &Clock, hint: usize) -> Probe {
        let samples = &self.samples;
        let mut least = |cells: &mut [Cell; 2]| {
            cells
                .iter_mut()
                .map(|cell| typical(cell, samples, crew, clock, hint))
                .fold(f64::INFINITY, f64::min)
        };
        Probe {
            cpp: least(&mut self.cpp),
            rust: least(&mut self.rust),
        }
    }
}

fn typical(
    cell: &mut Cell,
    samples: &[AtomicU64],
    crew: &mut Crew,
    clock: &Clock,
    hint: usize,
) -> f64 {
    let run = Run::new(samples.len() as u64 * BATCH, BATCH, samples);
    cell.run(crew, hint, &run);
    let times = samples
        .iter()
        .map(|ticks| clock.ns(ticks.load(Ordering::Relaxed)) / BATCH as f64);
    stats::median(times).unwrap_or(f64::INFINITY)
}

/// How far apart the two cores are. On a virtual machine that changes while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// They share a cache.
    Near,
    /// They do not.
    Far,
}

impl Placement {
    /// As in the tables and the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
        }
    }
}

/// The floor that divides near from far, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divide(f64);

impl Divide {
    /// Where one has to be assumed: between the two that were seen on many machines.
    const ASSUMED: f64 = 250.0;
    /// The gap that makes two placements of one.
    const GAP: f64 = 1.5;

    /// Looks for the widest gap between the floors, a few strays at either end aside; without one, all are on one side.
    pub fn of(floors: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = floors.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let strays = 1 + sorted.len() / 50;
        let inner = sorted
            .get(strays..sorted.len().saturating_sub(strays))
            .unwrap_or_default();
        let widest = inner
            .windows(2)
            .max_by(|a, b| (a[1] / a[0]).total_cmp(&(b[1] / b[0])));
        match widest {
            Some(pair) if pair[1] / pair[0] >= Self::GAP => Self((pair[0] * pair[1]).sqrt()),
            _ => Self(Self::ASSUMED),
        }
    }

    /// On which side a floor is.
    pub fn side(&self, floor: f64) -> Placement {
        if floor < self.0 {
            Placement::Near
        } else {
            Placement::Far
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clusters_are_divided_wherever_they_lie() {
        for (near, far) in [(140.0, 500.0), (60.0, 120.0), (300.0, 700.0)] {
            let floors =
                (0..20).map(|n| if n % 3 == 0 { far } else { near } * (1.0 + f64::from(n) / 400.0));
            let divide = Divide::of(floors);
            assert_eq!(divide.side(near * 1.04), Placement::Near);
            assert_eq!(divide.side(far * 0.98), Placement::Far);
        }
    }

    #[test]
    fn strays_make_no_placement() {
        let floors = || {
            (0..100).map(|n| {
                if n < 2 {
                    900.0
                } else {
                    140.0 + f64::from(n) / 10.0
                }
            })
        };
        let divide = Divide::of(floors());
        assert_eq!(
            floors()
                .filter(|&floor| divide.side(floor) == Placement::Near)
                .count(),
            98
        );
        assert_eq!(divide, Divide(Divide::ASSUMED));
    }

    #[test]
    fn one_cluster_is_all_near_or_all_far() {
        for (centre, placement) in [(140.0, Placement::Near), (520.0, Placement::Far)] {
            let floors = || (0..20).map(|n| centre * (1.0 + f64::from(n) / 100.0));
            let divide = Divide::of(floors());
            assert!(floors().all(|floor| divide.side(floor) == placement));
        }
        assert_eq!(Divide::of([]).side(100.0), Placement::Near);
    }

    #[test]
    fn probes_that_differ_by_more_than_noise_disagree() {
        let probe = |cpp, rust| Probe { cpp, rust };
        assert!(probe(140.0, 142.0).agrees(&probe(150.0, 149.0)));
        assert!(!probe(140.0, 142.0).agrees(&probe(500.0, 505.0)));
        assert!(!probe(500.0, 505.0).agrees(&probe(140.0, 142.0)));
        assert_eq!(
            probe(140.0, 150.0).between(&probe(160.0, 170.0)),
            probe(150.0, 160.0)
        );
    }
}
