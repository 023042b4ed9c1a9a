//! What a pool gives and takes back, on one thread and between threads, its tag at the wrap as well as at zero. ThreadSanitizer runs these.
#![allow(missing_docs)]

mod common;

use common::{DropLog, Dropped, Message};
use gimmal::error::{AttachError, Exhausted};
use gimmal::pool::{Dense, Padded, Pooled, Spacing, Vacant};
use gimmal::{LineRing, Pool, Ring};
use std::collections::HashSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread::{scope, yield_now};

const ROUNDS: u64 = if cfg!(miri) { 200 } else { 20_000 };

/// Just below the wrap of the tag, whatever its width; and its beginning.
const TAGS: [usize; 2] = [0, usize::MAX - 2];

fn at_tag<T, const N: usize, S: Spacing>(tag: usize) -> Box<Pool<T, N, S>> {
    let mut pool = Box::new(Pool::new());
    pool.start_at(tag);
    pool
}

/// Every slot is handed out once, and again after all came back, in another order.
fn gives_every_slot_once<const N: usize, S: Spacing>() {
    for tag in TAGS {
        let pool = at_tag::<Message<6>, N, S>(tag);
        assert_eq!(pool.capacity(), N);
        let mut order: Vec<usize> = (0..N).collect();
        for round in 0..3 {
            assert_eq!(pool.available(), N);
            let mut held: Vec<_> = (0..N as u64)
                .map(|id| pool.insert(Message::new(id)).unwrap())
                .collect();
            assert_eq!(pool.available(), 0);
            assert!(pool.acquire().is_none());
            let Err(Exhausted(back)) = pool.insert(Message::new(77)) else {
                panic!("a slot too many")
            };
            back.check(77);
            let places: HashSet<*const Message<6>> =
                held.iter().map(|held| &raw const **held).collect();
            assert_eq!(places.len(), N, "a slot was handed out twice");
            if S::PADDED {
                assert!(places.iter().all(|place| place.addr() % 64 == 0));
            }
            for (id, message) in held.iter().enumerate() {
                message.check(id as u64);
            }
            order.rotate_left((N / 3 + round) % N);
            for (at, &which) in order.iter().enumerate() {
                held.swap_remove(which % held.len());
                assert_eq!(pool.available(), at + 1);
            }
        }
    }
}

#[test]
fn every_slot_is_handed_out_once() {
    gives_every_slot_once::<1, Padded>();
    gives_every_slot_once::<2, Padded>();
    gives_every_slot_once::<3, Dense>();
    gives_every_slot_once::<64, Padded>();
    gives_every_slot_once::<100, Dense>();
}

#[test]
fn a_large_pool_on_the_heap() {
    let mut memory = Box::new_uninit();
    let pool: &mut Pool<[u8; 4096], 4096> = Pool::init(&mut memory);
    pool.start_at(usize::MAX - 2);
    let held: Vec<_> = (0..4096)
        .map(|id| pool.insert([id as u8; 4096]).unwrap())
        .collect();
    assert!(pool.acquire().is_none());
    assert!(held
        .iter()
        .enumerate()
        .all(|(id, held)| held[4095] == id as u8));
    drop(held);
    assert_eq!(pool.available(), 4096);
}

#[test]
fn values_are_dropped_exactly_once() {
    let log = DropLog::default();
    let pool = Pool::<Dropped, 4>::new();
    let kept = pool.insert(log.value(1)).unwrap();
    drop(pool.insert(log.value(2)).unwrap());
    assert_eq!(log.take(), [2]);
    let inner = Pooled::into_inner(pool.insert(log.value(3)).unwrap());
    assert_eq!(log.take(), []);
    assert_eq!(pool.available(), 3);
    drop(inner);
    assert_eq!(log.take(), [3]);
    let mut owner = pool.owner().unwrap();
    owner.release(kept);
    assert_eq!(log.take(), [1]);
    drop(pool.acquire());
    assert_eq!(log.take(), [], "a slot without a value drops none");
    drop(owner);
    assert_eq!(pool.available(), 4);
}

#[test]
fn a_refused_value_comes_back_alive() {
    let log = DropLog::default();
    let pool = Pool::<Dropped, 1>::new();
    let held = pool.insert(log.value(1)).unwrap();
    let refused = pool.insert(log.value(2)).unwrap_err();
    assert_eq!(refused.to_string(), "no slot of the pool is free");
    assert_eq!(log.take(), []);
    assert_eq!(refused.0.id, 2);
    drop(refused);
    drop(held);
    assert_eq!(log.take(), [2, 1]);
}

