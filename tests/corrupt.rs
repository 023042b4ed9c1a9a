//! What an end of a checked ring takes for possible, word by word: everything else is reported.
#![allow(missing_docs)]

#[path = "common/segment.rs"]
mod segment;

use gimmal::index::{cell_mask, stamp, CELL, NUMBER};
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{pop, push, Corrupt, Doubt, Fault};
use gimmal::raw::mpsc::ByCell;
use gimmal::raw::{Body, Consumer, LineBody, Producer};
use segment::{Kind, Memory};
use std::sync::atomic::Ordering;

const CELLS: usize = 4;
/// Elements of 8 bytes in a cell.
const HELD: usize = 7;
/// Numbers of cells at which rings start.
const STARTS: [usize; 3] = [0, usize::MAX >> 8, (usize::MAX >> 8) - 2];

/// The cells, near and far laps and every count: as stamps that the cell of number `cell` may show, and what else there is.
fn stamps(cell: usize) -> impl Iterator<Item = usize> {
    let laps = [-4, -2, -1, 0, 1, 2, 5].into_iter();
    laps.flat_map(move |lap: isize| {
        let other = cell.wrapping_add_signed(lap * CELLS as isize) << 8;
        let counts = (0..256).map(move |count| stamp(other, cell_mask(CELLS)) | count);
        // Bits that no stamp has.
        counts.chain([other | CELL, other | CELL << 1])
    })
    .filter(move |word| word & cell_mask(CELLS) == 0 || word & cell_mask(CELLS) & !(cell << 8) != 0)
}

fn write_stamp<K: Kind>(memory: &Memory, cell: usize, word: usize)
where
    gimmal::raw::mapped::Mapped<K::Geometry>: LineBody<Atomics = gimmal::sync::Native>,
{
    let body = memory.body::<K>();
    body.stamp(body.cell(cell << 8))
        .store(word, Ordering::Relaxed);
}

fn pops<C>(rx: &mut C) -> Result<Option<usize>, Corrupt>
where
    C: Consumer<Body: Body<Slot = gimmal::raw::mapped::Place> + Doubt>,
{
    // SAFETY: the elements are words.
    unsafe { pop(rx) }
}

fn pushes<P>(tx: &mut P, word: usize) -> Result<(), Fault>
where
    P: Producer<Body: Body<Slot = gimmal::raw::mapped::Place> + Doubt>,
{
    // SAFETY: the elements are words.
    unsafe { push(tx, word) }
}

#[test]
fn stamps_at_a_consumer_by_line() {
    for start in STARTS {
        for taken in 0..HELD {
            for word in stamps(start) {
                let memory = Memory::of::<ByLine>(8, 8, CELLS, start);
                let mut tx = memory.producer::<ByLine>().unwrap();
                let mut rx = memory.consumer::<ByLine>().unwrap();
                for element in 0..taken {
                    pushes(&mut tx, element).unwrap();
                    assert_eq!(pops(&mut rx), Ok(Some(element)));
                }
                write_stamp::<ByLine>(&memory, start, word);
                let own = stamp(start << 8, cell_mask(CELLS));
                let came = pops(&mut rx).map(|element| element.is_some());
                if (own + taken..=own + HELD).contains(&word) {
                    assert_eq!(came, Ok(word > own + taken));
                } else {
                    assert_eq!(came, Err(Corrupt), "{word:#x} at {start:#x}, {taken}");
                }
            }
        }
    }
}

#[test]
fn stamps_at_a_producer_by_line() {
    for start in STARTS {
        for word in stamps(start) {
            let memory = Memory::of::<ByLine>(8, 8, CELLS, start);
            let mut tx = memory.producer::<ByLine>().unwrap();
            write_stamp::<ByLine>(&memory, start, word);
            let mask = cell_mask(CELLS);
            let lap_before = start.wrapping_sub(CELLS) << 8;
            let expected = if word == stamp(start << 8, mask) {
                Ok(())
            } else if word == stamp(lap_before, mask) + HELD {
                Err(Fault::Full)
            } else {
                Err(Fault::Corrupt)
            };
            assert_eq!(pushes(&mut tx, 0), expected, "{word:#x} at {start:#x}");
        }
    }
}

