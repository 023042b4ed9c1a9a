//! The examples, as two processes.

mod common;

use common::{Guard, Scrap};
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

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

#[test]
fn a_death_is_told_once_and_an_earlier_runs_segment_replaced() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("example");
    let produce = |arguments: &[&str]| {
        let mut command = Command::new(example("produce"));
        command.arg(scrap.name()).args(arguments);
        command
    };
    // An earlier run, whose elements nobody took.
    assert!(produce(&["3"]).status().unwrap().success());
    let mut first = produce(&["100000000"]).spawn().unwrap();
    let inspect = || scrap.segment().inspect().unwrap();
    while inspect().epoch() < 2 || inspect().rings()[0].len < 1000 {
        std::thread::sleep(Duration::from_millis(1));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let left = inspect().rings()[0].len;
    let mut consume = Command::new(example("consume"));
    consume.arg(scrap.name());
    let consume = consume.stdout(Stdio::piped()).stderr(Stdio::piped());
    let consume = consume.spawn().unwrap();
    while inspect().rings()[0].len > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Long enough for a death to be told of several times.
    std::thread::sleep(Duration::from_millis(300));
    let second = produce(&["10", &left.to_string()]).status().unwrap();
    assert!(second.success());
    let consumed = consume.wait_with_output().unwrap();
    let told = String::from_utf8(consumed.stderr).unwrap();
    assert_eq!(told, "the producer died: waiting for another\n");
    let said = String::from_utf8(consumed.stdout).unwrap();
    let count = left + 10;
    assert_eq!(said, format!("{count} ticks, turnover {}\n", 100 * count));
}
