//! cargo-mutants on the core: it changes a place of the source, and some test must notice.

mod groups;
mod ledger;
mod survivors;

use super::record::Record;
use super::Part;
use crate::{project, shell};
use anyhow::{anyhow, bail, Context, Result};
pub use groups::suites;
use groups::{Group, GROUPS};
use ledger::{Ledger, Outcome};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use survivors::{key, Survivors};

pub const PART: Part = Part {
    name: "mutants",
    purpose: "a test notices every change that cargo-mutants makes to src/, or it is explained why none can; GIMMAL_MUTANTS, a regular expression, \
              chooses changes, and GIMMAL_SECONDS limits the time",
    needs: &[],
    run,
};

/// How long the tests of a change may take: many times what they take when nothing is changed.
const NARROW_LIMIT: u32 = 20;
const WIDE_LIMIT: u32 = 240;

/// A change that makes a test ask for memory without end is to meet its own limit, and not the machine's.
const MEMORY: &str = "--as=8000000000";

/// One of the core's files in the table.
#[derive(Default, Clone, Copy)]
struct Count {
    caught: usize,
    endless: usize,
    unviable: usize,
    survived: usize,
    open: usize,
}

impl Count {
    fn add(&mut self, outcome: Option<Outcome>) {
        *match outcome {
            Some(Outcome::Caught) => &mut self.caught,
            Some(Outcome::Endless) => &mut self.endless,
            Some(Outcome::Unviable) => &mut self.unviable,
            Some(Outcome::Survived) => &mut self.survived,
            None => &mut self.open,
        } += 1;
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{:6} {:7} {:8} {:8} {:7}   {name}",
            self.caught, self.endless, self.unviable, self.survived, self.open
        )
    }
}

/// What stays the same for all runs of cargo-mutants.
struct Bench {
    /// A copy of what is committed, which cargo-mutants changes.
    tree: PathBuf,
    target: PathBuf,
    only: Option<String>,
    end: Option<Instant>,
}

fn run(record: &mut Record) -> Result<()> {
    super::cargo_tool(record, "mutants")?;
    let folder = record.folder()?;
    let bench = Bench {
        tree: copy(&folder)?,
        target: folder.join("build"),
        only: std::env::var("GIMMAL_MUTANTS").ok(),
        end: limit()?.map(|limit| Instant::now() + limit),
    };
    let explained = project::root().join("xtask/src/verify/mutants/survivors.txt");
    let explained = Survivors::parse(&fs::read_to_string(explained)?)?;

    let mut outcomes = BTreeMap::new();
    for group in GROUPS {
        let names = bench.list(group, None)?;
        let mut ledger = Ledger::open(folder.join(group.name).join(state(group)?))?;
        let judged = bench.judge(record, group, &mut ledger);
        record.check(group.name, judged.map(|()| String::new()));
        outcomes.extend(names.into_iter().map(|name| {
            let outcome = ledger.of(&name);
            (name, outcome)
        }));
    }

    let version = shell::capture(&mut project::cargo("mutants --version"))?;
    record.note(version.trim());
    for group in GROUPS {
        let mut line = format!("{}: judged by", group.sources.join(" "));
        group.all().for_each(|test| line += &format!(" {test}"));
        record.note(line);
    }
    record
        .note("What an earlier run found stands while the files of its line above are the same.\n");
    table(record, &outcomes);
    let source = |file: &str| fs::read_to_string(bench.tree.join(file)).ok();
    explain(record, &outcomes, &explained, source)
}

/// How long changes may be tried.
fn limit() -> Result<Option<Duration>> {
    let Ok(given) = std::env::var("GIMMAL_SECONDS") else {
        return Ok(None);
    };
    let seconds = given.parse().context("GIMMAL_SECONDS is no number")?;
    Ok(Some(Duration::from_secs(seconds)))
}

