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
    /// Two hardware threads of one core.
    Sibling,
    /// Two cores that share a cache.
    Near,
    /// Two cores that share none.
    Far,
}

/// What they are, for a reader.
pub const PLACEMENTS_IN_WORDS: &str = "Placements, as a bare round trip between the two cores shows them: sibling (two hardware threads of one core), near (cores that share a cache), far (cores that do not). \
     A virtual machine may move them.";

/// Every placement, from the nearest on.
pub const PLACEMENTS: [Placement; 3] = [Placement::Sibling, Placement::Near, Placement::Far];

impl Placement {
    /// As in the tables and the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sibling => "sibling",
            Self::Near => "near",
            Self::Far => "far",
        }
    }
}

/// The floors that divide the placements, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divides([f64; 2]);

impl Divides {
    /// About where they are on the machines that were seen.
    const EXPECTED: [f64; 2] = [42.0, 210.0];
    /// How far from there they may be.
    const WINDOW: f64 = 1.6;

    /// Each in the widest gap between the floors about where it is expected, so that no cluster is cut.
    pub fn of(floors: impl IntoIterator<Item = f64>) -> Self {
        let floors: Vec<f64> = floors.into_iter().collect();
        Self(Self::EXPECTED.map(|expected| {
            let (low, high) = (expected / Self::WINDOW, expected * Self::WINDOW);
            let mut inside: Vec<f64> = floors
                .iter()
                .copied()
                .filter(|floor| (low..=high).contains(floor))
                .chain([low, high])
                .collect();
            inside.sort_by(f64::total_cmp);
            let widest = inside
                .windows(2)
                .max_by(|a, b| (a[1] / a[0]).total_cmp(&(b[1] / b[0])));
            widest.map_or(expected, |gap| (gap[0] * gap[1]).sqrt())
        }))
    }

    /// The placement that a floor tells of.
    pub fn placement(&self, floor: f64) -> Placement {
        match self.0 {
            [sibling, _] if floor < sibling => Placement::Sibling,
            [_, near] if floor < near => Placement::Near,
            _ => Placement::Far,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fifty floors within 5 % of `centre`.
    fn cluster(centre: f64) -> impl Iterator<Item = f64> {
        (0..50).map(move |n| centre * (0.95 + f64::from(n) / 500.0))
    }

    #[test]
    fn clusters_are_told_apart_wherever_they_lie() {
        use Placement::{Far, Near, Sibling};
        let seen: [&[(f64, Placement)]; 7] = [
            &[(31.0, Sibling), (69.0, Near), (318.0, Far)],
            &[(140.0, Near), (500.0, Far)],
            &[(30.0, Sibling), (60.0, Near)],
            &[(56.0, Near)],
            &[(160.0, Near), (280.0, Far)],
            &[(250.0, Far)],
            &[(20.0, Sibling)],
        ];
        for clusters in seen {
            let divides = Divides::of(clusters.iter().flat_map(|(centre, _)| cluster(*centre)));
            for (centre, placement) in clusters {
                assert!(
                    cluster(*centre).all(|floor| divides.placement(floor) == *placement),
                    "{clusters:?}: {divides:?}"
                );
            }
        }
    }

    #[test]
    fn no_cluster_is_cut_even_where_a_divide_is_expected() {
        for centre in [38.0, 42.0, 46.0, 200.0, 210.0, 220.0] {
            let divides = Divides::of(cluster(centre));
            let placements: std::collections::HashSet<_> = cluster(centre)
                .map(|floor| divides.placement(floor))
                .collect();
            assert_eq!(placements.len(), 1, "{centre}: {divides:?}");
        }
    }

    #[test]
    fn strays_move_no_cluster() {
        let floors = || cluster(140.0).chain([900.0, 260.0, 12.0]);
        let divides = Divides::of(floors());
        let near = floors().filter(|floor| divides.placement(*floor) == Placement::Near);
        assert_eq!(near.count(), 50);
        assert_eq!(Divides::of([]).placement(100.0), Placement::Near);
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