#[test]
fn stamps_with_many_producers() {
    for start in STARTS {
        for word in stamps(start) {
            let memory = Memory::of::<ByCell>(8, 8, CELLS, start);
            let mut tx = memory.producer::<ByCell>().unwrap();
            let mut rx = memory.consumer::<ByCell>().unwrap();
            write_stamp::<ByCell>(&memory, start, word);
            let mask = cell_mask(CELLS);
            let [own, before] =
                [start, start.wrapping_sub(CELLS)].map(|cell| stamp(cell << 8, mask));
            let came = pops(&mut rx).map(|element| element.is_some());
            let expected = match word {
                _ if word == own => Ok(false),
                _ if word == own + 1 => Ok(true),
                _ => Err(Corrupt),
            };
            assert_eq!(came, expected, "{word:#x} at {start:#x}");
            write_stamp::<ByCell>(&memory, start, word);
            let expected = match word {
                _ if word == own => Ok(()),
                _ if word == before || word == before + 1 => Err(Fault::Full),
                _ => Err(Fault::Corrupt),
            };
            assert_eq!(pushes(&mut tx, 0), expected, "{word:#x} at {start:#x}");
        }
    }
}

/// Words near `start`, and far.
fn around(start: usize) -> impl Iterator<Item = usize> {
    let near = (0..20).map(move |off| start.wrapping_sub(10).wrapping_add(off));
    near.chain((0..usize::BITS).map(move |bit| start ^ 1 << bit))
}

#[test]
fn indices() {
    for start in [0, usize::MAX, usize::MAX - 2] {
        for word in around(start) {
            let memory = Memory::of::<ByIndex>(8, 8, CELLS, start);
            let mut rx = memory.consumer::<ByIndex>().unwrap();
            let body = memory.body::<ByIndex>();
            body.producer().tail.store(word, Ordering::Relaxed);
            let ahead = word.wrapping_sub(start);
            let came = pops(&mut rx).map(|element| element.is_some());
            let is_possible = ahead <= CELLS;
            let expected = if is_possible {
                Ok(ahead > 0)
            } else {
                Err(Corrupt)
            };
            assert_eq!(came, expected, "tail {word:#x}, head {start:#x}");

            let memory = Memory::of::<ByIndex>(8, 8, CELLS, start);
            let mut tx = memory.producer::<ByIndex>().unwrap();
            for element in 0..CELLS {
                pushes(&mut tx, element).unwrap();
            }
            let body = memory.body::<ByIndex>();
            body.consumer().head.store(word, Ordering::Relaxed);
            let expected = match start.wrapping_add(CELLS).wrapping_sub(word) {
                CELLS => Err(Fault::Full),
                left if left < CELLS => Ok(()),
                _ => Err(Fault::Corrupt),
            };
            assert_eq!(
                pushes(&mut tx, 0),
                expected,
                "head {word:#x} after {start:#x}"
            );

            let is_possible = start.wrapping_add(CELLS).wrapping_sub(word) <= CELLS;
            body.producer()
                .tail
                .store(start.wrapping_add(CELLS), Ordering::Relaxed);
            body.consumer().head.store(word, Ordering::Relaxed);
            assert_eq!(memory.producer::<ByIndex>().is_ok(), is_possible);
            assert_eq!(memory.consumer::<ByIndex>().is_ok(), is_possible);
        }
    }
}

