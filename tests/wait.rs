//! Waiting, by every strategy and on either kind of ring.
#![allow(missing_docs)]

use gimmal::wait::{At, Backoff, Bell, Deadline, Notify, Sleep, Spin, Wait, Wake, Yield};
use gimmal::{line_ring, Closed, LineRing, PushError, Ring, WaitError};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A deadline that passes at the so many-th look.
struct Looks(u32);

impl Deadline for Looks {
    fn left(&mut self) -> u64 {
        self.0 = self.0.saturating_sub(1);
        u64::from(self.0)
    }
}

fn yields() -> Yield<fn()> {
    Yield::by(std::thread::yield_now)
}

fn naps() -> Sleep<fn(u64)> {
    Sleep::new(|ns| std::thread::sleep(Duration::from_nanos(ns.min(1000))))
}

/// What every strategy does, alone with its ring.
fn behaves(strategy: &mut impl Wait) {
    for start in [0, usize::MAX - 1] {
        let mut ring = Ring::<u32, 2>::new();
        ring.start_at(start);
        let (mut tx, mut rx) = ring.split().unwrap();
        assert_eq!(
            rx.pop_wait_until(strategy, &mut Looks(3)),
            Err(WaitError::TimedOut)
        );
        tx.push_wait(1, strategy).unwrap();
        tx.push_wait(2, strategy).unwrap();
        assert_eq!(
            tx.push_wait_until(3, strategy, &mut Looks(3)),
            Err(PushError::Full(3))
        );
        assert_eq!(rx.pop_wait(strategy), Ok(1));
        tx.push_wait(3, strategy).unwrap();
        tx.close();
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

/// Every element passes, in order, while both ends wait.
fn passes<A: Wait + Send, B: Wait + Send>(make_a: fn() -> A, make_b: fn() -> B) {
    const COUNT: u64 = 20_000;
    macro_rules! through {
        ($ring:expr) => {
            let ring = $ring;
            let (mut tx, mut rx) = ring.split().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    let mut strategy = make_a();
                    for value in 0..COUNT {
                        tx.push_wait(value, &mut strategy).unwrap();
                    }
                    tx.close();
                });
                let mut strategy = make_b();
                for value in 0..COUNT {
                    assert_eq!(rx.pop_wait(&mut strategy), Ok(value));
                }
                assert_eq!(rx.pop_wait(&mut strategy), Err(Closed));
            });
        };
    }
    through!(Ring::<u64, 4>::new());
    through!({
        let mut ring = <line_ring!(u64, 8)>::new();
        ring.start_at(usize::MAX >> 8);
        ring
    });
}

#[test]
fn strategies_wait_time_out_and_end_with_the_close() {
    behaves(&mut Spin);
    behaves(&mut Backoff::default());
    behaves(&mut Backoff::new(0));
    behaves(&mut yields());
    behaves(&mut naps());
}

#[test]
fn elements_pass_while_both_ends_wait() {
    // Both ends yield: with fewer cores than threads, spinning would measure the scheduler.
    passes(yields, yields);
    passes(naps, naps);
    passes(yields, naps);
}

#[test]
fn a_close_ends_every_wait() {
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    std::thread::scope(|scope| {
        let consumer = scope.spawn(move || rx.pop_wait(&mut yields()));
        tx.close();
        assert_eq!(consumer.join().unwrap(), Err(Closed));
    });
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    tx.push(1).unwrap();
    std::thread::scope(|scope| {
        let producer = scope.spawn(move || tx.push_wait(2, &mut yields()));
        rx.close();
        assert_eq!(producer.join().unwrap(), Err(PushError::Closed(2)));
    });
    assert_eq!(ring.view().len(), 1, "what is in the ring stays");
}

/// A deadline that closes the ring when it is asked, and never passes.
struct Closes<F>(F);

impl<F: FnMut()> Deadline for Closes<F> {
    fn left(&mut self) -> u64 {
        (self.0)();
        1
    }
}

#[test]
fn a_close_while_an_end_waits_gives_the_value_back() {
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let close = || ring.view().close();
    assert_eq!(
        rx.pop_wait_until(&mut Backoff::default(), &mut Closes(close)),
        Err(WaitError::Closed)
    );
    let ring = Ring::<u32, 1>::new();
    let (mut tx_full, _rx) = ring.split().unwrap();
    tx_full.push(1).unwrap();
    let close = || ring.view().close();
    assert_eq!(
        tx_full.push_wait_until(2, &mut Backoff::default(), &mut Closes(close)),
        Err(PushError::Closed(2))
    );
    assert_eq!(tx.push(3), Err(PushError::Closed(3)));
}

