//! A ring on loom's atomics, and how a model is explored.
#![allow(dead_code)] // Each suite of models uses a part of this.

use gimmal::layout::{ConsumerWords, Header, ProducerWords};
use gimmal::policy::Policy;
use gimmal::raw::{Body, Consumer, IndexBody, LineBody, Producer, Refused};
use gimmal::sync::{Accumulate, Atomic, Atomics, CompareExchange, Exchange, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicU8, AtomicUsize};
use loom::sync::Arc;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Loom's atomics.
pub enum Modelled {}

pub struct Modelling<A>(A);

macro_rules! modelled {
    ($atomic:ident, $value:ty) => {
        impl Atomic<$value> for Modelling<$atomic> {
            fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
            }
        }

        impl Exchange<$value> for Modelling<$atomic> {
            fn swap(&self, value: $value, order: Ordering) -> $value {
                self.0.swap(value, order)
            }
        }

        impl CompareExchange<$value> for Modelling<$atomic> {
            fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.0.compare_exchange_weak(current, new, success, failure)
            }

            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.0.compare_exchange(current, new, success, failure)
            }
        }

        impl Accumulate<$value> for Modelling<$atomic> {
            fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.0.fetch_add(value, order)
            }

            fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.0.fetch_or(value, order)
            }
        }

        impl Default for Modelling<$atomic> {
            fn default() -> Self {
                Self($atomic::new(0))
            }
        }
    };
}

modelled!(AtomicUsize, usize);
modelled!(AtomicU32, u32);
modelled!(AtomicU8, u8);

impl Atomics for Modelled {
    type Word = Modelling<AtomicUsize>;
    type Half = Modelling<AtomicU32>;
    type Byte = Modelling<AtomicU8>;

    fn fence(order: Ordering) {
        loom::sync::atomic::fence(order);
    }

    fn compiler_fence(_: Ordering) {}
}

/// An element, every use of which loom checks.
#[derive(Default)]
pub struct Element(UnsafeCell<u64>);

/// A ring of `COUNT` slots, or of `COUNT` cells of `PER_CELL` elements.
pub struct Model<P, const COUNT: usize, const PER_CELL: usize, T> {
    header: Header<Modelled>,
    producer: ProducerWords<Modelled>,
    consumer: ConsumerWords<Modelled>,
    stamps: Vec<Modelling<AtomicUsize>>,
    pub slots: Vec<T>,
    policy: PhantomData<P>,
}

// SAFETY: loom reports every use of a slot that the protocol does not order.
unsafe impl<P, const COUNT: usize, const PER_CELL: usize, T> Send for Model<P, COUNT, PER_CELL, T> {}
// SAFETY: as for `Send`.
unsafe impl<P, const COUNT: usize, const PER_CELL: usize, T> Sync for Model<P, COUNT, PER_CELL, T> {}

/// A ring that both threads have.
pub struct Shared<P, const COUNT: usize, const PER_CELL: usize, T = Element>(
    pub Arc<Model<P, COUNT, PER_CELL, T>>,
);

impl<P, const COUNT: usize, const PER_CELL: usize, T> Clone for Shared<P, COUNT, PER_CELL, T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P, const COUNT: usize, const PER_CELL: usize, T: Default> Shared<P, COUNT, PER_CELL, T> {
    pub fn new() -> Self {
        let half = Modelling::<AtomicU32>::default;
        let byte = Modelling::<AtomicU8>::default;
        let word = Modelling::<AtomicUsize>::default;
        Self(Arc::new(Model {
            header: Header {
                magic: half(),
                version: byte(),
                kind: byte(),
                word_size: byte(),
                log2_line: byte(),
                element_size: half(),
                stride: half(),
                slots_offset: half(),
                log2_align: byte(),
                log2_count: byte(),
                per_cell: byte(),
                reserved: byte(),
                producer_claimed: byte(),
                consumer_claimed: byte(),
                closed: byte(),
                reserved2: byte(),
                consumer_bell: half(),
                producer_bell: half(),
            },
            producer: ProducerWords {
                tail: word(),
                stop: word(),
                dropped: word(),
            },
            consumer: ConsumerWords {
                head: word(),
                seen: word(),
            },
            stamps: (0..COUNT).map(|_| word()).collect(),
            slots: (0..COUNT * PER_CELL).map(|_| T::default()).collect(),
            policy: PhantomData,
        }))
    }
}

