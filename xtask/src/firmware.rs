//! The programs of `firmware/`: building them for boards that QEMU emulates, and running them there.

pub mod costs;
pub mod instructions;

use crate::test::targets;
use crate::{project, shell};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A board that QEMU emulates.
pub struct Board {
    pub name: &'static str,
    /// The target that its libgimmal is built for.
    pub target: &'static str,
    /// What the names of its binutils begin with.
    pub binutils: &'static str,
}

/// The board of the program in Rust.
pub const RUST_BOARD: Board = Board {
    name: "mps2-an385",
    target: "thumbv7m-none-eabi",
    binutils: "arm-none-eabi",
};

/// A form of the program in Rust.
pub struct RustForm {
    pub name: &'static str,
    pub feature: Option<&'static str>,
}

/// The boards; how each is built for and emulated is in `firmware/Makefile`.
pub const BOARDS: [Board; 4] = [
    RUST_BOARD,
    Board {
        name: "microbit",
        target: "thumbv6m-none-eabi",
        binutils: "arm-none-eabi",
    },
    Board {
        name: "riscv-virt",
        target: "riscv32imc-unknown-none-elf",
        binutils: "riscv64-unknown-elf",
    },
    Board {
        name: "aarch64-virt",
        target: "aarch64-unknown-none-softfloat",
        binutils: "aarch64-linux-gnu",
    },
];

/// Where everything is built.
pub fn directory() -> PathBuf {
    project::target_dir().join("firmware")
}

/// Where cargo leaves what it builds for the boards, a folder for each target.
pub fn cargo_directory() -> PathBuf {
    directory().join("lib")
}

/// Builds libgimmal for every board.
pub fn build_libraries(bar: &ProgressBar) -> Result<()> {
    let targets: Vec<&str> = BOARDS.iter().map(|board| board.target).collect();
    let mut build = project::cargo("build --release --features critical-section --manifest-path");
    build.arg(project::lib_manifest());
    cargo_for(&mut build, &targets)?;
    shell::run(bar, build)
}

/// Has cargo build for these targets, with the toolchain in use if that can and else with Debian's.
pub fn cargo_for(build: &mut Command, targets: &[&str]) -> Result<()> {
    build.arg("--target-dir").arg(cargo_directory());
    let mut installed = true;
    for target in targets {
        build.args(["--target", target]);
        installed &= targets::is_installed(target)?;
    }
    if !installed {
        build.arg("-Zbuild-std=core");
        targets::debian_rustc(build);
        // It has no linker of its own for bare metal.
        build.env("CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER", "ld.lld-22");
    }
    Ok(())
}

/// Builds the program in Rust in this form, a feature of it or none, and puts it where make looks for it.
pub fn build_rust(bar: &ProgressBar, form: &RustForm) -> Result<()> {
    let mut build = project::cargo("build --release --package rust-isr --manifest-path");
    build.arg(project::root().join("firmware/Cargo.toml"));
    if let Some(feature) = form.feature {
        build.args(["--features", feature]);
    }
    cargo_for(&mut build, &[RUST_BOARD.target])?;
    shell::run(bar, build)?;
    let built = cargo_directory()
        .join(RUST_BOARD.target)
        .join("release/rust-isr");
    let program = Program::new(&RUST_BOARD, form.name);
    std::fs::create_dir_all(programs().join(RUST_BOARD.name))?;
    std::fs::copy(&built, program.elf()).with_context(|| format!("{}", built.display()))?;
    Ok(())
}

/// Builds the ends in Rust for boards that count instructions.
fn build_ends(bar: &ProgressBar, boards: &[&Board]) -> Result<()> {
    for board in boards {
        // One by one: what heapless needs on one target would be enabled for all that are built with it.
        let mut build = project::cargo("build --release --package rust-ends --manifest-path");
        build.arg(project::root().join("firmware/Cargo.toml"));
        cargo_for(&mut build, &[board.target])?;
        shell::run(bar, build)?;
    }
    Ok(())
}

/// Builds what `firmware/Makefile` builds of these programs, and runs all of them.
pub fn run(bar: &ProgressBar, programs: &[Program]) -> Result<()> {
    let mut make = Command::new("make");
    make.args(["--silent", "--jobs=2", "--output-sync", "--directory"])
        .arg(project::root().join("firmware"))
        .arg(format!("LIB={}", cargo_directory().display()))
        .arg(format!("BUILD={}", self::programs().display()))
        .arg(format!("FREERTOS={}", kernel()?.display()));
    for program in programs {
        program.forget()?;
        make.arg(&program.log);
    }
    shell::run(bar, make)
}

/// The FreeRTOS kernel's source, which cargo has fetched within a crate.
pub fn kernel() -> Result<PathBuf> {
    let mut metadata = project::cargo("metadata --format-version=1 --manifest-path");
    metadata.arg(project::root().join("firmware/Cargo.toml"));
    let metadata: serde_json::Value = serde_json::from_str(&shell::capture(&mut metadata)?)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| package["name"] == "freertos-next")
        .find_map(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .map(|folder| folder.join("FreeRTOS-Kernel"))
        .context("cargo does not know the crate freertos-next")
}

/// Where make leaves programs and logs.
fn programs() -> PathBuf {
    directory().join("programs")
}

/// A program for a board, and what it said.
pub struct Program {
    elf: PathBuf,
    log: PathBuf,
}

/// What a program said, and the status that it ended with.
pub struct Said {
    pub text: String,
    pub status: u32,
}

impl Program {
    pub fn new(board: &Board, form: &str) -> Self {
        let path = programs().join(board.name).join(form);
        Self {
            elf: path.with_extension("elf"),
            log: path.with_extension("log"),
        }
    }

    pub fn elf(&self) -> &Path {
        &self.elf
    }

    /// Has make run it again, whether it changed or not.
    fn forget(&self) -> Result<()> {
        match std::fs::remove_file(&self.log) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    pub fn said(&self) -> Result<Said> {
        let text = std::fs::read_to_string(&self.log)
            .with_context(|| format!("{}", self.log.display()))?;
        said(text).with_context(|| format!("no status in {}", self.log.display()))
    }
}

fn said(text: String) -> Option<Said> {
    let status = text.lines().last()?.strip_prefix("status ")?.parse().ok()?;
    Some(Said { text, status })
}

impl Said {
    /// The lines that begin with this word, without it.
    pub fn lines<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.text
            .lines()
            .filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
    }

    /// The number that a line gives this name: `name=number`.
    pub fn number(line: &str, name: &str) -> Result<u64> {
        line.split_whitespace()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
            .and_then(|number| number.parse().ok())
            .with_context(|| format!("no {name} in: {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_last_line() {
        let log = "up: received=12 lost=0\nat 00000010 count=3\nstatus 1\n";
        let said = said(log.into()).unwrap();
        assert_eq!(said.status, 1);
        let up: Vec<&str> = said.lines("up:").collect();
        assert_eq!(up, ["received=12 lost=0"]);
        assert_eq!(Said::number(up[0], "received").unwrap(), 12);
        assert!(Said::number(up[0], "torn").is_err());
        assert!(super::said("status unknown".into()).is_none());
    }
}
