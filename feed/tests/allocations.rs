//! What the socket thread allocates, counted by thread: nothing, neither for a message nor to move it into the ring, once buffers have grown.

use gimmal_feed::live;
use gimmal_feed::queue::{Offered, Queue, Size};
use gimmal_feed::simulate::{self, Exchange};
use gimmal_feed::venue::Venue;
use rustix::thread::gettid;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Allocations by the number of the thread that made them, the last digits of it. Statistics: they order nothing.
static COUNTS: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

fn slot(thread: u64) -> &'static AtomicU64 {
    &COUNTS[thread as usize % COUNTS.len()]
}

fn own() -> &'static AtomicU64 {
    slot(gettid().as_raw_pid() as u64)
}

struct Counting;

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        own().fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's word.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        own().fetch_add(1, Ordering::Relaxed);
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
    let before = own().load(Ordering::Relaxed);
    let mut sent = 0;
    for at in 0..1000 {
        sent += u64::from(sender.offer(1, at, &text) == Offered::Sent);
    }
    assert_eq!(own().load(Ordering::Relaxed), before);
    assert!(0 < sent && sent < 1000, "{sent}");
    drop(std::hint::black_box(vec![1]));
    assert_eq!(own().load(Ordering::Relaxed), before + 1, "it counts");
}

/// The allocations so far of this process's thread of that name.
fn of_thread(name: &str) -> Option<u64> {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| {
            let task = task.ok()?;
            let comm = std::fs::read_to_string(task.path().join("comm")).ok()?;
            let number = task.file_name().to_str()?.parse().ok()?;
            (comm.trim() == name).then(|| slot(number).load(Ordering::Relaxed))
        })
        .next()
}

#[test]
fn the_socket_thread_allocates_nothing_for_a_message() {
    let exchange = Exchange::start(simulate::Options {
        rate: Some(5000.0),
        ..simulate::Options::default()
    })
    .unwrap();
    let mut options = live::Options::new(Venue::Spot, exchange.symbols());
    options.stream = exchange.stream_address();
    options.rest = exchange.rest_address();
    options.interval = Duration::from_millis(50);
    // Messages and allocations, once buffers have grown, and later.
    let mut seen = Vec::new();
    let summary = live::run(&options, &mut |report| {
        if report.ring.consumed > 1000 {
            let allocations = of_thread("socket").expect("it runs");
            seen.push((report.ring.produced, allocations));
        }
        if report.ring.consumed > 6000 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(summary.unwrap().report.connections, 1);
    let [(first, before), .., (last, after)] = seen[..] else {
        panic!("two reports at least: {seen:?}");
    };
    let (messages, allocations) = (last - first, after - before);
    println!("{allocations} allocations for {messages} messages");
    assert!(messages > 3000, "{seen:?}");
    assert!(
        allocations < messages / 100,
        "{allocations} for {messages} messages"
    );
}
