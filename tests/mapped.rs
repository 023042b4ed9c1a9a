//! Rings in memory that others can write: messages pass, ends take over, and what no end writes is reported.
#![allow(missing_docs)]

mod common;
#[path = "common/segment.rs"]
mod segment;

use common::Message;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{pop, pop_bytes, push, push_bytes, Fault};
use gimmal::raw::mpsc::ByCell;
use segment::{Kind, Memory};

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
