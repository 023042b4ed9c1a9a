//! The command line.

use crate::catalog::{self, Benchmark, RATE};
use crate::hint::Hint;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::Parser;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Every queue is measured beside rigtorp on two threads that stay on their cores, in pairs and in shuffled order, between
two probes of the bare round trip. A pair whose probes disagree, or in which the system took a thread off its core, is
dropped. Results are medians over rounds of ratios within a round, with a 95 % interval, for each placement of the two
cores that was seen: sibling, near or far.

It takes both cores, and says little on a machine that is busy with something else.";

/// Where the figures go, if nothing else is said.
pub const JSON: &str = "target/compare/report.json";
/// Where the page goes, if nothing else is said.
pub const HTML: &str = "target/compare/report.html";

/// Measures queues beside each other and writes a table, a JSON file and a page.
#[derive(Parser, Debug)]
#[command(name = "gimmal-bench", version, after_help = AFTER_HELP)]
pub struct Options {
    /// Fewer rounds, within 90 s in all, after the build; what stays undecided is left so
    #[arg(long)]
    pub quick: bool,

    /// Every queue at every size and capacity, for as long as it takes: an hour or so
    #[arg(long, conflicts_with = "quick")]
    pub full: bool,

    /// Where to put the figures
    #[arg(long, value_name = "PATH", default_value = JSON)]
    pub json: PathBuf,

    /// Where to put the page drawn from them
    #[arg(long, value_name = "PATH", default_value = HTML)]
    pub html: PathBuf,

    /// Only these queues; rigtorp and its control are measured with them. Variants of the rings are accepted too, by the
    /// names that the decisions in docs/adr/ give them
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = queue_ids())]
    pub only: Vec<String>,

    /// Only these benchmarks
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub benchmark: Vec<Benchmark>,

    /// Only messages of these sizes in bytes: 8 and 48, if not given; there are 8, 48 and 256
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',', value_parser = a_payload)]
    pub payload: Vec<u32>,

    /// Only queues that hold this many messages: 64, 1024 and 65536, if not given; there is 2 beside them
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = a_capacity)]
    pub capacity: Vec<u32>,

    /// Where folly's headers lie, the directory that holds folly/; without it, folly is absent
    #[arg(long, value_name = "DIR")]
    pub folly: Option<PathBuf>,

    /// Rounds of each benchmark, size and capacity: 15, or 9 with --quick; up to four times as many while a target is
    /// undecided, unless --quick. Without this option or --full a run ends after some 8 minutes, whatever is still undecided.
    /// `--benchmark one_way` alone, without --quick, takes 200 rounds of 5000 messages, which makes a million a queue, and as
    /// long as they need: some 20 s a queue and size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rounds: Option<u32>,

    /// Messages a second that one_way sends. A cell of it lasts 50 ms, half in each direction; with --quick it is measured only
    /// if it is named
    #[arg(long, value_name = "HZ", default_value_t = RATE, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    pub rate: u32,

    /// What a thread does while it waits, the same for every queue
    #[arg(long, value_name = "HINT", default_value = "none")]
    pub hint: Hint,

    /// The cores of the two threads: the first two allowed that are no siblings, if not given
    #[arg(long, value_name = "A,B", value_parser = two_cores)]
    pub cores: Option<[usize; 2]>,

    /// Run under SCHED_FIFO. The kernel may stop such threads for 50 ms in every second (sched_rt_runtime_us)
    #[arg(long)]
    pub rt: bool,

    /// Try every part with few messages, assertions compiled in or not: for the tests, since the figures mean nothing
    #[arg(long, hide = true)]
    pub smoke: bool,
}

impl Options {
    /// Rounds to run before looking at the targets.
    pub fn base_rounds(&self) -> u32 {
        /// As many cells as a million messages fill.
        const ONE_WAY: u32 = 200;
        self.rounds.unwrap_or(match self.quick {
            true => 9,
            false if self.is_one_way_alone() => ONE_WAY,
            false => 15,
        })
    }

