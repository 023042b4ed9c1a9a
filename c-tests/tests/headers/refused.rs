//! C++ that must not compile, and the one thing that the compiler has to say of it.

use gimmal_c_tests::{package, Compiler, Program};
use std::fs;

/// What a function would do, and words from the message that refuses it.
const REFUSED: [(&str, &str); 14] = [
    ("static gimmal::ring<int, 0> none;", "the capacity of a ring is not 0"),
    ("static gimmal::line_ring<int, 0> none;", "the capacity of a ring is not 0"),
    ("static gimmal::mpsc<int, 0> none;", "the capacity of a ring is not 0"),
    ("static gimmal::ring<int, 3> three;", "the capacity is a power of two"),
    ("static gimmal::mpsc<int, 3> three;", "the capacity is a power of two"),
    ("static gimmal::pool<int, 0> none;", "a pool has from 1"),
    ("static gimmal::ring<const int, 4> fixed; (void)fixed.producer();", "an element is an object"),
    (
        "struct plain { explicit plain(int); }; static gimmal::ring<plain, 4> ring; ring.producer().try_emplace(\"text\");",
        "T must be constructible from the arguments",
    ),
    (
        "struct thrower { ~thrower() noexcept(false); }; static gimmal::ring<thrower, 4> ring; ring.consumer().pop();",
        "T must be nothrow destructible",
    ),
    (
        "struct owner { owner(const owner &); }; static gimmal::ring<owner, 4> ring; (void)ring.producer().reserve(1);",
        "only trivially copyable elements",
    ),
    (
        "struct owner { owner(const owner &); }; gimmal::ring_view<owner> view(nullptr, 0); (void)view;",
        "only bytes can be shared",
    ),
    ("static gimmal::ring<int, 4> ring; auto other = ring; (void)other;", "deleted"),
    ("static gimmal::ring<int, 4> ring; auto tx = ring.producer(); auto other = tx; (void)other;", "deleted"),
    ("static gimmal::ring<int, 4> ring; auto rx = ring.consumer(); auto other = rx; (void)other;", "deleted"),
];

#[test]
fn misuse_is_refused_by_the_compiler_in_one_message() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    fs::create_dir_all(&folder).unwrap();
    for (number, (body, words)) in REFUSED.iter().enumerate() {
        let source = folder.join(format!("{number}.cpp"));
        let header = package("../include/gimmal.hpp");
        let text = format!(
            "#include \"{}\"\nvoid misuse();\nvoid misuse() {{ {body} }}\n",
            header.display()
        );
        fs::write(&source, text).unwrap();
        for compiler in Compiler::ALL {
            let said = Program::new(compiler, &[(source.to_str().unwrap(), "c++17")]).refusal();
            assert!(said.contains(words), "{compiler:?} on {body}:\n{said}");
            // gcc repeats some that are of the language, not those of the headers.
            let asserted = said.matches("static assertion failed").count();
            assert!(
                asserted <= 1,
                "{compiler:?} says {asserted} things on {body}:\n{said}"
            );
        }
    }
}
