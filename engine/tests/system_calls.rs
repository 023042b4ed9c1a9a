//! Nothing calls the system between the start of an engine and its end: the worker and the submitter run under a filter that
//! ends the process at the first call.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

mod common;

use common::event;
use gimmal_engine::{Engine, Options};
use seccompiler::{apply_filter, BpfProgram, SeccompAction, SeccompFilter};
use std::collections::BTreeMap;
use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Tells the child what to do.
const TASK: &str = "GIMMAL_ENGINE_SYSTEM_CALLS";
/// The child's status if it was not allowed to install the filter.
const NOT_PERMITTED: i32 = 77;

/// Allows the calling thread nothing but to end the process.
fn confine() {
    let filter = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_exit_group, vec![])]),
        SeccompAction::KillProcess,
        SeccompAction::Allow,
        env::consts::ARCH.try_into().unwrap(),
    );
    let program: BpfProgram = filter.unwrap().try_into().unwrap();
    let installed = apply_filter(&program);
    // Freeing the program calls the system at times, which is not allowed any more.
    std::mem::forget(program);
    if installed.is_err() {
        exit(NOT_PERMITTED);
    }
}

/// Ends the process and does nothing else.
fn exit(status: i32) -> ! {
    // SAFETY: it takes no pointers, and does not return.
    unsafe { libc::_exit(status) }
}

/// What the child does: passes events through an engine, confined.
fn child(task: &str) -> ! {
    const EVENTS: u64 = 100_000;
    static ENGINE: Engine<1024> = Engine::new();
    let calls_at = if task == "call" { 50_000 } else { u64::MAX };
    let mut confined = false;
    let handler = move |evaluated: &gimmal_engine::Evaluated<'_>| {
        if !confined {
            confine();
            confined = true;
        }
        if evaluated.result.id == calls_at {
            // SAFETY: it takes no pointers.
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
    };
    let options = Options::new().touch().warm_up(1000);
    let (mut submitter, running) = ENGINE.start(&options, handler).unwrap();
    submitter.submit(&event(0), 0).unwrap();
    while running.counters().evaluated == 0 {
        std::thread::yield_now();
    }
    confine();
    for id in 1..EVENTS {
        while submitter.submit(&event(id), id).is_err() {
            std::hint::spin_loop();
        }
    }
    while (running.counters().evaluated as u64) < EVENTS {
        std::hint::spin_loop();
    }
    exit(0)
}

/// How the child ended; none if it may not be confined here.
fn run(task: &str) -> Option<std::process::ExitStatus> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "events_pass_without_a_system_call",
            "--nocapture",
        ])
        .env(TASK, task)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code() != Some(NOT_PERMITTED)).then_some(status);
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn events_pass_without_a_system_call() {
    if let Ok(task) = env::var(TASK) {
        child(&task);
    }
    let Some(status) = run("none") else {
        eprintln!("skipped: this process may install no filter of system calls");
        return;
    };
    assert!(status.success(), "{status}");
    // The control: a handler that calls the system is noticed.
    let caught = run("call").unwrap();
    assert_eq!(caught.signal(), Some(libc::SIGSYS), "{caught}");
}
