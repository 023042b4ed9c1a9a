//! The command line of the studies.

use crate::hint::Hint;
use crate::options::two_cores;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
A study asks one question of this machine: a table on the terminal, and tables and figures in a JSON file. What was predicted
is in docs/adr/, committed before anything was measured, and the result says what became of it. Every study prints first what
the clock can tell apart.";

/// Asks one question of this machine.
#[derive(Parser, Debug)]
#[command(name = "gimmal-study", version, after_help = AFTER_HELP)]
pub struct Cli {
    /// Which.
    #[command(subcommand)]
    pub study: Study,
}

/// The studies.
#[derive(Subcommand, Debug)]
pub enum Study {
    /// Step, cost and offset between the cores of the clocks there are
    Clock(Common),
    /// What a load generator leaves out that waits for what it measures (coordinated omission)
    Co(Common),
    /// Latency against processor time of every way to wait, in three regimes of arrivals
    Waiting(Common),
    /// How far apart the two ends' words must lie
    Padding(Common),
    /// What the memory orderings cost, and what their absence breaks
    Ordering(Common),
    /// What the older copy of the other end's index is worth
    Caching(Common),
    /// What capacity does to a ring
    Capacity(Common),
    /// Two producers and a consumer on two cores, each yielding when it cannot progress
    Mpsc(Common),
    /// The benchmark that rigtorp publishes, beside ours
    RigtorpMethod(Common),
    /// A pool's slots beside the memory of malloc and Box
    Pool(Common),
    /// How long the code of an inlined push and pop is
    Code(Common),
    /// What queues take on microcontrollers: instructions, flash and RAM
    Embedded(Common),
    /// A risk pipeline from end to end, and what each of the usual measures is worth
    Engine(Common),
    /// What the border between two processes costs, and how far iceoryx2 is
    Shm(Common),
    #[command(external_subcommand)]
    #[allow(missing_docs, reason = "it would be shown as help")]
    Unknown(Vec<String>),
}

/// What every study takes.
#[derive(Args, Debug, Clone)]
pub struct Common {
    /// Where to put the result [default: target/study/NAME.json]
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,

    /// Less of everything: a look, no result, and no verdict on what was predicted
    #[arg(long)]
    pub quick: bool,

    /// Run under SCHED_FIFO. The kernel may stop such threads for 50 ms in every second (sched_rt_runtime_us)
    #[arg(long)]
    pub rt: bool,

    /// The cores of the two threads: the first two allowed that are no siblings, if not given
    #[arg(long, value_name = "A,B", value_parser = two_cores)]
    pub cores: Option<[usize; 2]>,

    /// What a thread does while it waits
    #[arg(long, value_name = "HINT", default_value = "none")]
    pub hint: Hint,

    /// Try every part with next to no work, assertions compiled in or not: for the tests, since the figures mean nothing
    #[arg(long, hide = true)]
    pub smoke: bool,
}

impl Study {
    /// Whether it measures queues of other projects, which must be fetched for it.
    #[allow(dead_code, reason = "what builds this program asks")]
    pub const fn uses_peers(&self) -> bool {
        matches!(self, Self::Mpsc(_) | Self::RigtorpMethod(_))
    }

    /// Its name and the options that all have; for a study that there is not, an error that names those there are.
    ///
    /// # Errors
    ///
    /// The error, in words.
    pub fn common(&self) -> Result<(&'static str, &Common), String> {
        match self {
            Self::Clock(common) => Ok(("clock", common)),
            Self::Co(common) => Ok(("co", common)),
            Self::Waiting(common) => Ok(("waiting", common)),
            Self::Padding(common) => Ok(("padding", common)),
            Self::Ordering(common) => Ok(("ordering", common)),
            Self::Caching(common) => Ok(("caching", common)),
            Self::Capacity(common) => Ok(("capacity", common)),
            Self::Mpsc(common) => Ok(("mpsc", common)),
            Self::RigtorpMethod(common) => Ok(("rigtorp-method", common)),
            Self::Pool(common) => Ok(("pool", common)),
            Self::Code(common) => Ok(("code", common)),
            Self::Embedded(common) => Ok(("embedded", common)),
            Self::Engine(common) => Ok(("engine", common)),
            Self::Shm(common) => Ok(("shm", common)),
            Self::Unknown(words) => Err(format!(
                "there is no study `{}`; there are: {}",
                words.first().map_or("", String::as_str),
                names().join(", ")
            )),
        }
    }
}

/// The studies' names.
fn names() -> Vec<String> {
    let command = <Cli as clap::CommandFactory>::command();
    let names = command
        .get_subcommands()
        .map(|study| study.get_name().to_owned());
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("gimmal-study").chain(line.split_whitespace()))
    }

    #[test]
    fn a_study_goes_by_its_name() {
        for name in names() {
            assert_eq!(parse(&name).unwrap().study.common().unwrap().0, name);
        }
    }

    #[test]
    fn an_unknown_study_is_an_error_that_lists_the_known_ones() {
        let error = parse("nonesuch --quick")
            .unwrap()
            .study
            .common()
            .unwrap_err();
        assert!(
            error.contains("`nonesuch`") && error.contains("clock"),
            "{error}"
        );
        assert!(parse("").unwrap_err().to_string().contains("clock"));
        for line in ["clock --cores 0", "clock --hint x", "clock --nonesuch"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
