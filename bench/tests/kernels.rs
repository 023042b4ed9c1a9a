//! Every kernel of every queue runs with every hint and delivers what was sent, in order.

use gimmal_bench::abi::{Pace, Run};
use gimmal_bench::catalog::{
    self, Benchmark, Deviation, Queue, BLOCK, CONTROL, FLOOR, QUEUES, REFERENCE,
};
use gimmal_bench::machine;
use gimmal_bench::plan::{self, Group};
use gimmal_bench::registry::Registry;
use gimmal_bench::study::mpsc;
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

/// Whether a queue should have a kernel for a benchmark.
fn takes_part(queue: &Queue, benchmark: Benchmark) -> bool {
    let has = |deviation| queue.deviations.contains(&deviation);
    if has(Deviation::BatchesAlone) {
        return benchmark == Benchmark::BulkThroughput;
    }
    let finds_nothing = !queue
        .deviations
        .iter()
        .any(|each| each.never_finds_nothing());
    match queue.id {
        FLOOR => false,
        BLOCK => benchmark.has_block(),
        _ => finds_nothing || benchmark != Benchmark::PopEmpty,
    }
}

#[test]
fn the_catalog_and_the_kernels_are_complete() {
    let registry = Registry::new();
    let peers = machine::peers().unwrap();
    for queue in QUEUES.iter().filter(|queue| !queue.variant) {
        if let Some(peer) = queue.peer {
            let listed = peers.iter().find(|listed| listed.id == peer);
            let found = listed
                .unwrap_or_else(|| panic!("{peer} is not in the list of peers"))
                .found;
            assert_eq!(registry.has(queue.id), found, "{}", queue.id);
        }
        for group in plan::all_groups().iter().filter(|_| registry.has(queue.id)) {
            let kernel = registry.find(queue.id, group);
            let wanted = takes_part(queue, group.benchmark);
            assert_eq!(kernel.is_some(), wanted, "{} in {group}", queue.id);
            if let (Some(kernel), "boost-fixed" | "atomic_queue" | "atomic_queue-optimist") =
                (kernel, queue.id)
            {
                assert!(queue.deviations.contains(&Deviation::ConstantCapacity));
                assert_eq!(kernel.capacity, group.capacity, "{} in {group}", queue.id);
            }
        }
    }
    for queue in registry.queues() {
        let is_probe = queue.starts_with("floor-");
        assert!(
            is_probe || catalog::find(queue).is_some() || mpsc::is_measured(queue),
            "{queue} is not in the catalog"
        );
    }
    for peer in peers.iter().filter(|peer| peer.found) {
        let version = peer.version.as_deref();
        assert!(
            version.is_some_and(|version| !version.is_empty()),
            "{} has no version",
            peer.id
        );
        assert!(peer.from.is_some(), "{} comes from nowhere", peer.id);
    }
}
