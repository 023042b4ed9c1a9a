//! The C library as its users have it: programs in C and C++ that link it.

mod built;
mod machine;

use built::{archive, shared, Profile};
use gimmal_c_tests::{blocks, package, said, succeed, Compiler, Program, Sanitizer};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The programs of `library/` are valid in all of them.
const STANDARDS: [&str; 3] = ["c11", "c++17", "c++20"];

/// The arguments of `status.c`.
const VERSION: [&str; 4] = [
    env!("CARGO_PKG_VERSION"),
    env!("CARGO_PKG_VERSION_MAJOR"),
    env!("CARGO_PKG_VERSION_MINOR"),
    env!("CARGO_PKG_VERSION_PATCH"),
];

/// Targets of every form, and LINE: 0 for packed.
const TARGETS: [(&str, u32); 18] = [
    ("x86_64-unknown-linux-gnu", 128),
    ("aarch64-unknown-linux-gnu", 128),
    ("aarch64-none-elf", 128),
    ("i686-unknown-linux-gnu", 64),
    ("arm-unknown-linux-gnueabi", 64),
    ("armv7-unknown-linux-gnueabihf", 64),
    ("riscv32-unknown-linux-gnu", 64),
    ("riscv64-unknown-elf", 64),
    ("armv7r-none-eabi", 64),
    ("armv7a-none-eabi", 64),
    ("thumbv6m-none-eabi", 0),
    ("thumbv7m-none-eabi", 0),
    ("thumbv7em-none-eabihf", 0),
    ("thumbv8m.main-none-eabi", 0),
    ("armv4t-none-eabi", 0),
    ("armv5te-none-eabi", 0),
    ("armv6-none-eabi", 0),
    ("riscv32-unknown-elf", 0),
];

/// Runs a program of `library/` with the static library: in release by every compiler, in debug, and under the sanitizers.
fn run(name: &str, arguments: &[&str]) {
    let source = format!("library/{name}");
    let release = archive(Profile::Release);
    for compiler in Compiler::ALL {
        for standard in STANDARDS {
            Program::new(compiler, &[(&source, standard)])
                .flags(&["-O2"])
                .link(&[&release])
                .run(arguments);
        }
        Program::new(compiler, &[(&source, "c11")])
            .sanitized(Sanitizer::Address)
            .link(&[&release])
            .run(arguments);
    }
    Program::new(Compiler::Gcc, &[(&source, "c11")])
        .link(&[&archive(Profile::Debug)])
        .run(arguments);
}

#[test]
fn the_header_stands_alone() {
    for compiler in Compiler::ALL {
        for standard in STANDARDS {
            Program::new(compiler, &[("library/header.c", standard)]).check();
        }
    }
}

#[test]
fn the_control_block_has_the_form_of_the_target() {
    for (target, line) in TARGETS {
        Program::new(Compiler::Clang, &[("library/targets.c", "c11")])
            .flags(&[
                &format!("--target={target}"),
                "-ffreestanding",
                &format!("-DLINE={line}"),
            ])
            .check();
    }
}

#[test]
fn statuses_and_versions_are_stated() {
    run("status.c", &VERSION);
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    run("misuse.c", &[]);
}

#[test]
fn every_function_works_with_every_shape() {
    run("api.c", &[]);
}

#[test]
fn many_producers_share_a_ring_by_every_function() {
    run("mpsc.c", &[]);
}

#[test]
fn a_ring_fits_in_the_storage_that_the_header_states() {
    run("storage.c", &[]);
}

#[test]
fn two_threads_lose_nothing() {
    run("threads.c", &[]);
}

#[test]
fn a_pool_gives_every_slot_once_and_refuses_misuse() {
    run("pool.c", &[]);
}

#[test]
fn waits_end_and_sleepers_are_woken() {
    run("wait.c", &[]);
    run("mpsc_wait.c", &[]);
}

/// The library with the feature `engine`, by every compiler and under the sanitizers.
#[test]
fn the_risk_pipeline_scores_counts_and_stops() {
    let library = archive(Profile::Engine);
    for compiler in Compiler::ALL {
        Program::new(compiler, &[("library/engine.c", "c11")])
            .flags(&["-O2"])
            .link(&[&library])
            .run(&[]);
        for sanitizer in [Sanitizer::Address, Sanitizer::Thread] {
            Program::new(compiler, &[("library/engine.c", "c11")])
                .sanitized(sanitizer)
                .link(&[&library])
                .run(&[]);
        }
    }
}

