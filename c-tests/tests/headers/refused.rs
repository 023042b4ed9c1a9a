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

/// The same with segments.
#[cfg(target_os = "linux")]
const REFUSED_IN_SEGMENTS: [(&str, &str); 8] = [
    ("struct padded { std::uint32_t id; std::uint64_t at; }; gimmal::shm::producer<padded> tx;", "must have no padding"),
    ("struct padded { std::uint64_t at; std::uint8_t side; }; gimmal::shm::consumer<padded> rx;", "must have no padding"),
    ("struct tick { std::uint64_t id; double price; }; gimmal::shm::tap<tick> tap;", "must have no padding"),
    ("gimmal::shm::producer<long double> tx;", "must have no padding"),
    ("gimmal::shm::producer<int *> tx;", "a pointer means nothing in another process"),
    ("gimmal::shm::producer<bool> tx;", "valid whatever they are"),
    ("gimmal::shm::producer<const int> tx;", "an element is an object"),
    (
        "struct owner { owner(const owner &); std::uint64_t id; }; gimmal::shm::producer<owner> tx;",
        "must be trivially copyable",
    ),
];

#[test]
fn misuse_is_refused_by_the_compiler_in_one_message() {
    refuse("gimmal.hpp", &REFUSED);
}

#[test]
#[cfg(target_os = "linux")]
fn elements_that_cannot_cross_are_refused_by_the_compiler() {
    refuse("gimmal/shm.hpp", &REFUSED_IN_SEGMENTS);
}

/// Each function must be refused where this header is included.
fn refuse(header: &str, refused: &[(&str, &str)]) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.join("refused").join(header);
    fs::create_dir_all(&folder).unwrap();
    for (number, (body, words)) in refused.iter().enumerate() {
        let source = folder.join(format!("{number}.cpp"));
        let header = package(&format!("../include/{header}"));
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
