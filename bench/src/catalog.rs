//! What can be measured: the benchmarks and the queues, by the names on the command line and in the JSON.

use clap::ValueEnum;

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Benchmark {
    /// A message there through one queue and back through another: nanoseconds.
    RoundTrip,
    /// One message at a time, as fast as they go.
    Throughput,
    /// Batches of 32.
    BulkThroughput,
    /// Push and pop by turns on one thread.
    SingleThread,
    /// Finding nothing.
    PopEmpty,
}

/// Every benchmark, in the order of the tables.
pub const BENCHMARKS: [Benchmark; 5] = [
    Benchmark::RoundTrip,
    Benchmark::Throughput,
    Benchmark::BulkThroughput,
    Benchmark::SingleThread,
    Benchmark::PopEmpty,
];

impl Benchmark {
    /// Its name in the JSON, on the command line and in the kernels' tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundTrip => "round_trip",
            Self::Throughput => "throughput",
            Self::BulkThroughput => "bulk_throughput",
            Self::SingleThread => "single_thread",
            Self::PopEmpty => "pop_empty",
        }
    }

    /// Whether it measures a time, where less is better, or a rate.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::RoundTrip)
    }

    /// What its figures are in.
    pub const fn unit(self) -> &'static str {
        if self.is_time() {
            "ns"
        } else {
            "million/s"
        }
    }

    /// Whether `block` is its limit.
    pub const fn has_block(self) -> bool {
        matches!(self, Self::Throughput | Self::BulkThroughput)
    }
}

/// A queue, or something that stands in for one.
#[derive(Debug)]
pub struct Queue {
    /// On the command line and in the JSON.
    pub id: &'static str,
    /// The peer that it comes from; none if it is ours or needs nothing.
    pub peer: Option<&'static str>,
    /// What it is, and how the way that it is used departs from the others.
    pub about: &'static str,
    /// A variant of ours that a decision was made about: measured only if it is named.
    pub variant: bool,
}

/// What every queue is measured beside.
pub const REFERENCE: &str = "rigtorp";
/// The reference once more: a ratio other than 1 is the method's own error.
pub const CONTROL: &str = "rigtorp-again";
/// What a queue is like without any art.
pub const BASELINE: &str = "mutex";
/// The limit of latency. It is measured by the probes around every pair.
pub const FLOOR: &str = "floor";
/// The limit of throughput.
pub const BLOCK: &str = "block";

const fn queue(id: &'static str, about: &'static str) -> Queue {
    Queue {
        id,
        peer: None,
        about,
        variant: false,
    }
}

const fn variant(id: &'static str, about: &'static str) -> Queue {
    Queue {
        variant: true,
        ..queue(id, about)
    }
}

const fn peer(id: &'static str, peer: &'static str, about: &'static str) -> Queue {
    Queue {
        id,
        peer: Some(peer),
        about,
        variant: false,
    }
}

/// Every queue, in the order of the tables.
pub const QUEUES: [Queue; 22] = [
    queue("line-rust", "published by line, Rust"),
    queue("line-cpp", "published by line, C++ header"),
    queue("line-c", "published by line, every operation a call through the C ABI, which copies the message"),
    queue("ring-rust", "published by index, Rust"),
    queue("ring-cpp", "published by index, C++ header"),
    queue("ring-c", "published by index, every operation a call through the C ABI, which copies the message"),
    queue("ring-cpp-span", "published by index, C++ header, batches written and read in place"),
    queue("ring-rust-span", "published by index, Rust, batches written and read in place"),
    peer(REFERENCE, "rigtorp", "rigtorp::SPSCQueue, used in place; a batch is a loop, since it has no bulk operations"),
    peer(CONTROL, "rigtorp", "the same code once more, as a control of the method"),
    peer("boost", "boost", "boost::lockfree::spsc_queue, consumed in place; its own bulk operations"),
    peer("boost-fixed", "boost", "the same, its capacity a constant of its type: faster in some cells and slower in others"),
    queue(BASELINE, "a bounded array behind a std::mutex that is polled, never slept in"),
    queue(FLOOR, "a bare number there and back: the least of one shared line and two, in C++ and in Rust"),
    queue(BLOCK, "whole blocks of 4 KiB, one flag each, in C++: what the two cores can move at most"),
    variant("lab-ahead-0", "line-rust, nothing prefetched"),
    variant("lab-ahead-1", "line-rust, the next cell prefetched for writing"),
    variant("lab-ahead-2", "line-rust, the cell after the next prefetched for writing"),
    variant("lab-ahead-4", "line-rust, four cells ahead prefetched for writing"),
    variant("lab-ahead-8", "line-rust, eight cells ahead prefetched for writing"),
    variant("lab-one-way-0", "a stamp beside every message, read one way: the reader publishes its place; nothing prefetched"),
    variant("lab-one-way-4", "the same, four stamps ahead prefetched for writing"),
];

/// A queue by its id.
pub fn find(id: &str) -> Option<&'static Queue> {
    QUEUES.iter().find(|queue| queue.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_clap_has_them() {
        for benchmark in BENCHMARKS {
            assert_eq!(
                benchmark.to_possible_value().unwrap().get_name(),
                benchmark.name()
            );
        }
        assert_eq!(Benchmark::value_variants(), BENCHMARKS);
    }
}
