//! AddressSanitizer and valgrind's memcheck over the suites that they can run. (ThreadSanitizer has its own steps in `cargo xtask test`, which also runs
//! the C and C++ programs under AddressSanitizer and UndefinedBehaviorSanitizer.)

use super::record::Record;
use super::Part;
use crate::packages::VALGRIND;
use crate::{project, shell};
use anyhow::Result;
use std::process::Command;

pub const PART: Part = Part {
    name: "sanitizers",
    purpose: "AddressSanitizer, memcheck and Miri find nothing in the suites that they can run",
    needs: VALGRIND,
    run,
};

/// The second flag allows the standard library as it is shipped, which is built without the sanitizer.
const ADDRESS: &str = "-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer";

/// What makes no great many cases: memcheck takes some thirty times as long.
const FOR_MEMCHECK: &[&str] = &["rings", "mpsc", "pool", "corrupt", "mapped", "task", "wait"];
/// What Miri can interpret: no calls to the kernel, no great many cases.
const FOR_MIRI: &[&str] = &["rings", "mpsc", "pool"];

fn run(record: &mut Record) -> Result<()> {
    let address = address(record);
    record.check("AddressSanitizer", address);
    let memcheck = memcheck(record);
    record.check("memcheck", memcheck);
    let miri = miri(record);
    record.check("Miri", miri);
    Ok(())
}

fn address(record: &Record) -> Result<String> {
    let version = shell::capture(Command::new("rustup").args(["run", "nightly", "rustc", "-vV"]))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or_default();
    let mut test = project::cargo("+nightly test --no-fail-fast --package gimmal --package gimmal-shm --package gimmal-engine --lib --tests");
    test.args(["--target", host, "--target-dir"])
        .arg(record.folder()?.join("address"))
        .env("RUSTFLAGS", ADDRESS)
        .env("ASAN_OPTIONS", "detect_leaks=1");
    record.run(test)?;
    Ok("nothing in the tests of gimmal, gimmal-shm and gimmal-engine".into())
}

fn memcheck(record: &Record) -> Result<String> {
    let mut test = project::cargo("test --no-fail-fast --package gimmal --lib");
    for name in FOR_MEMCHECK {
        test.args(["--test", name]);
    }
    test.env(
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
        "valgrind --quiet --error-exitcode=99 --fair-sched=yes",
    );
    record.run(test)?;
    let version = shell::capture(Command::new("valgrind").arg("--version"))?;
    Ok(format!(
        "{} finds nothing in {} and the unit tests",
        version.trim(),
        FOR_MEMCHECK.join(", ")
    ))
}

fn miri(record: &Record) -> Result<String> {
    if !shell::succeeds(Command::new("rustup").args([
        "run",
        "nightly",
        "cargo",
        "miri",
        "--version",
    ])) {
        return Ok("skipped: this toolchain has no Miri".into());
    }
    let mut test = project::cargo("+nightly miri test --package gimmal --lib");
    for name in FOR_MIRI {
        test.args(["--test", name]);
    }
    record.run(test)?;
    Ok(format!(
        "nothing in {} and the unit tests",
        FOR_MIRI.join(", ")
    ))
}
