//! ThreadSanitizer over the core's tests, on a nightly compiler, and the controls that show that it sees.

use super::steps::Outcome;
use crate::{project, shell};
use anyhow::{bail, ensure, Result};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The second flag allows the standard library as it is shipped, which is built without the sanitizer.
const FLAGS: &str = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";

const IN_CELLS: &[&str] = &[
    "publish",
    "observe",
    "hand-back",
    "reuse",
    "early-hand-back",
];

/// The weakened edges of `examples/weakened.rs`, by the kind of ring, and those of the pool.
const WEAKENED: &[(&str, &[&str])] = &[
    ("index", &["publish", "observe", "hand-back", "reuse"]),
    ("line", IN_CELLS),
    ("mpsc", IN_CELLS),
    ("pool", &["put", "take", "tag"]),
];

/// The core's tests. The models are no matter of real threads, and empty without the feature `lab`.
pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    let Some(host) = nightly_host() else {
        return Ok(skipped());
    };
    let mut command = cargo(
        "test --package gimmal --features heapless --no-fail-fast --lib --tests",
        &host,
    );
    // The library's printing of a backtrace is not instrumented either.
    command
        .env("TSAN_OPTIONS", options())
        .env("RUST_BACKTRACE", "0");
    shell::run(bar, command)?;
    Ok(Outcome::Passed)
}

/// Every weakened edge is reported, and the sound ones are not.
pub fn controls(bar: &ProgressBar) -> Result<Outcome> {
    let Some(host) = nightly_host() else {
        return Ok(skipped());
    };
    shell::run(
        bar,
        cargo(
            "build --package gimmal --features lab --example weakened",
            &host,
        ),
    )?;
    let program = target_dir().join(&host).join("debug/examples/weakened");
    for (kind, edges) in WEAKENED {
        if let Some(report) = race(&program, kind, "sound")? {
            bail!("a race in a sound {kind}\n{report}");
        }
        for edge in *edges {
            let report = race(&program, kind, edge)?;
            ensure!(
                report.is_some(),
                "no race was seen in {kind} with its {edge} weakened"
            );
            bar.suspend(|| println!("{kind} {edge}: reported"));
        }
    }
    Ok(Outcome::Passed)
}

/// What ThreadSanitizer reports of a run of the program, if it sees a race.
fn race(program: &Path, kind: &str, edge: &str) -> Result<Option<String>> {
    let mut command = Command::new(program);
    command
        .args([kind, edge])
        .env("TSAN_OPTIONS", options() + ":halt_on_error=1");
    match shell::capture(&mut command).map_err(|error| error.to_string()) {
        Ok(_) => Ok(None),
        Err(error) if error.contains("WARNING: ThreadSanitizer: data race") => Ok(Some(error)),
        Err(error) => bail!("neither a report nor success: {error}"),
    }
}

fn options() -> String {
    format!(
        "suppressions='{}'",
        project::root().join("tests/tsan.supp").display()
    )
}

fn skipped() -> Outcome {
    Outcome::Skipped("no nightly compiler is installed".into())
}

/// The machine that the nightly compiler is for; none if there is no nightly compiler.
fn nightly_host() -> Option<String> {
    let version =
        shell::capture(Command::new("rustup").args(["run", "nightly", "rustc", "-vV"])).ok()?;
    host(&version).map(str::to_owned)
}

fn host(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("host: "))
}

/// The nightly cargo, with the sanitizer. A target that is named, even the host's, keeps the flags from build scripts
/// and macros.
fn cargo(arguments: &str, host: &str) -> Command {
    let mut command = project::cargo("+nightly");
    command
        .args(arguments.split_whitespace())
        .args(["--target", host]);
    command
        .env("RUSTFLAGS", FLAGS)
        .arg("--target-dir")
        .arg(target_dir());
    command
}

/// One of its own: the flags would have everything else built anew.
fn target_dir() -> PathBuf {
    project::target_dir().join("tsan")
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_is_read_from_the_version() {
        let version = "rustc 1.0\nhost: some-unknown-machine\nrelease: 1.0\n";
        assert_eq!(host(version), Some("some-unknown-machine"));
        assert_eq!(host("rustc 1.0\n"), None);
    }
}
