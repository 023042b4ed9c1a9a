//! The project's own rings in Rust.

use super::{all_sizes, in_place, Fill, Push, Queue, Take, Visit};
use crate::abi::Kernel;
use crate::kernels::bulk::InPlace;
use crate::message::{Large, Medium, Message, Small};
use gimmal::consumer::Consumer;
use gimmal::index::cells_for;
use gimmal::producer::Producer;
use gimmal::raw::{self, Body};
use gimmal::shape::per_cell;
use gimmal::{line_ring, ring, LineRing, Ring};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Published by index: any ring of that capacity, seen through its view.
pub struct ByIndex<M: 'static>(Box<dyn Indexed<M>>);

/// Published by line.
pub struct ByLine<M: 'static>(Box<dyn Lined<M>>);

/// A [`Ring`] whatever its capacity.
trait Indexed<M>: Sync {
    fn view(&self) -> ring::View<'_, M>;
}

impl<M: Send, const N: usize> Indexed<M> for Ring<M, N> {
    fn view(&self) -> ring::View<'_, M> {
        self.view()
    }
}

/// A [`LineRing`] whatever its number of cells.
trait Lined<M>: Sync {
    fn view(&self) -> line_ring::View<'_, M>;
}

impl<M: Send, const CELLS: usize> Lined<M> for LineRing<M, CELLS> {
    fn view(&self) -> line_ring::View<'_, M> {
        self.view()
    }
}

/// A ring made where it stays: some are too large for the stack.
pub(crate) fn boxed<R>(init: impl FnOnce(&mut MaybeUninit<R>) -> &mut R) -> Box<R> {
    let mut place = Box::new_uninit();
    init(&mut place);
    // SAFETY: `init` of a ring leaves a whole ring.
    unsafe { place.assume_init() }
}

impl<const WORDS: usize> Queue<Message<WORDS>> for ByIndex<Message<WORDS>> {
    type Producer<'a> = ring::Producer<'a, Message<WORDS>>;
    type Consumer<'a> = ring::Consumer<'a, Message<WORDS>>;

    fn with_capacity(capacity: usize) -> Self {
        Self(match capacity {
            2 => boxed(Ring::<_, 2>::init),
            64 => boxed(Ring::<_, 64>::init),
            1024 => boxed(Ring::<_, 1024>::init),
            65536 => boxed(Ring::<_, 65536>::init),
            _ => panic!("no ring of {capacity} was compiled in"),
        })
    }

    fn produce(&self) -> Self::Producer<'_> {
        self.0.view().producer().expect("one producer at a time")
    }

    fn consume(&self) -> Self::Consumer<'_> {
        self.0.view().consumer().expect("one consumer at a time")
    }
}

impl<const WORDS: usize> Queue<Message<WORDS>> for ByLine<Message<WORDS>> {
    type Producer<'a> = line_ring::Producer<'a, Message<WORDS>>;
    type Consumer<'a> = line_ring::Consumer<'a, Message<WORDS>>;

    fn with_capacity(capacity: usize) -> Self {
        let per_cell = per_cell(size_of::<Message<WORDS>>(), align_of::<Message<WORDS>>());
        Self(match cells_for(capacity, per_cell) {
            Some(2) => boxed(LineRing::<_, 2>::init),
            Some(16) => boxed(LineRing::<_, 16>::init),
            Some(64) => boxed(LineRing::<_, 64>::init),
            Some(256) => boxed(LineRing::<_, 256>::init),
            Some(1024) => boxed(LineRing::<_, 1024>::init),
            Some(16384) => boxed(LineRing::<_, 16384>::init),
            Some(65536) => boxed(LineRing::<_, 65536>::init),
            _ => panic!("no ring of {capacity} was compiled in"),
        })
    }

    fn produce(&self) -> Self::Producer<'_> {
        self.0.view().producer().expect("one producer at a time")
    }

    fn consume(&self) -> Self::Consumer<'_> {
        self.0.view().consumer().expect("one consumer at a time")
    }
}

// The handles of both kinds are one type each, over whatever raw end.

impl<const WORDS: usize, E> Push<Message<WORDS>> for Producer<'_, Message<WORDS>, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        self.push_with(|| Message::new(sequence)).is_ok()
    }

    #[inline(always)]
    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        self.push_slice(from)
    }
}

impl<const WORDS: usize, E> Take<Message<WORDS>> for Consumer<'_, Message<WORDS>, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    #[inline(always)]
    fn take(&mut self, visit: impl FnOnce(&Message<WORDS>)) -> bool {
        self.pop_with(|message| visit(message)).is_some()
    }

    #[inline(always)]
    fn pop_n(&mut self, to: &mut [Message<WORDS>]) -> usize {
        self.pop_slice(to)
    }
}

impl<const WORDS: usize, E> Fill for Producer<'_, Message<WORDS>, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    #[inline(always)]
    fn fill(&mut self, count: usize, sequence: u64) -> usize {
        // More than the ring holds would be refused at every try.
        let Ok(mut grant) = self.reserve(count.min(self.capacity())) else {
            return 0;
        };
        let len = grant.len();
        let (first, second) = grant.slices();
        let mut next = sequence;
        for span in [first, second] {
            for slot in span {
                slot.write(Message::new(next));
                next += 1;
            }
        }
        // SAFETY: every slot of both spans was written.
        unsafe { grant.commit(len) };
        len
    }
}

impl<const WORDS: usize, E> Visit for Consumer<'_, Message<WORDS>, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    #[inline(always)]
    fn visit(&mut self, count: usize, sequence: u64, wrong: &mut u64) -> usize {
        let Some(spans) = self.read(count) else {
            return 0;
        };
        let len = spans.len();
        let (first, second) = spans.slices();
        let mut next = sequence;
        for span in [first, second] {
            for message in span {
                *wrong |= message.differs(next);
                next += 1;
            }
        }
        spans.release(len);
        len
    }
}

/// The kernels of both kinds.
pub fn kernels() -> Vec<Kernel> {
    let mut all = all_sizes!(c"line-rust", ByLine);
    all.extend(all_sizes!(c"ring-rust", ByIndex));
    all.extend(in_place!(c"ring-rust-span", ByIndex));
    all
}
