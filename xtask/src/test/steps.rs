//! The steps of `cargo xtask test`.

use super::{consumers, firmware, page, sanitizer, static_size, targets};
use crate::study::iceoryx2;
use crate::symbols::{self, Form};
use crate::{header, project, shell};
use anyhow::Result;
use indicatif::ProgressBar;
use std::process::Command;

/// A check: what it is called, what it shows, and how it runs.
pub struct Step {
    pub name: &'static str,
    pub purpose: &'static str,
    pub run: Run,
}

/// How a step that did not fail ended.
pub enum Outcome {
    Passed,
    /// Not run, and why.
    Skipped(String),
}

type Run = fn(&ProgressBar) -> Result<Outcome>;

const fn step(name: &'static str, purpose: &'static str, run: Run) -> Step {
    Step { name, purpose, run }
}

/// Every step, in the order in which they run: the quickest to fail first.
pub const STEPS: &[Step] = &[
    step("fmt", "the source is formatted", fmt),
    step(
        "header",
        "include/gimmal.h and gimmal_shm.h are what the C API's source gives",
        header,
    ),
    step("clippy", "no lint complains", clippy),
    step("staticlib", "the release staticlib builds", staticlib),
    step(
        "symbols",
        "the staticlib defines only gimmal_* and cannot panic",
        symbols,
    ),
    step("test", "the tests of every package", test),
    step(
        "page",
        "the page of results is sound in a browser, at any width, light and dark",
        page::run,
    ),
    step(
        "core",
        "the core's tests optimised and with every feature, its models too",
        core,
    ),
    step(
        "tsan",
        "the core's tests under ThreadSanitizer",
        sanitizer::run,
    ),
    step(
        "weakened",
        "ThreadSanitizer reports every weakened ordering",
        sanitizer::controls,
    ),
    step(
        "size",
        "a static ring or pool adds nothing to the file",
        static_size::run,
    ),
    step(
        "targets",
        "the core builds for microcontrollers, some with no compare-and-swap",
        targets::run,
    ),
    step(
        "firmware",
        "interrupted at every instruction on emulated boards, the rings lose nothing",
        firmware::run,
    ),
    step(
        "consumers",
        "installed by CMake and by cargo-c, gimmal is found by CMake, pkg-config and Meson",
        consumers::run,
    ),
    step("doc", "the documentation of Rust, C and C++ builds without a warning, and the book if mdbook is there", doc),
];

fn fmt(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(bar, project::cargo("fmt --all --check -- --color=never"))?;
    let apart = [
        project::lib_manifest(),
        project::root().join(iceoryx2::MANIFEST),
    ];
    for manifest in apart {
        let mut check = project::cargo("fmt --check --manifest-path");
        check.arg(manifest).args(["--", "--color=never"]);
        shell::run(bar, check)?;
    }
    Ok(Outcome::Passed)
}

fn header(_: &ProgressBar) -> Result<Outcome> {
    header::check()?;
    Ok(Outcome::Passed)
}

fn clippy(bar: &ProgressBar) -> Result<Outcome> {
    let all = "clippy --workspace --all-targets --all-features -- -D warnings";
    shell::run(bar, project::cargo(all))?;
    let core_alone = "clippy --package gimmal --all-targets -- -D warnings";
    shell::run(bar, project::cargo(core_alone))?;
    // With all features it has no panic handler of its own.
    for features in ["critical-section", "critical-section,shm"] {
        let mut lib = project::cargo("clippy --manifest-path");
        lib.arg(project::lib_manifest())
            .args(["--features", features, "--target-dir"])
            .arg(Form::Bare.target());
        lib.args(["--", "-D", "warnings"]);
        shell::run(bar, lib)?;
    }
    Ok(Outcome::Passed)
}

fn staticlib(bar: &ProgressBar) -> Result<Outcome> {
    for form in Form::ALL {
        shell::run(bar, form.build())?;
    }
    Ok(Outcome::Passed)
}

fn symbols(bar: &ProgressBar) -> Result<Outcome> {
    for &form in Form::ALL {
        shell::run(bar, form.build())?;
        let found = symbols::check(&form.staticlib(), form)?;
        bar.suspend(|| println!("{found}"));
    }
    Ok(Outcome::Passed)
}

fn test(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(bar, project::cargo("test --workspace --no-fail-fast"))?;
    Ok(Outcome::Passed)
}

fn core(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(
        bar,
        project::cargo("test --package gimmal --all-features --release --no-fail-fast"),
    )?;
    Ok(Outcome::Passed)
}

fn doc(bar: &ProgressBar) -> Result<Outcome> {
    let mut command = project::cargo("doc --workspace --no-deps --all-features");
    command.env("RUSTDOCFLAGS", "-D warnings");
    shell::run(bar, command)?;

    // Both write below the root's own target folder, wherever cargo's is.
    std::fs::create_dir_all(project::root().join("target"))?;
    shell::run(bar, in_root("doxygen", &["docs/Doxyfile"]))?;
    if shell::succeeds(Command::new("mdbook").arg("--version")) {
        shell::run(bar, in_root("mdbook", &["build", "docs"]))?;
    } else {
        bar.suspend(|| println!("mdbook is not there: the book is not built"));
    }
    Ok(Outcome::Passed)
}

fn in_root(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(project::root());
    command
}
