//! `docs/LAYOUT.md` asserted by compilers, for targets of every form: compiling is all there is to do.

use crate::{C, CPP};
use gimmal_c_tests::{Compiler, Program};

const LAYOUT: &str = "c/inline_layout.c";

/// Targets with no data cache.
const PACKED: [&str; 4] = [
    "armv5te-none-eabi",
    "thumbv6m-none-eabi",
    SWAPS,
    "riscv32-unknown-none-elf",
];

/// The one of them that has a compare-and-swap.
const SWAPS: &str = "thumbv7em-none-eabihf";

/// The compiler's own choice for RISC-V has atomic instructions; its smallest processors do not.
fn without_swap(target: &str) -> &'static [&'static str] {
    if target.starts_with("riscv32") {
        &["-march=rv32imc"]
    } else {
        &[]
    }
}

fn check(compiler: Compiler, flags: &[&str]) {
    for standard in [C, CPP] {
        Program::new(compiler, &[(LAYOUT, standard)])
            .flags(&["-ffreestanding"])
            .flags(flags)
            .check();
    }
}

#[test]
fn this_machine() {
    let word = format!("-DEXPECT_WORD={}", size_of::<usize>());
    let line = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        128
    } else {
        64
    };
    for compiler in Compiler::ALL {
        check(compiler, &[&word, &format!("-DEXPECT_LINE={line}")]);
    }
}

#[test]
fn padded_to_128() {
    for target in [
        "x86_64-linux-gnu",
        "aarch64-linux-gnu",
        "aarch64-none-elf",
        "aarch64-apple-darwin",
    ] {
        check(
            Compiler::Clang,
            &[
                &format!("--target={target}"),
                "-DEXPECT_WORD=8",
                "-DEXPECT_LINE=128",
            ],
        );
    }
}

#[test]
fn padded_to_64() {
    for (target, word) in [
        ("i686-linux-gnu", 4),
        ("armv7-linux-gnueabihf", 4),
        ("armv7r-none-eabi", 4),
        ("riscv64-linux-gnu", 8),
        ("riscv64-none-elf", 8),
    ] {
        check(
            Compiler::Clang,
            &[
                &format!("--target={target}"),
                &format!("-DEXPECT_WORD={word}"),
                "-DEXPECT_LINE=64",
            ],
        );
    }
}

#[test]
fn packed() {
    for target in PACKED {
        check(
            Compiler::Clang,
            &[&format!("--target={target}"), "-DEXPECT_WORD=4"],
        );
    }
}

#[test]
fn bare_metal_needs_no_library_of_atomics() {
    for target in PACKED {
        let program = Program::new(Compiler::Clang, &[("c/bare_metal.c", C)])
            .flags(&[&format!("--target={target}"), "-Os", "-ffreestanding"])
            .flags(without_swap(target));
        let of_one = program.clone().flags(&["-DONE_PRODUCER"]).assembly();
        assert!(
            !of_one.contains("_critical_section"),
            "{target} enters a section for a ring of one producer:\n{of_one}"
        );
        let assembly = program.assembly();
        assert!(
            !assembly.contains("__atomic"),
            "{target} calls a library:\n{assembly}"
        );
        for section in ["acquire", "release"] {
            let called = assembly.contains(&format!("_critical_section_1_0_{section}"));
            assert_eq!(called, target != SWAPS, "{target} {section}:\n{assembly}");
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn words_of_32_bits_wrap() {
    Program::new(Compiler::Gcc, &[("c/word32.c", C)])
        .flags(&[
            "-m32",
            "-O2",
            "-ffreestanding",
            "-fno-stack-protector",
            "-fno-pie",
            "-no-pie",
            "-static",
            "-nostdlib",
        ])
        .run(&[]);
}
