//! Rings in memory that others can write: messages pass, ends take over, and what no end writes is reported.
#![allow(missing_docs)]

mod common;
#[path = "common/segment.rs"]
mod segment;

use common::Message;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{
    pop, pop_bytes, push, push_bytes, Doubt as _, Fault, Intent, Mapped, Table,
};
use gimmal::raw::mpsc::{self as raw, ByCell, ErasedSingleCells};
use gimmal::raw::{
    Consumer as _, Ends as _, Producer as _, Protocol, Refused, Sight, Tap, Watched,
};
use segment::{Kind, Memory};
use std::ptr::NonNull;

/// Indices, or numbers of cells, at which rings start: cell numbers have 8 bits less than a word, numbers of many producers one less.
const STARTS: [usize; 5] = [
    0,
    usize::MAX - 1,
    usize::MAX >> 8,
    (usize::MAX >> 1) - 1,
    (usize::MAX >> 8) - 70,
];
const COUNTS: [usize; 4] = [1, 2, 64, 4096];

fn for_every_ring(test: impl Fn(usize, usize)) {
    for count in COUNTS {
        for start in STARTS {
            test(count, start);
        }
    }
}

/// Elements of every size, at both ends of one process, in bytes and by their type, with ends that are taken over all the time.
fn passes<K: Kind, const WORDS: usize>(count: usize, start: usize, every: usize) {
    let size = WORDS * 8;
    let memory = Memory::of::<K>(size, 8, count, start);
    let mut tx = memory.producer::<K>().unwrap();
    let mut rx = memory.consumer::<K>().unwrap();
    let [mut sent, mut taken] = [0, 0];
    for round in 0..4 {
        let full = sent + 3 * count as u64;
        while sent < full || round == 3 {
            let message = Message::<WORDS>::new(sent);
            // SAFETY: the elements are messages.
            if unsafe { push(&mut tx, message) } == Err(Fault::Full) {
                break;
            }
            sent += 1;
            if sent % every as u64 == 0 {
                tx = memory.producer::<K>().unwrap();
            }
        }
        assert!(sent - taken >= count as u64, "it holds one in each place");
        // SAFETY: as above.
        while let Some(message) = unsafe { pop::<_, Message<WORDS>>(&mut rx) }.unwrap() {
            message.check(taken);
            taken += 1;
            if taken % every as u64 == 0 {
                rx = memory.consumer::<K>().unwrap();
            }
        }
        assert_eq!(sent, taken);
    }
    memory.check_guards();
}

#[test]
fn messages_pass_while_ends_are_taken_over() {
    for_every_ring(|count, start| {
        // Taking over looks at every cell.
        let often = [1, 2, 3, 7, 100];
        for &every in if count > 64 { &[2999][..] } else { &often } {
            passes::<ByIndex, 1>(count, start, every);
            passes::<ByIndex, 6>(count, start, every);
            passes::<ByLine, 1>(count, start, every);
            passes::<ByLine, 2>(count, start, every);
            passes::<ByLine, 6>(count, start, every);
            passes::<ByCell, 1>(count, start, every);
            passes::<ByCell, 6>(count, start, every);
        }
    });
}