/// What is committed, anew. All of it seems younger than what was built of an earlier copy.
fn copy(folder: &Path) -> Result<PathBuf> {
    let (tree, archive) = (folder.join("tree"), folder.join("tree.tar"));
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    fs::create_dir_all(&tree)?;
    let mut git = Command::new("git");
    git.current_dir(project::root()).args(["archive", "-o"]);
    shell::capture(git.arg(&archive).arg("HEAD"))?;
    let mut tar = Command::new("tar");
    shell::capture(tar.arg("-xmf").arg(&archive).arg("-C").arg(&tree))?;
    Ok(tree)
}

/// Tells the states of a group's files apart.
fn state(group: &Group) -> Result<String> {
    let mut git = Command::new("git");
    git.current_dir(project::root()).arg("rev-parse");
    git.args(group.sources.iter().map(|source| format!("HEAD:{source}")));
    let objects = shell::capture(&mut git)?;
    let digest = Sha256::digest(objects.as_bytes());
    Ok(digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

impl Bench {
    fn cargo_mutants(&self, group: &Group, only: Option<&str>) -> Vec<String> {
        let mut arguments = vec!["mutants".to_owned(), "--package=gimmal".to_owned()];
        arguments.extend(group.globs().map(|glob| format!("--file={glob}")));
        arguments.extend(only.map(|only| format!("--re={only}")));
        arguments
    }

    /// The changes that there are.
    fn list(&self, group: &Group, only: Option<&str>) -> Result<Vec<String>> {
        let mut cargo = Command::new("cargo");
        cargo.args(self.cargo_mutants(group, only)).arg("--list");
        let list = shell::capture(cargo.current_dir(&self.tree))?;
        Ok(list.lines().map(str::to_owned).collect())
    }

    /// Tries what has not been tried: with the group's first tests, then with the others what these do not notice. What an earlier run has
    /// left is tried with all of them, since some may be new.
    fn judge(&self, record: &Record, group: &Group, ledger: &mut Ledger) -> Result<()> {
        let names = self.list(group, self.only.as_deref())?;
        let survivors = |ledger: &Ledger| -> BTreeSet<String> {
            let survived = |name: &&String| ledger.of(name) == Some(Outcome::Survived);
            names.iter().filter(survived).cloned().collect()
        };
        let old = survivors(ledger);
        let untried = names.iter().filter(|name| ledger.of(name).is_none());
        let untried: BTreeSet<String> = untried.cloned().collect();
        self.attempt(record, group, &untried, group.tests, NARROW_LIMIT, ledger)?;
        let new: BTreeSet<String> = survivors(ledger).difference(&old).cloned().collect();
        self.attempt(record, group, &new, group.more, WIDE_LIMIT, ledger)?;
        let all: Vec<&str> = group.all().collect();
        self.attempt(record, group, &old, &all, WIDE_LIMIT, ledger)
    }

    fn attempt(
        &self,
        record: &Record,
        group: &Group,
        changes: &BTreeSet<String>,
        tests: &[&str],
        limit: u32,
        ledger: &mut Ledger,
    ) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let names = self.list(group, None)?;
        ledger.choose(&names, |name| changes.contains(name))?;
        let mut command = Command::new("prlimit");
        command.arg(MEMORY);
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now()).as_secs();
            if left == 0 {
                return Ok(());
            }
            command.args(["timeout", "--signal=INT", &left.to_string()]);
        }
        command
            .arg("cargo")
            .args(self.cargo_mutants(group, None))
            .args(["--in-place", "--iterate", "--no-shuffle"])
            .arg(format!("--timeout={limit}"))
            .arg("--all-features")
            .arg("--output")
            .arg(ledger.folder())
            .args(tests.iter().map(|test| format!("--cargo-arg={test}")))
            .current_dir(&self.tree)
            // What is built is used once: quickly, and without what a debugger needs.
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INCREMENTAL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", group.opt_level)
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
        if let Some(skip) = group.skip {
            command.args(["--", "--", "--skip", skip]);
        }
        let status = record.status(command);
        ledger.absorb()?;
        match status?.code() {
            // All were noticed; some were not; some tests did not end; time is up.
            Some(0 | 2 | 3 | 124) => Ok(()),
            Some(4) => bail!("the tests fail when nothing is changed"),
            code => bail!("cargo-mutants ended with {code:?}"),
        }
    }
}