    /// Rounds at most.
    pub fn most_rounds(&self) -> u32 {
        let few = !self.quick && !self.is_one_way_alone();
        self.base_rounds() * if few { 4 } else { 1 }
    }

    /// Whether nothing is asked for but a thorough run of `one_way`.
    pub fn is_one_way_alone(&self) -> bool {
        !self.quick && self.benchmark == [Benchmark::OneWay]
    }

    /// The benchmarks to run, in the order of the tables.
    pub fn benchmarks(&self) -> Vec<Benchmark> {
        catalog::BENCHMARKS
            .into_iter()
            .filter(|each| match self.benchmark.as_slice() {
                // Its pace alone takes too long.
                [] => !self.quick || *each != Benchmark::OneWay,
                named => named.contains(each),
            })
            .collect()
    }

    /// The sizes of message to run, in the order of the tables.
    pub fn payloads(&self) -> Vec<u32> {
        self.chosen(&catalog::PAYLOADS, &self.payload, &[8, 48])
    }

    /// The capacities to run, in the order of the tables.
    pub fn capacities(&self) -> Vec<u32> {
        self.chosen(&catalog::CAPACITIES, &self.capacity, &[64, 1024, 65536])
    }

    fn chosen(&self, all: &[u32], asked: &[u32], usual: &[u32]) -> Vec<u32> {
        let wanted = |each: &u32| match asked {
            [] => self.full || usual.contains(each),
            _ => asked.contains(each),
        };
        all.iter().copied().filter(wanted).collect()
    }

    /// Whether a queue was asked for.
    pub fn wants(&self, queue: &str) -> bool {
        let variant = catalog::find(queue).is_some_and(|queue| queue.variant);
        (self.only.is_empty() && !variant) || self.only.iter().any(|id| id == queue)
    }

    /// Whether a queue that was asked for takes part in a benchmark at a capacity. In `--quick` there is no time for all of
    /// them everywhere: the peers beside rigtorp and boost stand where most users would look first.
    pub fn measures(&self, queue: &str, benchmark: Benchmark, capacity: u32) -> bool {
        let sampled = catalog::find(queue).is_some_and(|queue| queue.sampled);
        let chosen = !self.only.is_empty() || !self.capacity.is_empty();
        let looked_at = capacity == 1024 && (benchmark.is_time() || benchmark.has_block());
        self.wants(queue) && (!self.quick || !sampled || chosen || looked_at)
    }
}

fn a_payload(text: &str) -> Result<u32, String> {
    one_of(&catalog::PAYLOADS, text)
}

fn a_capacity(text: &str) -> Result<u32, String> {
    one_of(&catalog::CAPACITIES, text)
}

/// One of the numbers that there are kernels for.
fn one_of(known: &[u32], text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| known.contains(number));
    number.ok_or_else(|| {
        let known: Vec<_> = known.iter().map(ToString::to_string).collect();
        format!("there are {}", known.join(", "))
    })
}

fn queue_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(
        catalog::QUEUES
            .iter()
            .map(|queue| PossibleValue::new(queue.id).hide(queue.variant)),
    )
}