#[test]
fn the_example_of_the_risk_pipeline_works() {
    let library = archive(Profile::Engine);
    for compiler in Compiler::ALL {
        for standard in ["c++17", "c++20"] {
            let program = Program::new(compiler, &[("../engine/examples/risk.cpp", standard)])
                .link(&[&library])
                .build();
            // An engine that does not stop fails the test.
            let mut timed = Command::new("timeout");
            let output = succeed(timed.arg("60").arg(program.path()));
            assert_eq!(
                said(&output),
                "10000 evaluated: 2500 low, 2500 medium, 2500 high, 2500 critical\n"
            );
        }
    }
}

#[test]
fn a_program_may_bring_its_own_panic_hook() {
    run("hook.c", &[]);
}

/// The manifest of the library is no member of the workspace, and cannot take its version from there.
#[test]
fn the_library_has_the_version_of_the_workspace() {
    let manifest = fs::read_to_string(package("../ffi/lib/Cargo.toml")).unwrap();
    assert!(manifest.contains(&format!("\nversion = \"{}\"\n", VERSION[0])));
}

#[test]
fn the_shared_library_works_and_exports_the_interface_alone() {
    let library = shared(Profile::Release);
    Program::new(Compiler::Gcc, &[("library/status.c", "c11")])
        .link(&[
            &library,
            &format!("-Wl,-rpath,{}", library.trim_end_matches("/libgimmal.so")),
        ])
        .run(&VERSION);

    exports_alone(&library, &["gimmal.h"], "gimmal_line_ring_push");
    if cfg!(target_os = "linux") {
        let headers = ["gimmal.h", "gimmal_shm.h"];
        exports_alone(&shared(Profile::Shm), &headers, "gimmal_shm_consumer_pop");
    }
}

/// The library exports what these headers declare, and nothing else.
fn exports_alone(library: &str, headers: &[&str], one: &str) {
    let symbols = succeed(Command::new("nm").args(["--dynamic", "--defined-only", library])).stdout;
    let symbols = String::from_utf8(symbols).unwrap();
    let exported: Vec<_> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    let declared: String = headers
        .iter()
        .map(|header| fs::read_to_string(package(&format!("../include/{header}"))).unwrap())
        .collect();
    for name in &exported {
        assert!(
            declared.contains(&format!("{name}(")),
            "{name} is exported and not declared"
        );
    }
    assert!(exported.contains(&one));
}

/// The program in docs/LINKING.md, linked in both of the ways that it names.
#[test]
fn the_program_for_readers_works_with_either_library() {
    let stem = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linking");
    let programs = blocks(include_str!("../../../docs/LINKING.md"), "c", &stem);
    let program = &programs[0];
    let archive = archive(Profile::Release);
    let folder = archive.trim_end_matches("/libgimmal.a");
    let (search, rpath) = (format!("-L{folder}"), format!("-Wl,-rpath,{folder}"));
    for compiler in Compiler::ALL {
        for linked in [&[archive.as_str()][..], &[&search, "-lgimmal", &rpath]] {
            let output = Program::new(compiler, &[(program, "c11")])
                .link(linked)
                .build()
                .output(&[]);
            assert!(output.status.success(), "{}", said(&output));
            assert_eq!(said(&output), "1\n2\n3\n");
        }
    }
}

/// As docs/LINKING.md says. It takes a clang of the LLVM that the Rust compiler has.
#[test]
fn calls_can_be_inlined_across_languages() {
    let version = succeed(Command::new("rustc").arg("-vV")).stdout;
    let version = String::from_utf8(version).unwrap();
    if !version.contains("LLVM version: 22.") {
        eprintln!("skipped: the Rust compiler's LLVM is not clang's");
        return;
    }
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let program = Program::new(Compiler::Clang, &[("library/threads.c", "c11")])
        .flags(&[&format!("--target={host}"), "-O3", "-flto"])
        .link(&["-fuse-ld=lld-22", &archive(Profile::Lto)])
        .build();
    program.run(&[]);
    let symbols = succeed(Command::new("nm").arg(program.path())).stdout;
    let symbols = String::from_utf8(symbols).unwrap();
    for inlined in [
        "gimmal_ring_push",
        "gimmal_ring_pop",
        "gimmal_line_ring_push",
        "gimmal_line_ring_pop",
    ] {
        assert!(
            !symbols
                .lines()
                .any(|line| line.ends_with(&format!(" {inlined}"))),
            "{inlined} is called"
        );
    }
}
