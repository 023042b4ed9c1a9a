//! The inline header and the C++ headers, by programs that need nothing else.

mod cmake;
mod controls;
mod faults;
mod layout;
mod refused;

use gimmal_c_tests::{Compiler, Program, Sanitizer};
use std::fs;

const C: &str = "c11";
const CPP: &str = "c++17";

#[test]
fn each_header_stands_alone() {
    for compiler in Compiler::ALL {
        for standard in [C, CPP, "c++20"] {
            Program::new(compiler, &[("../include/gimmal_inline.h", standard)]).check();
        }
        for (standard, flags) in [
            (CPP, &[][..]),
            (CPP, &["-fno-exceptions", "-fno-rtti"]),
            ("c++20", &[]),
        ] {
            Program::new(compiler, &[("../include/gimmal.hpp", standard)])
                .flags(flags)
                .check();
        }
    }
    for part in [
        "span",
        "producer",
        "consumer",
        "ring",
        "mpsc_producer",
        "mpsc_consumer",
        "mpsc",
        "pool",
        "bounded",
        "spsc_queue",
        "wait",
        "adaptive",
    ] {
        Program::new(
            Compiler::Gcc,
            &[(&format!("../include/gimmal/{part}.hpp"), CPP)],
        )
        .check();
    }
}

/// Optimised by gcc, by clang as C++20, and watched by the sanitizers of memory and of undefined behaviour.
fn run_everywhere(sources: &[(&str, &'static str)]) {
    Program::new(Compiler::Gcc, sources)
        .flags(&["-O3", "-DNDEBUG"])
        .run(&[]);
    let newer: Vec<_> = sources
        .iter()
        .map(|&(path, standard)| (path, if standard == CPP { "c++20" } else { standard }))
        .collect();
    Program::new(Compiler::Clang, &newer)
        .flags(&["-O2"])
        .run(&[]);
    Program::new(Compiler::Gcc, sources)
        .sanitized(Sanitizer::Address)
        .run(&[]);
    Program::new(Compiler::Clang, sources)
        .sanitized(Sanitizer::Address)
        .run(&[]);
}

/// Without a report of ThreadSanitizer.
fn run_without_races(sources: &[(&str, &'static str)]) {
    for compiler in Compiler::ALL {
        Program::new(compiler, sources)
            .sanitized(Sanitizer::Thread)
            .run(&[]);
    }
}

#[test]
fn every_function_of_the_ends_works() {
    run_everywhere(&[("cpp/ends.cpp", CPP)]);
}

#[test]
fn views_refuse_what_is_not_their_ring() {
    run_everywhere(&[("cpp/views.cpp", CPP)]);
}

#[test]
fn rings_hold_elements_of_all_sorts() {
    run_everywhere(&[("cpp/objects.cpp", CPP)]);
}

#[test]
fn the_queue_has_the_verbs_of_its_peers() {
    run_everywhere(&[("cpp/spsc_queue.cpp", CPP)]);
    run_without_races(&[("cpp/spsc_queue.cpp", CPP)]);
}

#[test]
fn exceptions_and_rtti_are_not_needed() {
    for compiler in Compiler::ALL {
        for source in [
            "cpp/objects.cpp",
            "cpp/spsc_queue.cpp",
            "cpp/mpsc_ends.cpp",
            "cpp/pool.cpp",
        ] {
            Program::new(compiler, &[(source, CPP)])
                .flags(&["-O1", "-fno-exceptions", "-fno-rtti"])
                .run(&[]);
        }
    }
}

#[test]
fn every_macro_of_the_inline_header_works() {
    run_everywhere(&[("c/inline_ends.c", C)]);
    run_everywhere(&[("c/inline_ends.c", CPP)]);
}

/// The branch for Microsoft's compiler, by gcc with stand-ins for the intrinsics.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_means_of_microsofts_compiler_do_the_same() {
    for (source, standard) in [
        ("c/inline_ends.c", C),
        ("c/inline_mpsc.c", C),
        ("cpp/ends.cpp", CPP),
        ("cpp/objects.cpp", CPP),
        ("cpp/mpsc_ends.cpp", CPP),
        ("cpp/pool.cpp", CPP),
        ("cpp/spsc_queue.cpp", CPP),
    ] {
        Program::new(Compiler::Gcc, &[(source, standard)])
            .flags(&["-O2", "-I", "msvc", "-D_MSC_VER=1939", "-D_M_X64=100"])
            .run(&[]);
    }
}

#[test]
fn rings_of_many_producers_work_in_c_and_cpp() {
    run_everywhere(&[("c/inline_mpsc.c", C)]);
    run_everywhere(&[("c/inline_mpsc.c", CPP)]);
    run_everywhere(&[("cpp/mpsc_ends.cpp", CPP)]);
}

#[test]
fn many_producers_lose_and_tear_nothing() {
    run_everywhere(&[("cpp/many_threads.cpp", CPP)]);
    run_without_races(&[("cpp/many_threads.cpp", CPP)]);
}

#[test]
fn waits_end_and_no_wake_is_lost() {
    let program = [("cpp/wait.cpp", CPP)];
    run_everywhere(&program);
    // gcc warns of the doorbell's fences, which no ThreadSanitizer models; here elements are ordered by other means.
    Program::new(Compiler::Clang, &program)
        .sanitized(Sanitizer::Thread)
        .run(&[]);
}

#[test]
fn a_pool_gives_every_slot_to_one_holder() {
    run_everywhere(&[("cpp/pool.cpp", CPP)]);
    run_without_races(&[("cpp/pool.cpp", CPP)]);
}

#[test]
fn two_threads_lose_and_tear_nothing() {
    run_everywhere(&[("cpp/two_threads.cpp", CPP)]);
    run_without_races(&[("cpp/two_threads.cpp", CPP)]);
}

/// Those of rings that other processes can write. Their elements are atomic words, in which ThreadSanitizer finds no race.
#[test]
fn checked_ends_find_what_no_end_writes_and_touch_nothing_else() {
    run_everywhere(&[("cpp/mapped.cpp", CPP)]);
}

#[test]
fn ends_change_between_c_and_cpp_in_mid_cell() {
    run_everywhere(&[("c/mixed_ends.c", C), ("cpp/mixed.cpp", CPP)]);
    run_without_races(&[("c/mixed_ends.c", C), ("cpp/mixed.cpp", CPP)]);
}

#[test]
fn large_static_rings_add_nothing_to_the_file() {
    for compiler in Compiler::ALL {
        let program = Program::new(compiler, &[("cpp/objects.cpp", CPP)])
            .flags(&["-O2", "-g0"])
            .build();
        let size = fs::metadata(program.path()).expect("the program").len();
        assert!(
            size < 1 << 20,
            "{size} bytes, though its rings of more than 4 MiB are zeros"
        );
    }
}
