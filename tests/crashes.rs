//! Every order of the steps of a few parties, with a death after any step: nothing published is lost, nothing comes twice but what was in flight at
//! the consumer's death, and the ring works on. Each thing that this rests on has a control, which must fail.
#![allow(missing_docs)]

#[path = "common/stepped.rs"]
mod stepped;

use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mpsc::{self, is_declared, ByCell};
use gimmal::raw::{AcquireRelease, Body, Consumer, Producer, Protocol, Refused};
use gimmal::sync::Ordering;
use stepped::{freely, tell, Declares, Event, Loc, Model, Party, Program, Ring, Stepped};

/// The last number of a cell that a stamp can hold, and the last among many producers.
const LAST_CELL: usize = usize::MAX >> 8;
const LAST_NUMBER: usize = usize::MAX >> 1;

/// Pushes so many elements, `first` and on, and gives up after so many refusals.
fn pushes<P: Producer<Body: Elements>>(mut tx: P, first: usize, count: usize, refusals: usize) {
    let mut left = refusals;
    let mut element = first;
    while element < first + count {
        let Ok(slot) = tx.claim() else {
            if left == 0 {
                return;
            }
            left -= 1;
            continue;
        };
        tx.body().write_element(slot, element);
        // SAFETY: the claimed slot was written.
        unsafe { tx.publish() };
        element += 1;
    }
}

/// Takes an element, if there is one.
fn pops_one<C: Consumer<Body: Elements>>(rx: &mut C) -> bool {
    let Some(slot) = rx.front() else {
        return false;
    };
    rx.body().read_element(slot);
    // SAFETY: the front slot was read.
    unsafe { rx.release() };
    true
}

/// Takes elements until nothing was found so often.
fn pops<C: Consumer<Body: Elements>>(mut rx: C, misses: usize) {
    for _ in 0..misses {
        while pops_one(&mut rx) {}
    }
}

/// Where elements are written and read.
trait Elements: Body<Atomics = Stepped, Slot = usize> + Clone + 'static {
    fn write_element(&self, slot: usize, element: usize);
    fn read_element(&self, slot: usize) -> usize;
    /// The element, of which nothing is told.
    fn look_at(&self, slot: usize) -> usize;
}

impl<const COUNT: usize, const PER_CELL: usize, const CHECKED: bool> Elements
    for Ring<COUNT, PER_CELL, CHECKED>
{
    fn write_element(&self, slot: usize, element: usize) {
        self.write(slot, element);
    }

    fn read_element(&self, slot: usize) -> usize {
        self.read(slot)
    }

    fn look_at(&self, slot: usize) -> usize {
        Loc(slot).get()
    }
}

/// How the oldest cell is skipped, if it is stalled.
type Skip<C> = fn(&mut C) -> bool;

/// Takes what is left, then fills and empties the ring once more.
fn works<K, B>(ring: &B, skip: Skip<K::Consumer>) -> bool
where
    B: Elements,
    K: Protocol<B>,
{
    // SAFETY: here and below, all parties are done or dead.
    let Ok(mut rx) = (unsafe { K::recover_consumer(ring.clone()) }) else {
        return false;
    };
    loop {
        if !pops_one(&mut rx) && !skip(&mut rx) {
            break;
        }
    }
    // SAFETY: as above.
    let Ok(mut tx) = (unsafe { K::recover_producer(ring.clone()) }) else {
        return false;
    };
    let mut sent = 0;
    while let Ok(slot) = tx.claim() {
        ring.write_element(slot, 100 + sent);
        // SAFETY: the claimed slot was written.
        unsafe { tx.publish() };
        sent += 1;
    }
    for element in 100..100 + sent {
        let Some(slot) = rx.front() else {
            return false;
        };
        if ring.look_at(slot) != element {
            return false;
        }
        // SAFETY: the front slot was looked at.
        unsafe { rx.release() };
    }
    sent >= tx.capacity() && rx.is_empty()
}

fn never<C>(_: &mut C) -> bool {
    false
}

