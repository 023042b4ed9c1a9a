//! The queues of other projects that `compare` measures against. They are fetched where their users get them, at the
//! version named here, into the target directory; one that cannot be had is reported as missing.

mod boost;
mod rigtorp;
mod source_package;

use crate::project;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A queue of another project, and how to get it.
struct Peer {
    id: &'static str,
    /// Gets the peer, keeping what it downloads in the directory given.
    fetch: fn(&Path) -> Result<Fetched>,
}

/// Every peer there is.
const PEERS: &[Peer] = &[
    Peer {
        id: rigtorp::ID,
        fetch: rigtorp::fetch,
    },
    Peer {
        id: boost::ID,
        fetch: boost::fetch,
    },
];

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
pub fn run() -> Result<()> {
    let list = fetch()?;
    println!("{}", list.display());
    Ok(())
}

/// Gets every peer, prints what came of each, and returns the path of `peers.json`.
pub fn fetch() -> Result<PathBuf> {
    let home = project::target_dir().join("peers");
    let entries: Vec<Entry> = PEERS.iter().map(|peer| entry(peer, &home)).collect();
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

fn entry(peer: &Peer, home: &Path) -> Entry {
    match (peer.fetch)(&home.join(peer.id)) {
        Ok(Fetched {
            version,
            from,
            include,
        }) => Entry {
            id: peer.id,
            version: Some(version),
            found: true,
            from: Some(from),
            include,
            note: None,
        },
        Err(error) => {
            let note = Some(format!("{error:#}"));
            Entry {
                id: peer.id,
                version: None,
                found: false,
                from: None,
                include: None,
                note,
            }
        }
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
        let peer = Peer {
            id: "absent",
            fetch: |_| anyhow::bail!("nowhere to be had"),
        };
        let entry = entry(&peer, Path::new("unused"));
        assert!(!entry.found && entry.version.is_none() && entry.include.is_none());
        assert_eq!(entry.note.as_deref(), Some("nowhere to be had"));
    }

    #[test]
    fn an_entry_names_every_key() {
        let peer = Peer {
            id: "present",
            fetch: |home| {
                Ok(Fetched {
                    version: "1".into(),
                    from: "here".into(),
                    include: Some(home.into()),
                })
            },
        };
        let text = serde_json::to_string(&entry(&peer, Path::new("/home"))).unwrap();
        let wanted = r#"{"id":"present","version":"1","found":true,"from":"here","include":"/home/present","note":null}"#;
        assert_eq!(text, wanted);
    }
}
