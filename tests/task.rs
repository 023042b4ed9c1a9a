//! Waiting in tasks: no wake is lost, and nothing is when a future is dropped.
#![allow(missing_docs)]

use gimmal::wait::{Bell, Notify, TaskBell};
use gimmal::{line_ring, Closed, PushError, Ring};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker};

/// Whether a task was woken since it last looked.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        // Pairs with the Acquire swap in `block_on`.
        self.0.store(true, Ordering::Release);
    }
}

/// An executor of atomics, which ThreadSanitizer sees, as it does not see into the library's locks.
fn block_on<F: Future>(future: F) -> F::Output {
    let woken = Arc::new(Woken::default());
    let waker = Arc::clone(&woken).into();
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        while !woken.0.swap(false, Ordering::Acquire) {
            std::thread::yield_now();
        }
    }
}

/// Counts how often it was woken.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_task_is_woken_by_a_notifying_push_and_by_no_other() {
    let ring = Ring::<u32, 2>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let bell = TaskBell::new();
    let counter = Arc::new(Counter::default());
    let waker = counter.clone().into();
    let mut context = Context::from_waker(&waker);
    let woken = || counter.0.load(Ordering::Relaxed);

    let mut pop = pin!(rx.pop_async(&bell));
    assert_eq!(pop.as_mut().poll(&mut context), Poll::Pending);
    tx.push(1).unwrap();
    assert_eq!(woken(), 0);
    tx.push_notify(2, &bell).unwrap();
    assert_eq!(woken(), 1);
    assert_eq!(pop.as_mut().poll(&mut context), Poll::Ready(Ok(1)));
    tx.push_notify(3, &bell).unwrap();
    assert_eq!(woken(), 1, "nobody waits");
    drop(tx);
    assert_eq!(rx.drain().collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_future_dropped_takes_nothing_and_a_value_dropped_is_dropped_once() {
    let ring = Ring::<Arc<()>, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let bell = TaskBell::new();
    let waker = Arc::new(Counter::default()).into();
    let mut context = Context::from_waker(&waker);
    assert!(pin!(rx.pop_async(&bell)).poll(&mut context).is_pending());
    let value = Arc::new(());
    tx.push_notify(value.clone(), &bell).unwrap();
    {
        let mut push = pin!(tx.push_async(value.clone(), &bell));
        assert!(push.as_mut().poll(&mut context).is_pending());
        assert_eq!(Arc::strong_count(&value), 3);
    }
    assert_eq!(Arc::strong_count(&value), 2);
    assert!(block_on(rx.pop_async(&bell)).is_ok());
    assert_eq!(Arc::strong_count(&value), 1);
    rx.close();
    let refused = block_on(tx.push_async(value.clone(), &bell));
    assert!(matches!(refused, Err(PushError::Closed(_))));
}

/// Calls something while a task leaves its waker: when that is cloned.
struct Meanwhile<'a> {
    call: &'a dyn Fn(),
    woken: AtomicUsize,
}

impl Meanwhile<'_> {
    const TABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            // SAFETY: the pointer is to a `Meanwhile` that outlives its wakers.
            (unsafe { &*data.cast::<Meanwhile<'_>>() }.call)();
            RawWaker::new(data, &Meanwhile::TABLE)
        },
        Meanwhile::wake,
        Meanwhile::wake,
        |_| {},
    );

    fn wake(data: *const ()) {
        // SAFETY: the pointer is to a `Meanwhile` that outlives its wakers.
        let this = unsafe { &*data.cast::<Meanwhile<'_>>() };
        this.woken.fetch_add(1, Ordering::Relaxed);
    }

    /// Polls a pop from an empty ring, and tells how often its task was woken.
    fn polls(call: &dyn Fn(), bell: &TaskBell) -> usize {
        let ring = Ring::<u32, 2>::new();
        let mut rx = ring.view().consumer().unwrap();
        let this = Meanwhile {
            call,
            woken: AtomicUsize::new(0),
        };
        // SAFETY: the table's functions take a pointer to a `Meanwhile`, which outlives the waker and the bell's copy of it.
        let waker =
            unsafe { Waker::from_raw(RawWaker::new((&raw const this).cast(), &Self::TABLE)) };
        let poll = pin!(rx.pop_async(bell)).poll(&mut Context::from_waker(&waker));
        assert_eq!(poll, Poll::Pending);
        // What the bell still has of the waker goes, while what it points to lives.
        bell.wake(Bell::new(&AtomicU32::new(0)));
        this.woken.load(Ordering::Relaxed)
    }
}

#[test]
fn a_wake_while_a_task_leaves_its_waker_is_not_lost() {
    let bell = TaskBell::new();
    // The last wake finds the waker.
    assert_eq!(Meanwhile::polls(&|| {}, &bell), 1);
    let wake = || bell.wake(Bell::new(&AtomicU32::new(0)));
    // The first wake is left to the task itself, which then has left no waker.
    assert_eq!(Meanwhile::polls(&wake, &bell), 1);
    // So is the first of several.
    let twice = || {
        wake();
        wake();
    };
    assert_eq!(Meanwhile::polls(&twice, &bell), 1);
    // And the bell is as before.
    assert_eq!(Meanwhile::polls(&|| {}, &bell), 1);
}

#[test]
fn tasks_at_both_ends_wake_each_other() {
    const COUNT: u64 = 50_000;
    let ring = <line_ring!(u64, 2)>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let (filled, emptied) = (TaskBell::new(), TaskBell::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            block_on(async {
                for value in 0..COUNT {
                    tx.push_async(value, &emptied).await.unwrap();
                    tx.notify(&filled);
                }
                tx.close_notify(&filled);
            });
        });
        block_on(async {
            for value in 0..COUNT {
                assert_eq!(rx.pop_async(&filled).await, Ok(value));
                rx.notify(&emptied);
            }
            assert_eq!(rx.pop_async(&filled).await, Err(Closed));
        });
    });
}
