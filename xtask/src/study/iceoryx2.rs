//! What the study of segments is measured against: a program of its own, so that nothing else builds what iceoryx2 needs.

use crate::project;
use std::path::PathBuf;

/// The manifest, a workspace of its own.
pub const MANIFEST: &str = "bench/iceoryx2/Cargo.toml";

/// Builds the program; none, and a word why, if that cannot be done.
pub fn build() -> Option<PathBuf> {
    let target = project::target_dir().join("iceoryx2");
    let mut cargo = project::cargo("build --release --locked --manifest-path");
    cargo.arg(MANIFEST).arg("--target-dir").arg(&target);
    match cargo.status() {
        Ok(status) if status.success() => {
            Some(target.join("release").join("gimmal-bench-iceoryx2"))
        }
        Ok(status) => missing(&status.to_string()),
        Err(error) => missing(&error.to_string()),
    }
}

fn missing(why: &str) -> Option<PathBuf> {
    eprintln!("warning: the program for iceoryx2 could not be built ({why}); the study says that it is missing");
    None
}
