//! The core on microcontrollers, some of them with no compare-and-swap.

use super::steps::Outcome;
use crate::{project, shell};
use anyhow::{ensure, Result};
use indicatif::ProgressBar;
use std::collections::BTreeSet;
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
    sections(bar)?;
    Ok(Outcome::Passed)
}

/// On an Armv6-M, the functions of the C API that enter the critical section: those that claim an end, and those of objects that
/// several parties change. No push or pop of a ring of one producer does.
fn sections(bar: &ProgressBar) -> Result<()> {
    let target = "thumbv6m-none-eabi";
    let folder = project::target_dir().join("microcontrollers");
    let mut build =
        project::cargo("build --package gimmal-ffi --release --features critical-section");
    build
        .args(["--target", target, "--target-dir"])
        .arg(&folder)
        // Machine code, which a later optimiser would not leave here.
        .env("CARGO_PROFILE_RELEASE_LTO", "off");
    if !is_installed(target)? {
        build.arg("-Zbuild-std=core");
        debian_rustc(&mut build);
    }
    shell::run(bar, build)?;
    let library = folder.join(target).join("release/libgimmal_ffi.rlib");
    let code = shell::capture(
        Command::new("arm-none-eabi-objdump")
            .arg("-dr")
            .arg(library),
    )?;
    let entering = entering(&code);
    for function in &entering {
        ensure!(
            ["claim", "mpsc", "pool"]
                .iter()
                .any(|part| function.contains(part)),
            "{function} enters the critical section"
        );
    }
    // A push may be a function of its own that is called by the library's.
    for (object, verb) in [("gimmal_ring", "claim_producer"), ("gimmal_mpsc", "ush")] {
        ensure!(
            entering
                .iter()
                .any(|function| function.contains(object) && function.contains(verb)),
            "no {verb} of {object} enters the critical section"
        );
    }
    bar.suspend(|| println!("{} functions enter the critical section", entering.len()));
    Ok(())
}

/// The functions of a listing that refer to the critical section.
fn entering(code: &str) -> BTreeSet<&str> {
    let mut function = "";
    let mut found = BTreeSet::new();
    for line in code.lines() {
        match line.split_once(" <") {
            Some((address, rest)) if !address.starts_with(' ') && rest.ends_with(">:") => {
                function = &rest[..rest.len() - 2];
            }
            _ if line.contains("_critical_section_1_0_acquire") => {
                found.insert(function);
            }
            _ => {}
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::entering;

    #[test]
    fn callers_are_found_in_a_listing() {
        let listing = "\n00000000 <one>:\n   0:\tpush {r4}\n   2:\tbl 0 <other>\n\n00000010 <two>:\n  10:\tbl 0 <x>\n\t\t10: R_ARM_THM_CALL\t_critical_section_1_0_acquire\n";
        assert_eq!(entering(listing).into_iter().collect::<Vec<_>>(), ["two"]);
    }
}
