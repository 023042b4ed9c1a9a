//! `rigtorp::SPSCQueue`, one header: from its repository, or from a source package that carries it unmodified.

use super::{source_package, Fetched};
use crate::shell;
use anyhow::{anyhow, bail, Context, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const REPOSITORY: &str = "https://github.com/rigtorp/SPSCQueue";
const COMMIT: &str = "1053918dbd251fbff69b24ef27fa5d51c29ec2af";
const HEADER: &str = "include/rigtorp/SPSCQueue.h";
const SHA256: &str = "1e631ec9e8ba4955da5cac116620815055f7da0ea936bfdb3036c4e87bc8a6e8";

/// The Debian source package that carries the header, the suite that has it, and where it lies in there.
const PACKAGE: &str = "mumble";
const SUITE: &str = "trixie";
const IN_PACKAGE: &str = "3rdparty/SPSCQueue";

pub fn fetch(home: &Path) -> Result<Fetched> {
    let origin = home.join("origin.txt");
    let header = home.join(HEADER);
    if let (Ok(from), Ok(())) = (fs::read_to_string(&origin), check(&header)) {
        return Ok(fetched(home, from));
    }
    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    let work = home.join("work");
    fs::create_dir_all(&work)?;
    let (file, from) = match from_repository(&work) {
        Ok(found) => found,
        Err(first) => from_source_package(&work).map_err(|second| {
            anyhow!("from its repository: {first:#}\nfrom a source package: {second:#}")
        })?,
    };
    fs::create_dir_all(header.parent().context("the header has a directory")?)?;
    fs::copy(&file, &header)?;
    fs::write(&origin, &from)?;
    fs::remove_dir_all(&work)?;
    Ok(fetched(home, from))
}

fn fetched(home: &Path, from: String) -> Fetched {
    Fetched {
        version: COMMIT[..7].into(),
        from,
        include: Some(home.join("include")),
    }
}

/// The header in a clone of the repository, and where it comes from.
fn from_repository(work: &Path) -> Result<(PathBuf, String)> {
    const LIMIT: Duration = Duration::from_secs(20);
    let clone = work.join("clone");
    fs::create_dir_all(&clone)?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .arg("-C")
            .arg(&clone)
            .args(arguments);
        shell::capture_within(LIMIT, &mut command)
    };
    git(&["init", "--quiet"])?;
    git(&["fetch", "--quiet", "--depth", "1", REPOSITORY, COMMIT])?;
    git(&["checkout", "--quiet", "FETCH_HEAD"])?;
    let header = clone.join(HEADER);
    check(&header)?;
    Ok((header, format!("{REPOSITORY} at {}", &COMMIT[..7])))
}

/// The header in Debian's source package, and where it comes from.
fn from_source_package(work: &Path) -> Result<(PathBuf, String)> {
    let package = source_package::unpack(PACKAGE, SUITE, IN_PACKAGE, &work.join("package"))?;
    let header = package.root.join(IN_PACKAGE).join(HEADER);
    check(&header)?;
    Ok((
        header,
        format!(
            "Debian's source package {PACKAGE} {} ({SUITE})",
            package.version
        ),
    ))
}

/// Whether a file is the header of the commit named above.
fn check(file: &Path) -> Result<()> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut found = String::new();
    for byte in Sha256::digest(bytes) {
        write!(found, "{byte:02x}")?;
    }
    if found != SHA256 {
        bail!(
            "{} is not the header of {}: sha256 {found}",
            file.display(),
            &COMMIT[..7]
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_header_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("SPSCQueue.h");
        fs::write(&file, "#pragma once\n").unwrap();
        let error = check(&file).unwrap_err().to_string();
        assert!(error.contains("is not the header of 1053918"), "{error}");
    }
}
