//! The oldest compiler that the manifest names, from Debian's archive.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const PART: Part = Part {
    name: "msrv",
    purpose: "each library crate builds with the oldest compiler that Cargo.toml names",
    needs: &[
        Need::program("apt", "apt-get"),
        Need::path("libllvm19", "/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1"),
    ],
    run,
};

/// The compiler, and the standard library in two, of which the last has the version in its name; two versions cannot be installed side by side, so they are unpacked.
const PACKAGES: [&str; 3] = ["rustc-web", "libstd-rust-web-dev", "libstd-rust-web-"];

/// The libraries, with the features that a program for Linux can use. The crate heapless asks for a newer compiler; so may the commands, which say so.
const CRATES: [(&str, &str, &str); 4] = [
    ("gimmal", ".", "linux lab"),
    ("gimmal-engine", "engine", ""),
    ("gimmal-shm", "shm", ""),
    ("gimmal-ffi", "ffi", "engine shm"),
];

fn run(record: &mut Record) -> Result<()> {
    let oldest = stated()?;
    let rustc = unpack(record, &oldest)?;
    let libraries = record.folder()?.join("root/usr/lib/x86_64-linux-gnu");
    let version = shell::capture(Command::new(&rustc).arg("--version").env("LD_LIBRARY_PATH", &libraries))?;
    record.note(version.trim());
    ensure!(version.contains(&format!(" {oldest}.")), "this is not {oldest}");
    for (package, path, features) in CRATES {
        let result = user(record, &oldest, package, path, features).and_then(|manifest| {
            let mut check = project::cargo("check --quiet --manifest-path");
            check
                .arg(manifest)
                .arg("--target-dir")
                .arg(record.folder()?.join("build"))
                .env("RUSTC", &rustc)
                .env("LD_LIBRARY_PATH", &libraries);
            shell::capture(&mut check)
        });
        record.check(package, result.map(|_| format!("builds with [{features}]")));
    }
    Ok(())
}

/// A program of a user who has this compiler and depends on the crate: cargo then chooses dependencies that it can build, where the
/// workspace has the newest.
fn user(record: &Record, oldest: &str, package: &str, path: &str, features: &str) -> Result<PathBuf> {
    let folder = record.folder()?.join("users").join(package);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let features: Vec<String> = features.split(' ').filter(|name| !name.is_empty()).map(|name| format!("\"{name}\"")).collect();
    let manifest = folder.join("Cargo.toml");
    fs::write(
        &manifest,
        format!(
            "[workspace]\nresolver = \"3\"\n[package]\nname = \"user\"\nedition = \"2021\"\nrust-version = \"{oldest}\"\n\
             [dependencies]\n{package} = {{ path = \"{}\", features = [{}] }}\n",
            project::root().join(path).display(),
            features.join(", "),
        ),
    )?;
    Ok(manifest)
}

/// The oldest compiler, by the manifest.
fn stated() -> Result<String> {
    let manifest = fs::read_to_string(project::root().join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    Ok(line.context("Cargo.toml states no rust-version")?.trim_matches('"').to_owned())
}

/// Gets the compiler of this version; where its rustc lies.
fn unpack(record: &Record, oldest: &str) -> Result<PathBuf> {
    let folder = record.folder()?;
    let rustc = folder.join("root/usr/bin/rustc");
    for package in PACKAGES {
        let package = match package.strip_suffix('-') {
            Some(_) => format!("{package}{oldest}"),
            None => package.to_owned(),
        };
        let package = package.as_str();
        let known = shell::capture(Command::new("apt-cache").args(["madison", package]))?;
        let version = known
            .lines()
            .filter_map(|line| line.split('|').nth(1))
            .map(str::trim)
            .find(|version| version.starts_with(&format!("{oldest}.")))
            .with_context(|| format!("the archive has no {package} {oldest}"))?;
        let mut download = Command::new("apt-get");
        download.args(["download", "--quiet"]).arg(format!("{package}={version}")).current_dir(&folder);
        record.run(download)?;
        let mut unpack = Command::new("dpkg");
        unpack.arg("-x").arg(downloaded(&folder, package)?).arg(folder.join("root"));
        record.run(unpack)?;
    }
    Ok(rustc)
}

fn downloaded(folder: &Path, package: &str) -> Result<PathBuf> {
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{package}_")));
    files.into_iter().find(ours).with_context(|| format!("{package} was not downloaded"))
}
