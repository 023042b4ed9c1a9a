//! The automation behind gimmal's commands.

mod compare;
mod header;
mod packages;
mod peers;
mod project;
mod shell;
mod symbols;
mod test;

// The options of `compare` are those of the program that it runs, read from that program's source: it cannot be built
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
    /// Measure gimmal's queues beside other queues on this machine
    Compare(options::Options),
    /// Fetch the queues that `compare` measures against
    Peers,
    /// Write include/gimmal.h from the C API's source
    Header(header::Args),
    /// Check what the release staticlib defines, needs and can reach
    Symbols,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Test(args) => test::run(&args),
        Command::Compare(options) => compare::run(&options),
        Command::Peers => peers::run(),
        Command::Header(args) => header::run(&args),
        Command::Symbols => symbols::run(),
    };
    if let Err(error) = result {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
