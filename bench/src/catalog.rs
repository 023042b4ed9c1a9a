//! What can be measured: the benchmarks and the queues, by the names on the command line and in the JSON.

use clap::ValueEnum;

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Benchmark {
    /// A message there through one queue and back through another: nanoseconds.
    RoundTrip,
    /// A message at a time on a schedule, from the one core to the other: nanoseconds.
    OneWay,
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
pub const BENCHMARKS: [Benchmark; 6] = [
    Benchmark::RoundTrip,
    Benchmark::OneWay,
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
            Self::OneWay => "one_way",
            Self::Throughput => "throughput",
            Self::BulkThroughput => "bulk_throughput",
            Self::SingleThread => "single_thread",
            Self::PopEmpty => "pop_empty",
        }
    }

    /// Whether it measures a time, where less is better, or a rate.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::RoundTrip | Self::OneWay)
    }

    /// What share of the floor, a round trip, is its own limit.
    pub const fn floor_share(self) -> f64 {
        match self {
            Self::OneWay => 0.5,
            _ => 1.0,
        }
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

/// Bytes of a message.
pub const PAYLOADS: [u32; 3] = [8, 48, 256];
/// Messages that a queue holds.
pub const CAPACITIES: [u32; 4] = [2, 64, 1024, 65536];
/// Messages a second that `one_way` sends unless told otherwise.
pub const RATE: u32 = 100_000;

/// A queue, or something that stands in for one.
#[derive(Debug)]
pub struct Queue {
    /// On the command line and in the JSON.
    pub id: &'static str,
    /// The peer that it comes from; none if it is ours or needs nothing.
    pub peer: Option<&'static str>,
    /// What it is.
    pub about: &'static str,
    /// How the way that it is used departs from the others.
    pub deviations: &'static [Deviation],
    /// With `--quick`, measured only where [`Options::measures`](crate::options::Options::measures) says.
    pub sampled: bool,
    /// A variant of ours that a decision was made about: measured only if it is named.
    pub variant: bool,
}

/// Something in which the way that a queue is used departs from the others, so that its figures mean something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Deviation {
    /// A batch is a loop.
    NoBulk,
    /// Measured in batches alone.
    BatchesAlone,
    /// Single messages are copied out.
    CopiesOut,
    /// Through the C ABI.
    Called,
    /// Its capacity is a constant of its type.
    ConstantCapacity,
    /// It may hold more than was asked for.
    RoundsUp,
    /// It keeps a slot empty.
    SparesASlot,
    /// It could allocate.
    MayGrow,
    /// A value stands for an empty slot.
    ReservesAValue,
    /// A try may still wait.
    WaitsForItsSlot,
    /// Its operations wait.
    Waits,
    /// Its operations sleep.
    Sleeps,
    /// It polls its lock.
    Polls,
    /// Made for many threads.
    ManyThreads,
    /// A limit.
    NoQueue,
}

impl Deviation {
    /// In a few words, for a note.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoBulk => "has no bulk operations: a batch is a loop over single ones",
            Self::BatchesAlone => "written and read in place, so measured in batches alone",
            Self::CopiesOut => "gives a single message out as a copy, where others let it be read in place",
            Self::Called => "every operation is a call that knows the size of a message at run time only, and copies it",
            Self::ConstantCapacity => "its capacity is a constant of its type, known to the compiler",
            Self::RoundsUp => "rounds its capacity up, so it may hold more than was asked for",
            Self::SparesASlot => "keeps one slot empty: made one larger, so that it holds what was asked for",
            Self::MayGrow => "can allocate more memory: used through the calls that refuse a message instead",
            Self::ReservesAValue => "8 bytes: one value stands for an empty slot; larger messages have a byte of state each",
            Self::WaitsForItsSlot => "takes its place before its slot is ready, and waits there with a pause whatever the hint",
            Self::Waits => "its operations wait, with a pause whatever the hint: it can neither find nothing (no pop_empty) nor refuse a message (one_way never finds it full)",
            Self::Sleeps => "sleeps in the kernel while it has to wait, whatever the hint: no pop_empty, and one_way never finds it full; a sleeping thread may wake farther from the other",
            Self::Polls => "polls its lock rather than sleep in it",
            Self::ManyThreads => "made for many threads at either end, which costs it compare-and-swap",
            Self::NoQueue => "no queue, but a limit",
        }
    }

    /// Whether a pop that finds nothing does not come back.
    pub const fn never_finds_nothing(self) -> bool {
        matches!(self, Self::Waits | Self::Sleeps)
    }
}

/// What every queue is measured beside.
pub const REFERENCE: &str = "rigtorp";
/// The reference once more: a ratio other than 1 is the method's own error.
pub const CONTROL: &str = "rigtorp-again";
/// What a queue is like without any art.
pub const BASELINE: &str = "mutex";
/// What it is like if its threads sleep.
pub const SLEEPER: &str = "mutex-condvar";
/// The limit of latency. It is measured by the probes around every pair.
pub const FLOOR: &str = "floor";
/// The limit of throughput.
pub const BLOCK: &str = "block";

const fn queue(id: &'static str, about: &'static str) -> Queue {
    Queue {
        id,
        peer: None,
        about,
        deviations: &[],
        sampled: false,
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
        peer: Some(peer),
        ..queue(id, about)
    }
}

impl Queue {
    const fn but(self, deviations: &'static [Deviation]) -> Self {
        Self { deviations, ..self }
    }

    const fn sampled(self) -> Self {
        Self {
            sampled: true,
            ..self
        }
    }
}

use Deviation::*;

