//! What a part found, on the terminal and in `docs/results/verify/`.

use crate::{project, shell};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Instant;

/// The record of one part in the making.
pub struct Record {
    name: &'static str,
    bar: ProgressBar,
    start: Instant,
    lines: Vec<String>,
    failures: usize,
}

impl Record {
    /// An empty one, whose clock runs.
    pub fn new(name: &'static str, bar: ProgressBar) -> Self {
        Self {
            name,
            bar,
            start: Instant::now(),
            lines: Vec::new(),
            failures: 0,
        }
    }

    /// Where the part may leave files: below the target directory.
    pub fn folder(&self) -> Result<PathBuf> {
        let folder = project::target_dir().join("verify").join(self.name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// A line of the record.
    pub fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        self.bar.suspend(|| println!("{line}"));
        self.lines.push(line);
    }

    /// Notes that `what` holds, with what is to be said of it, or why it does not: then the part has failed, and goes on. A thing that holds and
    /// of which nothing is to be said is not noted.
    pub fn check(&mut self, what: &str, result: Result<String>) {
        match result {
            Ok(said) if said.is_empty() => {}
            Ok(said) => self.note(format!("{what}: {said}")),
            Err(error) => {
                self.failures += 1;
                self.note(format!("FAILED {what}: {error:#}"));
            }
        }
    }

    /// Runs a program whose output is shown and not recorded.
    pub fn run(&self, command: Command) -> Result<()> {
        shell::run(&self.bar, command)
    }

    /// Runs a program whose output is shown and not recorded; how it ended.
    pub fn status(&self, command: Command) -> Result<ExitStatus> {
        shell::status(&self.bar, command)
    }

    /// A record of a part of this part, for another thread; [`absorb`](Self::absorb) takes what it found.
    pub fn branch(&self) -> Self {
        Self::new(self.name, self.bar.clone())
    }

    /// Takes over the lines of a branch.
    pub fn absorb(&mut self, branch: Self) {
        self.lines.extend(branch.lines);
        self.failures += branch.failures;
    }

    /// Writes the record; whether the part passed.
    pub fn write(self) -> Result<bool> {
        let path = project::root().join(format!("docs/results/verify/{}.txt", self.name));
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(&path, self.text()?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(!self.failed())
    }

    /// Whether something did not hold.
    pub fn failed(&self) -> bool {
        self.failures > 0
    }

    fn text(&self) -> Result<String> {
        let verdict = match self.failures {
            0 => "passed".to_owned(),
            failures => format!("FAILED, {failures} of what was checked"),
        };
        let date = shell::capture(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"]))?;
        let commit = project::commit().unwrap_or_else(|| "unknown".into());
        let mut text = format!(
            "cargo xtask verify {}\n\nresult   {verdict}\ntime     {} s\ndate     {}\ncommit   {commit}\nmachine  {}\n\n",
            self.name,
            self.start.elapsed().as_secs(),
            date.trim(),
            machine()?,
        );
        // Paths of this machine tell others nothing.
        let target = project::target_dir().display().to_string();
        let root = project::root().display().to_string();
        for line in &self.lines {
            text += &line.replace(&target, "target").replace(&root, ".");
            text.push('\n');
        }
        Ok(text)
    }
}

/// Processor, cores and system.
fn machine() -> Result<String> {
    let cores = std::thread::available_parallelism()?;
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, model)| model);
    let system = shell::capture(Command::new("uname").arg("-srm"))?;
    Ok(format!("{model}, {cores} cores, {}", system.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_a_line_and_the_verdict() {
        let mut record = Record::new("trial", ProgressBar::hidden());
        record.check("the first", Ok("holds".into()));
        record.check("the second", Ok(String::new()));
        assert!(record.text().unwrap().contains("result   passed\n"));
        record.check(
            "the third",
            Err(anyhow::anyhow!(
                "broken in {}",
                project::root().join("x").display()
            )),
        );
        let text = record.text().unwrap();
        assert!(
            text.contains("result   FAILED, 1 of what was checked\n"),
            "{text}"
        );
        assert!(
            text.ends_with("\nthe first: holds\nFAILED the third: broken in ./x\n"),
            "{text}"
        );
    }
}
