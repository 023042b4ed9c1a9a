//! `crossbeam`'s `ArrayQueue`, which would allow many threads at either end.

use super::{all_sizes, pop_each, push_each, Push, Queue, Take};
use crate::abi::Kernel;
use crate::message::{Large, Medium, Message, Small};
use crossbeam_queue::ArrayQueue;

/// One of any capacity.
pub struct Crossbeam<M>(ArrayQueue<M>);

impl<const WORDS: usize> Queue<Message<WORDS>> for Crossbeam<Message<WORDS>> {
    type Producer<'a> = &'a ArrayQueue<Message<WORDS>>;
    type Consumer<'a> = &'a ArrayQueue<Message<WORDS>>;

    fn with_capacity(capacity: usize) -> Self {
        Self(ArrayQueue::new(capacity))
    }

    fn produce(&self) -> Self::Producer<'_> {
        &self.0
    }

    fn consume(&self) -> Self::Consumer<'_> {
        &self.0
    }
}

impl<const WORDS: usize> Push<Message<WORDS>> for &ArrayQueue<Message<WORDS>> {
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        ArrayQueue::push(self, Message::new(sequence)).is_ok()
    }

    #[inline(always)]
    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        push_each(from, |message| ArrayQueue::push(self, message).is_ok())
    }
}

impl<const WORDS: usize> Take<Message<WORDS>> for &ArrayQueue<Message<WORDS>> {
    #[inline(always)]
    fn take(&mut self, visit: impl FnOnce(&Message<WORDS>)) -> bool {
        self.pop().map(|message| visit(&message)).is_some()
    }

    #[inline(always)]
    fn pop_n(&mut self, to: &mut [Message<WORDS>]) -> usize {
        pop_each(to, || self.pop())
    }
}

/// Its kernels.
pub fn kernels() -> Vec<Kernel> {
    all_sizes!(c"crossbeam", Crossbeam)
}
