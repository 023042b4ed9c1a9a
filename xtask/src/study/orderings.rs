//! What the study of the orderings needs beside its timings: the program `orderings` for this machine and for AArch64, its hot loops,
//! its runs and its models.

use super::loops::{self, Instruction};
use crate::programs::{Faults, Loop, Model, Programs, Run};
use crate::test::targets::debian_rustc;
use crate::{packages, project, shell};
use anyhow::{bail, ensure, Context, Result};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const KINDS: [&str; 2] = ["index", "line"];
const EDGES: [&str; 4] = ["acquire-release", "seq-cst", "fences", "all-relaxed"];
const ENDS: [&str; 2] = ["push", "pop"];

/// Where the foreign program looks for its libraries.
const ARM_ROOT: &str = "/usr/aarch64-linux-gnu";
const ARM_TARGET: &str = "aarch64-unknown-linux-gnu";

/// How much of everything.
struct Extent {
    messages: u64,
    emulated: u64,
    /// Seconds for a run.
    limit: u64,
    /// Seconds for a model.
    explore: u64,
}

/// Builds, disassembles, runs and models; the file that says what was found.
pub fn prepare(quick: bool) -> Result<PathBuf> {
    packages::ensure(packages::ORDERINGS)?;
    let directory = project::target_dir().join("study");
    let assembly = directory.join("asm");
    std::fs::create_dir_all(&assembly)?;
    let extent = if quick {
        Extent {
            messages: 100_000,
            emulated: 10_000,
            limit: 60,
            explore: 2,
        }
    } else {
        Extent {
            messages: 2_500_000,
            emulated: 250_000,
            limit: 120,
            explore: 10,
        }
    };
    let mut programs = Programs::default();

    let native = build_native()?;
    let arch = std::env::consts::ARCH;
    disassemble(&mut programs, &assembly, arch, "objdump", &native)?;
    for_each(|kind, edges| {
        programs.runs.push(run(
            Command::new(&native),
            &format!("natively, {arch}"),
            kind,
            edges,
            extent.messages,
            extent.limit,
        )?);
        programs
            .models
            .push(model(&native, kind, edges, extent.explore)?);
        Ok(())
    })?;

    let foreign = build_arm().context("the program for AArch64")?;
    disassemble(
        &mut programs,
        &assembly,
        "aarch64",
        "aarch64-linux-gnu-objdump",
        &foreign,
    )?;
    for_each(|kind, edges| {
        let mut emulator = Command::new("qemu-aarch64");
        emulator.args(["-L", ARM_ROOT]).arg(&foreign);
        programs.runs.push(run(
            emulator,
            &format!("qemu-aarch64 on {arch}"),
            kind,
            edges,
            extent.emulated,
            extent.limit,
        )?);
        Ok(())
    })?;
    std::fs::write(assembly.join("README.md"), table(&programs))?;
    // Not beside the results, which the report draws.
    let file = assembly.join("orderings.json");
    std::fs::write(&file, serde_json::to_string_pretty(&programs)?)?;
    Ok(file)
}

fn for_each(mut each: impl FnMut(&str, &str) -> Result<()>) -> Result<()> {
    for kind in KINDS {
        for edges in EDGES {
            each(kind, edges)?;
        }
    }
    Ok(())
}

const BUILD: &str = "build --release --package gimmal --features lab --example orderings";

fn build_native() -> Result<PathBuf> {
    let mut build = project::cargo(BUILD);
    build.arg("--target-dir").arg(project::target_dir());
    shell::run(&indicatif::ProgressBar::hidden(), build)?;
    Ok(project::target_dir().join("release/examples/orderings"))
}

/// With the standard library built from its source: no other need be installed.
fn build_arm() -> Result<PathBuf> {
    let directory = project::target_dir().join("aarch64");
    let mut build = project::cargo(BUILD);
    build
        .args([
            "-Zbuild-std=std,panic_abort",
            "--target",
            ARM_TARGET,
            "--target-dir",
        ])
        .arg(&directory)
        .env(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
            "aarch64-linux-gnu-gcc",
        );
    debian_rustc(&mut build);
    shell::run(&indicatif::ProgressBar::hidden(), build)?;
    Ok(directory
        .join(ARM_TARGET)
        .join("release/examples/orderings"))
}

