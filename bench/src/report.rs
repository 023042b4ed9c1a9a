//! The report, as it stands in the JSON file.

use crate::probe::{Placement, PLACEMENTS};
use crate::stats::FEWEST;
use anyhow::{ensure, Context, Result};
use nix::unistd::{access, AccessFlags};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of this form.
pub const SCHEMA: u32 = 1;

/// Everything there is to say about one comparison; the table and the page are drawn from it alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// How it was called.
    pub command: String,
    /// When, and by which version; none in results of versions that did not say.
    #[serde(default)]
    pub taken: Option<Taken>,
    /// Where it ran.
    pub machine: Machine,
    /// The queues of other projects.
    pub peers: Vec<Peer>,
    /// Which of our kinds stands for us in a throughput cell.
    pub rule: String,
    /// What was measured.
    pub cells: Vec<Cell>,
    /// What was asked for but lost every round.
    pub lost: Vec<Lost>,
    /// What was to be reached, and whether it was.
    pub targets: Vec<TargetRow>,
    /// What could not be judged, because it was not measured.
    pub unmeasured: Vec<Unmeasured>,
    /// What was to be reached over all cells together.
    #[serde(default)]
    pub overall: Vec<OverallRow>,
    /// The queues that were measured, and how the use of each departs from that of the others.
    #[serde(default)]
    pub queues: Vec<QueueNote>,
    /// What may be wrong with all of it, each in a sentence or two.
    #[serde(default)]
    pub threats: Vec<String>,
}

/// When a result was taken, and by which version of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taken {
    /// Such as `2026-11-30`, in UTC.
    pub date: String,
    /// The version of the project.
    pub version: String,
    /// The commit that it was built from, with `-dirty` behind it if the work tree had changes; none outside a work tree.
    pub commit: Option<String>,
}

impl Taken {
    /// Now, by this program.
    pub fn now() -> Self {
        Self {
            date: time::OffsetDateTime::now_utc().date().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: std::env::var("GIMMAL_COMMIT").ok(),
        }
    }

    /// In a few words.
    pub fn words(&self) -> String {
        let commit = self.commit.as_deref();
        format!(
            "{}, gimmal {}{}",
            self.date,
            self.version,
            commit.map_or_else(
                || " (commit not recorded)".to_owned(),
                |commit| format!(" at {commit}")
            )
        )
    }
}

/// The machine, the compilers and the circumstances.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Machine {
    pub hostname: String,
    pub arch: String,
    pub cpu_model: String,
    pub core_count: usize,
    /// The cores of the leader and the follower.
    pub cores: [usize; 2],
    /// `SCHED_FIFO` or `SCHED_OTHER`.
    pub scheduling: String,
    pub kernel: String,
    pub compilers: Compilers,
    pub flags: String,
    pub clock: ClockFigures,
    pub transparent_hugepages: Option<String>,
    pub aslr_randomize_va_space: Option<i64>,
    pub perf_event_paranoid: Option<i64>,
    pub sched_rt_runtime_us: Option<i64>,
    pub loadavg: [f64; 3],
    /// Whether the processor says that it is a virtual one, where processors say so.
    #[serde(default)]
    pub hypervisor: Option<bool>,
}

impl Machine {
    /// Whether the threads ran before all ordinary ones.
    pub fn is_realtime(&self) -> bool {
        self.scheduling == "SCHED_FIFO"
    }

    /// What the kernel did to the threads of a real-time run, if it did.
    pub fn throttling(&self) -> Option<String> {
        let runtime = self.sched_rt_runtime_us.filter(|&runtime| runtime >= 0);
        let runtime = runtime.filter(|_| self.is_realtime())?;
        Some(format!(
            "With sched_rt_runtime_us at {runtime}, the kernel stops threads under SCHED_FIFO for the rest of every period, as a rule for up to \
             {} ms of a second: maxima and far percentiles of tens of milliseconds are such stops, and no queue's doing.",
            (1_000_000 - runtime).max(0) / 1000
        ))
    }
}

