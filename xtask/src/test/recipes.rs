//! docs/FIRMWARE.md as its readers follow it: each block marked `firmware` is the file that its first line names, or commands that are run.

use crate::firmware::{self, RUST_BOARD};
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/FIRMWARE.md";

/// A project that builds the page's Zephyr module.
const ZEPHYR: &str = include_str!("zephyr.cmake");

/// A block of the page.
#[derive(Debug, PartialEq)]
enum Block<'a> {
    /// Where its reader puts it, and all of it.
    File(&'a str, &'a str),
    Commands(&'a str),
}

/// Follows the page; libgimmal is built.
pub fn run(bar: &ProgressBar) -> Result<()> {
    let readers = firmware::directory().join("reader");
    match fs::remove_dir_all(&readers) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let folder = readers.join("project");
    fs::create_dir_all(&folder)?;
    check_out(&readers.join("gimmal"))?;
    symlink(firmware::kernel()?, folder.join("FreeRTOS-Kernel"))?;
    let page = fs::read_to_string(project::root().join(PAGE))?;
    let blocks = blocks(&page)?;
    for block in &blocks {
        if let Block::File(path, text) = block {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
            fs::write(path, format!("{text}\n"))?;
        }
    }
    for block in &blocks {
        if let Block::Commands(text) = block {
            let mut commands = Command::new("timeout");
            commands.args(["120", "sh", "-e", "-c", text]);
            shell::capture(commands.current_dir(&folder)).context(PAGE)?;
        }
    }
    in_rust(bar, &folder)?;
    in_zephyr(&folder)?;
    bar.suspend(|| println!("{PAGE}: {} blocks", blocks.len()));
    Ok(())
}

/// This work tree as a checkout that has built libgimmal where cargo leaves it by default.
fn check_out(at: &Path) -> Result<()> {
    link_all(project::root(), at, &["ffi", "target", ".git"])?;
    link_all(&project::root().join("ffi"), &at.join("ffi"), &["lib"])?;
    let lib = at.join("ffi/lib");
    link_all(&project::root().join("ffi/lib"), &lib, &["target"])?;
    symlink(firmware::cargo_directory(), lib.join("target"))?;
    Ok(())
}

/// A folder with links to what is in another, but for these.
fn link_all(from: &Path, to: &Path, but: &[&str]) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if !but.iter().any(|other| name == *other) {
            symlink(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

/// The package in Rust, with the versions and the compiler of the other programs.
fn in_rust(bar: &ProgressBar, folder: &Path) -> Result<()> {
    let manifest = folder.join("Cargo.toml");
    // The folder may lie in this work tree, whose workspace the package is no part of.
    let package = fs::read_to_string(&manifest)? + "\n[workspace]\n";
    fs::write(&manifest, package)?;
    let lock = project::root().join("firmware/Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock"))?;
    let mut build = Command::new("cargo");
    build.args(["build", "--release"]).current_dir(folder);
    firmware::cargo_for(&mut build, &[RUST_BOARD.target])?;
    shell::run(bar, build)?;
    let built = firmware::cargo_directory().join(RUST_BOARD.target);
    emulate(&built.join("release/sensor"))
}

/// The page's program for CMake as a part of a project that has the page's module for Zephyr.
fn in_zephyr(folder: &Path) -> Result<()> {
    let project = folder.join("zephyr");
    fs::create_dir_all(&project)?;
    fs::write(project.join("CMakeLists.txt"), ZEPHYR)?;
    let mut configure = Command::new("cmake");
    configure.args(["-S", "zephyr", "-B", "zephyr/build"]);
    configure.args([
        "-DCMAKE_SYSTEM_NAME=Generic",
        "-DCMAKE_C_COMPILER=arm-none-eabi-gcc",
    ]);
    configure.arg("-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY");
    shell::capture(configure.current_dir(folder))?;
    let mut build = Command::new("cmake");
    build.args(["--build", "zephyr/build"]);
    shell::capture(build.current_dir(folder))?;
    let module = fs::read_to_string(folder.join("gimmal-module/zephyr/module.yml"))?;
    ensure!(
        module.contains("\nbuild:\n  cmake: .\n"),
        "the module does not say where its CMakeLists.txt is:\n{module}"
    );
    emulate(&project.join("build/placed.elf"))
}

/// Runs a program, which ends with its verdict.
fn emulate(program: &Path) -> Result<()> {
    let mut emulator = Command::new("timeout");
    emulator.args(["120", "qemu-system-arm", "-M", RUST_BOARD.name]);
    emulator.args([
        "-nographic",
        "-semihosting",
        "-icount",
        "shift=5,sleep=off",
        "-kernel",
    ]);
    shell::capture(emulator.arg(program))?;
    Ok(())
}

/// The page's blocks that are marked so, in order.
fn blocks(page: &str) -> Result<Vec<Block<'_>>> {
    let mut blocks = Vec::new();
    let mut fences = page.split("\n```");
    fences.next();
    while let (Some(block), Some(_)) = (fences.next(), fences.next()) {
        let (mark, text) = block.split_once('\n').context("an empty block")?;
        let Some(languages) = mark.strip_suffix(",firmware") else {
            continue;
        };
        if languages == "sh" {
            blocks.push(Block::Commands(text));
            continue;
        }
        let first = text.lines().next().unwrap_or_default();
        let name = first.trim_matches(|mark: char| "/*# ".contains(mark));
        ensure!(
            !name.is_empty() && !name.contains(' '),
            "a block of {languages} that names no file: {first}"
        );
        blocks.push(Block::File(name, text));
    }
    ensure!(!blocks.is_empty(), "{PAGE} has no blocks");
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_the_file_that_its_first_line_names() {
        let page = "Text.\n\n```c,firmware\n// one.c\nint one;\n```\n\n```sh\nrustup\n```\n\n```sh,firmware\nmake one\n```\n\n```ld,firmware\n/* a/two.ld */\n```\n";
        assert_eq!(
            blocks(page).unwrap(),
            [
                Block::File("one.c", "// one.c\nint one;"),
                Block::Commands("make one"),
                Block::File("a/two.ld", "/* a/two.ld */"),
            ]
        );
    }

    #[test]
    fn a_block_without_a_name_is_refused() {
        assert!(blocks("\n```c,firmware\nint one;\n```\n").is_err());
        assert!(blocks("\n```c,firmware\n// the file one.c\n```\n").is_err());
        assert!(blocks("\n```c\nint one;\n```\n").is_err());
    }
}