/// Every queue, in the order of the tables.
pub const QUEUES: [Queue; 41] = [
    queue("line-rust", "published by line, Rust").but(&[RoundsUp]),
    queue("line-cpp", "published by line, C++ header").but(&[RoundsUp]),
    queue("line-c", "published by line, C ABI").but(&[Called, RoundsUp]),
    queue("ring-rust", "published by index, Rust"),
    queue("ring-cpp", "published by index, C++ header"),
    queue("ring-c", "published by index, C ABI").but(&[Called]),
    queue("ring-cpp-span", "published by index, C++ header").but(&[BatchesAlone]),
    queue("ring-rust-span", "published by index, Rust").but(&[BatchesAlone]),
    queue("mpsc-rust", "for many producers, Rust").but(&[NoBulk]),
    queue("mpsc-cpp", "for many producers, C++ header").but(&[NoBulk]),
    queue("mpsc-c", "for many producers, C ABI").but(&[Called, NoBulk]),
    peer(REFERENCE, "rigtorp", "rigtorp::SPSCQueue, used in place").but(&[NoBulk]),
    peer(CONTROL, "rigtorp", "the same code once more, as a control of the method").but(&[NoBulk]),
    peer("boost", "boost", "boost::lockfree::spsc_queue, consumed in place"),
    peer("boost-fixed", "boost", "the same, faster in some cells and slower in others").but(&[ConstantCapacity]),
    peer("moodycamel", "moodycamel", "moodycamel::ReaderWriterQueue, a ring of linked blocks")
        .but(&[NoBulk, CopiesOut, RoundsUp, MayGrow])
        .sampled(),
    peer("atomic_queue", "atomic_queue", "atomic_queue::AtomicQueue, AtomicQueue2 from 48 bytes on, as SPSC: try_push, try_pop")
        .but(&[NoBulk, CopiesOut, ConstantCapacity, ReservesAValue, WaitsForItsSlot])
        .sampled(),
    peer("atomic_queue-optimist", "atomic_queue", "the same, its optimistic push and pop")
        .but(&[NoBulk, CopiesOut, ConstantCapacity, ReservesAValue, Waits])
        .sampled(),
    peer("folly", "folly", "folly::ProducerConsumerQueue, used in place")
        .but(&[NoBulk, SparesASlot])
        .sampled(),
    peer("heapless", "heapless", "heapless::spsc::Queue, Rust")
        .but(&[NoBulk, CopiesOut, SparesASlot])
        .sampled(),
    peer("rtrb", "rtrb", "rtrb::RingBuffer, Rust; batches as slices").but(&[CopiesOut]).sampled(),
    peer("rtrb-span", "rtrb", "the same by its chunks").but(&[BatchesAlone]).sampled(),
    peer("crossbeam", "crossbeam", "crossbeam's ArrayQueue, Rust")
        .but(&[NoBulk, CopiesOut, ManyThreads])
        .sampled(),
    peer("ringbuf", "ringbuf", "ringbuf::HeapRb between its caching ends, Rust; batches as slices")
        .but(&[CopiesOut])
        .sampled(),
    queue(BASELINE, "a bounded array behind a std::mutex").but(&[Polls]),
    queue(SLEEPER, "a bounded array behind a std::mutex, with a std::condition_variable for each end")
        .but(&[Sleeps])
        .sampled(),
    queue(FLOOR, "a bare number there and back: the least of one shared line and two, in C++ and in Rust").but(&[NoQueue]),
    queue(BLOCK, "whole blocks of 4 KiB, one flag each, in C++: what the two cores can move at most").but(&[NoQueue]),
    variant("lab-ahead-0", "line-rust, nothing prefetched").but(&[RoundsUp]),
    variant("lab-ahead-1", "line-rust, the next cell prefetched for writing").but(&[RoundsUp]),
    variant("lab-ahead-2", "line-rust, the cell after the next prefetched for writing").but(&[RoundsUp]),
    variant("lab-ahead-4", "line-rust, four cells ahead prefetched for writing").but(&[RoundsUp]),
    variant("lab-ahead-8", "line-rust, eight cells ahead prefetched for writing").but(&[RoundsUp]),
    variant("lab-notify-rust", "line-rust, every push rings the bell of a consumer that is awake and has declared how it sleeps").but(&[RoundsUp]),
    variant("lab-notify-cpp", "line-cpp, likewise").but(&[RoundsUp]),
    variant("lab-fence-rust", "lab-notify-rust, but nothing is declared: every push fences").but(&[RoundsUp]),
    variant("lab-fence-cpp", "lab-notify-cpp, likewise").but(&[RoundsUp]),
    variant("lab-poll-at-will", "line-rust, whose reader runs ahead to its next looks when it finds nothing").but(&[RoundsUp]),
    variant("lab-poll-for-reading", "line-rust, whose reader does not fetch the cell it waits for for writing").but(&[RoundsUp]),
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

    #[test]
    fn every_queue_says_how_it_departs() {
        let mut ids: Vec<_> = QUEUES.iter().map(|queue| queue.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), QUEUES.len(), "an id twice");
        // The few that are used as the kernels would have every queue be used.
        let plain = [
            "ring-rust",
            "ring-cpp",
            "boost",
            "lab-one-way-0",
            "lab-one-way-4",
        ];
        for queue in &QUEUES {
            assert_eq!(
                queue.deviations.is_empty(),
                plain.contains(&queue.id),
                "{}",
                queue.id
            );
            for (place, deviation) in queue.deviations.iter().enumerate() {
                assert!(
                    !queue.deviations[..place].contains(deviation),
                    "{}: {deviation:?} twice",
                    queue.id
                );
            }
        }
    }
}
