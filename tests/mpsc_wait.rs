//! Waiting at a ring of many producers: every strategy, several who notify, and the close.
#![allow(missing_docs)]

use gimmal::wait::{Adaptive, Backoff, Deadline, Sleep, Spin, Wait, Wake, Yield};
use gimmal::{Closed, Mpsc, PushError, WaitError};
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::thread::{current, park, scope, yield_now};
use std::time::{Duration, Instant};

/// Just below the wrap of cell numbers, and zero.
const STARTS: [usize; 2] = [0, usize::MAX / 2];

const PRODUCERS: u64 = 3;
const MESSAGES: u64 = if cfg!(miri) { 50 } else { 10_000 };

/// A deadline that passes at the so many-th look.
struct Looks(u32);

impl Deadline for Looks {
    fn left(&mut self) -> u64 {
        self.0 = self.0.saturating_sub(1);
        u64::from(self.0)
    }
}

fn yields() -> Yield<fn()> {
    Yield::by(yield_now)
}

fn naps() -> Sleep<fn(u64)> {
    Sleep::new(|ns| std::thread::sleep(Duration::from_nanos(ns.min(1000))))
}

fn adaptive() -> impl Wait + Send {
    let start = Instant::now();
    Adaptive::new(50, move || start.elapsed().as_nanos() as u64, naps())
}

/// What every strategy does, alone with its ring.
fn behaves(strategy: &mut impl Wait) {
    for start in STARTS {
        let mut ring = Mpsc::<u32, 2>::new();
        ring.start_at(start);
        let (mut tx, mut rx) = ring.split().unwrap();
        rx.declare(strategy);
        assert_eq!(
            rx.pop_wait_until(strategy, &mut Looks(3)),
            Err(WaitError::TimedOut)
        );
        let mut other = tx.clone();
        tx.push_wait(1, strategy).unwrap();
        other.push_wait(2, strategy).unwrap();
        for tx in [&mut tx, &mut other] {
            assert_eq!(
                tx.push_wait_until(3, strategy, &mut Looks(3)),
                Err(PushError::Full(3))
            );
        }
        assert_eq!(rx.pop_wait(strategy), Ok(1));
        other.push_wait(3, strategy).unwrap();
        other.close();
        assert_eq!(tx.push_wait(4, strategy), Err(PushError::Closed(4)));
        assert_eq!(rx.pop_wait(strategy), Ok(2));
        assert_eq!(rx.pop_wait(strategy), Ok(3));
        assert_eq!(rx.pop_wait(strategy), Err(Closed));
        assert_eq!(
            rx.pop_wait_until(strategy, &mut Looks(3)),
            Err(WaitError::Closed)
        );
    }
}

#[test]
fn strategies_wait_time_out_and_end_with_the_close() {
    behaves(&mut Spin);
    behaves(&mut Backoff::default());
    behaves(&mut yields());
    behaves(&mut naps());
    behaves(&mut adaptive());
}

#[cfg(all(feature = "linux", target_os = "linux"))]
#[test]
fn parking_waits_times_out_and_ends_with_the_close() {
    use gimmal::wait::Park;
    behaves(&mut Park::new());
    behaves(&mut Park::shared());
    behaves(&mut Park::new().fenced());
}

/// Takes what `PRODUCERS` producers push, each its own number beside its count, until the close.
fn take_all(mut take: impl FnMut() -> Result<(u64, u64), Closed>) {
    let mut next = [0; PRODUCERS as usize];
    while let Ok((producer, count)) = take() {
        assert_eq!(count, next[producer as usize], "producer {producer}");
        next[producer as usize] += 1;
    }
    assert_eq!(next, [MESSAGES; PRODUCERS as usize]);
}

/// Everything passes while all of them wait, each producer's in order; the last of them closes.
fn passes<A: Wait, B: Wait>(make_a: fn() -> A, make_b: fn() -> B) {
    for start in STARTS {
        let mut ring = Mpsc::<(u64, u64), 4>::new();
        ring.start_at(start);
        let (tx, mut rx) = ring.split().unwrap();
        let working = AtomicU64::new(PRODUCERS);
        scope(|scope| {
            for producer in 0..PRODUCERS {
                let (mut tx, working) = (tx.clone(), &working);
                scope.spawn(move || {
                    let mut strategy = make_a();
                    for count in 0..MESSAGES {
                        tx.push_wait((producer, count), &mut strategy).unwrap();
                    }
                    if working.fetch_sub(1, AcqRel) == 1 {
                        tx.close();
                    }
                });
            }
            let mut strategy = make_b();
            take_all(|| rx.pop_wait(&mut strategy));
        });
        // ThreadSanitizer does not see the end of the scope, after which the place of all this is used again.
        assert_eq!(working.load(Acquire), 0);
    }
}