/// What an end and the ring say of its room and its elements, while a ring that is known to be right goes through the same.
fn tells<K: Kind>(count: usize, start: usize) {
    let memory = Memory::of::<K>(8, 8, count, start);
    let body = memory.body::<K>();
    let held = memory.shape().per_cell();
    let mut tx = memory.producer::<K>().unwrap();
    let mut rx = memory.consumer::<K>().unwrap();
    let (mut sent, mut taken) = (0, 0);
    assert_eq!(K::capacity(&body), (count - 1) * held + 1);
    assert_eq!(tx.capacity(), K::capacity(&body));
    assert_eq!(rx.capacity(), K::capacity(&body));
    for step in 0..50 {
        // A cell comes back when all of it is taken.
        let room = (taken / held + count) * held - sent;
        for some in (0..=room + held + 1).step_by(1 + room / 500) {
            assert_eq!(tx.has_room(some), some <= room, "{some} of {room}");
        }
        assert_eq!(K::is_full(&body), room == 0);
        assert_eq!((tx.stored(), rx.stored()), (sent - taken, sent - taken));
        assert_eq!(K::stored(&body), sent - taken);
        assert_eq!(rx.is_empty(), sent == taken);
        if memory.shape().kind() != gimmal::layout::Kind::Mpsc {
            // What is lent changes nothing until it is given back.
            let want = [2, 500, 5][step % 3];
            let rest = |place: usize| if held > 1 { held - place % held } else { room };
            let lent = tx
                .claim_runs(want)
                .map_or(0, |[one, two]| one.len + two.len);
            assert_eq!(lent, want.min(room).min(rest(sent).max(1)));
            let stored = sent - taken;
            let rest = if held > 1 {
                held - taken % held
            } else {
                stored
            };
            let lent = rx
                .front_runs(want)
                .map_or(0, |[one, two]| one.len + two.len);
            assert_eq!(lent, want.min(stored).min(rest));
            assert!(!tx.body().is_corrupt() && !rx.body().is_corrupt());
        }
        for _ in 0..[1, 3, usize::MAX, 2, 7][step % 5].min(room) {
            // SAFETY: here and below, elements are words.
            unsafe { push(&mut tx, sent) }.unwrap();
            sent += 1;
        }
        for _ in 0..[1, 2, 5, usize::MAX][step % 4].min(sent - taken) {
            // SAFETY: as above.
            assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(taken)));
            taken += 1;
        }
    }
    for dropped in 0..3 {
        assert_eq!(body.dropped(), dropped);
        K::count_dropped(&body);
    }
    assert!(!K::is_closed(&body) && !rx.is_closed());
    K::close(&body);
    assert!(K::is_closed(&body) && rx.is_closed());
    // SAFETY: as above.
    assert_eq!(unsafe { push(&mut tx, sent) }, Err(Fault::Closed));
}

#[test]
fn ends_tell_how_much_goes_in_and_is_there() {
    for count in [1, 2, 64] {
        for start in STARTS {
            tells::<ByIndex>(count, start);
            tells::<ByLine>(count, start);
            tells::<ByCell>(count, start);
        }
    }
}

/// Elements of `size` bytes aligned to `align`, whose bytes all differ from their neighbours'.
fn passes_bytes<K: Kind>(size: usize, align: usize) {
    let memory = Memory::of::<K>(size, align, 4, usize::MAX);
    let mut tx = memory.producer::<K>().unwrap();
    let mut rx = memory.consumer::<K>().unwrap();
    for round in 0..100_usize {
        let sent: Vec<u8> = (0..size).map(|at| (round * 31 + at) as u8).collect();
        let mut came = vec![0; size];
        // SAFETY: the elements have `size` bytes.
        unsafe {
            assert!(!pop_bytes(&mut rx, &mut came).unwrap());
            push_bytes(&mut tx, &sent).unwrap();
            assert!(pop_bytes(&mut rx, &mut came).unwrap());
        }
        assert_eq!(came, sent);
    }
    memory.check_guards();
}

#[test]
fn elements_of_every_size_and_alignment_are_copied_whole() {
    for align in [1, 2, 4, 8, 16, 128] {
        for size in (1..200).filter(|size| size % align == 0) {
            passes_bytes::<ByIndex>(size, align);
            passes_bytes::<ByLine>(size, align);
            passes_bytes::<ByCell>(size, align);
        }
    }
}

/// A table's memory.
fn table(producers: usize) -> (Vec<u128>, Table) {
    let size = Table::size(producers).unwrap() + Table::ALIGN;
    let mut memory = vec![0_u128; size.div_ceil(16)];
    let start = memory.as_mut_ptr().cast::<u8>();
    let start = NonNull::new(start.wrapping_add(start.align_offset(Table::ALIGN))).unwrap();
    // SAFETY: zeroed, aligned and as large; the caller keeps it.
    let table = unsafe { Table::new(start, producers) };
    (memory, table)
}

