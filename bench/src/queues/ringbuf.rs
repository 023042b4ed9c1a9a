//! `ringbuf`: on the heap, between its caching ends.

use super::ends::{Ends, Held};
use super::{all_sizes, Push, Queue, Take};
use crate::abi::Kernel;
use crate::message::{Large, Medium, Message, Small};
use ringbuf::traits::{Consumer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};

/// One of any capacity.
pub struct Ringbuf<M>(Ends<HeapProd<M>, HeapCons<M>>);

impl<const WORDS: usize> Queue<Message<WORDS>> for Ringbuf<Message<WORDS>> {
    type Producer<'a> = Held<'a, HeapProd<Message<WORDS>>>;
    type Consumer<'a> = Held<'a, HeapCons<Message<WORDS>>>;

    fn with_capacity(capacity: usize) -> Self {
        Self(Ends::new(HeapRb::new(capacity).split()))
    }

    fn produce(&self) -> Self::Producer<'_> {
        self.0.produce()
    }

    fn consume(&self) -> Self::Consumer<'_> {
        self.0.consume()
    }
}

impl<const WORDS: usize> Push<Message<WORDS>> for Held<'_, HeapProd<Message<WORDS>>> {
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        self.end().try_push(Message::new(sequence)).is_ok()
    }

    #[inline(always)]
    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        self.end().push_slice(from)
    }
}

impl<const WORDS: usize> Take<Message<WORDS>> for Held<'_, HeapCons<Message<WORDS>>> {
    #[inline(always)]
    fn take(&mut self, visit: impl FnOnce(&Message<WORDS>)) -> bool {
        self.end()
            .try_pop()
            .map(|message| visit(&message))
            .is_some()
    }

    #[inline(always)]
    fn pop_n(&mut self, to: &mut [Message<WORDS>]) -> usize {
        self.end().pop_slice(to)
    }
}

/// Its kernels.
pub fn kernels() -> Vec<Kernel> {
    all_sizes!(c"ringbuf", Ringbuf)
}
