//! Each ordering of the protocols is needed: without it ThreadSanitizer reports a race, with all of them none.

use crate::CPP;
use gimmal_c_tests::{said, Compiler, Executable, Program, Sanitizer};

/// By index, by line, and by line for many producers.
const PROTOCOLS: [&str; 3] = ["-DBY_INDEX", "-DBY_LINE", "-DBY_MANY"];

fn build(compiler: Compiler, flags: &[&str]) -> Executable {
    Program::new(compiler, &[("cpp/control.cpp", CPP)])
        .sanitized(Sanitizer::Thread)
        .flags(flags)
        .build()
}

fn is_reported(weakening: &str) {
    for protocol in PROTOCOLS {
        let output = build(Compiler::Clang, &[protocol, weakening]).output(&[]);
        let said = said(&output);
        assert!(
            !output.status.success() && said.contains("ThreadSanitizer: data race"),
            "{protocol} {weakening}: no race was reported\n{said}"
        );
    }
}

#[test]
fn the_protocols_as_they_are_have_no_race() {
    for compiler in Compiler::ALL {
        for protocol in PROTOCOLS {
            build(compiler, &[protocol]).run(&[]);
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
