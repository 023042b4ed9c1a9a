//! Which lines of the core, the C API and the segments the tests run.

use super::record::Record;
use super::Part;
use crate::packages::LLVM;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use serde::Deserialize;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const PART: Part = Part {
    name: "coverage",
    purpose: "the tests run 95 lines of 100 of src/, ffi/ and shm/",
    needs: LLVM,
    run,
};

/// What is measured, and by which tests.
const SOURCES: [&str; 3] = ["src", "ffi/src", "shm/src"];
const TESTS: [&str; 2] = [
    "--package gimmal --all-features",
    "--package gimmal-ffi --package gimmal-c-tests --package gimmal-shm",
];
const WANTED: f64 = 95.0;

/// What `llvm-cov export` says.
#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: PathBuf,
    segments: Vec<(usize, usize, u64, bool, bool, bool)>,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    lines: Lines,
}

#[derive(Deserialize, Clone, Copy, Default)]
struct Lines {
    count: usize,
    covered: usize,
}

impl Lines {
    fn percent(self) -> f64 {
        100.0 * self.covered as f64 / self.count.max(1) as f64
    }
}

fn run(record: &mut Record) -> Result<()> {
    let folder = record.folder()?;
    let profiles = folder.join("profiles");
    if profiles.exists() {
        fs::remove_dir_all(&profiles)?;
    }
    let wrapper = wrapper(&folder)?;
    let mut programs = Vec::new();
    for tests in TESTS {
        let cargo = |more: &str| {
            let mut cargo =
                project::cargo(&format!("test --no-fail-fast {tests} --lib --tests {more}"));
            cargo
                .env("RUSTC_WORKSPACE_WRAPPER", &wrapper)
                .env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
            cargo
        };
        record.run(cargo("--no-run"))?;
        let listed = shell::capture(&mut cargo("--no-run --quiet --message-format=json"))?;
        programs.extend(executables(&listed));
        // A test of what is compiled how, not of what it does, may not bear the instrumentation: what passes elsewhere is not judged here.
        if let Err(error) = record.run(cargo("")) {
            record.note(format!(
                "not every test passed when instrumented: {error:#}"
            ));
        }
    }
    let merged = folder.join("merged.profdata");
    let raw: Vec<PathBuf> = fs::read_dir(&profiles)?
        .map(|file| Ok(file?.path()))
        .collect::<Result<_>>()?;
    let list = folder.join("profiles.txt");
    fs::write(
        &list,
        raw.iter()
            .map(|path| format!("{}\n", path.display()))
            .collect::<String>(),
    )?;
    let mut merge = Command::new("llvm-profdata-22");
    merge
        .args(["merge", "-sparse", "--failure-mode=all", "-f"])
        .arg(&list)
        .arg("-o")
        .arg(&merged);
    shell::capture(&mut merge)?;
    let mut export = Command::new("llvm-cov-22");
    export
        .arg("export")
        .arg(format!("-instr-profile={}", merged.display()));
    for program in &programs {
        export.arg("-object").arg(program);
    }
    export.args(SOURCES.map(|source| project::root().join(source)));
    let export: Export = serde_json::from_str(&shell::capture(&mut export)?)?;
    table(record, &export.data.first().context("no coverage")?.files)
}

/// A compiler that instruments what it compiles. As the workspace's own it is not asked for dependencies, which stay as they are.
fn wrapper(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("rustc-with-coverage");
    fs::write(&path, "#!/bin/sh\nexec \"$@\" -Cinstrument-coverage\n")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

fn executables(messages: &str) -> Vec<PathBuf> {
    let lines = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    lines
        .filter_map(|line| Some(line.get("executable")?.as_str()?.into()))
        .collect()
}

/// A line for each file with the numbers of those not run, and one for each of the sources.
fn table(record: &mut Record, files: &[File]) -> Result<()> {
    record.note("lines   run      file, and the lines not run");
    for source in SOURCES {
        let root = project::root().join(source);
        let mut whole = Lines::default();
        for file in files.iter().filter(|file| counts(&file.filename, &root)) {
            let lines = file.summary.lines;
            whole.count += lines.count;
            whole.covered += lines.covered;
            let name = file.filename.strip_prefix(project::root())?.display();
            record.note(format!(
                "{:5} {:5.1} %  {name} {}",
                lines.count,
                lines.percent(),
                missed(file)
            ));
        }
        record.note(format!(
            "{:5} {:5.1} %  all of {source}/\n",
            whole.count,
            whole.percent()
        ));
        let result = || {
            ensure!(
                whole.percent() >= WANTED,
                "{:.1} % are run",
                whole.percent()
            );
            Ok(String::new())
        };
        record.check(source, result());
    }
    Ok(())
}

/// Tests are no matter of coverage.
fn counts(file: &Path, root: &Path) -> bool {
    file.starts_with(root) && !file.ends_with("tests.rs")
}

/// Where what is never run begins.
fn missed(file: &File) -> String {
    let mut lines: Vec<usize> = file
        .segments
        .iter()
        .filter(|(_, _, count, has_count, is_entry, is_gap)| {
            *has_count && *is_entry && !is_gap && *count == 0
        })
        .map(|segment| segment.0)
        .collect();
    lines.dedup();
    lines
        .iter()
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}
