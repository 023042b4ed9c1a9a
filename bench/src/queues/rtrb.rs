//! `rtrb`: single messages moved in and out, batches copied as slices, or written and read in place as chunks.

use super::ends::{Ends, Held};
use super::{all_sizes, in_place, Fill, Push, Queue, Take, Visit};
use crate::abi::Kernel;
use crate::kernels::bulk::InPlace;
use crate::message::{Large, Medium, Message, Small};
use rtrb::{chunks::ChunkError, Consumer, Producer, RingBuffer};

/// One of any capacity.
pub struct Rtrb<M>(Ends<Producer<M>, Consumer<M>>);

impl<const WORDS: usize> Queue<Message<WORDS>> for Rtrb<Message<WORDS>> {
    type Producer<'a> = Held<'a, Producer<Message<WORDS>>>;
    type Consumer<'a> = Held<'a, Consumer<Message<WORDS>>>;

    fn with_capacity(capacity: usize) -> Self {
        Self(Ends::new(RingBuffer::new(capacity)))
    }

    fn produce(&self) -> Self::Producer<'_> {
        self.0.produce()
    }

    fn consume(&self) -> Self::Consumer<'_> {
        self.0.consume()
    }
}

impl<const WORDS: usize> Push<Message<WORDS>> for Held<'_, Producer<Message<WORDS>>> {
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        self.end().push(Message::new(sequence)).is_ok()
    }

    #[inline(always)]
    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        self.end().push_partial_slice(from).0.len()
    }
}

impl<const WORDS: usize> Take<Message<WORDS>> for Held<'_, Consumer<Message<WORDS>>> {
    #[inline(always)]
    fn take(&mut self, visit: impl FnOnce(&Message<WORDS>)) -> bool {
        self.end().pop().map(|message| visit(&message)).is_ok()
    }

    #[inline(always)]
    fn pop_n(&mut self, to: &mut [Message<WORDS>]) -> usize {
        self.end().pop_partial_slice(to).0.len()
    }
}

impl<const WORDS: usize> Fill for Held<'_, Producer<Message<WORDS>>> {
    #[inline(always)]
    fn fill(&mut self, count: usize, sequence: u64) -> usize {
        let chunk = match self.end().write_chunk_uninit(count) {
            Err(ChunkError::TooFewSlots(0)) => return 0,
            Err(ChunkError::TooFewSlots(fewer)) => self.end().write_chunk_uninit(fewer),
            whole => whole,
        };
        let Ok(mut chunk) = chunk else { return 0 };
        let (first, second) = chunk.as_mut_slices();
        let mut next = sequence;
        for span in [first, second] {
            for slot in span {
                slot.write(Message::new(next));
                next += 1;
            }
        }
        let len = chunk.len();
        // SAFETY: every slot of both slices was written.
        unsafe { chunk.commit_all() };
        len
    }
}

impl<const WORDS: usize> Visit for Held<'_, Consumer<Message<WORDS>>> {
    #[inline(always)]
    fn visit(&mut self, count: usize, sequence: u64, wrong: &mut u64) -> usize {
        let chunk = match self.end().read_chunk(count) {
            Err(ChunkError::TooFewSlots(0)) => return 0,
            Err(ChunkError::TooFewSlots(fewer)) => self.end().read_chunk(fewer),
            whole => whole,
        };
        let Ok(chunk) = chunk else { return 0 };
        let (first, second) = chunk.as_slices();
        let mut next = sequence;
        for span in [first, second] {
            for message in span {
                *wrong |= message.differs(next);
                next += 1;
            }
        }
        let len = chunk.len();
        chunk.commit_all();
        len
    }
}

/// The kernels of both forms.
pub fn kernels() -> Vec<Kernel> {
    let mut all = all_sizes!(c"rtrb", Rtrb);
    all.extend(in_place!(c"rtrb-span", Rtrb));
    all
}
