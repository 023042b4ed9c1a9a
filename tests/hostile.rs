//! Whatever is written into a ring's memory, before an end is made and while it works: nothing outside is touched, and every call ends.
#![allow(missing_docs)]

#[path = "common/segment.rs"]
mod segment;

use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{pop_bytes, push_bytes, Corrupt, Doubt, Fault, Mapped};
use gimmal::raw::mpsc::ByCell;
use gimmal::raw::{Consumer, Ends, Producer, Tap, Watched};
use proptest::prelude::*;
use segment::{Kind, Memory};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is written: words that an end may take for something, and any others.
fn word() -> impl Strategy<Value = usize> {
    let small = 0..70_usize;
    prop_oneof![
        small.clone(),
        small.clone().prop_map(|back| usize::MAX - back),
        (small.clone(), small.clone()).prop_map(|(cell, place)| cell << 8 | place),
        (small.clone(), small).prop_map(|(cell, place)| (usize::MAX - cell) << 8 | place),
        (0..usize::BITS).prop_map(|bit| 1 << bit),
        any::<usize>(),
    ]
}

/// One thing that happens to a ring.
#[derive(Debug, Clone, Copy)]
enum Step {
    Push,
    Pop,
    PushMany(usize),
    PopMany(usize),
    Ask,
    Tap,
    RecoverProducer,
    RecoverConsumer,
    /// A word of the control block is overwritten.
    Control(usize, usize),
    /// A stamp, or an element's word.
    Slot(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Push),
        4 => Just(Step::Pop),
        1 => (0..200_usize).prop_map(Step::PushMany),
        1 => (0..200_usize).prop_map(Step::PopMany),
        1 => Just(Step::Ask),
        2 => Just(Step::Tap),
        1 => Just(Step::RecoverProducer),
        1 => Just(Step::RecoverConsumer),
        3 => (any::<usize>(), word()).prop_map(|(at, word)| Step::Control(at, word)),
        4 => (any::<usize>(), word()).prop_map(|(at, word)| Step::Slot(at, word)),
    ]
}

const WORD: usize = size_of::<usize>();

/// Overwrites a word of the ring.
fn overwrite(memory: &Memory, offset: usize, word: usize) {
    assert!(offset % WORD == 0 && offset < memory.shape().size());
    // SAFETY: the word is in the ring, aligned, and everybody uses it atomically.
    let place = unsafe { memory.ring().add(offset).cast::<AtomicUsize>().as_ref() };
    place.store(word, Ordering::Relaxed);
}

/// Runs the steps; whether an end was made, and whether one found the ring corrupt.
fn run<K>(memory: &Memory, steps: &[Step]) -> (bool, bool)
where
    K: Kind + Watched<Mapped<K::Geometry>>,
{
    let shape = *memory.shape();
    let mut bytes = vec![0; shape.element_size()];
    let mut tx = memory.producer::<K>();
    let mut rx = memory.consumer::<K>();
    let mut tap = Tap::<_, K>::new(memory.body::<K>());
    let was_made = tx.is_ok() || rx.is_ok();
    let mut was_corrupt = tx.is_err() || rx.is_err();
    let most = shape.count() * shape.per_cell();
    for step in steps {
        match step {
            Step::Push => {
                if let Ok(tx) = &mut tx {
                    // SAFETY: here and below, the bytes are as many as an element's.
                    was_corrupt |= unsafe { push_bytes(tx, &bytes) } == Err(Fault::Corrupt);
                }
            }
            Step::Pop => {
                if let Ok(rx) = &mut rx {
                    // SAFETY: as above.
                    was_corrupt |= unsafe { pop_bytes(rx, &mut bytes) } == Err(Corrupt);
                }
            }
            Step::PushMany(want) => {
                let Ok(tx) = &mut tx else { continue };
                let Ok(runs) = tx.claim_runs(*want) else {
                    continue;
                };
                for run in runs {
                    if run.len > 0 {
                        // SAFETY: a run's first slot is an element's.
                        unsafe { run.first.write_bytes(&bytes) };
                    }
                }
                let count = runs[0].len + runs[1].len;
                assert!(count <= most.min(*want));
                // SAFETY: bytes of a ring are always initialised.
                unsafe { tx.publish_runs(count) };
            }
            Step::PopMany(want) => {
                let Ok(rx) = &mut rx else { continue };
                let Some(runs) = rx.front_runs(*want) else {
                    continue;
                };
                for run in runs {
                    if run.len > 0 {
                        // SAFETY: a run's first slot is an element's.
                        unsafe { run.first.read_bytes(&mut bytes) };
                    }
                }
                let count = runs[0].len + runs[1].len;
                assert!(count <= most.min(*want));
                // SAFETY: they were found just now.
                unsafe { rx.release_runs(count) };
            }
            Step::Ask => {
                let body = memory.body::<K>();
                assert!(K::stored(&body) <= most);
                K::is_full(&body);
                if let Ok(tx) = &tx {
                    assert!(tx.stored() <= most);
                    tx.has_room(most);
                }
                if let Ok(rx) = &rx {
                    assert!(rx.stored() <= most);
                    rx.is_empty();
                    rx.is_closed();
                }
                body.dropped();
            }
            Step::Tap => {
                // SAFETY: as above.
                tap.look(|place| unsafe { place.read_bytes(&mut bytes) });
            }
            Step::RecoverProducer => tx = memory.producer::<K>(),
            Step::RecoverConsumer => rx = memory.consumer::<K>(),
            Step::Control(at, word) => {
                let words = shape.slots_offset() / WORD;
                overwrite(memory, at % words * WORD, *word);
            }
            Step::Slot(at, word) => {
                let words = (shape.size() - shape.slots_offset()) / WORD;
                // Mostly where a stamp is.
                let offset = if at % 4 == 0 {
                    at / 4 % words * WORD
                } else {
                    at / 4 % shape.count() * shape.stride() / WORD * WORD
                };
                overwrite(memory, shape.slots_offset() + offset, *word);
            }
        }
    }
    memory.check_guards();
    (was_made, was_corrupt)
}

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
    static CORRUPT: Cell<usize> = const { Cell::new(0) };
}

