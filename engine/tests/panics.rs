//! A handler that panics. Alone in its process, since it silences all panics.

mod common;

use common::{event, within};
use gimmal_engine::{Engine, Idle, Options};
use std::thread;

/// A payload that panics again when it is dropped.
struct DropsBadly;

impl Drop for DropsBadly {
    fn drop(&mut self) {
        panic!("badly");
    }
}

#[test]
fn a_handler_that_panics_loses_no_other_event() {
    within(60, || {
        const EVENTS: u64 = 1000;
        std::panic::set_hook(Box::new(|_| ()));
        let engine = Engine::<16>::new();
        let mut seen = Vec::new();
        let report = thread::scope(|scope| {
            let options = Options::new().idle(Idle::Yield);
            let (mut submitter, running) = engine
                .start_in(scope, &options, |evaluated| match evaluated.result.id {
                    id if id % 10 == 3 => panic!("not {id}"),
                    id if id % 10 == 7 => std::panic::panic_any(DropsBadly),
                    id => seen.push(id),
                })
                .unwrap();
            for id in 0..EVENTS {
                while submitter.submit(&event(id), 0).is_err() {
                    thread::yield_now();
                }
            }
            let report = running.stop(submitter);
            (report.counters, report.first_panic)
        });
        let _ = std::panic::take_hook();
        let (counters, first_panic) = report;
        assert_eq!(counters.evaluated as u64, EVENTS);
        assert_eq!(counters.panicked as u64, EVENTS / 5);
        assert_eq!(first_panic.as_deref(), Some("not 3"));
        let others = (0..EVENTS).filter(|id| ![3, 7].contains(&(id % 10)));
        assert!(seen.into_iter().eq(others));
    });
}
