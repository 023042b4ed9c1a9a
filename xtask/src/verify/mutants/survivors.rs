//! Changes that no test can notice, each with the reason.
//!
//! `survivors.txt` consists of blocks with an empty line between: lines that say why, then a line for each change that they speak of.

use anyhow::{ensure, Result};
use std::collections::BTreeMap;

/// The reasons, in the order of the file, and which of them a change has.
pub struct Survivors {
    reasons: Vec<String>,
    of: BTreeMap<String, usize>,
}

impl Survivors {
    pub fn parse(text: &str) -> Result<Self> {
        let mut reasons = Vec::new();
        let mut of = BTreeMap::new();
        for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
            let (changes, reason): (Vec<&str>, Vec<&str>) = block
                .lines()
                .filter(|line| !line.is_empty())
                .partition(|line| line.starts_with("src/"));
            ensure!(
                !reason.is_empty() && !changes.is_empty(),
                "a block needs a reason and a change: {block}"
            );
            for change in changes {
                let earlier = of.insert(change.to_owned(), reasons.len());
                ensure!(earlier.is_none(), "explained twice: {change}");
            }
            reasons.push(reason.join(" "));
        }
        Ok(Self { reasons, of })
    }

    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// Which reason a change has.
    pub fn reason_of(&self, change: &str) -> Option<usize> {
        self.of.get(change).copied()
    }

    /// The changes that have one.
    pub fn explained(&self) -> impl Iterator<Item = &str> {
        self.of.keys().map(String::as_str)
    }
}

/// The name of a change without its line and column, which move, and with the text of its line.
pub fn key(name: &str, source: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (place, change) = name.split_once(": ")?;
    let mut place = place.split(':');
    let (file, line) = (place.next()?, place.next()?.parse::<usize>().ok()?);
    let text = source(file)?;
    let text = text.lines().nth(line.checked_sub(1)?)?.trim();
    Some(format!("{file}: {change} | {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_reason_and_its_changes() {
        let survivors = Survivors::parse(
            "It is only\nslower.\nsrc/a.rs: one | x\nsrc/b.rs: two | y\n\nThe same.\nsrc/a.rs: three | z\n",
        )
        .unwrap();
        assert_eq!(survivors.reasons(), ["It is only slower.", "The same."]);
        assert_eq!(survivors.reason_of("src/b.rs: two | y"), Some(0));
        assert_eq!(survivors.reason_of("src/a.rs: three | z"), Some(1));
        assert_eq!(survivors.reason_of("src/a.rs: four | z"), None);
        assert_eq!(survivors.explained().count(), 3);
        assert!(Survivors::parse("src/a.rs: one | x\n").is_err());
        assert!(Survivors::parse("No change.\n").is_err());
        assert!(Survivors::parse("A.\nsrc/a: x\n\nB.\nsrc/a: x\n").is_err());
    }

    #[test]
    fn a_key_is_of_the_text_and_not_of_the_place() {
        let source = |file: &str| (file == "src/a.rs").then(|| "fn f() {\n    1 + 2\n}\n".into());
        assert_eq!(
            key("src/a.rs:2:7: replace + with - in f", source).unwrap(),
            "src/a.rs: replace + with - in f | 1 + 2"
        );
        assert_eq!(key("src/a.rs:9:7: replace + with - in f", source), None);
        assert_eq!(key("src/b.rs:2:7: replace + with - in f", source), None);
    }
}
