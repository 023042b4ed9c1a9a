//! Which lines of the core, the C API and the segments the tests run.

use super::mutants::suites;
use super::record::Record;
use super::Part;
use crate::packages::LLVM;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::ops::AddAssign;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const PART: Part = Part {
    name: "coverage",
    purpose: "the tests run 95 lines of 100 of src/, ffi/ and shm/",
    needs: LLVM,
    run,
};

/// What is measured.
const SOURCES: [&str; 3] = ["src", "ffi/src", "shm/src"];
const WANTED: f64 = 95.0;

/// By which tests beside the core's: those that run Rust.
const OTHERS: [&str; 2] = [
    "--package gimmal-shm --package gimmal-command --lib --bins --tests",
    "--package gimmal-c-tests --test library --test mix --test shm --test adaptive --test waiting",
];

/// Tests of the shared library, which exports what writes profiles too, and does not find all of that.
const SKIPPED: &str = "-- --skip the_shared_library_works --skip the_program_for_readers_works";

/// The C library, in the forms in which those tests build it.
const LIBRARIES: [&str; 4] = [
    "lib/debug/libgimmal.so",
    "lib/release/libgimmal.so",
    "lib-engine/release/libgimmal.so",
    "lib-shm/release/libgimmal.so",
];

fn run(record: &mut Record) -> Result<()> {
    let folder = record.folder()?;
    let profiles = folder.join("profiles");
    if profiles.exists() {
        fs::remove_dir_all(&profiles)?;
    }
    let build = folder.join("build");
    let wrapper = wrapper(&folder)?;
    let mut objects = Vec::new();
    let mut core = "--package gimmal --all-features".to_owned();
    suites()
        .iter()
        .for_each(|suite| core += &format!(" {suite}"));
    let cargo = |arguments: &str| {
        let mut cargo = project::cargo(arguments);
        cargo
            .env("RUSTC_WRAPPER", &wrapper)
            // Not where others look: what is built here writes profiles.
            .env("CARGO_TARGET_DIR", &build)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // A program in C that links the library takes the part that writes profiles along only if told to.
            .env("LDFLAGS", "-Wl,-u,__llvm_profile_runtime")
            .env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
        cargo
    };
    // Which a test runs.
    record.run(cargo("build --package gimmal-shm --examples"))?;
    for tests in [core.as_str(), OTHERS[0], OTHERS[1]] {
        let test = format!("test --no-fail-fast {tests}");
        record.run(cargo(&format!("{test} --no-run")))?;
        let listed = format!("{test} --no-run --quiet --message-format=json");
        objects.extend(executables(&shell::capture(&mut cargo(&listed))?));
        record.run(cargo(&format!("{test} {SKIPPED}")))?;
    }
    objects.extend(LIBRARIES.map(|library| build.join(library)));
    objects.retain(|object| object.exists());
    let merged = merge(&folder, &profiles)?;
    table(record, &lines(&merged, &objects)?)
}

/// A compiler that instruments what it compiles of this work tree, the C library's own workspace too.
fn wrapper(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("rustc-with-coverage");
    let root = project::root().display();
    fs::write(
        &path,
        format!(
            "#!/bin/sh\ncase \"$CARGO_MANIFEST_DIR/\" in\n\"{root}\"/*) exec \"$@\" -Cinstrument-coverage ;;\n*) exec \"$@\" ;;\nesac\n"
        ),
    )?;
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

/// All profiles in one.
fn merge(folder: &Path, profiles: &Path) -> Result<PathBuf> {
    let mut list = String::new();
    for file in fs::read_dir(profiles).context("no test has left a profile")? {
        list += &format!("{}\n", file?.path().display());
    }
    let (listed, merged) = (folder.join("profiles.txt"), folder.join("merged.profdata"));
    fs::write(&listed, list)?;
    let mut merge = Command::new("llvm-profdata-22");
    // A process that was killed may leave half a profile.
    merge.args(["merge", "-sparse", "--failure-mode=all", "-f"]);
    shell::capture(merge.arg(&listed).arg("-o").arg(&merged))?;
    Ok(merged)
}

/// How often each line was run, of each file, in the order of their names.
type Runs = BTreeMap<PathBuf, BTreeMap<usize, u64>>;

fn lines(merged: &Path, objects: &[PathBuf]) -> Result<Runs> {
    let mut runs = Runs::new();
    // One by one: of functions of the same name in several, as those of the C library are, llvm-cov would take the first.
    for object in objects {
        let mut export = Command::new("llvm-cov-22");
        export.args(["export", "-format=lcov"]);
        export.arg(format!("-instr-profile={}", merged.display()));
        export.arg(object);
        export.args(SOURCES.map(|source| project::root().join(source)));
        add(&mut runs, &shell::capture(&mut export)?)?;
    }
    Ok(runs)
}

/// Reads lcov's form: `SF:` and a file, then `DA:` and a line's number and how often it was run.
fn add(runs: &mut Runs, lcov: &str) -> Result<()> {
    let mut file = PathBuf::new();
    for line in lcov.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            file = name.into();
        } else if let Some(data) = line.strip_prefix("DA:") {
            let mut data = data.split(',');
            let (number, count) = (data.next(), data.next());
            let number = number.context("a line without a number")?.parse()?;
            let count: u64 = count.context("a line without a count")?.parse()?;
            *runs
                .entry(file.clone())
                .or_default()
                .entry(number)
                .or_default() += count;
        }
    }
    Ok(())
}