#[test]
fn a_constructor_that_panics_gives_the_slot_back() {
    let pool = Pool::<Message<2>, 1>::new();
    let slot = pool.acquire().unwrap();
    let result = catch_unwind(AssertUnwindSafe(|| slot.write_with(|| panic!("no value"))));
    assert!(result.is_err());
    let value = pool.acquire().unwrap().write_with(|| Message::new(5));
    value.check(5);
}

#[test]
fn a_drop_that_panics_gives_the_slot_back() {
    let log = DropLog::default();
    let pool = Pool::<Dropped, 2>::new();
    let value = pool.insert(log.panicking(1)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(value))).is_err());
    let mut owner = pool.owner().unwrap();
    let value = owner.insert(log.panicking(2)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| owner.release(value))).is_err());
    assert_eq!(log.take(), [1, 2]);
    drop(owner);
    assert_eq!(pool.available(), 2);
}

#[test]
fn a_slot_is_filled_in_place() {
    let pool = Pool::<Message<32>, 2>::new();
    let mut slot = pool.acquire().unwrap();
    let place = slot.uninit().as_mut_ptr();
    // SAFETY: the slot is this test's, and is filled before it is taken for a value.
    let mut value = unsafe {
        place.write(Message::new(9));
        slot.assume_init()
    };
    value.check(9);
    assert_eq!(&raw mut *value, place);
    value.0[31] = 0;
    assert_ne!(*value, Message::new(9));
}

#[test]
fn a_slot_travels_under_its_number_once() {
    let pool = Pool::<Message<1>, 3>::new();
    let from = |index| {
        // SAFETY: numbers are passed in this test alone.
        unsafe { pool.from_index(index) }
    };
    assert!(from(0).is_none(), "nothing was handed out");
    let index = Pooled::into_index(pool.insert(Message::new(4)).unwrap());
    assert_eq!(pool.available(), 2);
    assert!(from(3).is_none() && from(u32::MAX).is_none());
    let value = from(index).unwrap();
    assert!(from(index).is_none(), "a number is good once");
    value.check(4);
    drop(value);
    assert!(from(index).is_none());
    assert_eq!(pool.available(), 3);
}

#[test]
fn the_owner_s_list_takes_what_was_given_back() {
    for tag in TAGS {
        let pool = at_tag::<u64, 8, Padded>(tag);
        let mut owner = pool.owner().unwrap();
        assert!(pool.owner().is_none(), "one owner at a time");
        let first = owner.insert(1).unwrap();
        assert!(pool.acquire().is_none(), "the owner has the rest");
        assert_eq!(pool.available(), 7);
        drop(first); // to the pool, not to the owner's list
        let mine = pool.insert(2).unwrap();
        let rest: Vec<_> = std::iter::from_fn(|| owner.insert(3).ok()).collect();
        assert_eq!(rest.len(), 7);
        assert!(owner.acquire().is_none());
        owner.release(mine);
        assert!(pool.acquire().is_none());
        assert_eq!(*owner.insert(4).unwrap(), 4); // and back to the pool
        assert_eq!(pool.available(), 1);
        assert!(owner.acquire().is_some(), "the pool's slots are taken over");
        drop(rest);
        let again: Vec<Vacant<u64, 8>> = std::iter::from_fn(|| owner.acquire()).collect();
        assert_eq!(again.len(), 8);
        drop(again);
        drop(owner);
        assert_eq!(pool.available(), 8);
        assert!(pool.owner().is_some(), "the list can be claimed again");
    }
}

#[test]
fn what_an_owner_leaves_is_anyone_s() {
    let pool = Pool::<u64, 5>::new();
    let mut owner = pool.owner().unwrap();
    let held = owner.insert(1).unwrap();
    let other = owner.insert(2).unwrap();
    owner.release(other);
    drop(owner);
    let all: Vec<_> = std::iter::from_fn(|| pool.acquire()).collect();
    assert_eq!(all.len(), 4);
    drop((held, all));
    assert_eq!(pool.available(), 5);
}

