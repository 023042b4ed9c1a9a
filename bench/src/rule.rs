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
pub const WORDS: &str = "the ring by line at every size and capacity; for batches that are copied, the ring by index but for 8 bytes at capacities to 64";

/// The kind for batches that are copied: by line only where a small ring holds several small messages a cell.
pub const fn batch_kind(payload: u32, capacity: u32) -> Kind {
    if payload <= 8 && capacity <= 64 {
        Kind::Line
    } else {
        Kind::Ring
    }
}

/// The queue that stands for the project in C++.
pub const fn queue(payload: u32, capacity: u32) -> &'static str {
    in_cpp(kind(payload, capacity))
}

/// The same for batches that are copied.
pub const fn batch_queue(payload: u32, capacity: u32) -> &'static str {
    in_cpp(batch_kind(payload, capacity))
}

const fn in_cpp(kind: Kind) -> &'static str {
    match kind {
        Kind::Line => "line-cpp",
        Kind::Ring => "ring-cpp",
    }
}
