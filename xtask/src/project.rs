//! Where the project's parts lie, and how its cargo is called.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the work tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the root of the work tree")
}

/// Cargo's target directory: `CARGO_TARGET_DIR`, or `target` in the root.
pub fn target_dir() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(named.unwrap_or_else(|| PathBuf::from("target")))
}

/// The manifest of the leaf crate that makes libgimmal, a workspace of its own.
pub fn lib_manifest() -> PathBuf {
    root().join("ffi/lib/Cargo.toml")
}

/// `cargo` with these arguments, split at spaces, run in the root.
pub fn cargo(arguments: &str) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(arguments.split_whitespace())
        .current_dir(root());
    command
}