/// What compiled the kernels.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Compilers {
    pub rustc: String,
    pub cxx: String,
}

/// What the clock can tell apart, and what it costs to read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct ClockFigures {
    pub step_ns: f64,
    pub cost_ns: f64,
}

/// Another project's queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Peer {
    pub id: String,
    pub version: Option<String>,
    pub found: bool,
    pub from: Option<String>,
    /// Why it is missing.
    pub note: Option<String>,
}

/// One queue in one benchmark, size, capacity and placement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Cell {
    pub benchmark: String,
    pub queue: String,
    pub payload_bytes: u32,
    pub capacity: u32,
    pub hint: String,
    pub placement: String,
    /// Rounds that count.
    pub rounds: usize,
    /// Rounds that do not, in any placement.
    pub dropped_rounds: u32,
    /// The control failed, so nothing in this group and placement counts, or the queue dropped messages.
    pub void: bool,
    pub unit: String,
    #[serde(flatten)]
    pub figures: Figures,
}

/// A cell's figures: medians over rounds, with 95 % intervals (none below 6 rounds).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub enum Figures {
    /// More is better.
    Rate {
        rate: f64,
        ratio_to_rigtorp: Option<f64>,
        ratio_to_rigtorp_ci: Option<[f64; 2]>,
        ratio_to_block: Option<f64>,
        ratio_to_block_ci: Option<[f64; 2]>,
    },
    /// Less is better. Beyond the median a percentile is given if enough single messages lie beyond it.
    Time {
        p50: f64,
        /// Of `one_way`: the mean of the middle half, averaged over the two directions. The ratios are of this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        middle_half_mean: Option<f64>,
        p99: Option<f64>,
        p999: Option<f64>,
        p9999: Option<f64>,
        max: Option<f64>,
        /// Single messages: nanoseconds, to two digits, and how many took as long. None if none were timed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        histogram: Option<Vec<[u64; 2]>>,
        /// The single messages that the percentiles rest on.
        #[serde(default)]
        samples: u64,
        /// Of `one_way`: messages a second.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rate_hz: Option<u32>,
        /// Of `one_way`: messages that found the queue full. There may be none, or the cell is void.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drops: Option<u64>,
        ratio_to_rigtorp: Option<f64>,
        ratio_to_rigtorp_ci: Option<[f64; 2]>,
        ratio_to_floor: Option<f64>,
        ratio_to_floor_ci: Option<[f64; 2]>,
    },
}

/// A cell without a round that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Lost {
    pub benchmark: String,
    pub queue: String,
    pub payload_bytes: u32,
    pub capacity: u32,
    pub dropped_rounds: u32,
}

/// A target in one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct TargetRow {
    /// The target in words; rows of one target have it in common.
    pub target: String,
    pub benchmark: String,
    pub queue: String,
    pub against: String,
    pub payload_bytes: u32,
    pub capacity: u32,
    pub placement: String,
    /// Such as `<= 0.70`.
    pub bound: String,
    pub value: f64,
    pub ci: Option<[f64; 2]>,
    pub rounds: usize,
    /// `holds`, `misses`, `undecided` or `void`.
    pub verdict: String,
}

/// A target over all cells of a benchmark in one placement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct OverallRow {
    pub target: String,
    pub benchmark: String,
    pub placement: String,
    /// Cells that count, and cells that the target names.
    pub cells: usize,
    pub cells_named: usize,
    /// Such as `>= 1.50`.
    pub bound: String,
    /// What was found, in words.
    pub found: String,
    /// The geometric mean, or the number of cells.
    pub value: f64,
    pub ci: Option<[f64; 2]>,
    /// `holds`, `misses` or `undecided`.
    pub verdict: String,
}

/// A queue that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct QueueNote {
    pub id: String,
    pub peer: Option<String>,
    pub about: String,
    /// How its use departs from that of the others; the words are the same for every queue that a departure is common to.
    pub deviations: Vec<String>,
}

