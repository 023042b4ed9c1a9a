//! The mixed test under ThreadSanitizer, with Rust, C and C++ all instrumented for one runtime: nightly Rust's, which clang's
//! code finds. It reports nothing, and reports a race as soon as the C++ side is weakened.

use std::path::Path;
use std::process::Command;

/// The second flag allows the standard library as it is shipped, which is built without the sanitizer.
const RUSTFLAGS: &str = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";

/// What is weakened on the C++ side: what it publishes to Rust, and what it hands back to Rust.
const WEAKENED: [&str; 2] = ["PUBLISH", "HAND_BACK"];

#[test]
fn races_are_reported_when_and_only_when_there_are_some() {
    let Some(host) = nightly_host() else {
        eprintln!("skipped: this needs a nightly compiler and clang 22");
        return;
    };
    if let Err(report) = run(&host, "") {
        panic!("a sound mix failed:\n{report}");
    }
    for edge in WEAKENED {
        let weakened = format!(" -DGIMMAL_ORDER_{edge}=__ATOMIC_RELAXED");
        let report = run(&host, &weakened).expect_err("a weakened mix passed");
        assert!(
            report.contains("WARNING: ThreadSanitizer: data race"),
            "{edge}:\n{report}"
        );
    }
}

/// Runs the mixed test with further flags for C++; what it wrote, if it failed.
fn run(host: &str, cxxflags: &str) -> Result<(), String> {
    let suppressions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tsan.supp");
    let mut cargo = Command::new("rustup");
    cargo
        .args([
            "run",
            "nightly",
            "cargo",
            "test",
            "--package",
            "gimmal-c-tests",
            "--test",
            "mix",
        ])
        .args(["--target", host, "--target-dir"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tsan-mix"))
        .args(["--", "every_pair", "producers_of_all", "slots_pass"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTFLAGS", RUSTFLAGS)
        .env("RUST_BACKTRACE", "0")
        .env(
            "TSAN_OPTIONS",
            format!("halt_on_error=1 suppressions='{}'", suppressions.display()),
        )
        .env("CC", "clang-22")
        .env("CXX", "clang++-22")
        .env("CFLAGS", "-fsanitize=thread -g")
        .env("CXXFLAGS", format!("-fsanitize=thread -g{cxxflags}"));
    let output = cargo.output().map_err(|error| error.to_string())?;
    let written = [output.stdout, output.stderr].concat();
    let written = String::from_utf8_lossy(&written);
    assert!(
        written.contains("running 5 tests"),
        "the mixed test did not run:\n{written}"
    );
    output
        .status
        .success()
        .then_some(())
        .ok_or_else(|| written.into_owned())
}

/// The machine that the nightly compiler is for, if that and clang are there.
fn nightly_host() -> Option<String> {
    Command::new("clang++-22").arg("--version").output().ok()?;
    let mut rustc = Command::new("rustup");
    rustc
        .args(["run", "nightly", "rustc", "-vV"])
        .env_remove("RUSTUP_TOOLCHAIN");
    let version = String::from_utf8(rustc.output().ok()?.stdout).ok()?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
}
