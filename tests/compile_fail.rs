//! What must not compile. What the compiler says is compared word by word, so this runs on the toolchain of record only.

use std::process::Command;

/// The release whose messages lie beside the programs.
const OF_RECORD: &str = "rustc 1.95.0 ";

#[test]
fn misuse_is_refused_by_the_compiler() {
    let output = Command::new("rustc").arg("--version").output().unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    if !version.starts_with(OF_RECORD) {
        println!("skipped: the messages are those of {OF_RECORD}and this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile-fail/*.rs");
}
