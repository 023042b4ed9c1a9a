//! The automation behind gimmal's commands.

mod compare;
mod firmware;
mod header;
mod packages;
mod peers;
mod project;
mod report;
mod shell;
mod study;
mod symbols;
mod test;
mod verify;

// The options of `compare` and `study` are those of the programs that they run, read from those programs' source: they cannot be built
// before a C++ compiler and the peers are there, and `--help` must not fetch those.
#[allow(dead_code)]
#[path = "../../bench/src/catalog.rs"]
mod catalog;
#[allow(dead_code)]
#[path = "../../bench/src/hint.rs"]
mod hint;
#[allow(dead_code)]
#[path = "../../bench/src/options.rs"]
mod options;
#[path = "../../bench/src/page/options.rs"]
mod report_options;
#[allow(dead_code)]
#[path = "../../bench/src/study/options.rs"]
mod study_options;
// Written here, read there.
#[path = "../../bench/src/study/programs.rs"]
mod programs;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "gimmal's automation"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every check of the project, installing the system packages it needs
    Test(test::Args),
    /// Run the long checks by hand, and record what they found in docs/results/verify/
    Verify(verify::Args),
    /// Measure gimmal's queues beside other queues on this machine
    Compare(options::Options),
    /// Ask one question of this machine
    Study(study_options::Cli),
    /// Draw results of comparisons and studies as one HTML page
    Report(report_options::Options),
    /// Fetch the queues that `compare` measures against
    Peers(peers::Args),
    /// Write include/gimmal.h from the C API's source
    Header(header::Args),
    /// Check what the release staticlib defines, needs and can reach
    Symbols,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Test(args) => test::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Compare(options) => compare::run(&options),
        Command::Study(cli) => study::run(&cli.study),
        Command::Report(_) => report::run(),
        Command::Peers(args) => peers::run(&args),
        Command::Header(args) => header::run(&args),
        Command::Symbols => symbols::run(),
    };
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    if !error.is::<project::Told>() {
        eprintln!("error: {error:#}");
    }
    ExitCode::FAILURE
}