/// A line for each file, and one for all.
fn table(record: &mut Record, outcomes: &BTreeMap<String, Option<Outcome>>) {
    let mut files: BTreeMap<&str, Count> = BTreeMap::new();
    let mut whole = Count::default();
    for (name, outcome) in outcomes {
        let file = name.split(':').next().unwrap_or_default();
        files.entry(file).or_default().add(*outcome);
        whole.add(*outcome);
    }
    record.note("caught endless unviable survived not run   file");
    for (file, count) in &files {
        record.note(count.line(file));
    }
    record.note(whole.line("all\n"));
}

/// Every survivor under the reason why no test can notice it, or as a failure; and every reason that has no survivor any more.
fn explain(
    record: &mut Record,
    outcomes: &BTreeMap<String, Option<Outcome>>,
    explained: &Survivors,
    source: impl Fn(&str) -> Option<String>,
) -> Result<()> {
    let mut under: Vec<Vec<&str>> = vec![Vec::new(); explained.reasons().len()];
    let mut noticed = BTreeSet::new();
    let mut alive = BTreeSet::new();
    for (name, outcome) in outcomes {
        let key = key(name, &source).with_context(|| format!("no place in the source: {name}"))?;
        match (outcome, explained.reason_of(&key)) {
            (Some(Outcome::Survived), Some(reason)) => under[reason].push(name),
            (Some(Outcome::Survived), None) => {
                record.check(&key, Err(anyhow!("no test notices ({name})")));
            }
            _ => {}
        }
        match outcome {
            Some(Outcome::Survived) | None => alive.insert(key),
            Some(_) => noticed.insert(key),
        };
    }
    for (reason, names) in explained.reasons().iter().zip(under) {
        if !names.is_empty() {
            record.note(reason);
            names
                .iter()
                .for_each(|name| record.note(format!("    {name}")));
        }
    }
    for key in explained.explained().filter(|key| !alive.contains(*key)) {
        let why = match noticed.contains(key) {
            true => "is explained, and a test notices it",
            false => "is explained, and there is no such change",
        };
        record.check(key, Err(anyhow!(why)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::ProgressBar;

    fn verdict(outcomes: &[(&str, Option<Outcome>)], explained: &str) -> Record {
        let mut record = Record::new("trial", ProgressBar::hidden());
        let outcomes = outcomes
            .iter()
            .map(|&(name, outcome)| (name.to_owned(), outcome));
        let source = |_: &str| Some("one\ntwo\n".to_owned());
        let explained = Survivors::parse(explained).unwrap();
        explain(&mut record, &outcomes.collect(), &explained, source).unwrap();
        record
    }

    #[test]
    fn a_survivor_is_explained_or_a_failure() {
        let survivor = [("src/a.rs:2:1: change", Some(Outcome::Survived))];
        let why = "Slower.\nsrc/a.rs: change | two\n";
        assert!(!verdict(&survivor, why).failed());
        assert!(verdict(&survivor, "").failed());
        assert!(verdict(&survivor, "Slower.\nsrc/a.rs: change | one\n").failed());
    }

    #[test]
    fn a_reason_with_no_survivor_is_a_failure() {
        let why = "Slower.\nsrc/a.rs: change | two\n";
        assert!(verdict(&[("src/a.rs:2:1: change", Some(Outcome::Caught))], why).failed());
        assert!(verdict(&[], why).failed());
        assert!(!verdict(&[("src/a.rs:2:1: change", None)], why).failed());
        // Two of the same name: one of them is caught.
        let two = [
            ("src/a.rs:2:1: change", Some(Outcome::Caught)),
            ("src/a.rs:2:5: change", Some(Outcome::Survived)),
        ];
        assert!(!verdict(&two, why).failed());
    }

    #[test]
    fn outcomes_are_counted_in_their_columns() {
        let mut count = Count::default();
        for outcome in [
            Some(Outcome::Caught),
            Some(Outcome::Caught),
            Some(Outcome::Endless),
            None,
        ] {
            count.add(outcome);
        }
        let columns: Vec<String> = count
            .line("all")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(columns, ["2", "1", "0", "0", "1", "all"]);
    }
}