// SAFETY: everything belongs to the one model, kept alive by the reference count.
unsafe impl<P: Policy, const COUNT: usize, const PER_CELL: usize, T> Body
    for Shared<P, COUNT, PER_CELL, T>
{
    type Atomics = Modelled;
    type Policy = P;
    type Slot = usize;

    fn header(&self) -> &Header<Modelled> {
        &self.0.header
    }

    fn producer(&self) -> &ProducerWords<Modelled> {
        &self.0.producer
    }

    fn consumer(&self) -> &ConsumerWords<Modelled> {
        &self.0.consumer
    }
}

// SAFETY: as for `Body`.
unsafe impl<P: Policy, const COUNT: usize, T> IndexBody for Shared<P, COUNT, 1, T> {
    fn mask(&self) -> usize {
        COUNT - 1
    }

    fn slot(&self, index: usize) -> usize {
        index % COUNT
    }
}

// SAFETY: as for `Body`.
unsafe impl<P: Policy, const COUNT: usize, const PER_CELL: usize, T> LineBody
    for Shared<P, COUNT, PER_CELL, T>
{
    type Cell = usize;

    fn mask(&self) -> usize {
        gimmal::index::cell_mask(COUNT)
    }

    fn per_cell(&self) -> usize {
        PER_CELL
    }

    fn cell(&self, cursor: usize) -> usize {
        (cursor >> 8) % COUNT
    }

    fn stamp(&self, cell: usize) -> &Modelling<AtomicUsize> {
        &self.0.stamps[cell]
    }

    fn slot(&self, cell: usize, position: usize) -> usize {
        cell * PER_CELL + position
    }
}

/// A model whose elements can be reached, by whichever protocol.
pub trait Slots: Clone + Send + 'static {
    fn write(&self, slot: usize, value: u64);
    fn read(&self, slot: usize) -> u64;
}

impl<P: Policy, const COUNT: usize, const PER_CELL: usize> Slots for Shared<P, COUNT, PER_CELL> {
    fn write(&self, slot: usize, value: u64) {
        // SAFETY: loom checks what the protocol promises: that nobody else uses the slot.
        self.0.slots[slot].0.with_mut(|at| unsafe { *at = value });
    }

    fn read(&self, slot: usize) -> u64 {
        // SAFETY: as above.
        self.0.slots[slot].0.with(|at| unsafe { *at })
    }
}

pub fn push<P: Producer>(end: &mut P, value: u64) -> Result<(), Refused>
where
    P::Body: Slots + Body<Slot = usize>,
{
    let slot = end.claim()?;
    end.body().write(slot, value);
    // SAFETY: the claimed slot was written.
    unsafe { end.publish() };
    Ok(())
}

pub fn pop<C: Consumer>(end: &mut C) -> Option<u64>
where
    C::Body: Slots + Body<Slot = usize>,
{
    let slot = end.front()?;
    let value = end.body().read(slot);
    // SAFETY: the front slot was read.
    unsafe { end.release() };
    Some(value)
}

/// Runs the model in every interleaving, within a bound of three preemptions.
pub fn explore<B: Clone + Send + 'static>(
    make: fn() -> B,
    model: impl Fn(B) + Sync + Send + 'static,
) {
    explore_within(3, make, model);
}

/// Runs the model in every interleaving, within a bound of so many preemptions.
pub fn explore_within<B: Clone + Send + 'static>(
    preemptions: usize,
    make: fn() -> B,
    model: impl Fn(B) + Sync + Send + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 100_000;
    builder.check(move || model(make()));
}

/// Explores the model and demands that it fails.
pub fn must_fail<B: Clone + Send + 'static>(
    make: fn() -> B,
    model: impl Fn(B) + Sync + Send + 'static,
    what: &str,
) {
    let result = catch_unwind(AssertUnwindSafe(|| explore(make, model)));
    assert!(result.is_err(), "no model catches {what}");
}
