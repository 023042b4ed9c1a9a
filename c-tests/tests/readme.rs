//! The programs in the README and in docs/WAITING.md, compiled and run as a reader would. Those in Rust are documentation tests of the core.

use gimmal_c_tests::{said, Compiler, Program};
use std::path::Path;

/// The README's blocks of this language, as files.
fn blocks(language: &str) -> Vec<String> {
    let stem = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    gimmal_c_tests::blocks(include_str!("../../README.md"), language, &stem)
}

fn printed(source: &str, standard: &'static str) -> Vec<String> {
    Compiler::ALL
        .into_iter()
        .map(|compiler| {
            let program = Program::new(compiler, &[(source, standard)]).build();
            let output = program.output(&[]);
            assert!(output.status.success(), "{}", said(&output));
            said(&output)
        })
        .collect()
}

#[test]
fn hello_in_c() {
    let [hello] = &blocks("c")[..] else {
        panic!("a block of C that is not tested");
    };
    assert_eq!(printed(hello, "c11"), ["tick 1\n"; 2]);
}

#[test]
fn hello_in_cpp_and_the_half_of_a_pair() {
    let [hello, half] = &blocks("cpp")[..] else {
        panic!("a block of C++ that is not tested");
    };
    assert_eq!(printed(hello, "c++17"), ["1000 received\n"; 2]);
    for compiler in Compiler::ALL {
        Program::new(compiler, &[(half, "c++17")]).check();
    }
}

#[test]
fn producers_and_a_sleeper_in_cpp() {
    let stem = Path::new(env!("CARGO_TARGET_TMPDIR")).join("waiting");
    let text = include_str!("../../docs/WAITING.md");
    let [program] = &gimmal_c_tests::blocks(text, "cpp", &stem)[..] else {
        panic!("a block of C++ that is not tested");
    };
    assert_eq!(printed(program, "c++17"), ["3000 taken or dropped\n"; 2]);
}
