//! The headers and their tests by old and new compilers, under each standard of C and C++, for 64 and 32 bits.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use super::programs::{self, Compiler, Language, C_STANDARDS, CPP_STANDARDS};
use anyhow::Result;

pub const PART: Part = Part {
    name: "compilers",
    purpose: "the headers and their tests under gcc 11 and 12, clang 14 to 22, C11 to C23, C++17 to C++23, and -m32",
    needs: &[
        Need::program("gcc-11", "gcc-11"),
        Need::program("g++-11", "g++-11"),
        Need::program("gcc-12", "gcc-12"),
        Need::program("g++-12", "g++-12"),
        Need::program("clang-14", "clang-14"),
        Need::program("clang-15", "clang-15"),
        Need::program("clang-16", "clang-16"),
        Need::program("clang-19", "clang-19"),
        Need::program("clang-22", "clang-22"),
        Need::path("g++-12-multilib", "/usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.a"),
    ],
    run,
};

/// What each language's compiler is called.
const COMPILERS: [(&str, &str); 7] = [
    ("gcc-11", "g++-11"),
    ("gcc-12", "g++-12"),
    ("clang-14", "clang++-14"),
    ("clang-15", "clang++-15"),
    ("clang-16", "clang++-16"),
    ("clang-19", "clang++-19"),
    ("clang-22", "clang++-22"),
];

/// `gcc-12-multilib` leaves the kernel's headers, which are the same for 32 bits, where they are for 64.
const BITS_32: &[&str] = &["-m32", "-I/usr/include/x86_64-linux-gnu"];

/// The standard under which the tests run. As C++23, clang 14 has the library's allocator of Debian 12 give misaligned memory:
/// seen in four lines with nothing of ours.
fn newest<'a>(program: &str, standards: &[&'a str]) -> &'a str {
    let left_out = usize::from(program == "clang++-14");
    standards[standards.len() - 1 - left_out]
}

fn run(record: &mut Record) -> Result<()> {
    for (c, cpp) in COMPILERS {
        for (language, program, standards) in [
            (Language::C, c, C_STANDARDS),
            (Language::Cpp, cpp, CPP_STANDARDS),
        ] {
            let compiler = Compiler { program, flags: &[], runner: &[], linux: true, newest: program.ends_with("22") || program.ends_with("12") };
            record.note(format!("{program}: {}", compiler.version()?));
            programs::headers(record, &compiler, language, standards)?;
            programs::tests(record, &compiler, language, newest(program, standards))?;
        }
    }
    for (language, program, standards) in [
        (Language::C, "gcc-12", C_STANDARDS),
        (Language::Cpp, "g++-12", CPP_STANDARDS),
    ] {
        let compiler = Compiler { program, flags: BITS_32, runner: &[], linux: true, newest: program.ends_with("22") || program.ends_with("12") };
        programs::headers(record, &compiler, language, &standards[..1])?;
        programs::layout(record, &compiler, language, &["-DEXPECT_WORD=4", "-DEXPECT_LINE=64"]);
        programs::tests(record, &compiler, language, standards.first().expect("a standard"))?;
    }
    Ok(())
}
