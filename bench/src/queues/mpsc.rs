//! The project's own ring of many producers in Rust.

use super::crossbeam::Crossbeam;
use super::gimmal::boxed;
use super::{all_sizes, push_each, Push, Queue};
use crate::abi::Kernel;
use crate::kernels::entry;
use crate::kernels::many::ManyThroughput;
use crate::message::{Large, Medium, Message, Small};
use gimmal::mpsc::{self, Mpsc};
use std::ffi::CStr;

/// The project's own, of any capacity, seen through its view.
pub struct ByCell<M: 'static>(Box<dyn Celled<M>>);

/// An [`Mpsc`] whatever its capacity.
trait Celled<M>: Sync {
    fn view(&self) -> mpsc::View<'_, M>;
}

impl<M: Send, const N: usize> Celled<M> for Mpsc<M, N> {
    fn view(&self) -> mpsc::View<'_, M> {
        self.view()
    }
}

impl<const WORDS: usize> Queue<Message<WORDS>> for ByCell<Message<WORDS>> {
    type Producer<'a> = mpsc::Producer<'a, Message<WORDS>>;
    type Consumer<'a> = mpsc::Consumer<'a, Message<WORDS>>;

    fn with_capacity(capacity: usize) -> Self {
        Self(match capacity {
            2 => boxed(Mpsc::<_, 2>::init),
            64 => boxed(Mpsc::<_, 64>::init),
            1024 => boxed(Mpsc::<_, 1024>::init),
            65536 => boxed(Mpsc::<_, 65536>::init),
            _ => panic!("no ring of {capacity} was compiled in"),
        })
    }

    fn produce(&self) -> Self::Producer<'_> {
        self.0.view().producer()
    }

    fn consume(&self) -> Self::Consumer<'_> {
        self.0.view().consumer().expect("one consumer at a time")
    }
}

impl<const WORDS: usize> Push<Message<WORDS>> for mpsc::Producer<'_, Message<WORDS>> {
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        self.push_with(|| Message::new(sequence)).is_ok()
    }

    #[inline(always)]
    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        push_each(from, |message| mpsc::Producer::push(self, message).is_ok())
    }
}

/// With many producers alone.
fn many_only<const WORDS: usize, Q: Queue<Message<WORDS>>>(id: &'static CStr) -> Kernel {
    entry::<ManyThroughput<(Message<WORDS>, Q)>>(id, size_of::<Message<WORDS>>())
}

/// The kernels of ours, and of crossbeam's with many producers.
pub fn kernels() -> Vec<Kernel> {
    let mut all = all_sizes!(c"mpsc-rust", ByCell);
    all.push(many_only::<1, ByCell<Small>>(c"mpsc-rust"));
    all.push(many_only::<6, ByCell<Medium>>(c"mpsc-rust"));
    all.push(many_only::<1, Crossbeam<Small>>(c"crossbeam-many"));
    all.push(many_only::<6, Crossbeam<Medium>>(c"crossbeam-many"));
    all
}
