//! A sleeper in one language is woken by the other.
#![cfg(target_os = "linux")]

use gimmal::wait::Park;
use gimmal::{line_ring, Closed};
use gimmal_c_tests as _;
use std::ffi::c_void;

const COUNT: u64 = 20_000;

type Ring = line_ring!(u64, 2);
type Consume = unsafe extern "C" fn(*mut c_void, usize, bool) -> u64;
type Produce = unsafe extern "C" fn(*mut c_void, usize, u64, bool) -> bool;

extern "C" {
    fn wait_consume_default(ring: *mut c_void, size: usize, shared: bool) -> u64;
    fn wait_produce_default(ring: *mut c_void, size: usize, count: u64, shared: bool) -> bool;
}
#[cfg(mix_clang)]
extern "C" {
    fn wait_consume_clang(ring: *mut c_void, size: usize, shared: bool) -> u64;
    fn wait_produce_clang(ring: *mut c_void, size: usize, count: u64, shared: bool) -> bool;
}

fn languages() -> Vec<(Consume, Produce)> {
    vec![
        (wait_consume_default, wait_produce_default),
        #[cfg(mix_clang)]
        (wait_consume_clang, wait_produce_clang),
    ]
}

fn park(shared: bool) -> Park {
    if shared {
        Park::shared()
    } else {
        Park::new()
    }
}

/// A ring with its geometry published, and its address for C++.
fn published(ring: &Ring) -> usize {
    ring.view().publish().as_ptr() as usize
}

#[test]
fn rust_wakes_a_consumer_in_cpp_and_sleeps_while_the_ring_is_full() {
    for (consume, _) in languages() {
        for shared in [false, true] {
            let ring = Ring::new();
            let at = published(&ring);
            let sum = std::thread::scope(|scope| {
                let consumer = scope.spawn(move || {
                    // SAFETY: the ring outlives the scope, and nobody else is its consumer.
                    unsafe { consume(at as *mut c_void, size_of::<Ring>(), shared) }
                });
                let mut tx = ring.view().producer().unwrap();
                let mut park = park(shared);
                for value in 1..=COUNT {
                    tx.push_wait(value, &mut park).unwrap();
                    tx.notify(&park);
                }
                tx.close_notify(&park);
                consumer.join().unwrap()
            });
            assert_eq!(sum, COUNT * (COUNT + 1) / 2);
        }
    }
}

#[test]
fn cpp_wakes_a_consumer_in_rust_and_sleeps_while_the_ring_is_full() {
    for (_, produce) in languages() {
        for shared in [false, true] {
            let ring = Ring::new();
            let at = published(&ring);
            std::thread::scope(|scope| {
                let producer = scope.spawn(move || {
                    // SAFETY: the ring outlives the scope, and nobody else is its producer.
                    unsafe { produce(at as *mut c_void, size_of::<Ring>(), COUNT, shared) }
                });
                let mut rx = ring.view().consumer().unwrap();
                let mut park = park(shared);
                rx.declare(&mut park);
                for value in 1..=COUNT {
                    assert_eq!(rx.pop_wait(&mut park), Ok(value));
                    rx.notify(&park);
                }
                assert_eq!(rx.pop_wait(&mut park), Err(Closed));
                assert!(producer.join().unwrap());
            });
        }
    }
}
