//! `folly::ProducerConsumerQueue`, only where its user says that folly's headers are.

use super::Fetched;
use crate::shell;
use anyhow::{ensure, Context, Result};
use std::path::Path;
use std::process::Command;

const HEADER: &str = "folly/ProducerConsumerQueue.h";

/// From the directory that was named, if any was.
pub fn fetch(directory: Option<&Path>) -> Result<Fetched> {
    let directory =
        directory.context("used only where --folly names the directory of its headers")?;
    let directory = directory
        .canonicalize()
        .with_context(|| format!("cannot find {}", directory.display()))?;
    ensure!(
        directory.join(HEADER).is_file(),
        "{} holds no {HEADER}",
        directory.display()
    );
    compiles(&directory)?;
    Ok(Fetched {
        version: commit(&directory).unwrap_or_else(|| "unknown".into()),
        from: "headers named by --folly".into(),
        include: Some(directory),
    })
}

/// folly's headers want other libraries, and a standard of their own.
fn compiles(directory: &Path) -> Result<()> {
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++20", "-fsyntax-only", "-x", "c++", "-isystem"]);
    compiler.arg(directory);
    if !directory.join("folly/folly-config.h").is_file() {
        compiler.arg("-DFOLLY_NO_CONFIG=1");
    }
    shell::capture(compiler.args(["-include", HEADER, "/dev/null"])).map(drop)
}

/// The headers state no version, but a clone has a commit.
fn commit(directory: &Path) -> Option<String> {
    if !directory.join(".git").exists() {
        return None;
    }
    let mut git = Command::new("git");
    git.arg("-C").arg(directory);
    let commit = shell::capture(git.args(["rev-parse", "--short=7", "HEAD"])).ok()?;
    Some(commit.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn error(directory: Option<&Path>) -> String {
        match fetch(directory) {
            Err(error) => format!("{error:#}"),
            Ok(_) => panic!("folly was found"),
        }
    }

    #[test]
    fn folly_is_absent_unless_its_headers_are_named_and_compile() {
        assert!(error(None).contains("--folly"));
        assert!(error(Some(Path::new("no/such/place"))).contains("cannot find no/such/place"));
        let home = tempfile::tempdir().unwrap();
        assert!(error(Some(home.path())).contains(HEADER));

        let header = home.path().join(HEADER);
        fs::create_dir(home.path().join("folly")).unwrap();
        fs::write(&header, "#error of its own\n").unwrap();
        assert!(error(Some(home.path())).contains("of its own"));

        fs::write(&header, "#pragma once\n").unwrap();
        let found = fetch(Some(home.path())).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(found.version, "unknown");
        assert_eq!(found.include, Some(home.path().canonicalize().unwrap()));
    }
}