/// One producer that pushes three elements and one consumer, of which two die, or one twice; who takes over from the consumer stands at its end as `successor` says.
fn takes_over<K, const COUNT: usize, const PER_CELL: usize>(
    by_index: bool,
    start: usize,
    successor: fn(Ring<COUNT, PER_CELL>),
) -> Result<usize, String>
where
    K: Protocol<Ring<COUNT, PER_CELL>> + 'static,
{
    let ring = Ring::<COUNT, PER_CELL>::new();
    let producing = |first, count| -> Program {
        let ring = ring.clone();
        Box::new(move || {
            // SAFETY: the only producer that lives.
            match unsafe { K::recover_producer(ring.clone()) } {
                Ok(tx) => pushes(tx, first, count, 1),
                Err(_) => tell(Event::Corrupt),
            }
        })
    };
    let consuming = |stand: fn(Ring<COUNT, PER_CELL>)| -> Program {
        let ring = ring.clone();
        Box::new(move || stand(ring.clone()))
    };
    let producer = Party {
        lives: vec![
            vec![producing(1, 3)],
            vec![producing(11, 1)],
            vec![producing(21, 1)],
        ],
        life: None,
        is_consumer: false,
    };
    let consumer = Party {
        lives: vec![
            vec![consuming(recovers::<K, COUNT, PER_CELL>)],
            vec![consuming(successor)],
            vec![consuming(successor)],
        ],
        life: None,
        is_consumer: true,
    };
    Model {
        by_index,
        parties: vec![producer, consumer],
        deaths: 2,
        // SAFETY: there are no ends yet.
        prepare: &|| unsafe { K::start_at(&ring, start) },
        settle: &|| works::<K, _>(&ring, never),
        ring: ring.clone(),
    }
    .explore()
}

fn recovers<K, const COUNT: usize, const PER_CELL: usize>(ring: Ring<COUNT, PER_CELL>)
where
    K: Protocol<Ring<COUNT, PER_CELL>>,
{
    // SAFETY: the only consumer that lives.
    match unsafe { K::recover_consumer(ring) } {
        Ok(rx) => pops(rx, 2),
        Err(_) => tell(Event::Corrupt),
    }
}

/// Wrong: stands at `head`, whatever the stamps say, so that a hand-back may stay missing.
fn trusts_head<K, const COUNT: usize, const PER_CELL: usize>(ring: Ring<COUNT, PER_CELL>)
where
    K: Protocol<Ring<COUNT, PER_CELL, false>>,
{
    // SAFETY: the only consumer that lives.
    let rx = unsafe { K::consumer(ring.declaring(Declares::Never)) };
    pops(rx, 2);
}

fn explored(what: &str, states: Result<usize, String>) {
    let states = states.unwrap_or_else(|events| panic!("{what}: {events}"));
    println!("{what}: {states} states");
}

#[test]
fn ends_take_over_by_index() {
    for start in [0, usize::MAX] {
        let states = takes_over::<ByIndex, 1, 1>(true, start, recovers::<ByIndex, 1, 1>);
        explored("by index, 1 slot", states);
        let states = takes_over::<ByIndex, 2, 1>(true, start, recovers::<ByIndex, 2, 1>);
        explored("by index, 2 slots", states);
    }
}

#[test]
fn ends_take_over_by_line() {
    for start in [0, LAST_CELL] {
        let states = takes_over::<ByLine, 1, 1>(false, start, recovers::<ByLine, 1, 1>);
        explored("by line, 1 cell of 1", states);
        let states = takes_over::<ByLine, 1, 2>(false, start, recovers::<ByLine, 1, 2>);
        explored("by line, 1 cell of 2", states);
        let states = takes_over::<ByLine, 2, 1>(false, start, recovers::<ByLine, 2, 1>);
        explored("by line, 2 cells of 1", states);
        let states = takes_over::<ByLine, 2, 2>(false, start, recovers::<ByLine, 2, 2>);
        explored("by line, 2 cells of 2", states);
    }
}

#[test]
fn a_successor_that_trusts_head_is_caught() {
    takes_over::<ByLine, 2, 1>(false, 0, trusts_head::<ByLine, 2, 1>).unwrap_err();
    takes_over::<ByLine, 2, 2>(false, 0, trusts_head::<ByLine, 2, 2>).unwrap_err();
    takes_over::<ByCell, 2, 1>(false, 0, trusts_head::<ByCell, 2, 1>).unwrap_err();
}

/// What is done at a stalled cell.
type Skipper<const COUNT: usize> = fn(&mut mpsc::Consumer<Ring<COUNT, 1>>) -> bool;

fn is_declared_by_living<const COUNT: usize>(ring: &Ring<COUNT, 1>, cursor: usize) -> bool {
    is_declared::<AcquireRelease, _>(ring.intents(), cursor, |producer| {
        ring.life(producer).get() != 0
    })
}

