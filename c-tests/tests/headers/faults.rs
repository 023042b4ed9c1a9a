//! The kinds of faults that users of other queues ran into.

use crate::CPP;
use gimmal_c_tests::{Compiler, Executable, Program, Sanitizer};
use std::sync::OnceLock;

const SOURCES: &[(&str, &str)] = &[("cpp/faults.cpp", CPP)];

/// The program, optimised, watched for its memory, and watched for its threads.
fn programs() -> &'static [Executable; 3] {
    static BUILT: OnceLock<[Executable; 3]> = OnceLock::new();
    BUILT.get_or_init(|| {
        [
            Program::new(Compiler::Gcc, SOURCES).flags(&["-O3"]),
            Program::new(Compiler::Clang, SOURCES).sanitized(Sanitizer::Address),
            Program::new(Compiler::Clang, SOURCES).sanitized(Sanitizer::Thread),
        ]
        .map(|program| program.build())
    })
}

macro_rules! faults {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            for program in programs() {
                program.run(&[stringify!($name)]);
            }
        }
    )*};
}

faults! {
    pop_without_front
    impossible_capacity
    counter_wrap
    side_path_without_acquire
    throw_in_the_middle
    leftover_elements
    count_seen_by_a_third_party
    counts_ahead_of_stamps
    hostile_stamp
    over_aligned_element
    false_sharing
    count_beyond_the_spans
    dead_producer
    producer_that_leaves
    ports_that_diverge
}
