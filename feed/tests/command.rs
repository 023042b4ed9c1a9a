//! The command itself: signals, and what it ends with.

use gimmal_feed::record::{Entry, Recording};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gimmal-feed"));
    command
        .args(line.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn ended(line: &str) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(line).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn signal(child: &Child, name: &str) {
    let number = child.id().to_string();
    let sent = Command::new("kill").args([name, &number]).status();
    assert!(sent.unwrap().success());
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gimmal-command-{}-{name}", std::process::id()))
}

#[test]
fn an_interrupted_demo_closes_its_recording_and_tells_all() {
    for name in ["-INT", "-TERM"] {
        let path = scratch("interrupted.gz");
        let mut child = command("demo --seconds 30 --record")
            .arg(&path)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut String::new()).unwrap();
        signal(&child, name);
        let mut text = String::new();
        lines.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{name}");
        assert!(text.contains("every message accounted for"), "{text}");
        let recording = Recording::read(&[&path]).unwrap();
        std::fs::remove_file(&path).unwrap();
        let is_message = |entry: &&Entry| matches!(entry, Entry::Message { .. });
        // Of 3000 in half a minute.
        let count = recording.entries.iter().filter(is_message).count();
        assert!(0 < count && count < 2000, "{name}: {count}");
    }
}

/// Whether a process has a thread of that name.
fn has_thread(child: &Child, name: &str) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", child.id())) else {
        return false;
    };
    tasks.flatten().any(|task| {
        let comm = std::fs::read_to_string(task.path().join("comm"));
        comm.is_ok_and(|comm| comm.trim() == name)
    })
}

#[test]
fn a_second_interrupt_ends_at_once_what_would_go_on() {
    // A minute over each message.
    let mut child = command("demo --slow 60000000").spawn().unwrap();
    while !has_thread(&child, "consumer") {
        thread::sleep(Duration::from_millis(10));
    }
    let status = loop {
        signal(&child, "-INT");
        thread::sleep(Duration::from_millis(200));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    // In order it may end only if no message had come.
    assert_eq!(status.code(), Some(130));
}

#[test]
fn books_that_are_not_compared_or_not_equal_are_not_said_to_be() {
    let (code, text, error) = ended("demo --messages 100 --rate 50 --slow 100000 --seconds 4");
    assert_eq!(code, Some(1), "{text}");
    assert!(error.contains("and not the exchange's"), "{error}");
    assert!(!text.contains("every book equals"), "{text}");
    let (code, text, _) = ended("demo --seconds 0.5 --fault gap@1,cut@99999");
    assert_eq!(code, Some(0));
    assert!(!text.contains("every book equals"), "{text}");
    assert!(text.contains("never struck: cut@99999;"), "{text}");
    let (code, text, error) = ended("demo --messages 50 --rate 0");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(text.contains("every book equals"), "{text}");
}

#[test]
fn what_never_could_or_never_did_is_a_failure() {
    for (line, reason) in [
        (
            "live btcusdt --stream ws://127.0.0.1:1 --seconds 0.2",
            "there was no connection",
        ),
        ("live btcusdt --stream foo", "no address of streams"),
        ("replay /dev/null", "the recording is empty"),
    ] {
        let (code, _, error) = ended(line);
        assert_eq!(code, Some(1), "{line}");
        assert!(error.contains(reason), "{line}: {error}");
    }
    for line in ["live a A", "demo a a", "replay x x"] {
        let (code, _, error) = ended(line);
        assert_eq!(code, Some(2), "{line}");
        assert!(error.contains("named twice"), "{line}: {error}");
    }
}