fn skips<const COUNT: usize>(rx: &mut mpsc::Consumer<Ring<COUNT, 1>>) -> bool {
    let ring = rx.body().clone();
    rx.skip_abandoned(|cursor| is_declared_by_living(&ring, cursor))
}

/// Wrong: does not look at the stamp again after the declarations.
fn skips_at_once<const COUNT: usize>(rx: &mut mpsc::Consumer<Ring<COUNT, 1>>) -> bool {
    let ring = rx.body().clone();
    let Some(stalled) = rx.stalled() else {
        return false;
    };
    if is_declared_by_living(&ring, gimmal::index::numbered(stalled.number)) {
        return false;
    }
    // SAFETY: none: it is the control.
    unsafe { rx.release() };
    true
}

/// Two producers of these elements, and a consumer, of which so many die. The first producer's line, and the consumer's end, are taken over.
fn skipping<const COUNT: usize>(
    start: usize,
    elements: [&[usize]; 2],
    deaths: usize,
    declares: fn(usize) -> Declares,
    skip: Skipper<COUNT>,
) -> Result<usize, String> {
    let ring = Ring::<COUNT, 1>::new();
    let pushing = |producer: usize, elements: &[usize]| -> Vec<Program> {
        let push = |&element| -> Program {
            let ring: Ring<COUNT, 1> = ring.declaring(declares(producer));
            Box::new(move || pushes(mpsc::Producer::enter(ring.clone()), element, 1, 0))
        };
        elements.iter().map(push).collect()
    };
    let taking_a_line_over = |producer: usize| -> Program {
        let ring = ring.clone();
        Box::new(move || {
            ring.life(producer).set(1, Ordering::Release);
            mpsc::withdraw::<AcquireRelease>(&ring.intents()[producer]);
        })
    };
    let recovering = || -> Program {
        let ring = ring.clone();
        Box::new(move || {
            // SAFETY: here and below, the only consumer that lives.
            if unsafe { mpsc::Consumer::recover(ring.clone()) }.is_err() {
                tell(Event::Corrupt);
            }
        })
    };
    let popping = |times: usize| -> Vec<Program> {
        let pop = || -> Program {
            let ring = ring.clone();
            Box::new(move || {
                // SAFETY: as above, and the consumer has recovered.
                let mut rx = unsafe { mpsc::Consumer::enter(ring.clone()) };
                if !pops_one(&mut rx) {
                    skip(&mut rx);
                }
            })
        };
        std::iter::once(recovering())
            .chain((0..times).map(|_| pop()))
            .collect()
    };
    let mut successor = pushing(0, &[11]);
    successor.insert(0, taking_a_line_over(0));
    let parties = vec![
        Party {
            lives: vec![pushing(0, elements[0]), successor],
            life: Some(ring.life(0)),
            is_consumer: false,
        },
        Party {
            lives: vec![pushing(1, elements[1])],
            life: Some(ring.life(1)),
            is_consumer: false,
        },
        Party {
            lives: vec![popping(2), popping(1)],
            life: None,
            is_consumer: true,
        },
    ];
    Model {
        by_index: false,
        parties,
        deaths,
        // SAFETY: there are no ends yet.
        prepare: &|| unsafe { <ByCell as Protocol<_>>::start_at(&ring, start) },
        settle: &|| works::<ByCell, _>(&ring, skips),
        ring: ring.clone(),
    }
    .explore()
}

#[test]
fn the_cells_of_dead_producers_are_skipped() {
    for start in [0, LAST_NUMBER] {
        let states = skipping::<2>(start, [&[1], &[21]], 1, Declares::BeforeClaim, skips);
        explored("2 cells, one dies", states);
    }
    let states = skipping::<1>(0, [&[1], &[21]], 2, Declares::BeforeClaim, skips);
    explored("1 cell, two die", states);
}

#[test]
fn an_intent_after_the_claim_is_caught() {
    skipping::<2>(0, [&[1], &[21]], 1, Declares::AfterClaim, skips).unwrap_err();
}

#[test]
fn a_skip_without_a_second_look_is_caught() {
    skipping::<2>(0, [&[1], &[21]], 1, Declares::BeforeClaim, skips_at_once).unwrap_err();
}

#[test]
fn a_claim_ends_though_others_always_win() {
    let ring: Ring<2, 1> = Ring::<2, 1>::new().declaring(Declares::Loses);
    freely(ring.memory(|| {}), || {
        let mut tx = mpsc::Producer::enter(ring.clone());
        assert_eq!(tx.claim(), Err(Refused::Full));
    });
}