#[test]
fn a_pop_that_takes_something_wakes_a_producer_that_sleeps() {
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let wakes = AtomicUsize::new(0);
    let wake = Wake::new(|| {
        wakes.fetch_add(1, Ordering::Relaxed);
    });
    let woken = || wakes.load(Ordering::Relaxed);
    tx.push(1).unwrap();
    assert_eq!(rx.pop_notify(&wake), Some(1));
    assert_eq!(woken(), 0, "nobody sleeps");
    tx.push(2).unwrap();
    // In its sleep the producer sees the consumer pop.
    let mut pops = 0;
    let mut sleep = Sleep::new(|_| {
        pops += 1;
        assert_eq!(rx.pop_notify(&wake), Some(2));
        assert_eq!(rx.pop_notify(&wake), None);
    });
    assert_eq!(tx.push_wait(3, &mut sleep), Ok(()));
    assert_eq!((pops, woken()), (1, 1));
    assert_eq!(rx.pop(), Some(3));
}

/// A sleeper looks again after it armed the bell, sleeps for no longer than the deadline allows or 100 ms, and leaves the bell
/// disarmed.
#[test]
fn a_sleeper_arms_looks_again_and_sleeps_within_bounds() {
    let ring = Ring::<u32, 4>::new();
    let (tx, mut rx) = ring.split().unwrap();
    let slept = RefCell::new(Vec::new());
    let woken = Cell::new(0);
    let producer = RefCell::new(tx);
    let wake = Wake::new(|| woken.set(woken.get() + 1));

    producer.borrow_mut().push_notify(1, &wake).unwrap();
    assert_eq!(woken.get(), 0, "nobody sleeps");
    assert_eq!(rx.pop(), Some(1));

    let mut sleep = Sleep::new(|ns| {
        slept.borrow_mut().push(ns);
        producer.borrow_mut().push(2).unwrap();
        producer.borrow_mut().push_notify(3, &wake).unwrap();
        producer.borrow_mut().push_notify(4, &wake).unwrap();
    });
    assert_eq!(rx.pop_wait(&mut sleep), Ok(2));
    assert_eq!(*slept.borrow(), [100_000_000]);
    assert_eq!(
        woken.get(),
        1,
        "one wake for one sleep, none by a plain push"
    );
    assert_eq!((rx.pop(), rx.pop()), (Some(3), Some(4)));
    producer.borrow_mut().push_notify(5, &wake).unwrap();
    assert_eq!(woken.get(), 1, "an awake consumer is not woken");
    assert_eq!(rx.pop(), Some(5));

    let mut now = 0;
    let mut deadline = At::after(250_000_000, move || {
        now += 50_000_000;
        now
    });
    let lengths = RefCell::new(Vec::new());
    let mut sleep = Sleep::new(|ns| lengths.borrow_mut().push(ns));
    assert_eq!(
        rx.pop_wait_until(&mut sleep, &mut deadline),
        Err(WaitError::TimedOut)
    );
    assert_eq!(
        *lengths.borrow(),
        [100_000_000, 100_000_000, 100_000_000, 50_000_000]
    );
}

/// An element that comes between the first look and the arming is seen by the look after it: no sleep, no wake.
#[test]
fn an_element_before_the_arming_is_not_slept_over() {
    let ring = <line_ring!(u32, 4)>::new();
    let (mut tx, rx) = ring.split().unwrap();
    let mut polls = 0;
    let rx = RefCell::new(rx);
    let word = std::sync::atomic::AtomicU32::new(0);
    let mut sleep = Sleep::new(|_| panic!("slept over an element"));
    let found = sleep.wait(Bell::new(&word), &mut gimmal::wait::Never, || {
        polls += 1;
        if polls == 1 {
            let found = rx.borrow_mut().pop();
            tx.push(9).unwrap();
            found
        } else {
            rx.borrow_mut().pop()
        }
    });
    assert_eq!(found, Some(9));
    assert!(!Bell::<gimmal::sync::Native>::new(&word).is_armed());
}

