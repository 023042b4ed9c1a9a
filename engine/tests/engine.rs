//! The engine, polled and with a thread.

mod common;

use common::{event, within};
use gimmal::{line_ring, LineRing};
use gimmal_engine::{
    into_ring, Branched, Counters, Engine, Idle, Instrument, Options, Preparation, RiskResult,
    Standard, StartError, SubmitError, Tier,
};
use std::thread;

const YIELDING: Options = Options::new().idle(Idle::Yield);

#[test]
fn a_polled_engine_evaluates_in_order_and_counts() {
    let engine = Engine::<4>::new();
    let (mut submitter, mut worker) = engine.split().unwrap();
    assert!(engine.split().is_err(), "its ends are taken");
    for id in 0..4 {
        assert_eq!(submitter.submit(&event(id), 100 + id), Ok(()));
    }
    assert_eq!(submitter.submit(&event(4), 0), Err(SubmitError::Full));
    let mut seen = Vec::new();
    assert!(worker.step(&mut |evaluated| {
        assert_eq!(*evaluated.event, event(0));
        seen.push((evaluated.result, evaluated.enqueued));
    }));
    let result = RiskResult {
        id: 0,
        score: 950,
        tier: Tier::Critical,
    };
    assert_eq!(seen, [(result, 100)]);
    let mut ids = Vec::new();
    assert_eq!(
        worker.drain(&mut |evaluated| ids.push(evaluated.result.id)),
        3
    );
    assert_eq!(ids, [1, 2, 3]);
    assert!(!worker.step(&mut |_| panic!("nothing is left")));
    let counters = Counters {
        submitted: 4,
        refused: 1,
        evaluated: 4,
        panicked: 0,
    };
    assert_eq!(engine.counters(), counters);
    assert!(!worker.is_done());
    submitter.submit(&event(5), 0).unwrap();
    submitter.stop();
    assert!(!worker.is_done(), "an event is left");
    assert_eq!(worker.drain(&mut |_| ()), 1);
    assert!(worker.is_done());
}

#[test]
fn a_drain_ends_although_events_keep_coming() {
    let engine = Engine::<8>::new();
    let (mut submitter, mut worker) = engine.split().unwrap();
    submitter.submit(&event(0), 0).unwrap();
    let mut again = |_: &gimmal_engine::Evaluated<'_>| submitter.submit(&event(0), 0).unwrap();
    assert_eq!(worker.drain(&mut again), 8);
}

#[test]
fn a_stop_that_was_asked_for_refuses_the_next_event_and_loses_none() {
    let engine = Engine::<4>::new();
    let (mut submitter, mut worker) = engine.split().unwrap();
    submitter.submit(&event(0), 0).unwrap();
    engine.request_stop();
    assert_eq!(worker.drain(&mut |_| ()), 1);
    assert!(!worker.is_done(), "the submitter has not noticed");
    for _ in 0..2 {
        assert_eq!(submitter.submit(&event(1), 0), Err(SubmitError::Stopped));
    }
    assert!(worker.is_done());
    assert_eq!(engine.counters().refused, 2);
    drop((submitter, worker));
    let (mut submitter, worker) = engine.split().unwrap();
    assert_eq!(
        submitter.submit(&event(1), 0),
        Err(SubmitError::Stopped),
        "stopped for good"
    );
    assert!(worker.is_done());
}

#[test]
fn a_thread_evaluates_everything_in_order() {
    within(60, || {
        const EVENTS: u64 = 20_000;
        static ENGINE: Engine<64, Standard, Branched> = Engine::new();
        let mut next = 0;
        let in_order = move |evaluated: &gimmal_engine::Evaluated<'_>| {
            assert_eq!(evaluated.result.id, next);
            assert_eq!(evaluated.event.timestamp, next + 1);
            next += 1;
        };
        let (mut submitter, running) = ENGINE.start(&YIELDING, in_order).unwrap();
        assert!(matches!(
            ENGINE.start(&YIELDING, |_| ()),
            Err(StartError::AlreadySplit)
        ));
        for id in 0..EVENTS {
            while submitter.submit(&event(id), 0).is_err() {
                thread::yield_now();
            }
        }
        let report = running.stop(submitter);
        assert_eq!(report.first_panic, None);
        assert_eq!(report.counters.evaluated as u64, EVENTS);
        assert_eq!(report.counters.submitted as u64, EVENTS);
    });
}

