//! `cargo xtask report`: results as one HTML page.

use crate::{packages, project};
use anyhow::{Context, Result};
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
    project::succeed(status, "the report")
}

/// Builds the program, as the tests have it: it measures nothing, so it needs no peers and no optimisation.
pub fn build() -> Result<PathBuf> {
    let mut build = project::cargo("build --package gimmal-bench --bin gimmal-report");
    build.arg("--target-dir").arg(project::target_dir());
    project::succeed(build.status()?, "the build of the report")?;
    Ok(project::target_dir().join("debug/gimmal-report"))
}
