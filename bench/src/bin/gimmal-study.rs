//! `gimmal-study`: runs a study from the command line.

use clap::Parser;
use gimmal_bench::study::{self, options::Cli};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = study::shm::serve().and_then(|served| match served {
        true => Ok(()),
        false => study::run(&Cli::parse().study),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
