//! Adapters: how a Rust queue plugs into the kernels.

pub mod crossbeam;
pub mod ends;
pub mod gimmal;
pub mod heapless;
pub mod lab;
pub mod mpsc;
pub mod notify;
pub mod ringbuf;
pub mod rtrb;

use crate::abi::Kernel;
use crate::kernels::bulk::Copied;
use crate::kernels::one_way::OneWay;
use crate::kernels::round_trip::RoundTrip;
use crate::kernels::single_thread::{PopEmpty, SingleThread};
use crate::kernels::throughput::Throughput;
use crate::kernels::{entry, Benchmark};
use crate::message::Message;
use std::ffi::CStr;

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

/// A batch of a queue that has single operations only.
#[inline(always)]
fn push_each<M: Copy>(from: &[M], mut push: impl FnMut(M) -> bool) -> usize {
    from.iter().take_while(|message| push(**message)).count()
}

/// A batch of a queue that has single operations only.
#[inline(always)]
fn pop_each<M>(to: &mut [M], mut pop: impl FnMut() -> Option<M>) -> usize {
    let mut count = 0;
    for place in to {
        let Some(message) = pop() else { break };
        *place = message;
        count += 1;
    }
    count
}

/// The kernels of a queue that copies its batches, for every size of message.
macro_rules! all_sizes {
    ($id:literal, $queue:ident) => {{
        let mut all = Vec::new();
        all.extend($crate::queues::every_benchmark::<1, $queue<Small>>($id));
        all.extend($crate::queues::every_benchmark::<6, $queue<Medium>>($id));
        all.extend($crate::queues::every_benchmark::<32, $queue<Large>>($id));
        all
    }};
}
use all_sizes;

/// The kernels of a queue that is filled and read in place, for every size of message.
macro_rules! in_place {
    ($id:literal, $queue:ident) => {
        [
            $crate::queues::over::<InPlace<(Small, $queue<Small>)>, Small>($id),
            $crate::queues::over::<InPlace<(Medium, $queue<Medium>)>, Medium>($id),
            $crate::queues::over::<InPlace<(Large, $queue<Large>)>, Large>($id),
        ]
    };
}
use in_place;

/// The kernels of a queue that copies its batches.
fn every_benchmark<const WORDS: usize, Q: Queue<Message<WORDS>>>(id: &'static CStr) -> [Kernel; 6] {
    [
        over::<RoundTrip<(Message<WORDS>, Q)>, Message<WORDS>>(id),
        over::<OneWay<(Message<WORDS>, Q)>, Message<WORDS>>(id),
        over::<Throughput<(Message<WORDS>, Q)>, Message<WORDS>>(id),
        over::<Copied<(Message<WORDS>, Q)>, Message<WORDS>>(id),
        over::<SingleThread<(Message<WORDS>, Q)>, Message<WORDS>>(id),
        over::<PopEmpty<(Message<WORDS>, Q)>, Message<WORDS>>(id),
    ]
}

fn over<B: Benchmark, M>(id: &'static CStr) -> Kernel {
    entry::<B>(id, size_of::<M>())
}