/// One stamp of a ring that has gone on by a cell and a half is another.
#[test]
fn stamps_that_do_not_fit_together() {
    let mask = cell_mask(CELLS);
    for start in STARTS {
        for cell in 0..CELLS {
            let number = start.wrapping_add(cell);
            // A cursor is no stamp.
            let with_place = number << 8;
            for word in stamps(number).chain([with_place]) {
                let memory = Memory::of::<ByLine>(8, 8, CELLS, start);
                let mut tx = memory.producer::<ByLine>().unwrap();
                let mut rx = memory.consumer::<ByLine>().unwrap();
                for element in 0..HELD + 3 {
                    pushes(&mut tx, element).unwrap();
                    pops(&mut rx).unwrap();
                }
                write_stamp::<ByLine>(&memory, number, word);
                let own = [number, number.wrapping_add(CELLS)].map(|at| stamp(at << 8, mask));
                let is_sound = match cell {
                    // Handed back, the producer's, and not yet reached.
                    0 => word == own[1],
                    1 => (own[0]..=own[0] + HELD).contains(&word),
                    _ => word == own[0],
                };
                if is_sound {
                    assert!(memory.consumer::<ByLine>().is_ok());
                    assert!(memory.producer::<ByLine>().is_ok());
                }
                let count = word & 0xff;
                let lap = stamp(word, CELL - 1);
                let is_near = own.contains(&lap) || cell == 0 && lap == own[0];
                let is_stamp = count <= HELD && word & mask == 0;
                if !is_stamp {
                    assert_eq!(memory.producer::<ByLine>().err(), Some(Corrupt));
                }
                if !is_stamp || !is_near {
                    assert_eq!(memory.consumer::<ByLine>().err(), Some(Corrupt));
                }
            }
        }
    }
}

/// A consumer does not take its place from `head` unless that is in the oldest cell, where elements are.
#[test]
fn a_head_that_cannot_be() {
    for start in STARTS {
        for word in around(start << 8).chain((0..256).map(|place| start << 8 | place)) {
            let memory = Memory::of::<ByLine>(8, 8, CELLS, start);
            let mut tx = memory.producer::<ByLine>().unwrap();
            for element in 0..3 {
                pushes(&mut tx, element).unwrap();
            }
            let body = memory.body::<ByLine>();
            body.consumer().head.store(word, Ordering::Relaxed);
            let mut rx = memory.consumer::<ByLine>().unwrap();
            let taken = word.wrapping_sub(start << 8);
            let first = if taken <= 3 { taken } else { 0 };
            for element in first..3 {
                assert_eq!(pops(&mut rx), Ok(Some(element)), "head {word:#x}");
            }
            assert_eq!(pops(&mut rx), Ok(None));
        }
    }
}

/// The last consumer went on, but the cell that it had emptied was not handed back.
#[test]
fn a_missing_hand_back_is_made_up_for() {
    for start in STARTS {
        empties_a_cell::<ByLine>(start, HELD, start.wrapping_add(1) << 8);
    }
    for start in [0, NUMBER, NUMBER - 2] {
        empties_a_cell::<ByCell>(start, 1, start.wrapping_add(1) & NUMBER);
    }
}

fn empties_a_cell<K: Kind>(start: usize, held: usize, head: usize) {
    let memory = Memory::of::<K>(8, 8, CELLS, start);
    let mut tx = memory.producer::<K>().unwrap();
    for element in 0..=held {
        pushes(&mut tx, element).unwrap();
    }
    let body = memory.body::<K>();
    body.consumer().head.store(head, Ordering::Relaxed);
    let mut rx = memory.consumer::<K>().unwrap();
    assert_eq!(pops(&mut rx), Ok(Some(held)), "only the next cell is left");
    assert_eq!(pops(&mut rx), Ok(None));
    for element in 0..rx.capacity() {
        pushes(&mut tx, element).unwrap();
    }
}

/// With many producers `tail` must be within a ring of the consumer's cell.
#[test]
fn a_tail_that_cannot_be() {
    for start in [0, NUMBER, NUMBER - 2] {
        for word in around(start) {
            let memory = Memory::of::<ByCell>(8, 8, CELLS, start);
            let body = memory.body::<ByCell>();
            body.producer().tail.store(word, Ordering::Relaxed);
            // The upper bits are `tail`'s own.
            let ahead = word.wrapping_sub(start) << 8 >> 8;
            assert_eq!(memory.consumer::<ByCell>().is_ok(), ahead <= CELLS);
        }
    }
}