/// Two numbers of cores, as in `0,1`.
///
/// # Errors
///
/// If the text is something else.
pub fn two_cores(text: &str) -> Result<[usize; 2], String> {
    let wrong = || format!("`{text}` is not two core numbers such as 0,1");
    let (first, second) = text.split_once(',').ok_or_else(wrong)?;
    match (first.parse(), second.parse()) {
        (Ok(first), Ok(second)) => Ok([first, second]),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::try_parse_from(std::iter::once("gimmal-bench").chain(line.split_whitespace()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
        let error = parse("--only line-cpp,nonesuch").unwrap_err();
        assert!(error.contains("nonesuch"), "{error}");
        for queue in &catalog::QUEUES {
            assert_eq!(error.contains(queue.id), !queue.variant, "{error}");
        }
        let error = parse("--benchmark nonesuch").unwrap_err();
        for benchmark in catalog::BENCHMARKS {
            assert!(error.contains(benchmark.name()), "{error}");
        }
        assert!(parse("--hint nonesuch").unwrap_err().contains("lfence"));
        assert!(parse("--payload 9").unwrap_err().contains("8, 48, 256"));
        assert!(parse("--capacity 65")
            .unwrap_err()
            .contains("2, 64, 1024, 65536"));
    }

    #[test]
    fn senseless_values_are_refused() {
        for line in [
            "--rounds 0",
            "--rounds -1",
            "--rounds x",
            "--cores 0",
            "--cores 0,x",
            "--cores 0,1,2",
            "--payload 9",
            "--payload x",
            "--capacity 0",
            "--capacity 64,65",
            "--quick --full",
            "--rate 0",
            "--rate 1e5",
            "--nonesuch",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn one_way_alone_is_thorough_and_with_quick_must_be_named() {
        let alone = parse("--benchmark one_way").unwrap();
        assert_eq!((alone.base_rounds(), alone.most_rounds()), (200, 200));
        assert_eq!(
            parse("--benchmark one_way --rounds 3")
                .unwrap()
                .base_rounds(),
            3
        );
        assert!(!parse("--quick")
            .unwrap()
            .benchmarks()
            .contains(&Benchmark::OneWay));
        let quick = parse("--quick --benchmark one_way").unwrap();
        assert_eq!((quick.base_rounds(), quick.most_rounds()), (9, 9));
        assert_eq!(quick.benchmarks(), [Benchmark::OneWay]);
        assert_eq!(quick.rate, 100_000);
    }

    #[test]
    fn defaults_and_lists() {
        let options = parse("").unwrap();
        assert_eq!((options.base_rounds(), options.most_rounds()), (15, 60));
        assert_eq!(options.benchmarks(), catalog::BENCHMARKS);
        assert!(options.wants("boost") && !options.rt && options.hint == Hint::None);
        assert!(!options.wants("lab-ahead-0"));
        assert!(parse("--only lab-ahead-0").unwrap().wants("lab-ahead-0"));
        let options =
            parse("--quick --only boost,line-cpp --benchmark throughput,round_trip --cores 3,2")
                .unwrap();
        assert_eq!((options.base_rounds(), options.most_rounds()), (9, 9));
        assert_eq!(
            options.benchmarks(),
            [Benchmark::RoundTrip, Benchmark::Throughput]
        );
        assert_eq!(options.cores, Some([3, 2]));
        assert!(options.wants("boost") && options.wants("line-cpp") && !options.wants("mutex"));
    }

    #[test]
    fn sizes_and_capacities_follow_the_profile_unless_they_are_named() {
        let sizes = |line: &str| {
            let options = parse(line).unwrap();
            (options.payloads(), options.capacities())
        };
        let usual = (vec![8, 48], vec![64, 1024, 65536]);
        assert_eq!(sizes(""), usual);
        assert_eq!(sizes("--quick"), usual);
        let all = (catalog::PAYLOADS.to_vec(), catalog::CAPACITIES.to_vec());
        assert_eq!(sizes("--full"), all);
        assert_eq!(
            sizes("--payload 256,8 --capacity 1024,2"),
            (vec![8, 256], vec![2, 1024])
        );
        assert_eq!(
            sizes("--full --capacity 2"),
            (catalog::PAYLOADS.to_vec(), vec![2])
        );
    }

    #[test]
    fn a_quick_run_samples_the_newer_peers() {
        let measures = |line: &str, queue, benchmark, capacity| {
            parse(line).unwrap().measures(queue, benchmark, capacity)
        };
        let (trip, alone) = (Benchmark::RoundTrip, Benchmark::SingleThread);
        for queue in &catalog::QUEUES {
            assert_eq!(measures("", queue.id, alone, 64), !queue.variant);
            assert_eq!(measures("--quick", queue.id, trip, 1024), !queue.variant);
            let everywhere = !queue.variant && !queue.sampled;
            assert_eq!(measures("--quick", queue.id, trip, 64), everywhere);
            assert_eq!(measures("--quick", queue.id, alone, 1024), everywhere);
        }
        assert!(measures("--quick --only rtrb", "rtrb", alone, 64));
        assert!(measures("--quick --capacity 64", "rtrb", trip, 64));
    }
}
