//! Sleeping on a futex: no wake is lost, within a process and between two, whatever fences.
#![cfg(all(feature = "linux", target_os = "linux"))]
#![allow(missing_docs)]

use gimmal::wait::sleeper::{asleep, Sleeper};
use gimmal::wait::{At, Bell, Deadline, Notify, Park, Sleep, Spin, Wait, Wake, Yield};
use gimmal::{line_ring, Closed, Mpsc, PushError, Ring, WaitError};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Parks, and without a limit: a lost wake is never made good by a look after 100 ms.
struct Untimed(Park);

impl Sleeper for Untimed {
    fn arm(&mut self, bell: Bell<'_>) {
        self.0.arm(bell);
    }

    fn sleep(&mut self, bell: Bell<'_>, _: u64) {
        self.0.sleep(bell, u64::MAX);
    }

    fn disarm(&mut self, bell: Bell<'_>) {
        self.0.disarm(bell);
    }
}

impl Wait for Untimed {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        asleep(self, bell, deadline, poll)
    }
}

/// Rounds of the torture in all: `ROUNDS=10000000 cargo test --release --features linux --test park lost -- --nocapture`.
fn rounds() -> u64 {
    std::env::var("ROUNDS").map_or(100_000, |rounds| {
        rounds.parse().expect("a number of rounds")
    })
}

/// Some delay of up to a microsecond or so, so that the ends meet in every phase.
fn dawdle(state: &mut u64) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    for _ in 0..*state % 64 {
        std::hint::spin_loop();
    }
}

/// Ends the process if `done`, a count of rounds, stands still before it is all ones.
fn watch(done: &AtomicU64) {
    let mut last = 0;
    while last != u64::MAX {
        let moment = Instant::now();
        let mut now = done.load(Ordering::Relaxed);
        while now == last {
            if moment.elapsed() > Duration::from_secs(60) {
                eprintln!("no progress for a minute after {last} rounds: a wake is lost");
                std::process::abort();
            }
            std::thread::sleep(Duration::from_millis(1));
            now = done.load(Ordering::Relaxed);
        }
        last = now;
    }
}

macro_rules! torture {
    ($ring:expr, $rounds:expr, $producer:expr, $consumer:expr) => {{
        let ring = $ring;
        let (mut tx, mut rx) = ring.split().unwrap();
        let done = AtomicU64::new(0);
        let rounds: u64 = $rounds;
        std::thread::scope(|scope| {
            let done = &done;
            scope.spawn(move || {
                let (mut strategy, mut state) = (Untimed($producer), 88_172_645_463_325_252);
                for round in 0..rounds {
                    tx.push_wait(round, &mut strategy).unwrap();
                    tx.notify(&strategy.0);
                    dawdle(&mut state);
                }
                tx.close_notify(&strategy.0);
            });
            scope.spawn(move || {
                let (mut strategy, mut state) = (Untimed($consumer), 362_436_069_521_288_629);
                for round in 0..rounds {
                    assert_eq!(rx.pop_wait(&mut strategy), Ok(round));
                    rx.notify(&strategy.0);
                    dawdle(&mut state);
                    done.store(round + 1, Ordering::Relaxed);
                }
                assert_eq!(rx.pop_wait(&mut strategy), Err(Closed));
                done.store(u64::MAX, Ordering::Relaxed);
            });
            watch(done);
        });
    }};
}

#[test]
fn no_wake_is_lost_in_untimed_waits() {
    let quarter = rounds() / 4;
    let start = Instant::now();
    torture!(Ring::<u64, 1>::new(), quarter, Park::new(), Park::new());
    torture!(
        <line_ring!(u64, 2)>::new(),
        quarter,
        Park::new(),
        Park::new()
    );
    torture!(
        Ring::<u64, 2>::new(),
        quarter,
        Park::shared(),
        Park::shared().fenced()
    );
    torture!(
        <line_ring!(u64, 1)>::new(),
        quarter,
        Park::new().fenced(),
        Park::new()
    );
    println!(
        "{} rounds of untimed waits, no wake lost, {:.1} s",
        4 * quarter,
        start.elapsed().as_secs_f64()
    );
}