/// The queues of a target of which no round was measured in any of its cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Unmeasured {
    pub target: String,
    pub queues: Vec<String>,
}

impl Cell {
    /// Whether too few rounds were kept for an interval.
    pub fn is_thin(&self) -> bool {
        self.rounds < FEWEST
    }

    /// What is compared: the rate, the median, or the mean of the middle half.
    pub fn value(&self) -> f64 {
        match self.figures {
            Figures::Rate { rate, .. } => rate,
            Figures::Time {
                p50,
                middle_half_mean,
                ..
            } => middle_half_mean.unwrap_or(p50),
        }
    }

    /// Messages that found the queue full, where there may be none.
    pub fn drops(&self) -> u64 {
        match self.figures {
            Figures::Time { drops, .. } => drops.unwrap_or(0),
            Figures::Rate { .. } => 0,
        }
    }

    /// As a multiple of the reference.
    pub fn to_reference(&self) -> (Option<f64>, Option<[f64; 2]>) {
        match self.figures {
            Figures::Rate {
                ratio_to_rigtorp,
                ratio_to_rigtorp_ci,
                ..
            }
            | Figures::Time {
                ratio_to_rigtorp,
                ratio_to_rigtorp_ci,
                ..
            } => (ratio_to_rigtorp, ratio_to_rigtorp_ci),
        }
    }

    /// As a multiple of the limit: the floor, or the rate of blocks.
    pub fn to_limit(&self) -> (Option<f64>, Option<[f64; 2]>) {
        match self.figures {
            Figures::Rate {
                ratio_to_block,
                ratio_to_block_ci,
                ..
            } => (ratio_to_block, ratio_to_block_ci),
            Figures::Time {
                ratio_to_floor,
                ratio_to_floor_ci,
                ..
            } => (ratio_to_floor, ratio_to_floor_ci),
        }
    }

    /// Whether two cells are compared with each other.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.benchmark == other.benchmark
            && (self.payload_bytes, self.capacity) == (other.payload_bytes, other.capacity)
            && self.placement == other.placement
    }
}

impl Lost {
    /// Whether a cell would have been compared with this one.
    pub fn is_of(&self, cell: &Cell) -> bool {
        self.benchmark == cell.benchmark
            && (self.payload_bytes, self.capacity) == (cell.payload_bytes, cell.capacity)
    }

    /// Whether two cells would have been compared with each other.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.benchmark == other.benchmark
            && (self.payload_bytes, self.capacity) == (other.payload_bytes, other.capacity)
    }
}

impl Report {
    /// The placements of the cores that were seen, from the nearest on.
    pub fn placements(&self) -> Vec<&'static str> {
        let all = PLACEMENTS.into_iter().map(Placement::name);
        let seen = |name: &&str| self.cells.iter().any(|cell| cell.placement == *name);
        all.filter(seen).collect()
    }

    /// As JSON.
    ///
    /// # Errors
    ///
    /// If a figure is no number.
    pub fn to_json(&self) -> Result<String> {
        crate::json::text(self)
    }

    /// From JSON.
    ///
    /// # Errors
    ///
    /// If the text is no such report.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).context("not a report of this program")
    }
}

/// Sees to it, before anything is measured, that a file can be put there. The directory of the usual place is made; any other must be
/// there.
///
/// # Errors
///
/// If there is none, or nothing can be written to it.
pub fn prepare(path: &Path, usual: &Path) -> Result<()> {
    ensure!(
        !path.is_dir(),
        "{} is a directory: name a file",
        path.display()
    );
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let directory = parent.unwrap_or(Path::new("."));
    if path.parent() == usual.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
    }
    ensure!(
        directory.is_dir(),
        "there is no directory {}: make it, or name another place",
        directory.display()
    );
    access(directory, AccessFlags::W_OK)
        .with_context(|| format!("cannot write to {}", directory.display()))
}