#[test]
fn results_go_to_a_second_ring_which_counts_what_it_drops() {
    within(60, || {
        static ENGINE: Engine<64> = Engine::new();
        static RESULTS: line_ring!(RiskResult, 8) = LineRing::new();
        let (tx, mut results) = RESULTS.split().unwrap();
        let (mut submitter, running) = ENGINE.start(&YIELDING, into_ring(tx)).unwrap();
        for id in 0..50 {
            submitter.submit(&event(id), 0).unwrap();
        }
        let report = running.stop(submitter);
        assert_eq!(report.counters.evaluated, 50);
        drop(report.handler);
        let taken: Vec<u64> = results.drain().map(|result| result.id).collect();
        assert!(taken.len() >= 8, "{}", taken.len());
        assert!(taken.iter().copied().eq(0..taken.len() as u64));
        assert_eq!(results.dropped() + taken.len(), 50);
        assert!(!results.has_producer());
    });
}

#[test]
fn the_counters_can_be_read_while_it_runs() {
    within(60, || {
        let engine = Engine::<16>::new();
        thread::scope(|scope| {
            let (mut submitter, running) = engine.start_in(scope, &YIELDING, |_| ()).unwrap();
            for id in 0..10 {
                submitter.submit(&event(id), 0).unwrap();
            }
            while running.counters().evaluated < 10 {
                thread::yield_now();
            }
            assert!(!running.is_finished());
            assert_eq!(running.counters().submitted, 10);
            running.stop(submitter);
        });
    });
}

#[test]
fn a_preparation_is_seen_by_neither_the_handler_nor_the_counters() {
    let engine = Engine::<32>::new();
    let prepared = Options::new().touch().warm_up(1000);
    let (mut submitter, mut worker) = engine.split_with(&prepared).unwrap();
    assert_eq!(engine.counters(), Counters::default());
    assert!(!worker.step(&mut |_| panic!("there is no event")));
    submitter.submit(&event(1), 0).unwrap();
    assert!(worker.step(&mut |evaluated| assert_eq!(evaluated.result.id, 1)));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_had_is_an_error_and_the_engine_starts_without_it() {
    within(60, || {
        let engine = Engine::<4>::new();
        thread::scope(|scope| {
            for (options, step, words) in [
                (
                    YIELDING.pin(100_000),
                    Preparation::Pin(100_000),
                    "cannot keep the thread on core 100000: error 22; ",
                ),
                (
                    YIELDING.pin(1023),
                    Preparation::Pin(1023),
                    "cannot keep the thread on core 1023: error 22; ",
                ),
                (
                    YIELDING.priority(100),
                    Preparation::Priority(100),
                    "cannot give the thread real-time priority 100: error 22; ",
                ),
            ] {
                let Err(StartError::Prepare(error)) = engine.start_in(scope, &options, |_| ())
                else {
                    panic!("{step:?} was done");
                };
                assert_eq!(error.step, step);
                assert!(error.to_string().starts_with(words), "{error}");
            }
            let (mut submitter, running) = engine
                .start_in(scope, &YIELDING.pin(allowed_core()), |_| {
                    assert_eq!(here(), allowed_core())
                })
                .unwrap();
            submitter.submit(&event(0), 0).unwrap();
            let report = running.stop(submitter);
            assert_eq!((report.counters.evaluated, report.first_panic), (1, None));
        });
    });
}

/// The last core that this process may use.
#[cfg(target_os = "linux")]
fn allowed_core() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    let last = list.trim().rsplit([',', '-']).next().unwrap();
    last.parse().unwrap()
}

/// The core on which the calling thread runs.
#[cfg(target_os = "linux")]
fn here() -> usize {
    // SAFETY: it takes nothing.
    unsafe { libc::sched_getcpu() as usize }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_locked_when_asked_for() {
    let locked = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmLck:"));
        let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
        kilobytes.parse::<usize>().unwrap()
    };
    let mut memory = Box::new_uninit();
    let engine: &mut Engine<1024> = Engine::init(&mut memory);
    let before = locked();
    match engine.split_with(&Options::new().lock_memory()) {
        Ok(_) => assert!(locked() >= before + 64, "{} {before}", locked()),
        Err(StartError::Prepare(error)) => {
            assert!(matches!(error.step, Preparation::Lock(bytes) if bytes >= 65536));
            eprintln!("skipped: {error}");
        }
        Err(other) => panic!("{other}"),
    };
}

#[test]
fn an_instrument_shows_as_its_text() {
    assert_eq!(format!("{:?}", Instrument(*b"MSFT\0\0\0\0")), "\"MSFT\"");
    assert_eq!(
        format!("{:?}", Instrument(*b"A\"\xff12345")),
        "\"A\\\"\u{fffd}12345\""
    );
}
