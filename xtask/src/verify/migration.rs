//! The tests that other projects publish of their queues, run on `gimmal::spsc_queue` under the names of those (`c-tests/migration`), and the programs
//! of the documents that use other queues. What is fetched stays in the target directory.

mod suites;

use super::record::Record;
use super::Part;
use crate::peers::source_package;
use crate::{packages, peers, project, shell};
use anyhow::{bail, ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use suites::{Case, Expected, Program, Suite, SUITES};

/// Each program is compiled by both.
const COMPILERS: [&str; 2] = ["g++", "clang++-22"];

/// Longer than any of them takes.
const LIMIT: Duration = Duration::from_secs(300);

pub const PART: Part = Part {
    name: "migration",
    purpose: "the published tests of rigtorp's, boost's and moodycamel's queues do on spsc_queue what docs/MIGRATING.md says; the documents' programs run",
    needs: packages::MIGRATION,
    run,
};

fn run(record: &mut Record) -> Result<()> {
    let folder = record.folder()?;
    for suite in SUITES {
        let home = folder.join(suite.id);
        let (root, version) = fetch(suite, &home)?;
        record.note(format!("{}: {} {version}", suite.id, suite.package));
        for program in suite.programs {
            for compiler in COMPILERS {
                let built = build(suite, program, compiler, &root, &home)?;
                for case in program.cases {
                    let name = format!("{} {}", program.name(), case.arguments.last().unwrap_or(&""));
                    let what = format!("  {:45} {compiler:10}", name.trim_end());
                    record.check(&what, verdict(case, &found(case, &built)?));
                }
            }
        }
    }
    documents(record)
}

/// What came of a case.
enum Found {
    Passed,
    Failed(String),
    /// What the compiler said.
    NotCompiled(String),
}

impl Expected {
    fn agrees(&self, found: &Found) -> bool {
        match (self, found) {
            (Self::Passes, Found::Passed) => true,
            (Self::Fails { saying, .. }, Found::Failed(said))
            | (Self::DoesNotCompile { saying, .. }, Found::NotCompiled(said)) => {
                said.contains(saying)
            }
            _ => false,
        }
    }
}

/// What is to be said of a case that does what is written down.
fn verdict(case: &Case, found: &Found) -> Result<String> {
    match (case.expected.agrees(found), &case.expected, found) {
        (true, Expected::Passes, _) => Ok("passes".into()),
        (true, Expected::Fails { reason, .. } | Expected::DoesNotCompile { reason, .. }, _) => {
            Ok(format!("deviates: {reason}"))
        }
        (false, _, Found::Passed) => bail!("passes, and is said to deviate"),
        (false, _, Found::Failed(said)) => bail!("fails: {said}"),
        (false, _, Found::NotCompiled(said)) => bail!("is not compiled: {said}"),
    }
}

/// The directory that a suite's archive holds, with our headers where its tests look for theirs; and its version.
fn fetch(suite: &Suite, home: &Path) -> Result<(PathBuf, String)> {
    let origin = home.join("origin.txt");
    let known = fs::read_to_string(&origin).ok().and_then(|text| {
        let (version, root) = text.split_once('\n')?;
        Some((PathBuf::from(root), version.to_owned()))
    });
    let (root, version) = match known.filter(|(root, _)| root.is_dir()) {
        Some(known) => known,
        None => {
            if home.exists() {
                fs::remove_dir_all(home)?;
            }
            fs::create_dir_all(home)?;
            let package = source_package::unpack(suite.package, suite.release, suite.wanted, home)?;
            fs::write(
                &origin,
                format!("{}\n{}", package.version, package.root.display()),
            )?;
            (package.root, package.version)
        }
    };
    for (name, text) in suite.beside {
        let text = match text {
            Some(text) => (*text).to_owned(),
            None => fs::read_to_string(ours(suite).join(name))?,
        };
        fs::write(root.join(name), text)?;
    }
    Ok((root, version))
}

/// Where our headers of a suite's names lie.
fn ours(suite: &Suite) -> PathBuf {
    project::root().join("c-tests/migration").join(suite.id)
}

/// The program, or what the compiler said.
fn build(
    suite: &Suite,
    program: &Program,
    compiler: &str,
    root: &Path,
    home: &Path,
) -> Result<Result<PathBuf, String>> {
    let executable = home.join(format!("{}-{compiler}", program.name().replace(' ', "-")));
    let mut command = Command::new(compiler);
    command
        .args(["-std=c++17", "-O2", "-pthread"])
        .args(program.flags);
    command
        .arg("-I")
        .arg(ours(suite))
        .arg("-I")
        .arg(project::root().join("include"));
    command.args(program.sources.iter().map(|source| root.join(source)));
    command.arg("-o").arg(&executable).args(suite.libraries);
    for source in program.sources {
        ensure!(
            root.join(source).is_file(),
            "{} {} has no {source}",
            suite.package,
            suite.id
        );
    }
    match shell::capture_within(LIMIT, &mut command) {
        Ok(_) => Ok(Ok(executable)),
        Err(error) => Ok(Err(format!("{error:#}"))),
    }
}

fn found(case: &Case, built: &Result<PathBuf, String>) -> Result<Found> {
    let executable = match built {
        Ok(executable) => executable,
        Err(said) => return Ok(Found::NotCompiled(said.clone())),
    };
    let mut command = Command::new(executable);
    let output = shell::output_within(LIMIT, command.args(case.arguments))?;
    if output.status.success() {
        return Ok(Found::Passed);
    }
    let said = [output.stdout, output.stderr].concat();
    Ok(Found::Failed(String::from_utf8_lossy(&said).into_owned()))
}

/// The documents' programs, all of them, with the headers of every queue that they use.
fn documents(record: &mut Record) -> Result<()> {
    let list = peers::fetch(None)?;
    let mut command = project::cargo("test --quiet --package gimmal-docs-tests --test blocks");
    command.env(
        "GIMMAL_PEERS",
        list.canonicalize().context("the list of peers")?,
    );
    command.env("GIMMAL_DOCS_ALL", "1");
    record.run(command)?;
    record.note("the documents: every program is compiled, with the headers of every queue");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_down_agrees() {
        let fails = Expected::Fails {
            saying: "capacity",
            reason: "",
        };
        let found = |said: &str| Found::Failed(said.into());
        assert!(Expected::Passes.agrees(&Found::Passed));
        assert!(!Expected::Passes.agrees(&found("capacity")));
        assert!(fails.agrees(&found("no such capacity")));
        assert!(!fails.agrees(&found("a crash")));
        assert!(!fails.agrees(&Found::Passed));
        assert!(!fails.agrees(&Found::NotCompiled("capacity".into())));

        let case = Case {
            arguments: &[],
            expected: Expected::Passes,
        };
        assert_eq!(verdict(&case, &Found::Passed).unwrap(), "passes");
        let error = verdict(&case, &found("a crash")).unwrap_err();
        assert_eq!(error.to_string(), "fails: a crash");
    }

    #[test]
    fn every_reason_is_in_the_documents() {
        let page = include_str!("../../../docs/MIGRATING.md");
        for case in SUITES
            .iter()
            .flat_map(|suite| suite.programs)
            .flat_map(|program| program.cases)
        {
            match case.expected {
                Expected::Passes => {}
                Expected::Fails { reason, .. } | Expected::DoesNotCompile { reason, .. } => {
                    assert!(page.contains(reason), "{reason}");
                }
            }
        }
    }
}
