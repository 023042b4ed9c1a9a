//! Which of the two kinds of ring stands for the project in a throughput cell: settled by size and capacity before the
//! cell is measured, never by picking the better result.

/// A kind of ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Published by line: `line-*`.
    Line,
    /// Published by index: `ring-*`.
    Ring,
}

/// The kind for messages of `payload` bytes in a ring that holds `capacity` of them.
pub const fn kind(_payload: u32, _capacity: u32) -> Kind {
    Kind::Line
}

/// The rule in words, for the report.
pub const WORDS: &str = "the ring by line at every size and capacity";

/// The queue that stands for the project in C++.
pub const fn queue(payload: u32, capacity: u32) -> &'static str {
    match kind(payload, capacity) {
        Kind::Line => "line-cpp",
        Kind::Ring => "ring-cpp",
    }
}
