//! The C library as its users have it: programs in C and C++ that link it.

mod compile;

use compile::{check, compilers, library, package, succeed, Compiler, Profile, Program};
use std::fs;
use std::process::Command;

/// The arguments of `status.c`.
const VERSION: [&str; 4] = [
    env!("CARGO_PKG_VERSION"),
    env!("CARGO_PKG_VERSION_MAJOR"),
    env!("CARGO_PKG_VERSION_MINOR"),
    env!("CARGO_PKG_VERSION_PATCH"),
];

#[test]
fn the_header_stands_alone() {
    for compiler in compilers() {
        check(compiler, &[], &package("library/header.c"));
    }
}

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

#[test]
fn the_control_block_has_the_form_of_the_target() {
    for compiler in compilers().into_iter().filter(Compiler::is_clang_for_c) {
        for (target, line) in TARGETS {
            let flags = [
                &format!("--target={target}"),
                "-ffreestanding",
                &format!("-DLINE={line}"),
            ];
            check(compiler, &flags, &package("library/targets.c"));
        }
    }
}

#[test]
fn statuses_and_versions_are_stated() {
    Program::new("status.c")
        .arguments(&VERSION)
        .run_with_staticlib();
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    Program::new("misuse.c").run_with_staticlib();
}

#[test]
fn every_function_works_with_every_shape() {
    Program::new("api.c").run_with_staticlib();
}

#[test]
fn two_threads_lose_nothing() {
    Program::new("threads.c").run_with_staticlib();
}

#[test]
fn a_program_may_bring_its_own_panic_hook() {
    Program::new("hook.c").run_with_staticlib();
}

/// The manifest of the library is no member of the workspace, and cannot take its version from there.
#[test]
fn the_library_has_the_version_of_the_workspace() {
    let manifest = fs::read_to_string(package("../ffi/lib/Cargo.toml")).unwrap();
    assert!(manifest.contains(&format!("\nversion = \"{}\"\n", VERSION[0])));
}

#[test]
fn the_shared_library_works_and_exports_the_interface_alone() {
    let folder = library(Profile::Release).to_str().unwrap();
    let run_path = format!("-Wl,-rpath,{folder}");
    let shared = format!("{folder}/libgimmal.so");
    Program::new("status.c").arguments(&VERSION).run(
        compilers()[0],
        &["-O3"],
        &[&shared, &run_path],
    );

    let symbols = succeed(Command::new("nm").args(["--dynamic", "--defined-only", &shared])).stdout;
    let symbols = String::from_utf8(symbols).unwrap();
    let exported: Vec<_> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    let header = fs::read_to_string(package("../include/gimmal.h")).unwrap();
    for name in &exported {
        assert!(
            header.contains(&format!("{name}(")),
            "{name} is exported and not declared"
        );
    }
    assert!(exported.contains(&"gimmal_line_ring_push"));
}
