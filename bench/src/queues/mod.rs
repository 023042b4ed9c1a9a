//! Adapters: how a Rust queue plugs into the kernels.

pub mod gimmal;
pub mod lab;

/// A queue of messages `M` between two threads.
pub trait Queue<M>: Sync {
    /// The end that a producer holds.
    type Producer<'a>: Push<M>
    where
        Self: 'a;
    /// The end that a consumer holds.
    type Consumer<'a>: Take<M>
    where
        Self: 'a;

    /// A queue that holds this many messages.
    fn with_capacity(capacity: usize) -> Self;
    /// Takes the producer's end.
    fn produce(&self) -> Self::Producer<'_>;
    /// Takes the consumer's end.
    fn consume(&self) -> Self::Consumer<'_>;
}

/// A producer.
pub trait Push<M> {
    /// Pushes message number `sequence`; false if there is no room.
    fn push(&mut self, sequence: u64) -> bool;
    /// Pushes as many as there is room for, and says how many.
    fn push_n(&mut self, from: &[M]) -> usize;
}

/// A consumer.
pub trait Take<M> {
    /// Shows the next message to `visit`, where it lies, and drops it; false if there is none.
    fn take(&mut self, visit: impl FnOnce(&M)) -> bool;
    /// Copies out as many as there are, and says how many.
    fn pop_n(&mut self, to: &mut [M]) -> usize;
}

/// A producer whose queue can be filled in place.
pub trait Fill {
    /// Writes up to `count` messages from number `sequence` on, and says how many.
    fn fill(&mut self, count: usize, sequence: u64) -> usize;
}

/// A consumer whose queue can be read in place.
pub trait Visit {
    /// Looks at up to `count` messages from number `sequence` on, adds to `wrong` the bits that differ, and says how many.
    fn visit(&mut self, count: usize, sequence: u64, wrong: &mut u64) -> usize;
}