/// Producers ring one bell, some with a barrier to rely on and some without; each element is a reason to wake.
fn torture_of_many<const N: usize>(rounds: u64, park: fn() -> Park, notify: [fn() -> Park; 2]) {
    let ring = Mpsc::<u64, N>::new();
    let (tx, mut rx) = ring.split().unwrap();
    let (done, working) = (AtomicU64::new(0), AtomicU64::new(2));
    std::thread::scope(|scope| {
        for (producer, notify) in (1..).zip(notify) {
            let (mut tx, working) = (tx.clone(), &working);
            scope.spawn(move || {
                let (notify, mut state) = (notify(), producer * 88_172_645_463_325_252);
                for round in 0..rounds / 2 {
                    while tx.push_notify(round * 2 + producer % 2, &notify).is_err() {
                        std::thread::yield_now();
                    }
                    dawdle(&mut state);
                }
                if working.fetch_sub(1, Ordering::Relaxed) == 1 {
                    tx.close_notify(&notify);
                }
            });
        }
        let done = &done;
        scope.spawn(move || {
            let (mut strategy, mut state) = (Untimed(park()), 362_436_069_521_288_629);
            let mut next = [0, 1];
            while let Ok(value) = rx.pop_wait(&mut strategy) {
                let next = &mut next[value as usize % 2];
                assert_eq!(value, *next);
                *next += 2;
                dawdle(&mut state);
                done.fetch_add(1, Ordering::Relaxed);
            }
            assert_eq!(next.iter().sum::<u64>(), rounds / 2 * 4 + 1);
            done.store(u64::MAX, Ordering::Relaxed);
        });
        watch(done);
    });
}

#[test]
fn no_wake_of_several_producers_is_lost_in_untimed_waits() {
    let fenced = || Park::new().fenced();
    let quarter = rounds() / 4;
    torture_of_many::<1>(quarter, Park::new, [Park::new; 2]);
    torture_of_many::<2>(quarter, Park::new, [Park::new, fenced]);
    torture_of_many::<4>(quarter, fenced, [Park::new; 2]);
    torture_of_many::<64>(quarter, Park::shared, [Park::shared; 2]);
}

#[test]
fn a_deadline_ends_a_sleep() {
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    for mut park in [Park::new(), Park::shared(), Park::new().fenced()] {
        let start = Instant::now();
        let mut deadline = At::after(3_000_000, || start.elapsed().as_nanos() as u64);
        assert_eq!(
            rx.pop_wait_until(&mut park, &mut deadline),
            Err(WaitError::TimedOut)
        );
        tx.push(1).unwrap();
        let mut deadline = At::after(0, || start.elapsed().as_nanos() as u64);
        assert_eq!(
            tx.push_wait_until(2, &mut park, &mut deadline),
            Err(PushError::Full(2))
        );
        assert_eq!(rx.pop_wait(&mut park), Ok(1));
    }
}

/// A plain push rings no bell, and the sleeper finds it all the same.
#[test]
fn a_push_without_a_bell_is_found_by_the_next_look() {
    let ring = Ring::<u32, 1>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    std::thread::scope(|scope| {
        let consumer = scope.spawn(move || rx.pop_wait(&mut Park::new()));
        std::thread::sleep(Duration::from_millis(20));
        tx.push(7).unwrap();
        assert_eq!(consumer.join().unwrap(), Ok(7));
    });
}

/// While nobody sleeps nobody is woken; what the bell declares stays right as sleepers of different kinds take turns.
#[test]
fn sleepers_of_different_kinds_take_turns_at_a_bell() {
    struct Counted<'a>(&'a Park, &'a AtomicU64);
    impl Notify for Counted<'_> {
        fn wake(&self, bell: Bell<'_>) {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.wake(bell);
        }

        fn is_reached(&self) -> bool {
            self.0.is_reached()
        }
    }

    let ring = <line_ring!(u32, 4)>::new();
    let (mut tx, mut rx) = ring.split().unwrap();
    let wakes = AtomicU64::new(0);
    let park = Park::new();
    let counted = Counted(&park, &wakes);
    rx.declare(&mut Park::new());
    tx.push_notify(1, &counted).unwrap();
    assert_eq!(rx.pop_wait(&mut Park::new()), Ok(1));
    assert_eq!(wakes.load(Ordering::Relaxed), 0);

    // A sleeper that does not declare follows one that did.
    let mut sleep = Sleep::new(|_| tx.push_notify(2, &counted).unwrap());
    assert_eq!(rx.pop_wait(&mut sleep), Ok(2));
    assert_eq!(wakes.load(Ordering::Relaxed), 1);
    let mut none = Sleep::new(|_| panic!("slept over an element"));
    tx.push_notify(3, &Wake::new(|| panic!("woke nobody")))
        .unwrap();
    assert_eq!(rx.pop_wait(&mut none), Ok(3));
    tx.push_wait(4, &mut Spin).unwrap();
    assert_eq!(rx.pop_wait(&mut Yield::new()), Ok(4));
}
