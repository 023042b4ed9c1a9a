//! The documents, for the tests of their programs in Rust: each block is a documentation test of this crate. `tests/blocks.rs` compiles those in C and C++,
//! and fails if a page with Rust in it is missing here; `tests/links.rs` follows the links.
#![cfg(target_os = "linux")]

/// A page each.
macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($path)]
            pub struct $name;
        )*
    };
}

pages! {
    Readme "../../README.md"
    Rust "../../docs/RUST.md"
    Migrating "../../docs/MIGRATING.md"
    Tuning "../../docs/TUNING.md"
    Shm "../../docs/SHM.md"
    Waiting "../../docs/WAITING.md"
    Ffi "../../ffi/README.md"
}
