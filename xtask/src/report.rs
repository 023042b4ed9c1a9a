//! `cargo xtask report`: results as one HTML page.

use crate::{packages, project};
use anyhow::{ensure, Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Builds what draws the page, and runs it with the options as they were given.
pub fn run() -> Result<()> {
    packages::ensure(packages::REPORT)?;
    let program = build()?;
    let mut report = Command::new(&program);
    // After `xtask report`.
    report.args(std::env::args_os().skip(2));
    let status = report
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(status.success(), "the report failed: {status}");
    Ok(())
}

/// Builds the program, as the tests have it: it measures nothing, so it needs no peers and no optimisation.
pub fn build() -> Result<PathBuf> {
    let mut build = project::cargo("build --package gimmal-bench --bin gimmal-report");
    build.arg("--target-dir").arg(project::target_dir());
    let status = build.status()?;
    ensure!(status.success(), "the build of the report failed: {status}");
    Ok(project::target_dir().join("debug/gimmal-report"))
}