#[test]
fn elements_pass_while_all_ends_wait() {
    passes(yields, yields);
    passes(yields, naps);
    passes(naps, yields);
    passes(yields, adaptive);
}

/// The consumer's sleeps are untimed, so that one lost wake hangs the test.
#[test]
fn each_of_several_producers_wakes_the_consumer() {
    let ring = Mpsc::<(u64, u64), 4>::new();
    let (tx, mut rx) = ring.split().unwrap();
    let consumer = current();
    let (working, sleeps) = (AtomicU64::new(PRODUCERS), AtomicUsize::new(0));
    scope(|scope| {
        for producer in 0..PRODUCERS {
            let (mut tx, working, consumer) = (tx.clone(), &working, consumer.clone());
            scope.spawn(move || {
                let wake = Wake::new(|| consumer.unpark());
                for count in 0..MESSAGES {
                    while tx.push_notify((producer, count), &wake).is_err() {
                        yield_now();
                    }
                    // The consumer finds the ring empty now and then.
                    if count % 3 == producer {
                        yield_now();
                    }
                }
                if working.fetch_sub(1, Relaxed) == 1 {
                    tx.close_notify(&wake);
                }
            });
        }
        let mut sleep = Sleep::new(|_| {
            sleeps.fetch_add(1, Relaxed);
            park();
        });
        take_all(|| rx.pop_wait(&mut sleep));
    });
    assert!(sleeps.load(Relaxed) > 0, "the consumer never slept");
}

/// A close from anywhere ends an untimed sleep: a producer's, the consumer's, and a view's.
#[test]
fn a_close_wakes_whoever_sleeps() {
    let ring = Mpsc::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let wakes = AtomicUsize::new(0);
    let wake = Wake::new(|| {
        wakes.fetch_add(1, Relaxed);
    });
    let mut sleep = Sleep::new(|_| tx.close_notify(&wake));
    assert_eq!(rx.pop_wait(&mut sleep), Err(Closed));
    assert_eq!(wakes.load(Relaxed), 1, "once: no producer slept");

    let ring = Mpsc::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    tx.push(1).unwrap();
    let mut sleep = Sleep::new(|_| rx.close_notify(&wake));
    assert_eq!(tx.push_wait(2, &mut sleep), Err(PushError::Closed(2)));
    assert_eq!(wakes.load(Relaxed), 2);
    let mut nobody = Sleep::new(|_| panic!("slept at a closed ring"));
    assert_eq!(rx.pop_wait(&mut nobody), Ok(1));
    assert_eq!(rx.pop_wait(&mut nobody), Err(Closed));
}

/// A push that is under way keeps the consumer from believing that nothing is left, and no producer from being refused.
#[test]
fn a_close_while_a_push_is_under_way_is_waited_out_by_the_consumer_alone() {
    use gimmal::policy::Shared;
    use gimmal::raw::{Memory, SingleCells};
    let ring = Mpsc::<u32, 2>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    // SAFETY: the ring outlives its users here, and its geometry is this.
    let memory = unsafe { Memory::new(ring.view().publish(), SingleCells::<u32>::new(2)) };
    let mut slow = gimmal::raw::mpsc::Producer::<Memory<_, Shared>>::enter(memory);
    let claim = slow.claim_cell().unwrap();
    tx.close();
    assert_eq!(
        tx.push_wait_until(2, &mut yields(), &mut Looks(9)),
        Err(PushError::Closed(2))
    );
    assert_eq!(
        rx.pop_wait_until(&mut yields(), &mut Looks(9)),
        Err(WaitError::TimedOut)
    );
    // SAFETY: a claimed slot is free, aligned and as large as its element; it is written, then published.
    unsafe {
        slow.slot(&claim).cast::<u32>().write(1);
        slow.publish_cell(claim);
    }
    assert_eq!(rx.pop_wait(&mut yields()), Ok(1));
    assert_eq!(rx.pop_wait(&mut yields()), Err(Closed));
}