/// Both ends sleep and wake each other; the sleeps are untimed, so that one lost wake hangs the test.
#[test]
fn each_end_wakes_the_other() {
    const COUNT: u64 = 20_000;
    let ring = Ring::<u64, 2>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let consumer = std::thread::current();
    let (ours, theirs) = std::sync::mpsc::channel();
    let forever = || Sleep::new(|_| std::thread::park());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            ours.send(std::thread::current()).unwrap();
            let wake = Wake::new(move || consumer.unpark());
            let mut sleep = forever();
            for value in 0..COUNT {
                tx.push_wait(value, &mut sleep).unwrap();
                tx.notify(&wake);
            }
            tx.close_notify(&wake);
        });
        let producer = theirs.recv().unwrap();
        let wake = Wake::new(move || producer.unpark());
        let mut sleep = forever();
        for value in 0..COUNT {
            assert_eq!(rx.pop_wait(&mut sleep), Ok(value));
            rx.notify(&wake);
        }
        assert_eq!(rx.pop_wait(&mut sleep), Err(Closed));
    });
}

#[test]
fn closing_from_outside_wakes_both_ends() {
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let wakes = AtomicUsize::new(0);
    let wake = Wake::new(|| {
        wakes.fetch_add(1, Ordering::Relaxed);
    });
    let mut sleep = Sleep::new(|_| ring.view().close_notify(&wake));
    assert_eq!(rx.pop_wait(&mut sleep), Err(Closed));
    assert_eq!(wakes.load(Ordering::Relaxed), 1);
    let mut nobody = Sleep::new(|_| panic!("slept at a closed ring"));
    assert_eq!(tx.push_wait(1, &mut nobody), Err(PushError::Closed(1)));
}

/// A ring notifies through whatever wakes: here a list of who was woken.
struct List<'a>(&'a RefCell<VecDeque<bool>>);

impl Notify for List<'_> {
    fn wake(&self, bell: Bell<'_>) {
        self.0.borrow_mut().push_back(bell.is_armed());
    }
}

#[test]
fn a_bell_is_disarmed_before_the_wake() {
    let ring = LineRing::<u32, 2>::new();
    let (tx, mut rx) = ring.split().unwrap();
    let tx = RefCell::new(tx);
    let seen = RefCell::new(VecDeque::new());
    let mut sleep = Sleep::new(|_| {
        tx.borrow_mut().push_notify(1, &List(&seen)).unwrap();
    });
    assert_eq!(rx.pop_wait(&mut sleep), Ok(1));
    assert_eq!(*seen.borrow(), [false]);
}

/// Lets a producer go on when an assertion ends its consumer.
struct Unblock<'a>(&'a AtomicUsize);

impl Drop for Unblock<'_> {
    fn drop(&mut self) {
        self.0.store(usize::MAX, Ordering::Release);
    }
}

/// The producer pushes and closes between the consumer's look at the ring and its look at the close, in some of the rounds.
#[test]
fn what_was_pushed_before_the_close_is_not_left_behind() {
    const ROUNDS: usize = 20_000;
    let rings: Vec<Ring<u32, 2>> = (0..ROUNDS).map(|_| Ring::new()).collect();
    let reached = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (round, ring) in rings.iter().enumerate() {
                let mut tx = ring.view().producer().unwrap();
                while reached.load(Ordering::Acquire) < round + 1 {
                    std::hint::spin_loop();
                }
                tx.push(1).unwrap();
                tx.close();
            }
        });
        let _guard = Unblock(&reached);
        for (round, ring) in rings.iter().enumerate() {
            let mut rx = ring.view().consumer().unwrap();
            reached.store(round + 1, Ordering::Release);
            assert_eq!(rx.pop_wait(&mut yields()), Ok(1), "round {round}");
            assert_eq!(rx.pop_wait(&mut yields()), Err(Closed), "round {round}");
        }
    });
}

#[test]
fn a_ring_keeps_what_was_declared() {
    let word = std::sync::atomic::AtomicU32::new(0);
    let bell: Bell<'_> = Bell::new(&word);
    let woken = Cell::new(0);
    bell.arm_declared(|| ());
    bell.ring(true, || woken.set(woken.get() + 1));
    assert!(woken.get() == 1 && bell.is_declared() && !bell.is_armed());
    bell.arm();
    bell.ring(true, || woken.set(woken.get() + 1));
    assert!(woken.get() == 2 && !bell.is_declared() && !bell.is_armed());
}