/// Cases of each kind of ring: `PROPTEST_CASES=1000000 cargo test --release --test hostile`.
fn attacks<K>(align: usize)
where
    K: Kind + Watched<Mapped<K::Geometry>>,
{
    let counts = prop_oneof![Just(1_usize), Just(2), Just(64), Just(4096)];
    let sizes = prop_oneof![Just(8_usize), Just(16), Just(48), Just(200)];
    let steps = prop::collection::vec(step(), 0..60);
    let case = (sizes, counts, word(), steps);
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&case, |(size, count, start, steps)| {
            let memory = Memory::of::<K>(size.next_multiple_of(align), align, count, start);
            let (was_made, was_corrupt) = run::<K>(&memory, &steps);
            MADE.set(MADE.get() + usize::from(was_made));
            CORRUPT.set(CORRUPT.get() + usize::from(was_corrupt));
            Ok(())
        })
        .unwrap();
    assert!(MADE.get() > 0, "no end was ever made");
    assert!(CORRUPT.get() > 0, "nothing was ever found corrupt");
}

#[test]
fn by_index() {
    attacks::<ByIndex>(8);
}

#[test]
fn by_line() {
    attacks::<ByLine>(8);
}

#[test]
fn with_many_producers() {
    attacks::<ByCell>(8);
}

/// A neighbour who never stops writing.
fn is_written_all_the_time<K>()
where
    K: Kind + Watched<Mapped<K::Geometry>>,
{
    struct Everywhere<'m>(&'m Memory);
    // SAFETY: the ring's words are overwritten atomically.
    unsafe impl Sync for Everywhere<'_> {}

    let memory = Memory::of::<K>(48, 8, 2, 0);
    let stops = AtomicBool::new(false);
    let everywhere = Everywhere(&memory);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let Everywhere(memory) = &everywhere;
            let mut random = 1_usize;
            while !stops.load(Ordering::Relaxed) {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005_u64 as usize)
                    .wrapping_add(1);
                let at = (random >> (usize::BITS / 2)) % (memory.shape().size() / WORD);
                // Small words mostly: they look like indices, cursors and stamps.
                let word = random >> ((random >> 20) % usize::BITS as usize);
                overwrite(memory, at * WORD, word);
            }
        });
        let steps = [
            Step::Push,
            Step::Pop,
            Step::Push,
            Step::Tap,
            Step::PushMany(3),
            Step::PopMany(3),
            Step::Ask,
            Step::RecoverProducer,
            Step::RecoverConsumer,
        ]
        .repeat(20);
        for _ in 0..200 {
            run::<K>(&memory, &steps);
        }
        stops.store(true, Ordering::Relaxed);
    });
    memory.check_guards();
}

#[test]
fn a_neighbour_who_never_stops_writing() {
    is_written_all_the_time::<ByIndex>();
    is_written_all_the_time::<ByLine>();
    is_written_all_the_time::<ByCell>();
}

/// Whatever its header says, memory is taken for a ring only if the ring is wholly in it.
fn states_what_fits<K: Kind>() {
    let memory = Memory::of::<K>(16, 8, 8, 0);
    let bytes = prop::collection::vec((0..36_usize, any::<u8>()), 0..4);
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&bytes, |bytes| {
            let header = memory.ring().cast::<[u8; 36]>();
            // SAFETY: the header is in the ring, and nobody else uses it.
            let sound = unsafe { header.read() };
            for (at, byte) in bytes {
                // SAFETY: as above.
                unsafe { header.cast::<u8>().add(at).write(byte) };
            }
            if let Ok(shape) = memory.attach() {
                assert!(shape.size() <= memory.shape().size());
                assert_eq!(shape.kind(), memory.shape().kind());
                // SAFETY: the shape fits in the memory.
                let body = unsafe { Mapped::new(memory.ring(), K::geometry(&shape)) };
                // SAFETY: there are no other ends.
                let rx = unsafe { K::recover_consumer(body) };
                assert!(rx.is_ok_and(|rx| rx.is_empty() && !rx.body().is_corrupt()));
            }
            // SAFETY: as above.
            unsafe { header.write(sound) };
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_header_of_any_bytes() {
    states_what_fits::<ByIndex>();
    states_what_fits::<ByLine>();
    states_what_fits::<ByCell>();
}
