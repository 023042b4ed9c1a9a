//! Stops at random moments: what was submitted is evaluated.

mod common;

use common::{event, within};
use gimmal_engine::{Engine, Idle, Options, SubmitError};
use std::hint::spin_loop;
use std::thread;

/// How often an engine is stopped.
const STOPS: u64 = 10_000;

/// Lets a random, mostly short time pass.
fn a_while(random: &mut fastrand::Rng) {
    match random.u8(0..8) {
        0 => thread::yield_now(),
        1 => (0..random.u32(0..20_000)).for_each(|_| spin_loop()),
        _ => (0..random.u32(0..200)).for_each(|_| spin_loop()),
    }
}

/// Submits until the engine refuses for good, in a thread, while another asks it to stop. Both sides count for themselves.
fn stop_once<const CAPACITY: usize>(random: &mut fastrand::Rng) {
    let engine = Engine::<CAPACITY>::new();
    // On few cores a worker that spins keeps the others waiting.
    let idle = if random.u8(0..16) == 0 {
        Idle::Spin
    } else {
        Idle::Yield
    };
    let mut evaluated = 0;
    let submitted = thread::scope(|scope| {
        let options = Options::new().idle(idle);
        let (mut submitter, running) = engine
            .start_in(scope, &options, |seen| {
                assert_eq!(seen.result.id, evaluated, "in order, none left out");
                evaluated += 1;
            })
            .unwrap();
        let from_within = random.bool();
        let count = random.u64(0..300);
        let submitting = scope.spawn(move || {
            let mut submitted = 0;
            while !from_within || submitted < count {
                match submitter.submit(&event(submitted), 0) {
                    Ok(()) => submitted += 1,
                    Err(SubmitError::Full) => thread::yield_now(),
                    Err(SubmitError::Stopped) => break,
                }
            }
            submitted
        });
        a_while(random);
        running.request_stop();
        let report = running.join();
        let submitted = submitting.join().unwrap();
        assert_eq!(report.first_panic, None);
        assert_eq!(report.counters.submitted as u64, submitted);
        assert_eq!(report.counters.evaluated as u64, submitted);
        submitted
    });
    assert_eq!(evaluated, submitted);
}

#[test]
fn nothing_submitted_is_lost_at_ten_thousand_random_stops() {
    within(600, || {
        let mut random = fastrand::Rng::with_seed(7);
        for stop in 0..STOPS {
            match stop % 3 {
                0 => stop_once::<1>(&mut random),
                1 => stop_once::<8>(&mut random),
                _ => stop_once::<128>(&mut random),
            }
        }
    });
}
