//! Models of the pool's free slots, and a control for each of its edges and for its tag: with that weakened, a model must fail.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

#[path = "common/modelled.rs"]
mod modelled;

use gimmal::raw::pool::{lab, FreeSlots, PoolBody, PoolEdges, Tagged};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicU8, AtomicUsize};
use loom::sync::Arc;
use loom::thread;
use modelled::{explore, must_fail, Modelled, Modelling};
use std::marker::PhantomData;

/// A pool of `N` slots, all free.
struct Model<E, const N: usize> {
    claimed: Modelling<AtomicU8>,
    shared: Modelling<AtomicUsize>,
    owned: Modelling<AtomicUsize>,
    links: [Modelling<AtomicU32>; N],
    slots: [UnsafeCell<u64>; N],
    edges: PhantomData<fn() -> E>,
}

// SAFETY: loom reports every use of a slot that the protocol does not order.
unsafe impl<E, const N: usize> Sync for Model<E, N> {}
// SAFETY: as for `Sync`.
unsafe impl<E, const N: usize> Send for Model<E, N> {}

impl<E: PoolEdges, const N: usize> Model<E, N> {
    fn new() -> Self {
        Self {
            claimed: Modelling::default(),
            shared: Modelling::default(),
            owned: Modelling::default(),
            links: std::array::from_fn(|_| Modelling::default()),
            slots: std::array::from_fn(|_| UnsafeCell::new(0)),
            edges: PhantomData,
        }
    }

    /// Writes a slot, as only its holder may: loom reports a second holder.
    fn write(&self, index: usize) {
        // SAFETY: loom checks what the protocol promises: that nobody else uses the slot.
        self.slots[index].with_mut(|slot| unsafe { *slot += 1 });
    }

    /// Takes a slot and writes it.
    fn take_and_write(&self) -> Option<usize> {
        let index = self.take()?;
        self.write(index);
        Some(index)
    }

    /// As the owner, takes a slot and writes it.
    fn take_and_write_owned(&self) -> Option<usize> {
        // SAFETY: the models call it as the owner.
        let index = unsafe { self.take_owned() }?;
        self.write(index);
        Some(index)
    }
}

// SAFETY: everything belongs to the one model.
unsafe impl<E: PoolEdges, const N: usize> PoolBody for Model<E, N> {
    type Atomics = Modelled;
    type Edges = E;

    fn claimed(&self) -> &Modelling<AtomicU8> {
        &self.claimed
    }

    fn shared(&self) -> &Modelling<AtomicUsize> {
        &self.shared
    }

    fn owned(&self) -> &Modelling<AtomicUsize> {
        &self.owned
    }

    fn link(&self, index: usize) -> &Modelling<AtomicU32> {
        &self.links[index]
    }

    fn count(&self) -> usize {
        N
    }
}

/// One slot passes between two threads that both want it.
fn passes_a_slot<E: PoolEdges>(pool: Arc<Model<E, 1>>) {
    let turn = |pool: &Model<E, 1>| {
        if let Some(index) = pool.take_and_write() {
            // SAFETY: the slot was taken just now.
            unsafe { pool.put(index) };
        }
    };
    let at_other = Arc::clone(&pool);
    let other = thread::spawn(move || turn(&at_other));
    turn(&pool);
    other.join().unwrap();
    assert_eq!(pool.available(), 1);
}

/// The interleaving that misleads a stack with no tag. One thread wants two slots; in the middle of its first removal, when it has seen that slot 0
/// is first and slot 1 second, the other takes both, puts 0 back and keeps 1. Slot 0 is first again, but 1 is no longer second.
fn survives_aba<E: PoolEdges>(pool: Arc<Model<E, 2>>) {
    let at_other = Arc::clone(&pool);
    let other = thread::spawn(move || {
        let first = at_other.take_and_write();
        let second = at_other.take_and_write();
        if let Some(first) = first {
            // SAFETY: the slot was taken above.
            unsafe { at_other.put(first) };
        }
        if let Some(second) = second {
            at_other.write(second);
        }
        usize::from(second.is_some())
    });
    let mine = [pool.take_and_write(), pool.take_and_write()];
    mine.into_iter()
        .flatten()
        .for_each(|index| pool.write(index));
    let kept = other.join().unwrap() + mine.iter().flatten().count();
    assert_eq!(pool.available() + kept, 2);
}

