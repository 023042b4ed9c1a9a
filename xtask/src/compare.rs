//! `cargo xtask compare`: gimmal's queues beside other queues, on this machine.

use crate::{packages, peers, project};
use anyhow::{bail, Result};

/// Options of `cargo xtask compare`.
#[derive(clap::Args)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Gets what the comparison needs, builds it and runs it.
pub fn run(args: &Args) -> Result<()> {
    packages::ensure(packages::COMPARE)?;
    let peers = peers::fetch()?;
    let mut build = project::cargo("run --release --package gimmal-bench --");
    let status = build
        .args(&args.options)
        .env("GIMMAL_PEERS", peers)
        .status()?;
    if !status.success() {
        bail!("the comparison failed: {status}");
    }
    Ok(())
}
