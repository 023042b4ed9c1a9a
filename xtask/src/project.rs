//! Where the project's parts lie, and how its cargo is called.

use anyhow::{bail, Result};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The root of the work tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the root of the work tree")
}

/// Cargo's target directory: `CARGO_TARGET_DIR`, or `target` in the root.
pub fn target_dir() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(named.unwrap_or_else(|| PathBuf::from("target")))
}

/// The manifest of the leaf crate that makes libgimmal, a workspace of its own.
pub fn lib_manifest() -> PathBuf {
    root().join("ffi/lib/Cargo.toml")
}

/// `cargo` with these arguments, split at spaces, run in the root.
pub fn cargo(arguments: &str) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(arguments.split_whitespace())
        .current_dir(root());
    command
}

/// The commit that the work tree is at, with `-dirty` behind it if it has changed since; none outside a repository.
pub fn commit() -> Option<String> {
    let mut git = Command::new("git");
    git.args([
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]);
    let output = git.current_dir(root()).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}

/// That a program failed which has said why.
#[derive(Debug)]
pub struct Told;

impl fmt::Display for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a program failed, and has said why")
    }
}

impl std::error::Error for Told {}

/// Whether a program that says itself why it fails has succeeded; one that was killed has not said so.
pub fn succeed(status: ExitStatus, what: &str) -> Result<()> {
    match status.code() {
        Some(0) => Ok(()),
        Some(_) => bail!(Told),
        None => bail!("{what} was ended: {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_said_once() {
        let after = |script: &str| {
            let status = Command::new("sh").args(["-c", script]).status().unwrap();
            succeed(status, "the script")
        };
        assert!(after("exit 0").is_ok());
        assert!(after("exit 3").unwrap_err().is::<Told>());
        let killed = after("kill -KILL $$").unwrap_err();
        assert!(
            !killed.is::<Told>() && killed.to_string().contains("the script was ended"),
            "{killed}"
        );
    }

    #[test]
    fn the_commit_is_known_in_a_repository() {
        if !root().join(".git").exists() {
            return;
        }
        let commit = commit().unwrap();
        let hash = commit.trim_end_matches("-dirty");
        assert!(
            hash.len() >= 12 && hash.chars().all(|letter| letter.is_ascii_hexdigit()),
            "{commit}"
        );
    }
}
