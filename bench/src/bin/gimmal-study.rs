//! `gimmal-study`: runs a study from the command line.

use clap::Parser;
use gimmal_bench::study::{self, options::Cli};
use std::process::ExitCode;

fn main() -> ExitCode {
    match study::run(&Cli::parse().study) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
