//! Pools between languages: a slot is acquired in one and released in another, by its number.

use gimmal::Pool;
use gimmal_ffi::*;
use std::alloc::{alloc, dealloc, Layout};
use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Barrier;
use std::thread;

const SLOTS: usize = 5;

type Messages = Pool<[u64; 6], SLOTS>;

/// One language's ways of using a pool: `mix/pool.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Party {
    lay_out: unsafe extern "C" fn(*mut c_void, usize) -> gimmal_status_t,
    acquire: unsafe extern "C" fn(*mut c_void, usize, u64, *mut u32) -> gimmal_status_t,
    release: unsafe extern "C" fn(*mut c_void, usize, u32, *mut u64) -> gimmal_status_t,
    churn: unsafe extern "C" fn(*mut c_void, usize, *mut usize) -> gimmal_status_t,
}

extern "C" {
    static mix_pool_call_default: Party;
    static mix_pool_inline_default: Party;
    static mix_pool_view_default: Party;
    #[cfg(mix_clang)]
    static mix_pool_inline_clang: Party;
    #[cfg(mix_clang)]
    static mix_pool_view_clang: Party;
}

fn parties() -> Vec<(&'static str, Party)> {
    let rust = Party {
        lay_out,
        acquire,
        release,
        churn,
    };
    // SAFETY: the tables are constants of this type, compiled from `mix/`.
    unsafe {
        vec![
            ("Rust", rust),
            ("C call", mix_pool_call_default),
            ("C inline", mix_pool_inline_default),
            ("C++", mix_pool_view_default),
            #[cfg(mix_clang)]
            ("C inline by clang", mix_pool_inline_clang),
            #[cfg(mix_clang)]
            ("C++ by clang", mix_pool_view_clang),
        ]
    }
}

fn message(number: u64) -> [u64; 6] {
    std::array::from_fn(|word| number ^ 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(word as u64))
}

fn find(memory: *mut c_void, size: usize) -> &'static Messages {
    let memory = NonNull::new(memory.cast()).unwrap();
    // SAFETY: the tests let a pool outlive its parties.
    unsafe { Messages::attach(memory, size) }.unwrap()
}

unsafe extern "C" fn lay_out(memory: *mut c_void, size: usize) -> gimmal_status_t {
    assert!(size >= size_of::<Messages>());
    // SAFETY: the memory is long enough and aligned, and nobody else uses it yet.
    let place = unsafe { &mut *memory.cast::<std::mem::MaybeUninit<Messages>>() };
    Messages::init(place).publish();
    GIMMAL_OK
}

unsafe extern "C" fn acquire(
    memory: *mut c_void,
    size: usize,
    number: u64,
    index: *mut u32,
) -> gimmal_status_t {
    let Ok(slot) = find(memory, size).insert(message(number)) else {
        return GIMMAL_EXHAUSTED;
    };
    // SAFETY: the caller gives room for the number.
    unsafe { index.write(gimmal::pool::Pooled::into_index(slot)) };
    GIMMAL_OK
}

unsafe extern "C" fn release(
    memory: *mut c_void,
    size: usize,
    index: u32,
    number: *mut u64,
) -> gimmal_status_t {
    if index as usize >= SLOTS {
        return GIMMAL_FOREIGN;
    }
    // SAFETY: if the slot is out, the test is entitled to it, and it holds a message.
    let Some(slot) = (unsafe { find(memory, size).from_index(index) }) else {
        return GIMMAL_NOT_OUT;
    };
    // SAFETY: the caller gives room for the number.
    unsafe { number.write(slot[0]) };
    if *slot == message(slot[0]) {
        GIMMAL_OK
    } else {
        GIMMAL_CORRUPT
    }
}

unsafe extern "C" fn churn(memory: *mut c_void, size: usize, slots: *mut usize) -> gimmal_status_t {
    let Some(mut owner) = find(memory, size).owner() else {
        return GIMMAL_BUSY;
    };
    let held: Vec<_> = (0..)
        .map_while(|number| owner.insert(message(number)).ok())
        .collect();
    // SAFETY: the caller gives room for the count.
    unsafe { slots.write(held.len()) };
    for (n, slot) in held.into_iter().enumerate() {
        if n % 2 == 0 {
            owner.release(slot);
        }
    }
    GIMMAL_OK
}

/// The memory of a pool that one of the parties laid out over old bytes.
struct Place(*mut c_void);

// SAFETY: the pool in it may be used by any thread.
unsafe impl Sync for Place {}

impl Place {
    const LAYOUT: Layout = Layout::new::<Messages>();

    fn new(by: Party) -> Self {
        // SAFETY: no pool is empty; the memory is this long, and nobody else knows it yet.
        unsafe {
            let memory = alloc(Self::LAYOUT);
            memory.write_bytes(0xA5, Self::LAYOUT.size());
            assert_eq!((by.lay_out)(memory.cast(), Self::LAYOUT.size()), GIMMAL_OK);
            Self(memory.cast())
        }
    }

    fn acquire(&self, by: Party, number: u64) -> Result<u32, gimmal_status_t> {
        let mut index = u32::MAX;
        // SAFETY: the memory is a pool.
        match unsafe { (by.acquire)(self.0, Self::LAYOUT.size(), number, &mut index) } {
            GIMMAL_OK => Ok(index),
            status => Err(status),
        }
    }