#[test]
fn a_value_of_another_pool_goes_home() {
    let (here, there) = (Pool::<u64, 2>::new(), Pool::<u64, 2>::new());
    let mut owner = here.owner().unwrap();
    owner.release(there.insert(1).unwrap());
    assert_eq!((here.available(), there.available()), (2, 2));
}

/// What is said of a pool that is refused speaks of no ring, and names the pool where a ring was sought.
#[test]
fn refusals_name_what_is_there() {
    let pool = Box::new(Pool::<u64, 16>::new());
    let (at, len) = (NonNull::from(&*pool).cast(), size_of_val(&*pool));
    // SAFETY: the memory is a pool's as long as the test, here and below.
    let unpublished = unsafe { Pool::<u64, 16>::attach(at, len) }.unwrap_err();
    pool.publish();
    // SAFETY: as above.
    let (others, as_ring) = unsafe {
        let others = [
            Pool::<u64, 17>::attach(at, len).unwrap_err(),
            Pool::<u32, 16>::attach(at, len).unwrap_err(),
            Pool::<u64, 16>::attach(at, len - 1).unwrap_err(),
            Pool::<u64, 16>::attach(at.add(8), len).unwrap_err(),
        ];
        let as_ring = gimmal::ring::View::<u64>::attach(at, len).unwrap_err();
        (others, as_ring)
    };
    for error in others {
        assert!(!error.to_string().contains("ring"), "{error}");
    }
    assert!(unpublished.to_string().contains("publish the pool"));
    assert_eq!(as_ring.to_string(), "a pool");
    let ring = Box::new(gimmal::Ring::<u64, 16>::new());
    let memory = ring.view().publish();
    // SAFETY: the memory is a ring's as long as the test.
    let as_pool = unsafe { Pool::<u64, 16>::attach(memory, size_of_val(&*ring)) }.unwrap_err();
    assert_eq!(as_pool.to_string(), "a ring published by index");
}

#[test]
fn a_published_pool_is_found_and_others_are_refused() {
    let pool = Box::new(Pool::<u64, 16>::new());
    let (at, len) = (NonNull::from(&*pool).cast(), size_of_val(&*pool));
    // SAFETY: the memory is a pool's as long as the test.
    let unpublished = unsafe { Pool::<u64, 16>::attach(at, len) };
    assert_eq!(unpublished.unwrap_err(), AttachError::Uninitialised);
    assert_eq!(pool.publish(), at);
    let held = pool.insert(5).unwrap();
    // SAFETY: as above, here and below.
    unsafe {
        let same = Pool::<u64, 16>::attach(at, len).unwrap();
        assert_eq!(same.available(), 15);
        assert_eq!(
            Pool::<u64, 17>::attach(at, len).unwrap_err(),
            AttachError::Slots {
                count: 16,
                stride: 64
            }
        );
        assert_eq!(
            Pool::<u64, 16, Dense>::attach(at, len).unwrap_err(),
            AttachError::Slots {
                count: 16,
                stride: 64
            }
        );
        assert!(matches!(
            Pool::<u32, 16>::attach(at, len),
            Err(AttachError::Element { .. })
        ));
        assert!(matches!(
            Pool::<u64, 16>::attach(at, len - 1),
            Err(AttachError::TooSmall { .. })
        ));
        assert!(matches!(
            Pool::<u64, 16>::attach(at, 8),
            Err(AttachError::TooSmall { .. })
        ));
        assert_eq!(
            Pool::<u64, 16>::attach(at.add(8), len).unwrap_err(),
            AttachError::Misaligned
        );
        assert!(matches!(
            gimmal::ring::View::<u64>::attach(at, len),
            Err(AttachError::WrongKind(6))
        ));
    }
    drop(held);
    let ring = Box::new(Ring::<u64, 1024>::new());
    ring.view().publish();
    // SAFETY: the memory is a ring's, and only looked at.
    let refused =
        unsafe { Pool::<u64, 16>::attach(NonNull::from(&*ring).cast(), size_of_val(&*ring)) };
    assert_eq!(refused.unwrap_err(), AttachError::WrongKind(1));
}

/// Who has a slot: a word beside the pool for every slot, by its address. Nobody may have it twice.
struct Held(Vec<AtomicU32>);

impl Held {
    fn new(slots: usize) -> Self {
        Self((0..slots).map(|_| AtomicU32::new(0)).collect())
    }

