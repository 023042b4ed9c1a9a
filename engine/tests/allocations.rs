//! Nothing is allocated between the start of an engine and its end.

mod common;

use common::{event, within};
use gimmal_engine::{Engine, Idle, Options};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

struct Counting;

/// Calls of the allocator, by any thread.
static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A count that orders nothing.
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // A count that orders nothing.
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The calls while so many events pass through, half of them refused or more.
fn calls(handler: impl FnMut(&gimmal_engine::Evaluated<'_>) + Send) -> usize {
    const EVENTS: u64 = 100_000;
    let engine = Engine::<64>::new();
    thread::scope(|scope| {
        let options = Options::new().idle(Idle::Yield).touch().warm_up(100);
        let (mut submitter, running) = engine.start_in(scope, &options, handler).unwrap();
        // The worker's thread lets go of what starting took before it takes the first event.
        submitter.submit(&event(0), 0).unwrap();
        while running.counters().evaluated == 0 {
            thread::yield_now();
        }
        let before = CALLS.load(Ordering::Relaxed);
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
        let during = CALLS.load(Ordering::Relaxed) - before;
        assert_eq!(running.stop(submitter).counters.evaluated, accepted + 1);
        during
    })
}

/// One test alone in its process, since the count is everybody's.
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
