//! `gimmal rm`.

use crate::Place;
use anyhow::{anyhow, Context, Result};
use gimmal_shm::Error;

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
        let segment = place.segment(name);
        let removed = if args.force {
            segment.remove_by_force()
        } else {
            segment.remove()
        };
        if let Err(error) = removed {
            let error = match error {
                Error::NotFound(_) | Error::Name(_) => place.explained(&error),
                _ if args.force => place.explained(&error),
                _ => anyhow!("{error}; --force removes it all the same"),
            };
            let error = error.context(format!("cannot remove {name}"));
            if let Some(earlier) = failed.replace(error) {
                eprintln!("gimmal: {earlier:#}");
            }
        }
    }
    failed.map_or(Ok(()), Err).context("not all is removed")
}
