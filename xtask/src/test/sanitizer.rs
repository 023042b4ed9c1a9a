//! ThreadSanitizer over the core's tests, on a nightly compiler.

use super::steps::Outcome;
use crate::{project, shell};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::process::Command;

/// The sanitizer is part of the ABI since its runtime must see every access; the standard library as it is shipped was
/// built without, which the second flag allows.
const FLAGS: &str = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    let Ok(version) =
        shell::capture(Command::new("rustup").args(["run", "nightly", "rustc", "-vV"]))
    else {
        return Ok(Outcome::Skipped("no nightly compiler is installed".into()));
    };
    let host = host(&version).context("rustc names no host")?;
    let mut command = project::cargo(
        "+nightly test --package gimmal --all-features --no-fail-fast --lib --tests",
    );
    // A target that is named, even the host's, keeps the flags from build scripts and macros.
    command.env("RUSTFLAGS", FLAGS).args(["--target", host]);
    command
        .arg("--target-dir")
        .arg(project::target_dir().join("tsan"));
    shell::run(bar, command)?;
    Ok(Outcome::Passed)
}

fn host(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("host: "))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_is_read_from_the_version() {
        assert_eq!(
            host("rustc 1.0\nhost: some-unknown-machine\nrelease: 1.0\n"),
            Some("some-unknown-machine")
        );
        assert_eq!(host("rustc 1.0\n"), None);
    }
}