/// Two slots and two threads that hold one at a time: neither is ever refused.
fn refuses_nobody<E: PoolEdges>(pool: Arc<Model<E, 2>>) {
    let turn = |pool: &Model<E, 2>| {
        let index = pool.take_and_write().expect("a slot was free all the time");
        // SAFETY: the slot was taken just now.
        unsafe { pool.put(index) };
    };
    let at_other = Arc::clone(&pool);
    let other = thread::spawn(move || {
        turn(&at_other);
        turn(&at_other);
    });
    turn(&pool);
    turn(&pool);
    other.join().unwrap();
    assert_eq!(pool.available(), 2);
}

/// The owner takes what another thread gives back, while that takes from the pool too.
fn owner_takes_over<E: PoolEdges>(pool: Arc<Model<E, 2>>) {
    assert!(pool.claim_owner());
    let given = pool.take_and_write().unwrap();
    let at_other = Arc::clone(&pool);
    let other = thread::spawn(move || {
        at_other.write(given);
        // SAFETY: the slot was taken for this thread.
        unsafe { at_other.put(given) };
        at_other.take_and_write()
    });
    let mine = [pool.take_and_write_owned(), pool.take_and_write_owned()];
    let mut kept: Vec<usize> = mine.into_iter().flatten().collect();
    if let Some(index) = kept.pop() {
        // SAFETY: this thread is the owner, and took the slot above.
        unsafe { pool.put_owned(index) };
    }
    let theirs = other.join().unwrap();
    // SAFETY: this thread is the owner.
    unsafe { pool.disown() };
    let free = std::iter::from_fn(|| pool.take_and_write()).count();
    assert_eq!(free + kept.len() + theirs.iter().count(), 2);
}

/// The owner's list changes hands.
fn list_changes_hands<E: PoolEdges>(pool: Arc<Model<E, 2>>) {
    let turn = |pool: &Model<E, 2>| {
        if pool.claim_owner() {
            let index = pool.take_and_write_owned().expect("both slots are free");
            // SAFETY: this thread is the owner, and took the slot just now.
            unsafe {
                pool.put_owned(index);
                pool.disown();
            }
        }
    };
    let at_other = Arc::clone(&pool);
    let other = thread::spawn(move || turn(&at_other));
    turn(&pool);
    other.join().unwrap();
    assert_eq!(pool.available(), 2);
}

/// Of two parties who give a slot back by its number, one succeeds.
fn number_is_good_once<E: PoolEdges>(pool: Arc<Model<E, 1>>) {
    let index = pool.take_and_write().unwrap();
    // SAFETY: the slot was taken just now.
    unsafe { pool.hand_out(index) };
    let give_back = move |pool: &Model<E, 1>| {
        let given = pool.take_back(index);
        if given {
            // SAFETY: the slot was taken over just now.
            unsafe { pool.put(index) };
        }
        given
    };
    let at_other = Arc::clone(&pool);
    let other = thread::spawn(move || give_back(&at_other));
    let mine = give_back(&pool);
    assert!(mine != other.join().unwrap(), "given back once");
    assert_eq!(pool.available(), 1);
}

fn pool<E: PoolEdges, const N: usize>() -> Arc<Model<E, N>> {
    Arc::new(Model::new())
}

#[test]
fn no_slot_has_two_holders() {
    explore(pool, passes_a_slot::<Tagged>);
    explore(pool, survives_aba::<Tagged>);
    explore(pool, refuses_nobody::<Tagged>);
}

#[test]
fn the_owner_s_list_is_the_owner_s() {
    explore(pool, owner_takes_over::<Tagged>);
    explore(pool, list_changes_hands::<Tagged>);
}

#[test]
fn a_number_gives_a_slot_back_once() {
    explore(pool, number_is_good_once::<Tagged>);
}

#[test]
fn a_stack_with_no_tag_is_misled() {
    must_fail(
        pool,
        survives_aba::<lab::Untagged>,
        "a removal that was misled",
    );
}

#[test]
fn every_weakened_edge_is_caught() {
    must_fail(pool, passes_a_slot::<lab::RelaxedPut>, "put");
    must_fail(pool, passes_a_slot::<lab::RelaxedTake>, "take");
    must_fail(
        pool,
        owner_takes_over::<lab::RelaxedPut>,
        "put, by the owner",
    );
    must_fail(
        pool,
        owner_takes_over::<lab::RelaxedTake>,
        "take, by the owner",
    );
    must_fail(pool, list_changes_hands::<lab::RelaxedGiveUp>, "give up");
    must_fail(pool, list_changes_hands::<lab::RelaxedClaim>, "claim");
}
