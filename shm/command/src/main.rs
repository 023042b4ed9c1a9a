//! The command `gimmal`: lists, shows, watches, removes and measures segments of shared memory.

mod columns;
mod end;
mod fields;
mod list;
mod man;
mod ping;
mod remove;
mod row;
mod stat;
mod tap;
mod top;

use anyhow::{anyhow, Result};
use clap::{CommandFactory, Parser, Subcommand};
use gimmal_shm::{Error, Inspection, Segment};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Looks at gimmal's segments of shared memory, and measures them
#[derive(Parser)]
#[command(name = "gimmal", version)]
struct Cli {
    /// Where the segments are
    #[arg(long, global = true, value_name = "PATH", default_value = "/dev/shm")]
    dir: PathBuf,

    /// Take segments of this user too, not only one's own and root's
    #[arg(long, global = true, value_name = "UID")]
    trust: Vec<u32>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the segments: what they hold, how fast, and who is there
    Ls(list::Args),
    /// Show all that is known of one segment
    Stat(stat::Args),
    /// Watch the elements of a segment pass, without a trace
    Tap(tap::Args),
    /// Remove segments
    Rm(remove::Args),
    /// Measure one-way and round trips between two processes
    Ping(ping::Args),
    /// Answer the pings of another process
    #[command(hide = true)]
    Pong(ping::pong::Args),
    /// Show the segments live
    Top(top::Args),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Where to look for segments.
struct Place {
    dir: PathBuf,
    trust: Vec<u32>,
}

impl Place {
    fn segment(&self, name: &str) -> Segment {
        let segment = Segment::named(name).directory(&self.dir);
        self.trust
            .iter()
            .fold(segment, |segment, uid| segment.trust(*uid))
    }

    /// Looks at the segment of this name.
    fn inspect(&self, name: &str) -> Result<Inspection> {
        let found = self.segment(name).inspect();
        found.map_err(|error| self.explained(name, &error))
    }

    /// An error, and which option changes it.
    fn explained(&self, name: &str, error: &Error) -> anyhow::Error {
        let hint = match error {
            Error::NotFound(_) => {
                format!(" in {} (--dir looks elsewhere)", self.dir.display())
            }
            Error::Owner { uid } => format!("; --trust {uid} takes it all the same"),
            _ => String::new(),
        };
        anyhow!("{}{hint}", error.about(name))
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let place = Place {
        dir: cli.dir,
        trust: cli.trust,
    };
    match run(&place, cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gimmal: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(place: &Place, command: Command) -> Result<()> {
    match command {
        Command::Ls(args) => list::run(place, &args),
        Command::Stat(args) => stat::run(place, &args),
        Command::Tap(args) => tap::run(place, &args),
        Command::Rm(args) => remove::run(place, &args),
        Command::Ping(args) => ping::run(place, &args),
        Command::Pong(args) => ping::pong::run(place, &args),
        Command::Top(args) => top::run(place, &args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "gimmal", &mut script);
            io::Write::write_all(&mut io::stdout(), &script)?;
            Ok(())
        }
        Command::Man => man::print(&Cli::command()),
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