    fn take(&self, index: usize) {
        // Relaxed: the exchange finds a second holder whatever the order.
        assert_eq!(self.0[index].swap(1, Relaxed), 0, "a slot has two holders");
    }

    fn leave(&self, index: usize) {
        assert_eq!(
            self.0[index].swap(0, Relaxed),
            1,
            "a slot was given back twice"
        );
    }
}

/// Where a value lies, as a number.
fn number<T, const N: usize, S: Spacing>(pool: &Pool<T, N, S>, value: &T) -> usize {
    let base = (&raw const *pool).addr() + Pool::<T, N, S>::SHAPE.slots();
    ((&raw const *value).addr() - base) / Pool::<T, N, S>::SHAPE.stride()
}

/// Three threads take and give back, each a few at a time.
fn contended<const N: usize, S: Spacing>(tag: usize) {
    let pool = at_tag::<Message<3>, N, S>(tag);
    let held = Held::new(N);
    scope(|scope| {
        for thread in 0..3_u64 {
            let (pool, held) = (&pool, &held);
            scope.spawn(move || {
                let mut mine = Vec::new();
                for round in 0..ROUNDS {
                    let id = thread * ROUNDS + round;
                    if let Ok(value) = pool.insert(Message::new(id)) {
                        held.take(number(pool, &value));
                        mine.push((id, value));
                    } else if mine.is_empty() {
                        yield_now();
                    }
                    if mine.len() as u64 > round % 4 {
                        let (id, value) = mine.swap_remove(round as usize % mine.len());
                        value.check(id);
                        held.leave(number(pool, &value));
                    }
                }
                for (id, value) in mine {
                    value.check(id);
                    held.leave(number(pool, &value));
                }
            });
        }
    });
    assert_eq!(pool.available(), N);
}

#[test]
fn no_slot_has_two_holders() {
    for tag in TAGS {
        contended::<1, Padded>(tag);
        contended::<2, Padded>(tag);
        contended::<3, Dense>(tag);
        contended::<64, Padded>(tag);
        contended::<4096, Dense>(tag);
    }
}

/// One thread takes, two others give back, by handles that pass through rings; a third takes from the pool beside the owner.
fn owned<const N: usize>(tag: usize) {
    let pool = at_tag::<Message<6>, N, Padded>(tag);
    let held = Held::new(N);
    let done = AtomicU64::new(0);
    let rings: [LineRing<Pooled<Message<6>, N>, 64>; 2] = [LineRing::new(), LineRing::new()];
    scope(|scope| {
        let (pool, held, done) = (&*pool, &held, &done);
        let mut ends = Vec::new();
        // Joined by hand: that the scope waited is no synchronisation that ThreadSanitizer sees.
        let mut threads = Vec::new();
        for ring in &rings {
            let (tx, mut rx) = ring.split().unwrap();
            ends.push(tx);
            threads.push(scope.spawn(move || loop {
                let closed = rx.is_closed();
                while let Some(value) = rx.pop() {
                    value.check(value.0[0]);
                    held.leave(number(pool, &value));
                }
                if closed {
                    done.fetch_add(1, Relaxed);
                    return;
                }
                yield_now();
            }));
        }
        threads.push(scope.spawn(move || {
            while done.load(Relaxed) < 2 {
                if let Ok(value) = pool.insert(Message::new(1)) {
                    held.take(number(pool, &value));
                    value.check(1);
                    held.leave(number(pool, &value));
                }
                yield_now();
            }
        }));
        let mut owner = pool.owner().unwrap();
        for id in 0..ROUNDS {
            let value = loop {
                match owner.acquire() {
                    Some(slot) => break slot.write(Message::new(id)),
                    None => yield_now(),
                }
            };
            held.take(number(pool, &value));
            if id % 5 == 0 {
                held.leave(number(pool, &value));
                owner.release(value);
                continue;
            }
            let mut refused = ends[id as usize % 2].push(value);
            while let Err(value) = refused {
                yield_now();
                refused = ends[id as usize % 2].push(value.into_inner());
            }
        }
        for tx in &mut ends {
            tx.close();
        }
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(pool.available(), N);
}

#[test]
fn the_owner_and_those_who_give_back_never_share_a_slot() {
    for tag in TAGS {
        owned::<1>(tag);
        owned::<2>(tag);
        owned::<64>(tag);
        owned::<4096>(tag);
    }
}
