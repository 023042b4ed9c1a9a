//! The command `gimmal-feed`: keeps order books from an exchange's streams, from recordings or from a simulated exchange, and shows what it
//! costs.

mod command;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
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
    /// Compare ways of waiting for messages, for --count times --period each: 20 seconds in all unless given
    Waits(waits::Args),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    match run(parsed().command) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gimmal-feed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The command line. A number below zero is a number, for its option to refuse, and no option.
fn parsed() -> Cli {
    let matches = command_line().get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn command_line() -> clap::Command {
    Cli::command().mut_subcommands(|command| {
        command.mut_args(|argument| {
            let takes_values = argument.get_action().takes_values();
            argument.allow_negative_numbers(takes_values)
        })
    })
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
            clap_complete::generate(shell, &mut command_line(), "gimmal-feed", &mut script);
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
        command_line().debug_assert();
    }

    #[test]
    fn what_is_wrong_is_refused_by_its_option() {
        for (line, reason) in [
            ("live btc/usdt", "a symbol has letters and digits only"),
            ("live btcusdt --largest 0", "must be a whole number above 0"),
            (
                "live btcusdt --messages -1",
                "must be a whole number above 0",
            ),
            ("live btcusdt --seconds -1", "must be more than 0"),
            ("live btcusdt --slow -1", "not a whole number"),
            ("demo --rate -1", "must be 0, or between"),
            ("demo --rate nan", "must be 0, or between"),
            (
                "simulate bad/symbol",
                "a symbol has letters and digits only",
            ),
            ("simulate --cert x.pem", "--tls"),
            ("replay r --speed inf", "must be more than 0, and finite"),
            ("replay r --speed -1", "must be more than 0, and finite"),
            ("flood --count 0", "must be a whole number above 0"),
            ("waits --count 0", "must be a whole number above 0"),
            ("waits --period -5", "invalid value '-5'"),
        ] {
            let words = ["gimmal-feed"].into_iter().chain(line.split(' '));
            let error = command_line().try_get_matches_from(words).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(reason), "{line}: {error}");
        }
        for line in ["flood --ring 4k", "live btcusdt --ring 16m"] {
            let words = ["gimmal-feed"].into_iter().chain(line.split(' '));
            command_line().try_get_matches_from(words).unwrap();
        }
    }
}
