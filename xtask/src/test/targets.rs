//! The core on microcontrollers, some of them with no compare-and-swap.

use super::steps::Outcome;
use crate::{project, shell};
use anyhow::Result;
use indicatif::ProgressBar;
use std::path::Path;
use std::process::Command;

/// Debian's compiler, from the package `rustc-web`. With the source of `core` beside it, it builds that for any target.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// A target, and whether the application brings a critical section to claim ends in.
const BUILDS: [(&str, bool); 3] = [
    ("thumbv6m-none-eabi", false),
    ("thumbv6m-none-eabi", true),
    ("riscv32imc-unknown-none-elf", true),
];

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    for (target, critical_section) in BUILDS {
        let mut build = project::cargo("build --package gimmal");
        build
            .args(["--target", target, "--target-dir"])
            .arg(project::target_dir().join("microcontrollers"))
            .env("RUSTFLAGS", "-Dwarnings");
        if critical_section {
            build.args(["--features", "critical-section"]);
        }
        if !is_installed(target)? {
            build.arg("-Zbuild-std=core");
            debian_rustc(&mut build);
        }
        shell::run(bar, build)?;
    }
    Ok(Outcome::Passed)
}

/// Has a build use Debian's compiler, a stable one that builds its own library.
pub fn debian_rustc(build: &mut Command) {
    build.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
}

/// Whether the toolchain in use has the target's library, as rustup installs it.
pub fn is_installed(target: &str) -> Result<bool> {
    let mut asked = Command::new("rustc");
    asked.args(["--print", "target-libdir", "--target", target]);
    let libraries = shell::capture(&mut asked)?;
    Ok(Path::new(libraries.trim()).exists())
}
