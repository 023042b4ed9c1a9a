//! The examples, as two processes.

mod common;

use common::{Guard, Scrap};
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Cargo builds the examples before it runs all tests.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "for this test alone, first cargo build --examples"
    );
    path
}

#[test]
fn creating_is_measured() {
    let _guard = Guard::new(60);
    let output = Command::new(example("create")).output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("create") && said.contains("attach"), "{said}");
}

#[test]
fn what_one_produces_the_other_consumes() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("example");
    let consume = Command::new(example("consume"))
        .arg(scrap.name())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let produce = Command::new(example("produce"))
        .args([scrap.name(), "5000"])
        .status()
        .unwrap();
    assert!(produce.success());
    let consumed = consume.wait_with_output().unwrap();
    assert!(consumed.status.success());
    let said = String::from_utf8(consumed.stdout).unwrap();
    assert_eq!(said, "5000 ticks, turnover 500000\n");
    assert!(!std::fs::exists(scrap.path()).unwrap());
}