/// Writes a file.
///
/// # Errors
///
/// If that cannot be done.
pub fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Reports for tests.
#[cfg(test)]
pub mod examples {
    use super::*;

    /// A cell in throughput of 8 bytes at capacity 64.
    pub fn cell(queue: &str, placement: &str, rounds: usize, dropped_rounds: u32) -> Cell {
        Cell {
            benchmark: "throughput".to_owned(),
            queue: queue.to_owned(),
            payload_bytes: 8,
            capacity: 64,
            hint: "none".to_owned(),
            placement: placement.to_owned(),
            rounds,
            dropped_rounds,
            void: false,
            unit: "million/s".to_owned(),
            figures: Figures::Rate {
                rate: 1.0,
                ratio_to_rigtorp: Some(1.5),
                ratio_to_rigtorp_ci: None,
                ratio_to_block: None,
                ratio_to_block_ci: None,
            },
        }
    }

    /// A report of these, where boost lost a cell as often as `lost` has elements.
    pub fn report(cells: Vec<Cell>, lost: &[u32]) -> Report {
        let lost = lost.iter().map(|&dropped_rounds| Lost {
            benchmark: "throughput".to_owned(),
            queue: "boost".to_owned(),
            payload_bytes: 8,
            capacity: 64,
            dropped_rounds,
        });
        Report {
            schema: 1,
            command: String::new(),
            taken: None,
            machine: Machine {
                loadavg: [3.5, 2.0, 1.0],
                ..Machine::default()
            },
            peers: Vec::new(),
            rule: String::new(),
            cells,
            lost: lost.collect(),
            targets: Vec::new(),
            unmeasured: Vec::new(),
            overall: Vec::new(),
            queues: Vec::new(),
            threats: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_usual_directory_is_made() {
        let root = std::env::temp_dir().join(format!("gimmal-prepare-{}", std::process::id()));
        let usual = root.join("usual/report.json");
        let elsewhere = root.join("elsewhere/report.json");
        assert!(prepare(&usual, &usual).is_ok() && root.join("usual").is_dir());
        let error = prepare(&elsewhere, &usual).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no directory ") && error.contains("elsewhere"),
            "{error}"
        );
        assert!(!root.join("elsewhere").exists());
        std::fs::create_dir(root.join("elsewhere")).unwrap();
        assert!(prepare(&elsewhere, &usual).is_ok() && !elsewhere.exists());
        let error = prepare(&root.join("elsewhere"), &usual)
            .unwrap_err()
            .to_string();
        assert!(error.contains("is a directory"), "{error}");
        assert!(prepare(Path::new("plain.json"), &usual).is_ok());
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn throttling_is_told_where_it_holds() {
        let machine = |scheduling: &str, runtime| Machine {
            scheduling: scheduling.to_owned(),
            sched_rt_runtime_us: runtime,
            ..Machine::default()
        };
        let said = machine("SCHED_FIFO", Some(950_000)).throttling().unwrap();
        assert!(said.contains("950000") && said.contains("50 ms"), "{said}");
        assert_eq!(machine("SCHED_FIFO", Some(-1)).throttling(), None);
        assert_eq!(machine("SCHED_FIFO", None).throttling(), None);
        assert_eq!(machine("SCHED_OTHER", Some(950_000)).throttling(), None);
    }

    #[test]
    fn a_result_says_when_and_by_what_it_was_taken() {
        let taken = Taken::now();
        let parts: Vec<&str> = taken.date.split('-').collect();
        assert!(
            parts.len() == 3 && parts[0].len() == 4 && parts[2].len() == 2,
            "{}",
            taken.date
        );
        let taken = Taken {
            date: "2026-11-30".to_owned(),
            version: "0.1.0".to_owned(),
            commit: Some("0123abcd".to_owned()),
        };
        assert_eq!(taken.words(), "2026-11-30, gimmal 0.1.0 at 0123abcd");
    }
}