#[derive(Default, Clone, Copy)]
struct Lines {
    count: usize,
    run: usize,
}

impl Lines {
    fn percent(self) -> f64 {
        100.0 * self.run as f64 / self.count.max(1) as f64
    }
}

impl AddAssign for Lines {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.run += other.run;
    }
}

/// A line for each file with the numbers of those not run, and one for each of the sources.
fn table(record: &mut Record, runs: &Runs) -> Result<()> {
    record.note("lines     run   file, and the lines not run");
    for source in SOURCES {
        let root = project::root().join(source);
        let mut whole = Lines::default();
        let files = runs.iter().filter(|(file, _)| file.starts_with(&root));
        for (file, counts) in files.filter(|(file, _)| !file.ends_with("tests.rs")) {
            let end = tests_begin(&fs::read_to_string(file)?);
            let counts: Vec<_> = counts.range(..end).collect();
            let missed = counts.iter().filter(|(_, &run)| run == 0);
            let missed: Vec<usize> = missed.map(|(&number, _)| number).collect();
            let lines = Lines {
                count: counts.len(),
                run: counts.len() - missed.len(),
            };
            whole += lines;
            let name = file.strip_prefix(project::root())?.display();
            let line = format!(
                "{:5} {:5.1} %  {name}  {}",
                lines.count,
                lines.percent(),
                ranges(&missed)
            );
            record.note(line.trim_end());
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

/// The line at which a file's own tests begin, which are no matter of coverage: they are its end.
fn tests_begin(text: &str) -> usize {
    let mut lines = text.lines().zip(text.lines().skip(1));
    let tests = lines.position(|(first, second)| {
        first == "#[cfg(test)]" && second.starts_with("mod ") && second.ends_with('{')
    });
    tests.map_or(usize::MAX, |index| index + 1)
}

/// Numbers, those that follow each other joined: `3-5 9`.
fn ranges(numbers: &[usize]) -> String {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match joined.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => joined.push((number, number)),
        }
    }
    let name = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    joined.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_several_programs_is_run_if_one_has_run_it() {
        let mut runs = Runs::new();
        add(
            &mut runs,
            "SF:/a.rs\nFN:1,f\nDA:1,0\nDA:2,3\nend_of_record\n",
        )
        .unwrap();
        add(&mut runs, "SF:/a.rs\nDA:1,2\nend_of_record\n").unwrap();
        let lines: Vec<_> = runs[Path::new("/a.rs")].iter().collect();
        assert_eq!(lines, [(&1, &2), (&2, &3)]);
        assert!(add(&mut runs, "DA:x,1\n").is_err());
    }

    #[test]
    fn a_file_s_tests_are_told_from_its_code() {
        assert_eq!(tests_begin("fn f() {}\n"), usize::MAX);
        let file = "#[cfg(test)]\nmod tests;\n\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n";
        assert_eq!(tests_begin(file), 6);
    }

    #[test]
    fn neighbours_are_joined() {
        assert_eq!(ranges(&[3, 4, 5, 9, 11, 12]), "3-5 9 11-12");
        assert_eq!(ranges(&[]), "");
    }
}
