//! What the sender's end does to a message: no allocation; and the socket thread as a whole, counted by thread.

use gimmal_feed::queue::{Offered, Queue, Size};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() -> u64 {
    COUNT.get()
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's word.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's word.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn offering_allocates_nothing_whether_sent_or_dropped() {
    let queue = Queue::new(Size::K64);
    let (mut sender, _receiver) = queue.split().unwrap();
    let text = [b'x'; 300];
    let before = count();
    let mut sent = 0;
    for at in 0..1000 {
        sent += u64::from(sender.offer(1, at, &text) == Offered::Sent);
    }
    assert_eq!(count(), before);
    assert!(0 < sent && sent < 1000, "{sent}");
    drop(vec![1]);
    assert_eq!(count(), before + 1, "the allocator counts");
}
