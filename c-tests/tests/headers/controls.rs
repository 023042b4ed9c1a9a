//! Each ordering of the protocols is needed: without it ThreadSanitizer reports a race, with all of them none.

use crate::CPP;
use gimmal_c_tests::{said, Compiler, Executable, Program, Sanitizer};

/// By index, by line, and by line for many producers.
const PROTOCOLS: [&str; 3] = ["-DBY_INDEX", "-DBY_LINE", "-DBY_MANY"];

/// The other edges, each with the orderings that it needs.
const EDGES: [(&str, &[&str]); 8] = [
    ("claim", &["CLAIM", "GIVE_UP"]),
    ("gone", &["CLAIM", "GIVE_UP"]),
    ("closed", &["CLOSE", "SEE_CLOSED"]),
    ("many_closed", &["CLOSE", "SEE_CLOSED"]),
    ("stated", &["STATE", "LEARN"]),
    ("followed", &["RELAY", "FOLLOW"]),
    ("relayed", &["RELAY"]),
    ("pooled", &["PUT", "TAKE"]),
];

fn build(compiler: Compiler, source: &str, flags: &[&str]) -> Executable {
    Program::new(compiler, &[(source, CPP)])
        .sanitized(Sanitizer::Thread)
        .flags(flags)
        .build()
}

fn protocol(compiler: Compiler, flags: &[&str]) -> Executable {
    build(compiler, "cpp/control.cpp", flags)
}

fn edge(compiler: Compiler, edge: &str, flags: &[&str]) -> Executable {
    let edge = format!("-DEDGE={edge}");
    let flags = [&[edge.as_str()], flags].concat();
    build(compiler, "cpp/edges.cpp", &flags)
}

fn assert_reported(program: &Executable, what: &str) {
    let output = program.output(&[]);
    let said = said(&output);
    assert!(
        !output.status.success() && said.contains("ThreadSanitizer: data race"),
        "{what}: no race was reported\n{said}"
    );
}

fn is_reported(weakening: &str) {
    for name in PROTOCOLS {
        let program = protocol(Compiler::Clang, &[name, weakening]);
        assert_reported(&program, &format!("{name} {weakening}"));
    }
}

#[test]
fn the_protocols_as_they_are_have_no_race() {
    for compiler in Compiler::ALL {
        for name in PROTOCOLS {
            protocol(compiler, &[name]).run(&[]);
        }
        for (name, _) in EDGES {
            edge(compiler, name, &[]).run(&[]);
        }
    }
}

#[test]
fn every_other_edge_is_reported_when_either_side_is_relaxed() {
    for (name, orderings) in EDGES {
        for ordering in orderings {
            let weakening = format!("-DGIMMAL_ORDER_{ordering}=GIMMAL_RELAXED");
            let program = edge(Compiler::Clang, name, &[&weakening]);
            assert_reported(&program, &format!("{name} {ordering}"));
        }
    }
}

#[test]
fn a_relaxed_publish_is_reported() {
    is_reported("-DGIMMAL_ORDER_PUBLISH=GIMMAL_RELAXED");
}

#[test]
fn a_relaxed_observe_is_reported() {
    is_reported("-DGIMMAL_ORDER_OBSERVE=GIMMAL_RELAXED");
}

#[test]
fn a_relaxed_hand_back_is_reported() {
    is_reported("-DGIMMAL_ORDER_HAND_BACK=GIMMAL_RELAXED");
}

#[test]
fn a_relaxed_reuse_is_reported() {
    is_reported("-DGIMMAL_ORDER_REUSE=GIMMAL_RELAXED");
}

#[test]
fn a_release_before_the_last_read_is_reported() {
    is_reported("-DRELEASE_EARLY");
}
