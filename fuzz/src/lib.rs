//! What gimmal makes of arbitrary bytes, as functions of them: they panic where it answers wrongly. cargo-fuzz looks for such bytes
//! (`cargo xtask verify fuzz`), and the tests replay the seeds and what little changes of them give.

mod attach;
mod bytes;
mod feed;
mod fields;
mod fixed;
mod machine;
mod segment;

#[path = "../../tests/common/calls.rs"]
mod calls;
#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/model.rs"]
mod model;

pub use attach::attach;
pub use feed::feed;
pub use fields::fields;
pub use fixed::fixed;
pub use machine::machine;
pub use segment::segment;

/// A function of bytes, which panics at the wrong answer.
pub type Target = fn(&[u8]);

/// Every target, by the name of its program and of its folder of seeds.
pub const TARGETS: &[(&str, Target)] = &[
    ("attach", attach),
    ("segment", segment),
    ("machine", machine),
    ("fixed", fixed),
    ("feed", feed),
    ("fields", fields),
];
