//! What became of each change, kept between runs.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A test failed.
    Caught,
    /// A test did not end.
    Endless,
    /// It does not compile.
    Unviable,
    /// Every test passed.
    Survived,
}

/// Each outcome, and the file in which cargo-mutants lists the changes that came to it.
const LISTS: [(Outcome, &str); 4] = [
    (Outcome::Caught, "caught.txt"),
    (Outcome::Endless, "timeout.txt"),
    (Outcome::Unviable, "unviable.txt"),
    (Outcome::Survived, "missed.txt"),
];

/// The outcomes of a group's changes, by their names, in a folder of its own.
pub struct Ledger {
    folder: PathBuf,
    outcomes: BTreeMap<String, Outcome>,
}

impl Ledger {
    /// With what earlier runs have found, one that was broken off included.
    pub fn open(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        let mut ledger = Self {
            outcomes: read(&folder)?,
            folder,
        };
        ledger.absorb()?;
        Ok(ledger)
    }

    /// Where cargo-mutants is to write.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is known of a change.
    pub fn of(&self, name: &str) -> Option<Outcome> {
        self.outcomes.get(name).copied()
    }

    /// Has the next run of cargo-mutants try those of `names` that this holds of, and pass over the others.
    pub fn choose(&self, names: &[String], tried: impl Fn(&str) -> bool) -> Result<()> {
        let output = self.output();
        if output.exists() {
            fs::remove_dir_all(&output)?;
        }
        fs::create_dir_all(&output)?;
        let over = names.iter().filter(|name| !tried(name));
        let list: String = over.map(|name| format!("{name}\n")).collect();
        fs::write(output.join("previously_caught.txt"), list)
            .with_context(|| format!("cannot write below {}", output.display()))
    }

    /// Takes over what the last run of cargo-mutants found.
    pub fn absorb(&mut self) -> Result<()> {
        self.outcomes.extend(read(&self.output())?);
        for (outcome, list) in LISTS {
            let names = self.outcomes.iter().filter(|(_, known)| **known == outcome);
            let text: String = names.map(|(name, _)| format!("{name}\n")).collect();
            fs::write(self.folder.join(list), text)?;
        }
        Ok(())
    }

    fn output(&self) -> PathBuf {
        self.folder.join("mutants.out")
    }
}

/// The lists of a folder, as far as they are there.
fn read(folder: &Path) -> Result<BTreeMap<String, Outcome>> {
    let mut outcomes = BTreeMap::new();
    for (outcome, list) in LISTS {
        let path = folder.join(list);
        if path.exists() {
            let text = fs::read_to_string(path)?;
            outcomes.extend(text.lines().map(|name| (name.to_owned(), outcome)));
        }
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_runs_know_what_earlier_ones_found() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("group");
        let mut ledger = Ledger::open(folder.clone()).unwrap();
        let names = ["one", "two", "three", "four"].map(String::from);
        ledger.choose(&names, |name| name != "four").unwrap();
        fs::write(folder.join("mutants.out/caught.txt"), "one\n").unwrap();
        fs::write(folder.join("mutants.out/missed.txt"), "two\nthree\n").unwrap();
        ledger.absorb().unwrap();
        // The next run sees a test fail for the second, and is broken off.
        ledger
            .choose(&names, |name| ledger.of(name) == Some(Outcome::Survived))
            .unwrap();
        let over = fs::read_to_string(folder.join("mutants.out/previously_caught.txt")).unwrap();
        assert_eq!(over, "one\nfour\n");
        fs::write(folder.join("mutants.out/timeout.txt"), "two\n").unwrap();
        drop(ledger);
        let ledger = Ledger::open(folder).unwrap();
        assert_eq!(ledger.of("one"), Some(Outcome::Caught));
        assert_eq!(ledger.of("two"), Some(Outcome::Endless));
        assert_eq!(ledger.of("three"), Some(Outcome::Survived));
        assert_eq!(ledger.of("four"), None);
    }
}