/// Adds the program's loops, and writes a file for each policy.
fn disassemble(
    programs: &mut Programs,
    to: &Path,
    arch: &str,
    objdump: &str,
    program: &Path,
) -> Result<()> {
    let mut command = Command::new(objdump);
    command
        .args(["--disassemble", "--demangle", "--no-show-raw-insn"])
        .arg(program);
    let text = shell::capture(&mut command)?;
    for edges in EDGES {
        let mut listing = String::new();
        for kind in KINDS {
            for end in ENDS {
                let function = format!("{end}_{kind}_{}", edges.replace('-', "_"));
                let code = loops::of(&text, &function)?;
                ensure!(!code.is_empty(), "{function} has no loop");
                list(&mut listing, &function, &code);
                let ordering = code.iter().filter(|each| loops::orders(&each.text));
                programs.loops.push(Loop {
                    arch: arch.to_owned(),
                    kind: kind.to_owned(),
                    end: end.to_owned(),
                    edges: edges.to_owned(),
                    instructions: code.len(),
                    ordering: ordering
                        .map(|each| loops::mnemonic(&each.text).to_owned())
                        .collect(),
                });
            }
        }
        std::fs::write(to.join(format!("{arch}-{edges}.s")), listing)?;
    }
    Ok(())
}

/// The loop in a listing, with a mark where one orders memory.
fn list(listing: &mut String, function: &str, code: &[Instruction]) {
    if !listing.is_empty() {
        listing.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(listing, "{function}:");
    for each in code {
        let mark = if loops::orders(&each.text) {
            " <- orders"
        } else {
            ""
        };
        let _ = writeln!(listing, "  {:+#06x}  {}{mark}", each.offset, each.text);
    }
}

fn run(
    mut command: Command,
    instrument: &str,
    kind: &str,
    edges: &str,
    messages: u64,
    limit: u64,
) -> Result<Run> {
    command.args(["run", kind, edges, &messages.to_string()]);
    let said = shell::capture_within(Duration::from_secs(limit), &mut command);
    let faults = match said {
        Ok(text) => {
            let [stale, torn] = numbers(&text)?;
            Some(Faults { stale, torn })
        }
        // The broken one may never end; the others must.
        Err(error) if edges == "all-relaxed" && format!("{error:#}").contains("no answer") => None,
        Err(error) => return Err(error),
    };
    Ok(Run {
        instrument: instrument.to_owned(),
        kind: kind.to_owned(),
        edges: edges.to_owned(),
        messages,
        faults,
        limit,
    })
}

fn model(program: &Path, kind: &str, edges: &str, seconds: u64) -> Result<Model> {
    let mut command = Command::new(program);
    command.args(["model", kind, edges, &seconds.to_string()]);
    let text = shell::capture(&mut command)?;
    let (counts, complete) = text.trim().rsplit_once(' ').context("the model's counts")?;
    let [executions, stale, torn] = numbers(counts)?;
    Ok(Model {
        kind: kind.to_owned(),
        edges: edges.to_owned(),
        executions,
        stale,
        torn,
        complete: complete.parse()?,
    })
}

fn numbers<const COUNT: usize>(text: &str) -> Result<[u64; COUNT]> {
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    match numbers.try_into() {
        Ok(numbers) => Ok(numbers),
        Err(_) => bail!("`{}` is not {COUNT} numbers", text.trim()),
    }
}

/// The table that lies beside the listings.
fn table(programs: &Programs) -> String {
    let mut text = String::from(
        "# The hot loops under each ordering\n\nWritten by `cargo xtask study ordering`: the loops of `examples/orderings`, release build, messages of 48 bytes. A loop is every \
         instruction that can be reached from itself; `<- orders` marks those that order memory.\n\n\
         | architecture | end | kind | orderings | instructions | that order |\n|---|---|---|---|---|---|\n",
    );
    for each in &programs.loops {
        let ordering = if each.ordering.is_empty() {
            "none".to_owned()
        } else {
            each.ordering.join(", ")
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | [{}]({}-{}.s) | {} | {ordering} |",
            each.arch, each.end, each.kind, each.edges, each.arch, each.edges, each.instructions
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_control_that_stalls_is_reported_and_ended() {
        let of = |script, edges| run(shell(script), "here", "line", edges, 10, 1);
        let ended = of("echo 3 4", "all-relaxed").unwrap();
        assert_eq!(ended.faults, Some(Faults { stale: 3, torn: 4 }));
        assert_eq!(of("sleep 600", "all-relaxed").unwrap().faults, None);
        assert!(
            of("sleep 600", "fences").is_err(),
            "a sound ring that stalls is a fault of ours"
        );
        assert!(of("exit 3", "all-relaxed").is_err());
        assert!(of("echo 3", "all-relaxed").is_err());
    }

    #[test]
    fn a_listing_marks_what_orders() {
        let code = ["mov %rax,%rbx", "xchg %rax,0x80(%rbx)"].map(|text| Instruction {
            offset: 16,
            text: text.to_owned(),
        });
        let mut listing = String::new();
        list(&mut listing, "push_index", &code);
        assert_eq!(
            listing,
            "push_index:\n  +0x010  mov %rax,%rbx\n  +0x010  xchg %rax,0x80(%rbx) <- orders\n"
        );
    }
}
