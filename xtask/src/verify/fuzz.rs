//! cargo-fuzz on every target of `fuzz/`.

use super::record::Record;
use super::Part;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::time::Duration;

pub const PART: Part = Part {
    name: "fuzz",
    purpose:
        "cargo-fuzz finds no bytes at which a target fails, in five minutes each or GIMMAL_SECONDS",
    needs: &[],
    run,
};

fn run(record: &mut Record) -> Result<()> {
    super::cargo_tool(record, "fuzz")?;
    let seconds: u64 = match std::env::var("GIMMAL_SECONDS") {
        Ok(given) => given.parse().context("GIMMAL_SECONDS is no number")?,
        Err(_) => 300,
    };
    let mut targets: Vec<String> = fs::read_dir(project::root().join("fuzz/seeds"))?
        .map(|folder| Ok(folder?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    targets.sort();
    for target in targets {
        let found = fuzz(record, &target, seconds);
        record.check(&target, found);
    }
    Ok(())
}

/// Runs a target: from the seeds, and from what earlier runs added to the corpus below the target directory.
fn fuzz(record: &Record, target: &str, seconds: u64) -> Result<String> {
    let folder = record.folder()?;
    let corpus = folder.join("corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let cargo = || {
        let mut cargo = project::cargo("+nightly fuzz");
        // As the tests are built: quickly.
        cargo
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        cargo
    };
    let options = ["--features", "libfuzzer", "--target-dir"];
    let mut build = cargo();
    build
        .arg("build")
        .args(options)
        .arg(folder.join("build"))
        .arg(target);
    record.run(build)?;
    let mut run = cargo();
    run.arg("run")
        .args(options)
        .arg(folder.join("build"))
        .arg(target);
    run.arg(&corpus).arg(format!("fuzz/seeds/{target}")).args([
        "--",
        "-print_final_stats=1",
        "-max_len=2048",
        &format!("-max_total_time={seconds}"),
        &format!("-artifact_prefix={}/", folder.display()),
    ]);
    let output = shell::output_within(Duration::from_secs(seconds + 300), &mut run)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let end: Vec<&str> = said.lines().rev().take(40).collect();
    ensure!(
        output.status.success(),
        "{}",
        end.into_iter().rev().collect::<Vec<_>>().join("\n")
    );
    let done = said.lines().find(|line| line.starts_with("Done "));
    Ok(done
        .context("it says nothing of how many runs it did")?
        .to_owned())
}