type Declaring = Mapped<ErasedSingleCells, Intent>;

fn declaring(memory: &Memory, table: &Table, producer: usize) -> raw::Producer<Declaring> {
    raw::Producer::enter(
        memory
            .body::<ByCell>()
            .declaring(table.intent(producer).unwrap()),
    )
}

#[test]
fn the_cell_of_a_dead_producer_is_skipped_and_counted() {
    for_every_ring(|count, start| {
        if count == 1 {
            return;
        }
        let memory = Memory::of::<ByCell>(8, 8, count, start);
        let (_kept, table) = table(2);
        let mut dead = declaring(&memory, &table, 0);
        let mut living = declaring(&memory, &table, 1);
        let mut rx = memory.consumer::<ByCell>().unwrap();
        let only_one_lives = |producer| producer == 1;
        for round in 0..2 * count {
            assert!(
                !table.skip_dead(&mut rx, only_one_lives),
                "there is nothing"
            );
            let claim = dead.claim_cell().unwrap();
            // SAFETY: here and below, elements are words.
            unsafe { push(&mut living, round) }.unwrap();
            assert!(!table.skip_dead(&mut rx, |_| true), "it may be slow");
            assert!(!table.skip_dead(&mut rx, |producer| producer == 0));
            drop(claim);
            assert!(table.skip_dead(&mut rx, only_one_lives));
            assert_eq!(table.skipped(), round + 1);
            assert!(
                !table.skip_dead(&mut rx, |_| false),
                "the next is published"
            );
            // SAFETY: as above.
            assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(round)));
            // SAFETY: as above.
            assert_eq!(unsafe { pop::<_, usize>(&mut rx) }, Ok(None));
            dead = declaring(&memory, &table, 0);
        }
    });
}

#[test]
fn who_takes_a_line_over_does_not_stand_for_the_dead() {
    let memory = Memory::of::<ByCell>(8, 8, 4, 0);
    let (_kept, table) = table(1);
    let mut dead = declaring(&memory, &table, 0);
    drop(dead.claim_cell().unwrap());
    let mut successor = declaring(&memory, &table, 0);
    let mut rx = memory.consumer::<ByCell>().unwrap();
    assert!(table.skip_dead(&mut rx, |_| true));
    // SAFETY: here and below, elements are words.
    unsafe { push(&mut successor, 7_usize) }.unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(7_usize)));
    assert!(table.intent(1).is_none(), "there is one line");
}

#[test]
fn a_loser_declares_nothing() {
    let memory = Memory::of::<ByCell>(8, 8, 4, 0);
    let (_kept, table) = table(2);
    let mut winner = declaring(&memory, &table, 0);
    let mut loser = declaring(&memory, &table, 1);
    let claim = winner.claim_cell().unwrap();
    <ByCell as Protocol<_>>::close(&memory.body::<ByCell>());
    assert_eq!(loser.claim_cell().unwrap_err(), Refused::Closed);
    let mut rx = memory.consumer::<ByCell>().unwrap();
    assert!(
        table.skip_dead(&mut rx, |producer| producer == 1),
        "only the dead declares it"
    );
    drop(claim);
}

