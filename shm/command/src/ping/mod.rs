//! `gimmal ping`: messages to another process and back, timed.

pub mod pong;

use crate::list::{print_json, trimmed};
use crate::Place;
use anyhow::{ensure, Context, Result};
use clap::ValueEnum;
use comfy_table::{presets, Table};
use gimmal::wait::{Adaptive, Park, Spin, Wait, Yield};
use gimmal_shm::{Consumer, Peer, Producer, Segment};
use hdrhistogram::Histogram;
use rustix::thread::{sched_setaffinity, CpuSet};
use rustix::time::{clock_gettime, ClockId};
use serde::Serialize;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Options of `ping`.
#[derive(clap::Args)]
pub struct Args {
    /// How the two processes wait, one run each: names with commas between
    #[arg(
        long,
        value_enum,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_value = "spin,yield,park,adaptive"
    )]
    strategy: Vec<Strategy>,

    /// Round trips of each strategy
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,

    /// The cores of the two processes
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    cores: Vec<usize>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A waiting strategy of the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Poll without a pause: needs a core for each process
    Spin,
    /// Let other threads run between polls
    Yield,
    /// Sleep in the kernel
    Park,
    /// Spin as far as half of a core allows, then sleep
    Adaptive,
}

/// What goes there and back: a number, when it was sent, and when it arrived there.
type Message = [u64; 6];

/// Messages before the first that counts.
const WARM_UP: u64 = 1000;
const CAPACITY: usize = 64;

#[derive(Serialize)]
struct Report {
    message_bytes: usize,
    results: Vec<Measured>,
}

/// In nanoseconds.
#[derive(Serialize)]
struct Measured {
    strategy: Strategy,
    count: u64,
    one_way: Percentiles,
    round_trip: Percentiles,
}

#[derive(Serialize)]
struct Percentiles {
    p50: u64,
    p90: u64,
    p99: u64,
    p999: u64,
    max: u64,
}

impl Percentiles {
    fn of(times: &Histogram<u64>) -> Self {
        Self {
            p50: times.value_at_quantile(0.5),
            p90: times.value_at_quantile(0.9),
            p99: times.value_at_quantile(0.99),
            p999: times.value_at_quantile(0.999),
            max: times.max(),
        }
    }
}

/// Measures each strategy, and prints the percentiles.
pub fn run(_: &Place, args: &Args) -> Result<()> {
    let mut report = Report {
        message_bytes: size_of::<Message>(),
        results: Vec::new(),
    };
    ensure!(
        matches!(args.cores.len(), 0 | 2),
        "--cores takes two cores, such as 0,1"
    );
    pin(args.cores.first())?;
    for strategy in &args.strategy {
        report.results.push(measure(args, *strategy)?);
    }
    if args.json {
        return print_json(&report);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["STRATEGY", "NS", "P50", "P90", "P99", "P99.9", "MAX"]);
    for result in &report.results {
        let name = result.strategy.to_possible_value();
        let name = name.map_or(String::new(), |name| name.get_name().to_owned());
        for (way, times) in [
            ("one way", &result.one_way),
            ("round trip", &result.round_trip),
        ] {
            let numbers = [times.p50, times.p90, times.p99, times.p999, times.max];
            let cells = numbers.iter().map(u64::to_string);
            table.add_row([name.clone(), way.to_owned()].into_iter().chain(cells));
        }
    }
    writeln!(io::stdout(), "{}", trimmed(&table))?;
    Ok(())
}

fn measure(args: &Args, strategy: Strategy) -> Result<Measured> {
    // Without names, so that nothing is left however this ends.
    let there = Segment::anonymous()
        .line(CAPACITY)
        .touch()
        .producer::<Message>()?;
    let back = Segment::anonymous()
        .line(CAPACITY)
        .touch()
        .consumer::<Message>()?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["pong", "--strategy"])
        .arg(format!("{strategy:?}").to_lowercase());
    if let Some(core) = args.cores.get(1) {
        command.arg("--core").arg(core.to_string());
    }
    let mut child = command
        .stdin(Stdio::from(there.share()?))
        .stdout(Stdio::from(back.share()?))
        .spawn()
        .context("cannot start the process that answers")?;
    // Whoever never came cannot be told from whoever has not come yet but by its exit.
    while back.peer() == Peer::Absent {
        ensure!(
            child.try_wait()?.is_none(),
            "the process that answers failed to start"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut pinger = Pinger {
        there,
        back,
        one_way: Histogram::new(3)?,
        round_trip: Histogram::new(3)?,
    };
    let measured = with_strategy(strategy, &mut Ping(&mut pinger, args.count));
    pinger.there.close();
    let status = child.wait()?;
    measured?;
    ensure!(status.success(), "the process that answers failed");
    Ok(Measured {
        strategy,
        count: args.count,
        one_way: Percentiles::of(&pinger.one_way),
        round_trip: Percentiles::of(&pinger.round_trip),
    })
}

struct Pinger {
    there: Producer<Message>,
    back: Consumer<Message>,
    one_way: Histogram<u64>,
    round_trip: Histogram<u64>,
}

struct Ping<'p>(&'p mut Pinger, u64);

impl WithStrategy for Ping<'_> {
    fn run(&mut self, wait: &mut impl Wait, park: &Park) -> Result<()> {
        let Self(pinger, count) = self;
        pinger.back.declare(wait);
        for number in 0..WARM_UP + *count {
            let sent = now();
            pinger.there.push_notify([number, sent, 0, 0, 0, 0], park)?;
            let [answered, sent, arrived, ..] = pinger.back.pop_wait(wait)?;
            let end = now();
            ensure!(
                answered == number,
                "message {number} came back as {answered}"
            );
            if number >= WARM_UP {
                pinger.one_way.record(arrived.saturating_sub(sent).max(1))?;
                pinger.round_trip.record(end.saturating_sub(sent).max(1))?;
            }
        }
        Ok(())
    }
}

/// Something to do with a strategy, whatever its type.
trait WithStrategy {
    fn run(&mut self, wait: &mut impl Wait, park: &Park) -> Result<()>;
}

fn with_strategy(strategy: Strategy, what: &mut impl WithStrategy) -> Result<()> {
    let park = Park::shared();
    match strategy {
        Strategy::Spin => what.run(&mut Spin, &park),
        Strategy::Yield => what.run(&mut Yield::new(), &park),
        Strategy::Park => what.run(&mut park.clone(), &park),
        Strategy::Adaptive => what.run(&mut Adaptive::new(50, now, park.clone()), &park),
    }
}

/// The machine's clock, the same in both processes.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn pin(core: Option<&usize>) -> Result<()> {
    let Some(core) = core else { return Ok(()) };
    ensure!(*core < CpuSet::MAX_CPU, "there is no core {core}");
    let mut set = CpuSet::new();
    set.set(*core);
    sched_setaffinity(None, &set).with_context(|| format!("cannot run on core {core}"))
}