    fn release(&self, by: Party, index: u32) -> Result<u64, gimmal_status_t> {
        let mut number = u64::MAX;
        // SAFETY: the memory is a pool; who knows a number may release the slot, once.
        match unsafe { (by.release)(self.0, Self::LAYOUT.size(), index, &mut number) } {
            GIMMAL_OK => Ok(number),
            status => Err(status),
        }
    }

    fn churn(&self, by: Party) -> usize {
        let mut slots = usize::MAX;
        // SAFETY: the memory is a pool.
        let status = unsafe { (by.churn)(self.0, Self::LAYOUT.size(), &mut slots) };
        assert_eq!(status, GIMMAL_OK);
        slots
    }

    /// The control block's part that states the geometry.
    fn geometry(&self) -> [u8; 40] {
        // SAFETY: a control block is longer, and nobody changes it meanwhile.
        unsafe { self.0.cast::<[u8; 40]>().read() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; every party is done.
        unsafe { dealloc(self.0.cast(), Self::LAYOUT) };
    }
}

#[test]
fn all_languages_lay_out_the_same_pool() {
    let expected = Place::new(parties()[0].1).geometry();
    for (name, party) in parties() {
        assert_eq!(Place::new(party).geometry(), expected, "by {name}");
    }
}

#[test]
fn every_pair_shares_a_pool_and_tells_a_slot_that_comes_back_twice() {
    for (acquiring, from) in parties() {
        for (releasing, to) in parties() {
            let mix = format!("from {acquiring} to {releasing}");
            let pool = Place::new(to);
            for round in 0..3 {
                let held: Vec<u32> = (0..SLOTS as u64)
                    .map(|number| pool.acquire(from, number).unwrap())
                    .collect();
                assert_eq!(held.iter().collect::<HashSet<_>>().len(), SLOTS, "{mix}");
                for (_, any) in parties() {
                    assert_eq!(pool.acquire(any, 9), Err(GIMMAL_EXHAUSTED), "{mix}");
                }
                assert_eq!(pool.release(to, SLOTS as u32), Err(GIMMAL_FOREIGN), "{mix}");
                assert_eq!(pool.release(to, u32::MAX), Err(GIMMAL_FOREIGN), "{mix}");
                for n in 0..SLOTS {
                    let n = (n * 3 + round) % SLOTS;
                    assert_eq!(pool.release(to, held[n]), Ok(n as u64), "{mix}");
                    for (_, any) in parties() {
                        assert_eq!(pool.release(any, held[n]), Err(GIMMAL_NOT_OUT), "{mix}");
                    }
                }
                // The owner's list goes from one language to the other.
                assert_eq!((pool.churn(from), pool.churn(to)), (SLOTS, SLOTS), "{mix}");
            }
        }
    }
}

#[test]
fn slots_pass_between_threads_of_every_pair() {
    const COUNT: u64 = 400;
    for (acquiring, from) in parties() {
        for (releasing, to) in parties() {
            let pool = &Place::new(from);
            let (send, receive) = std::sync::mpsc::channel();
            thread::scope(|scope| {
                scope.spawn(move || {
                    for number in 0..COUNT {
                        let index = loop {
                            match pool.acquire(from, number) {
                                Ok(index) => break index,
                                Err(status) => assert_eq!(status, GIMMAL_EXHAUSTED),
                            }
                            thread::yield_now();
                        };
                        send.send(index).unwrap();
                        if number % 16 == 0 {
                            pool.churn(from);
                        }
                    }
                });
                for number in 0..COUNT {
                    let index = receive.recv().unwrap();
                    let released = pool.release(to, index);
                    assert_eq!(released, Ok(number), "from {acquiring} to {releasing}");
                    if let Ok(other) = pool.acquire(to, number) {
                        assert_eq!(pool.release(to, other), Ok(number));
                    }
                }
            });
            assert_eq!(pool.churn(to), SLOTS);
        }
    }
}

#[test]
fn of_two_languages_that_release_a_slot_at_once_one_is_told() {
    const ROUNDS: usize = 200;
    for (first, one) in parties() {
        for (second, other) in parties() {
            let pool = &Place::new(one);
            let barrier = &Barrier::new(2);
            let mut freed = 0;
            for _ in 0..ROUNDS / SLOTS {
                let held: Vec<_> = (0..SLOTS as u64)
                    .map(|number| pool.acquire(one, number).unwrap())
                    .collect();
                let held = &held;
                let race = |by: Party| {
                    move || {
                        barrier.wait();
                        held.iter()
                            .map(|&index| pool.release(by, index))
                            .filter(|released| {
                                assert!(released.is_ok() || *released == Err(GIMMAL_NOT_OUT));
                                released.is_ok()
                            })
                            .count()
                    }
                };
                freed += thread::scope(|scope| {
                    let other = scope.spawn(race(other));
                    race(one)() + other.join().unwrap()
                });
            }
            assert_eq!(freed, ROUNDS, "{first} and {second}");
            assert_eq!(pool.churn(other), SLOTS);
        }
    }
}
