//! Every kernel of every queue runs with every hint and delivers what was sent, in order.

use gimmal_bench::abi::{Pace, Run};
use gimmal_bench::catalog::{Benchmark, CONTROL, QUEUES, REFERENCE};
use gimmal_bench::plan::{self, Group};
use gimmal_bench::registry::Registry;
use gimmal_bench::threads::{allowed_cores, choose_cores, Cell, Crew};
use gimmal_bench::watchdog::Watchdog;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn every_queue_delivers_what_was_sent() {
    let registry = Registry::new();
    let cores = choose_cores(None, &allowed_cores().unwrap(), |_, _| false).unwrap();
    let mut crew = Crew::new(cores, false).unwrap();
    let mut watchdog = Watchdog::new().unwrap();
    // More than the small capacities, so that rings wrap and fill; fewer through two places, where every message waits for a
    // turn of the other thread.
    let messages = |group: &Group| if group.capacity < 64 { 64 } else { 320 };
    const MOST: u64 = 320;
    const BATCH: u64 = 32;
    let stamps = || -> Vec<AtomicU64> { (0..MOST).map(|_| AtomicU64::new(0)).collect() };
    let (samples, arrivals) = (stamps(), stamps());
    // Each direction is tried.
    let pace = |hint: usize| Pace {
        period: 100,
        grain: 10,
        reversed: hint as u64 % 2,
    };
    let mut ran = Vec::new();
    for queue in &QUEUES {
        for group in plan::all_groups() {
            let Some(kernel) = registry.find(queue.id, &group) else {
                continue;
            };
            let mut cell = Cell::new(kernel, group.capacity as usize);
            for hint in 0..kernel.by_hint.len() {
                watchdog.start(&format!("{} in {group} with hint {hint}", queue.id));
                samples
                    .iter()
                    .chain(&arrivals)
                    .for_each(|sample| sample.store(u64::MAX, Ordering::Relaxed));
                let run = match group.benchmark {
                    Benchmark::OneWay => Run::paced(MOST, pace(hint), &samples, &arrivals),
                    _ => Run::new(messages(&group), BATCH, &samples),
                };
                cell.run(&mut crew, hint, &run);
                let wrong = run.wrong_led.load(Ordering::Relaxed)
                    | run.wrong_followed.0.load(Ordering::Relaxed);
                assert_eq!(wrong, 0, "{} in {group} with hint {hint}", queue.id);
                if group.benchmark == Benchmark::OneWay {
                    let kept = |stamp: &AtomicU64| stamp.load(Ordering::Relaxed) != u64::MAX;
                    assert!(samples.iter().all(kept) && arrivals.iter().all(kept));
                } else if group.benchmark.is_time() {
                    assert!(
                        samples[..(messages(&group) / BATCH) as usize]
                            .iter()
                            .all(|sample| sample.load(Ordering::Relaxed) != u64::MAX),
                        "a sample is missing"
                    );
                } else {
                    assert_ne!(
                        run.ticks.load(Ordering::Relaxed),
                        0,
                        "{} in {group}: no time was taken",
                        queue.id
                    );
                }
            }
            ran.push(queue.id);
        }
    }
    for queue in &QUEUES {
        let built = registry.has(queue.id);
        assert_eq!(built, ran.contains(&queue.id), "{}", queue.id);
        assert!(
            built || queue.peer.is_some() || queue.id == "floor",
            "{} has no kernel",
            queue.id
        );
    }
    assert_eq!(registry.has(REFERENCE), registry.has(CONTROL));
}
