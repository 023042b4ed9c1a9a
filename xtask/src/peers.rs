//! The queues of other projects that `compare` measures against. They are fetched where their users get them, at the
//! version named here, into the target directory; one that cannot be had is reported as missing.

mod boost;
mod folly;
mod packaged;
mod rigtorp;
pub mod source_package;

use crate::packages::{self, ATOMIC_QUEUE, BOOST, CONCURRENTQUEUE, MOODYCAMEL};
use crate::project;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A peer that was had.
struct Fetched {
    version: String,
    from: String,
    /// The directory to search for its headers; none if the compiler finds them by itself.
    include: Option<PathBuf>,
}

/// One entry of `peers.json`, which the comparison is built from.
#[derive(Serialize)]
struct Entry {
    id: &'static str,
    version: Option<String>,
    found: bool,
    from: Option<String>,
    include: Option<PathBuf>,
    /// Why a peer is missing.
    note: Option<String>,
}

/// `cargo xtask peers`
#[derive(clap::Args)]
pub struct Args {
    /// Where folly's headers lie, the directory that holds folly/; without it, folly is absent
    #[arg(long, value_name = "DIR")]
    folly: Option<PathBuf>,
}

/// Gets the peers and says where the list of them is.
pub fn run(args: &Args) -> Result<()> {
    let list = fetch(args.folly.as_deref())?;
    println!("{}", list.display());
    Ok(())
}

/// The list of the peers that were fetched last, if any were: what is built from it need not be built anew, and nothing is fetched.
pub fn known() -> Option<PathBuf> {
    let list = home().join("peers.json");
    list.exists().then_some(list)
}

fn home() -> PathBuf {
    project::target_dir().join("peers")
}

/// Gets every peer, prints what came of each, and returns the path of `peers.json`. Those in Rust are not among them: they
/// are dependencies of the comparison, at the versions in Cargo.lock.
pub fn fetch(folly: Option<&Path>) -> Result<PathBuf> {
    // All at once; what is still missing says so below, each for itself.
    if let Err(error) = packages::ensure(&[BOOST, MOODYCAMEL, ATOMIC_QUEUE, CONCURRENTQUEUE]) {
        eprintln!("{error:#}");
    }
    let home = home();
    let entries = [
        entry("rigtorp", rigtorp::fetch(&home.join("rigtorp"))),
        entry("boost", boost::fetch()),
        entry("moodycamel", packaged::fetch(MOODYCAMEL)),
        entry("atomic_queue", packaged::fetch(ATOMIC_QUEUE)),
        entry("concurrentqueue", packaged::fetch(CONCURRENTQUEUE)),
        entry("folly", folly::fetch(folly)),
    ];
    for entry in &entries {
        match (&entry.version, &entry.from, &entry.note) {
            (Some(version), Some(from), _) => eprintln!("{} {version}: {from}", entry.id),
            (_, _, note) => eprintln!(
                "{}: missing\n{}",
                entry.id,
                note.as_deref().unwrap_or_default()
            ),
        }
    }
    std::fs::create_dir_all(&home)?;
    let list = home.join("peers.json");
    write_if_changed(&list, &(serde_json::to_string_pretty(&entries)? + "\n"))?;
    Ok(list)
}

fn entry(id: &'static str, outcome: Result<Fetched>) -> Entry {
    match outcome {
        Ok(Fetched {
            version,
            from,
            include,
        }) => Entry {
            id,
            version: Some(version),
            found: true,
            from: Some(from),
            include,
            note: None,
        },
        Err(error) => Entry {
            id,
            version: None,
            found: false,
            from: None,
            include: None,
            note: Some(format!("{error:#}")),
        },
    }
}

/// Leaves an unchanged file alone, so that what is built from it stays fresh.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_fails_is_missing_with_the_reason() {
        let entry = entry("absent", Err(anyhow::anyhow!("nowhere to be had")));
        assert!(!entry.found && entry.version.is_none() && entry.include.is_none());
        assert_eq!(entry.note.as_deref(), Some("nowhere to be had"));
    }

    #[test]
    fn an_entry_names_every_key() {
        let fetched = Fetched {
            version: "1".into(),
            from: "here".into(),
            include: Some("/home/present".into()),
        };
        let text = serde_json::to_string(&entry("present", Ok(fetched))).unwrap();
        let wanted = r#"{"id":"present","version":"1","found":true,"from":"here","include":"/home/present","note":null}"#;
        assert_eq!(text, wanted);
    }
}
