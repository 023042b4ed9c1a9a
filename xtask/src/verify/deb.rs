//! A Debian package of the command `gimmal`, made by cargo-deb and unpacked into a folder of its own.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const PART: Part = Part {
    name: "deb",
    purpose: "cargo-deb makes a Debian package of the command gimmal, and what is in it works",
    needs: &[
        Need::program("dpkg", "dpkg-deb"),
        Need::program("dpkg-dev", "dpkg-shlibdeps"),
        Need::program("man-db", "man"),
    ],
    run,
};

/// The version that is installed where none is.
const CARGO_DEB: &str = "3.8.0";

/// What the package must hold.
const FILES: [&str; 4] = [
    "./usr/bin/gimmal",
    "./usr/share/man/man1/gimmal.1",
    "./usr/share/bash-completion/completions/gimmal",
    "./usr/share/doc/gimmal/copyright",
];

fn run(record: &mut Record) -> Result<()> {
    let cargo_deb = tool(record)?;
    record.run(project::cargo("build --quiet --release --package gimmal-command"))?;
    let release = project::target_dir().join("release");
    let gimmal = release.join("gimmal");
    for (arguments, file) in [(&["man"][..], "gimmal.1"), (&["completions", "bash"], "gimmal.bash")] {
        let text = shell::capture(Command::new(&gimmal).args(arguments))?;
        fs::write(release.join(file), text)?;
    }

    let package = record.folder()?.join("gimmal.deb");
    let mut make = Command::new(cargo_deb);
    make.current_dir(project::root())
        .args(["deb", "--quiet", "--no-build", "--package", "gimmal-command", "--output"])
        .arg(&package);
    record.run(make)?;
    check(record, &package)
}

/// cargo-deb, built in this part's folder.
fn tool(record: &Record) -> Result<PathBuf> {
    let root = record.folder()?.join("tools");
    let mut install = project::cargo("install --quiet --locked cargo-deb --version");
    install.arg(CARGO_DEB).arg("--root").arg(&root).arg("--target-dir").arg(root.join("build"));
    record.run(install)?;
    Ok(root.join("bin/cargo-deb"))
}

fn check(record: &mut Record, package: &Path) -> Result<()> {
    let fields = shell::capture(Command::new("dpkg-deb").arg("--field").arg(package))?;
    for field in ["Package", "Version", "Architecture", "Depends", "Installed-Size"] {
        let line = fields.lines().find(|line| line.starts_with(&format!("{field}: ")));
        record.note(line.with_context(|| format!("the package has no {field}"))?);
    }
    let version = format!("Version: {}-1", env!("CARGO_PKG_VERSION"));
    ensure!(fields.lines().any(|line| line == version), "the package is not of {version}");

    let contents = shell::capture(Command::new("dpkg-deb").arg("--contents").arg(package))?;
    for file in FILES {
        let there = contents.lines().any(|line| line.ends_with(&format!(" {file}")));
        ensure!(there, "{file} is not in the package:\n{contents}");
    }
    record.note(format!("holds {}", FILES.join(" ")));

    let root = record.folder()?.join("root");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    shell::capture(Command::new("dpkg").arg("--extract").arg(package).arg(&root))?;
    let said = shell::capture(Command::new(root.join("usr/bin/gimmal")).arg("--version"))?;
    ensure!(said.trim() == format!("gimmal {}", env!("CARGO_PKG_VERSION")), "it says {said}");
    record.note(format!("unpacked and started, it says {}", said.trim()));
    shell::capture(Command::new(root.join("usr/bin/gimmal")).arg("ls"))?;
    let page = shell::capture(Command::new("man").arg("--warnings").arg("-l").arg(root.join("usr/share/man/man1/gimmal.1")))?;
    ensure!(page.contains("NAME"), "its manual page is not one:\n{page}");
    Ok(())
}
