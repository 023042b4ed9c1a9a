//! `heapless`'s `spsc` queue. Its capacity is a constant of its type, but not of the ends that it hands out.

use super::ends::{Ends, Held};
use super::{all_sizes, pop_each, push_each, Push, Queue, Take};
use crate::abi::Kernel;
use crate::message::{Large, Medium, Message, Small};
use heapless::spsc;
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout};

type HeaplessEnds<M> = Ends<spsc::Producer<'static, M>, spsc::Consumer<'static, M>>;

/// One of a capacity that was compiled in.
pub struct Heapless<M: 'static> {
    // Before the memory that they point into, and so dropped before it.
    ends: HeaplessEnds<M>,
    _memory: Memory,
}

/// Where a queue lies: some are too large for the stack.
struct Memory {
    at: *mut u8,
    layout: Layout,
}

// SAFETY: an address and a size; whoever uses what lies there is `Send` by itself.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `make` with this layout; the ends into it are gone, and messages need no drop.
        unsafe { dealloc(self.at, self.layout) };
    }
}

/// A queue of `SLOTS - 1` messages.
fn make<M: Copy + 'static, const SLOTS: usize>() -> Heapless<M> {
    let layout = Layout::new::<spsc::Queue<M, SLOTS>>();
    // SAFETY: the layout is of more than the two indices, so its size is not 0.
    let at = unsafe { alloc_zeroed(layout) };
    if at.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: the queue is two indices that begin at 0, and slots that need no first value. The memory is its own, and
    // outlives the ends.
    let queue: &'static mut spsc::Queue<M, SLOTS> = unsafe { &mut *at.cast() };
    Heapless {
        ends: Ends::new(queue.split_const()),
        _memory: Memory { at, layout },
    }
}

impl<const WORDS: usize> Queue<Message<WORDS>> for Heapless<Message<WORDS>> {
    type Producer<'a> = Held<'a, spsc::Producer<'static, Message<WORDS>>>;
    type Consumer<'a> = Held<'a, spsc::Consumer<'static, Message<WORDS>>>;

    fn with_capacity(capacity: usize) -> Self {
        match capacity {
            2 => make::<_, 3>(),
            64 => make::<_, 65>(),
            1024 => make::<_, 1025>(),
            65536 => make::<_, 65537>(),
            _ => panic!("no queue of {capacity} was compiled in"),
        }
    }

    fn produce(&self) -> Self::Producer<'_> {
        self.ends.produce()
    }

    fn consume(&self) -> Self::Consumer<'_> {
        self.ends.consume()
    }
}

impl<const WORDS: usize> Push<Message<WORDS>> for Held<'_, spsc::Producer<'_, Message<WORDS>>> {
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        self.end().enqueue(Message::new(sequence)).is_ok()
    }

    #[inline(always)]
    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        push_each(from, |message| self.end().enqueue(message).is_ok())
    }
}

impl<const WORDS: usize> Take<Message<WORDS>> for Held<'_, spsc::Consumer<'_, Message<WORDS>>> {
    #[inline(always)]
    fn take(&mut self, visit: impl FnOnce(&Message<WORDS>)) -> bool {
        self.end()
            .dequeue()
            .map(|message| visit(&message))
            .is_some()
    }

    #[inline(always)]
    fn pop_n(&mut self, to: &mut [Message<WORDS>]) -> usize {
        pop_each(to, || self.end().dequeue())
    }
}

/// Its kernels.
pub fn kernels() -> Vec<Kernel> {
    all_sizes!(c"heapless", Heapless)
}
