//! A big-endian processor, emulated: the headers and their tests, the core's tests, and the bytes of a ring.

use super::programs::{self, Compiler, Language, C_STANDARDS, CPP_STANDARDS};
use super::record::Record;
use super::Part;
use crate::packages::{Need, RUSTC_WEB, RUST_WEB_SRC};
use crate::project;
use crate::test::targets;
use anyhow::Result;

pub const PART: Part = Part {
    name: "s390x",
    purpose: "the headers, their tests and the core's tests on a big-endian processor, emulated",
    needs: &[
        Need::program("g++-s390x-linux-gnu", "s390x-linux-gnu-g++"),
        Need::program("qemu-user", "qemu-s390x"),
        RUSTC_WEB,
        RUST_WEB_SRC,
    ],
    run,
};

const TARGET: &str = "s390x-unknown-linux-gnu";
const EMULATOR: &[&str] = &["qemu-s390x", "-L", "/usr/s390x-linux-gnu"];

/// The core's tests whose threads do not poll for long.
const TESTS: [&str; 6] = ["rings", "mpsc", "pool", "mapped", "corrupt", "hostile"];

fn run(record: &mut Record) -> Result<()> {
    for (language, program, standards) in [
        (Language::C, "s390x-linux-gnu-gcc", C_STANDARDS),
        (Language::Cpp, "s390x-linux-gnu-g++", CPP_STANDARDS),
    ] {
        let compiler = Compiler { program, flags: &[], runner: EMULATOR, linux: true, newest: false };
        record.note(format!("{program}: {}", compiler.version()?));
        programs::headers(record, &compiler, language, &standards[..1])?;
        programs::layout(record, &compiler, language, &["-DEXPECT_WORD=8", "-DEXPECT_LINE=64"]);
        programs::tests(record, &compiler, language, standards[0])?;
    }

    let mut test = project::cargo("test --quiet --package gimmal --features linux,heapless --lib");
    for name in TESTS {
        test.args(["--test", name]);
    }
    test.args(["--target", TARGET, "--target-dir"])
        .arg(record.folder()?.join("build"))
        .env("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", "s390x-linux-gnu-gcc")
        .env("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER", EMULATOR.join(" "));
    if !targets::is_installed(TARGET)? {
        test.arg("-Zbuild-std=std,panic_abort");
        targets::debian_rustc(&mut test);
    }
    let result = record.run(test).map(|()| format!("{} and the unit tests pass", TESTS.join(", ")));
    record.check(&format!("the core on {TARGET}"), result);
    Ok(())
}
