//! The command `gimmal-feed`: keeps order books from an exchange's streams, from recordings or from a simulated exchange, and shows what it
//! costs.

mod command;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use command::{demo, flood, interrupt, live, replay, waits};
use gimmal_feed::simulate;
use std::io;
use std::process::ExitCode;

/// Keeps order books from an exchange's streams, through a lock-free ring
#[derive(Parser)]
#[command(name = "gimmal-feed", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a simulated exchange, and keep books from it: needs no internet
    ///
    /// With --messages the market ends after so many, and the demonstration with it: then every level of every book must be the exchange's own,
    /// or the command fails.
    Demo(demo::Args),
    /// Keep books from an exchange
    Live(live::Args),
    /// Keep books from recordings, and check them
    ///
    /// Nothing is dropped: unlike a socket, a file can wait for room in the ring. A gap, or a best price that differs, is a failure.
    Replay(replay::Args),
    /// Run a simulated exchange on the loopback interface
    Simulate(simulate::Arguments),
    /// Make diffs as fast as the processor can, and account for each
    Flood(flood::Args),
    /// Compare ways of waiting for messages; takes 20 seconds
    ///
    /// It takes --count times --period for each way.
    Waits(waits::Args),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gimmal-feed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    let stop = interrupt::stop()?;
    match command {
        Command::Demo(args) => demo::run(&args, stop),
        Command::Live(args) => live::run(&args, stop),
        Command::Replay(args) => replay::run(&args, stop),
        Command::Simulate(args) => args.run(&stop),
        Command::Flood(args) => flood::run(&args, stop),
        Command::Waits(args) => waits::run(&args, stop),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "gimmal-feed", &mut script);
            io::Write::write_all(&mut io::stdout(), &script)?;
            Ok(())
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