/// A tap sees what a pair of ends passes, where the consumer follows `lag` elements behind.
fn taps<K: Kind + Watched<Mapped<K::Geometry>>>(count: usize, start: usize, lag: usize) -> usize {
    let memory = Memory::of::<K>(8, 8, count, start);
    let mut tx = memory.producer::<K>().unwrap();
    let mut rx = memory.consumer::<K>().unwrap();
    let mut tap = Tap::<_, K>::new(memory.body::<K>());
    let [mut next, mut seen, mut missed] = [0, 0, 0];
    for sent in 0..5 * count.min(100) {
        // SAFETY: here and below, elements are words.
        unsafe { push(&mut tx, sent) }.unwrap();
        if sent >= lag {
            // SAFETY: as above.
            assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(sent - lag)));
        }
        if sent % 3 == 0 {
            continue;
        }
        loop {
            let mut value = usize::MAX;
            // SAFETY: as above.
            match tap.look(|place| value = unsafe { place.read() }) {
                Sight::Element => {
                    assert_eq!(value, next);
                    next += 1;
                    seen += 1;
                }
                Sight::Missed(some) => {
                    assert!(some > 0);
                    next += some;
                    missed += some;
                }
                Sight::Nothing => break,
            }
            assert!(next <= sent + 1);
        }
        assert_eq!(seen + missed, next);
        assert!(next + 1 >= sent, "nothing is left but what is on its way");
    }
    memory.check_guards();
    missed
}

#[test]
fn a_tap_sees_what_passes() {
    for_every_ring(|count, start| {
        for lag in [0, 1] {
            if count > 2 {
                assert_eq!(taps::<ByIndex>(count, start, lag), 0);
                assert_eq!(taps::<ByLine>(count, start, lag), 0);
            }
        }
        taps::<ByCell>(count, start, 0);
        taps::<ByIndex>(count, start, 0);
        taps::<ByLine>(count, start, 0);
    });
}

#[test]
fn a_tap_that_is_overtaken_says_what_it_missed() {
    let memory = Memory::of::<ByLine>(8, 8, 4, usize::MAX >> 8);
    let mut tx = memory.producer::<ByLine>().unwrap();
    let mut rx = memory.consumer::<ByLine>().unwrap();
    let mut tap = Tap::<_, ByLine>::new(memory.body::<ByLine>());
    for sent in 0..100_usize {
        // SAFETY: here and below, elements are words.
        unsafe { push(&mut tx, sent) }.unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(sent)));
    }
    let mut copied = 0;
    // Element 100 is in the cell of element 98, the 15th; half a lap before that begins with element 84.
    assert_eq!(tap.look(|_| copied += 1), Sight::Missed(84));
    for sent in 84..100_usize {
        let mut value = 0;
        // SAFETY: as above.
        let sight = tap.look(|place| value = unsafe { place.read() });
        assert_eq!((sight, value), (Sight::Element, sent));
    }
    assert_eq!(tap.look(|_| copied += 1), Sight::Nothing);
    assert_eq!(copied, 0);
}

/// What another writes while the tap copies is no element.
#[test]
fn a_copy_that_was_overwritten_does_not_count() {
    for before in 0..3 {
        overwrites::<ByIndex>(before);
        overwrites::<ByLine>(before);
        overwrites::<ByCell>(before);
    }
}

/// While the tap copies, the ends go on: over its element, to just before that, or to two before.
fn overwrites<K: Kind + Watched<Mapped<K::Geometry>>>(before: u64) {
    let memory = Memory::of::<K>(56, 8, 4, 0);
    let mut tx = memory.producer::<K>().unwrap();
    let mut rx = memory.consumer::<K>().unwrap();
    let mut tap = Tap::<_, K>::new(memory.body::<K>());
    let message = Message::<7>::new(0);
    // SAFETY: here and below, elements are messages.
    unsafe { push(&mut tx, message) }.unwrap();
    let sight = tap.look(|_| {
        for sent in 1..=4 - before {
            // SAFETY: as above.
            unsafe { pop::<_, Message<7>>(&mut rx) }.unwrap();
            // SAFETY: as above.
            unsafe { push(&mut tx, Message::<7>::new(sent)) }.unwrap();
        }
    });
    // One before, the producer may be writing already.
    let was_overwritten = before < 2;
    // With many producers a cell that was handed back does not count.
    let is_lost = was_overwritten || memory.shape().kind() == gimmal::layout::Kind::Mpsc;
    assert_eq!(sight == Sight::Element, !is_lost);
}
