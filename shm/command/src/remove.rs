//! `gimmal rm`.

use crate::Place;
use anyhow::{anyhow, Context, Result};
use gimmal_shm::Error;
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Options of `rm`.
#[derive(clap::Args)]
pub struct Args {
    /// The segments to remove
    #[arg(required = true)]
    names: Vec<String>,

    /// Even if a live process holds an end, which is told that the segment is superseded; and what is no segment, or cannot be read
    #[arg(long, short)]
    force: bool,
}

/// Removes each, and fails if one cannot be.
pub fn run(place: &Place, args: &Args) -> Result<()> {
    let mut failed = None;
    for name in &args.names {
        if let Err(error) = remove(place, name, args.force) {
            let error = error.context(format!("cannot remove {name}"));
            if let Some(earlier) = failed.replace(error) {
                eprintln!("gimmal: {earlier:#}");
            }
        }
    }
    match failed {
        Some(error) if args.names.len() > 1 => Err(error).context("not all is removed"),
        Some(error) => Err(error),
        None => Ok(()),
    }
}

fn remove(place: &Place, name: &str, by_force: bool) -> Result<()> {
    let segment = place.segment(name);
    let removed = if by_force {
        segment.remove_by_force()
    } else {
        segment.remove()
    };
    removed.map_err(|error| match error {
        Error::NotFound(_) | Error::Name(_) => place.explained(name, &error),
        _ => {
            let file = place.dir.join(format!("gimmal-{name}"));
            let owner = fs::symlink_metadata(file).map_or(0, |found| found.uid());
            let hint = hint(&error, by_force, owner, geteuid().as_raw());
            anyhow!("{error}{hint}")
        }
    })
}

/// What can be done about it, by this user.
fn hint(error: &Error, by_force: bool, owner: u32, own: u32) -> String {
    match error {
        // In a directory like /dev/shm, where others' files stay.
        _ if own != 0 && owner != own => {
            format!("; only user {owner}, who owns the file, and root can remove it")
        }
        Error::NotAFile("a directory") => "; rmdir removes those".into(),
        _ if by_force => String::new(),
        _ => "; --force removes it all the same".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_is_only_offered_where_it_helps() {
        let empty = Error::NotReady;
        let force = "; --force removes it all the same";
        assert_eq!(hint(&empty, false, 1000, 1000), force);
        assert_eq!(hint(&empty, false, 1000, 0), force);
        assert_eq!(hint(&empty, true, 1000, 1000), "");
        let others = hint(&empty, false, 0, 1000);
        assert!(
            others.contains("only user 0") && !others.contains("force"),
            "{others}"
        );
        let folder = Error::NotAFile("a directory");
        assert_eq!(hint(&folder, false, 0, 0), "; rmdir removes those");
    }
}
