//! Upstream archives out of Debian's source packages, by a private apt configuration: the machine's own sources stay
//! as they are, and no rights are needed.

use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An unpacked source package.
pub struct SourcePackage {
    pub version: String,
    /// The one directory that its archive holds.
    pub root: PathBuf,
}

/// Downloads the upstream archive of `name` in `suite` and unpacks the directory `wanted` of it below `home`.
pub fn unpack(name: &str, suite: &str, wanted: &str, home: &Path) -> Result<SourcePackage> {
    let apt = Apt::new(suite, &home.join("apt"))?;
    shell::capture(apt.command("apt-get").arg("update"))?;
    let record = shell::capture(
        apt.command("apt-cache")
            .args(["showsrc", "--only-source", name]),
    )?;
    let version =
        version(&record).with_context(|| format!("{suite} has no source package {name}"))?;

    let download = home.join("download");
    fs::create_dir_all(&download)?;
    let mut fetch = apt.command("apt-get");
    shell::capture(fetch.current_dir(&download).args([
        "source",
        "--download-only",
        "--tar-only",
        name,
    ]))?;

    let unpacked = home.join("unpacked");
    fs::create_dir_all(&unpacked)?;
    let mut tar = Command::new("tar");
    tar.arg("--extract")
        .arg("--file")
        .arg(only_entry(&download)?)
        .arg("--directory")
        .arg(&unpacked);
    shell::capture(tar.arg("--wildcards").arg(format!("*/{wanted}/*")))?;
    Ok(SourcePackage {
        version,
        root: only_entry(&unpacked)?,
    })
}

/// apt with a source list, package lists and a cache of its own.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    fn new(suite: &str, home: &Path) -> Result<Self> {
        fs::create_dir_all(home.join("lists/partial"))?;
        fs::create_dir_all(home.join("cache/archives/partial"))?;
        let sources = home.join("sources.list");
        fs::write(
            &sources,
            format!("deb-src {} {suite} main\n", machine_archive()?),
        )?;
        let home = home.display();
        let options = vec![
            format!("Dir::Etc::SourceList={}", sources.display()),
            "Dir::Etc::SourceParts=/dev/null".into(),
            format!("Dir::State::Lists={home}/lists"),
            format!("Dir::Cache={home}/cache"),
            "APT::Sandbox::User=root".into(),
        ];
        Ok(Self { options })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C");
        for option in &self.options {
            command.arg("-o").arg(option);
        }
        command
    }
}

/// The address from which this machine takes its own release of Debian.
fn machine_archive() -> Result<String> {
    let codename = codename()?;
    let own = |(suite, _): &(String, String)| *suite == codename;
    let archive = suites(&codename)?.into_iter().find(own);
    let (_, uri) = archive.with_context(|| format!("apt has no source for {codename}"))?;
    Ok(uri)
}

/// The release of Debian that this machine has.
pub fn codename() -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").context("not a Debian machine")?;
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let codename = codename.context("/etc/os-release states no VERSION_CODENAME")?;
    Ok(codename.trim_matches('"').to_owned())
}

/// The suites of a release that this machine's apt knows, and where it takes each from: the release, its updates, those for security.
pub fn suites(codename: &str) -> Result<Vec<(String, String)>> {
    let mut targets = Command::new("apt-get");
    targets.args([
        "indextargets",
        "-o",
        "APT::Get::IndexTargets::OnlyPresent=false",
    ]);
    targets.args([
        "--format",
        "$(RELEASE) $(REPO_URI)",
        "Created-By: Packages",
        "Component: main",
    ]);
    Ok(suites_of(&shell::capture(&mut targets)?, codename))
}

fn suites_of(targets: &str, codename: &str) -> Vec<(String, String)> {
    let pairs = targets.lines().filter_map(|line| line.split_once(' '));
    let belongs = |suite: &str| suite == codename || suite.starts_with(&format!("{codename}-"));
    let mut suites: Vec<(String, String)> = pairs
        .filter(|(suite, _)| belongs(suite))
        .map(|(suite, uri)| (suite.to_owned(), uri.to_owned()))
        .collect();
    suites.sort();
    suites.dedup();
    suites
}

/// The version in the first paragraph of a source record.
fn version(record: &str) -> Option<String> {
    record
        .lines()
        .find_map(|line| line.strip_prefix("Version: "))
        .map(str::to_owned)
}

fn only_entry(directory: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(directory)?;
    let entry = entries
        .next()
        .with_context(|| format!("nothing in {}", directory.display()))??;
    anyhow::ensure!(
        entries.next().is_none(),
        "more than one entry in {}",
        directory.display()
    );
    Ok(entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_are_those_of_the_release() {
        let targets = "nodistro https://one.example/\nstable-security https://two.example/\nstable https://three.example/\n\
                       stable https://three.example/\nstables https://four.example/\n";
        let found = suites_of(targets, "stable");
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        assert_eq!(
            found,
            [
                ("stable", "https://three.example/"),
                ("stable-security", "https://two.example/")
            ]
        );
        assert!(suites_of(targets, "other").is_empty());
    }

    #[test]
    fn the_first_version_counts() {
        assert_eq!(
            version("Package: a\nVersion: 1.5-2\n\nPackage: a\nVersion: 1.4\n").as_deref(),
            Some("1.5-2")
        );
        assert_eq!(version("Package: a\n"), None);
    }
}
