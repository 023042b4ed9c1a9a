//! Nothing is allocated between the start of an engine and its end.

mod common;

use common::{event, within};
use gimmal_engine::{Engine, Idle, Options};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

struct Counting;

/// Calls of the allocator by the threads that are counted.
static CALLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The two that events pass between; the test's own frame allocates when it likes.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if COUNTED.get() {
        // A count that orders nothing.
        CALLS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: everything is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's word.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The calls while so many events pass through, half of them refused or more.
fn calls(mut handler: impl FnMut(&gimmal_engine::Evaluated<'_>) + Send) -> usize {
    const EVENTS: u64 = 100_000;
    let engine = Engine::<64>::new();
    thread::scope(|scope| {
        let options = Options::new().idle(Idle::Yield).touch().warm_up(100);
        let handler = |evaluated: &gimmal_engine::Evaluated<'_>| {
            handler(evaluated);
            COUNTED.set(true);
        };
        let (mut submitter, running) = engine.start_in(scope, &options, handler).unwrap();
        // The worker is counted from its first event on.
        submitter.submit(&event(0), 0).unwrap();
        while running.counters().evaluated == 0 {
            thread::yield_now();
        }
        let before = CALLS.load(Ordering::Relaxed);
        COUNTED.set(true);
        let mut accepted = 0;
        for id in 0..EVENTS {
            while submitter.submit(&event(id), id).is_err() {
                thread::yield_now();
            }
            accepted += 1;
        }
        while running.counters().evaluated <= accepted {
            thread::yield_now();
        }
        COUNTED.set(false);
        let during = CALLS.load(Ordering::Relaxed) - before;
        assert_eq!(running.stop(submitter).counters.evaluated, accepted + 1);
        during
    })
}

#[test]
fn events_pass_without_an_allocation() {
    within(120, || {
        let mut sum = 0;
        assert_eq!(calls(|evaluated| sum += evaluated.result.score as u64), 0);
        assert_eq!(sum, 950 * 100_001);
        // The control: a handler that allocates is noticed.
        assert!(calls(|evaluated| drop(Box::new(evaluated.result))) >= 200_000);
    });
}
