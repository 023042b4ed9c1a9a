//! The programs in the README, compiled and run as a reader would. The Rust one is a documentation test of the core.

use gimmal_c_tests::{said, Compiler, Program};
use std::fs;
use std::path::Path;

/// The one block of this language in the README, as a file.
fn block(language: &str, name: &str) -> String {
    let readme = include_str!("../../README.md");
    let mut blocks = readme
        .split("\n```")
        .filter_map(|part| part.strip_prefix(&format!("{language}\n")));
    let text = blocks.next().expect("a block of this language");
    assert!(
        blocks.next().is_none(),
        "more than one block of {language}: test them all"
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a file for the block");
    path.to_str().expect("a path in UTF-8").to_owned()
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
    let source = block("c", "readme.c");
    assert_eq!(printed(&source, "c11"), ["tick 1\n"; 2]);
}

#[test]
fn hello_in_cpp() {
    let source = block("cpp", "readme.cpp");
    assert_eq!(printed(&source, "c++17"), ["1000 received\n"; 2]);
}
