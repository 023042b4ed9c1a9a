//! The steps of `cargo xtask test`.

use super::{sanitizer, static_size};
use crate::{header, project, shell, symbols};
use anyhow::Result;
use indicatif::ProgressBar;

/// A check: what it is called, what it shows, and how it runs.
pub struct Step {
    pub name: &'static str,
    pub purpose: &'static str,
    pub run: fn(&ProgressBar) -> Result<Outcome>,
}

/// How a step that did not fail ended.
pub enum Outcome {
    Passed,
    /// Not run, and why.
    Skipped(String),
}

/// Every step, in the order in which they run: the quickest to fail first.
pub const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        purpose: "the source is formatted",
        run: fmt,
    },
    Step {
        name: "header",
        purpose: "include/gimmal.h is what the C API's source gives",
        run: header,
    },
    Step {
        name: "clippy",
        purpose: "no lint complains",
        run: clippy,
    },
    Step {
        name: "staticlib",
        purpose: "the release staticlib builds",
        run: staticlib,
    },
    Step {
        name: "symbols",
        purpose: "the staticlib defines only gimmal_* and cannot panic",
        run: symbols,
    },
    Step {
        name: "test",
        purpose: "the tests of every package",
        run: test,
    },
    Step {
        name: "features",
        purpose: "the tests of the core with every feature",
        run: features,
    },
    Step {
        name: "loom",
        purpose: "the model checker's tests of the core",
        run: loom,
    },
    Step {
        name: "tsan",
        purpose: "the tests of the core under ThreadSanitizer",
        run: sanitizer::run,
    },
    Step {
        name: "size",
        purpose: "a static ring adds nothing to the file",
        run: static_size::run,
    },
    Step {
        name: "doc",
        purpose: "the documentation builds without a warning",
        run: doc,
    },
];

fn fmt(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(bar, project::cargo("fmt --all --check"))?;
    let mut lib = project::cargo("fmt --check --manifest-path");
    lib.arg(project::lib_manifest());
    shell::run(bar, lib)?;
    Ok(Outcome::Passed)
}

fn header(_: &ProgressBar) -> Result<Outcome> {
    header::check()?;
    Ok(Outcome::Passed)
}

fn clippy(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(
        bar,
        project::cargo("clippy --workspace --all-targets -- -D warnings"),
    )?;
    shell::run(
        bar,
        project::cargo("clippy --workspace --all-targets --all-features -- -D warnings"),
    )?;
    let mut lib = project::cargo("clippy --manifest-path");
    lib.arg(project::lib_manifest())
        .args(["--all-features", "--target-dir"])
        .arg(symbols::lib_target());
    lib.args(["--", "-D", "warnings"]);
    shell::run(bar, lib)?;
    Ok(Outcome::Passed)
}

fn staticlib(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(bar, symbols::build())?;
    Ok(Outcome::Passed)
}

fn symbols(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(bar, symbols::build())?;
    let found = symbols::check(&symbols::staticlib())?;
    bar.suspend(|| println!("{found}"));
    Ok(Outcome::Passed)
}

fn test(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(bar, project::cargo("test --workspace --no-fail-fast"))?;
    Ok(Outcome::Passed)
}

fn features(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(
        bar,
        project::cargo("test --package gimmal --all-features --no-fail-fast"),
    )?;
    Ok(Outcome::Passed)
}

/// In release, and in a target directory of its own: the flag would have everything else built anew.
fn loom(bar: &ProgressBar) -> Result<Outcome> {
    let mut command = project::cargo(
        "test --package gimmal --release --all-features --no-fail-fast --test loom*",
    );
    command
        .env("RUSTFLAGS", "--cfg loom")
        .arg("--target-dir")
        .arg(project::target_dir().join("loom"));
    shell::run(bar, command)?;
    Ok(Outcome::Passed)
}

fn doc(bar: &ProgressBar) -> Result<Outcome> {
    let mut command = project::cargo("doc --workspace --no-deps --all-features");
    command.env("RUSTDOCFLAGS", "-D warnings");
    shell::run(bar, command)?;
    Ok(Outcome::Passed)
}
