//! Segments that somebody overwrites, before an end attaches and while it works: whatever stands there, no end crashes, hangs, or writes
//! outside the segment.
//!
//! `GIMMAL_CASES` sets how many in all (100,000 unless set), `GIMMAL_SEED` the seed that a failure prints.

mod common;

use common::{Guard, Scrap};
use fastrand::Rng;
use gimmal::wait::{At, Yield};
use gimmal_shm::kinds::{Index, KindOf, Lanes, Line, Mpsc};
use gimmal_shm::{Fault, Segment};
use std::env;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

type Message = [u64; 2];

/// Where a segment says that it is superseded.
const STATE: usize = 128;

/// What lies behind the segment in its file.
const BEHIND: [u8; 4096] = [0xA5; 4096];

/// A segment with some messages in it, which can be made as it was.
struct Victim {
    file: File,
    image: Vec<u8>,
}

impl Victim {
    fn new<K: KindOf>(segment: impl Fn() -> Segment<K>, path: &str) -> Self {
        let mut tx = segment().producer::<Message>().unwrap();
        let mut rx = segment().consumer::<Message>().unwrap();
        for id in 0..40 {
            tx.push([id, id]).unwrap();
            if id % 3 > 0 {
                assert!(rx.pop().unwrap().is_some());
            }
        }
        drop((tx, rx));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap();
        let image = std::fs::read(path).unwrap();
        file.write_all_at(&BEHIND, image.len() as u64).unwrap();
        Self { file, image }
    }

    fn restore(&self) {
        self.file.write_all_at(&self.image, 0).unwrap();
    }

    fn check_behind(&self) {
        let mut found = [0; BEHIND.len()];
        self.file
            .read_exact_at(&mut found, self.image.len() as u64)
            .unwrap();
        assert!(found == BEHIND, "written behind the segment");
    }

    /// Overwrites one to eight bytes with something that may be taken for a value.
    fn overwrite(&self, rng: &mut Rng) {
        let width = [1, 1, 2, 4, 8, 8][rng.usize(0..6)];
        let at = self.place(rng) / width * width;
        let mut old = [0; 8];
        self.file
            .read_exact_at(&mut old[..width], at as u64)
            .unwrap();
        let old = u64::from_le_bytes(old);
        let new = match rng.u8(0..9) {
            0 => 0,
            1 => u64::MAX,
            2 => old.wrapping_add(1),
            3 => old.wrapping_sub(1),
            4 => old ^ 1 << rng.u32(0..64),
            5 => 1 << rng.u32(0..64),
            6 => old.wrapping_add(256 << rng.u32(0..40)),
            7 => rng.u64(0..300),
            _ => rng.u64(..),
        };
        self.file
            .write_all_at(&new.to_le_bytes()[..width], at as u64)
            .unwrap();
    }

    /// In the header and table, a control block, or a stamp: where lies what is looked at.
    fn place(&self, rng: &mut Rng) -> usize {
        let end = self.image.len() - 8;
        let rings = u64::from_le_bytes(self.image[40..48].try_into().unwrap()) as usize;
        let place = match rng.u8(0..5) {
            0 => rng.usize(0..256),
            // The first ring's places.
            4 => rings + 128 * rng.usize(1..3) + 8 * rng.usize(0..3),
            1 => rng.usize(0..2048.min(end)),
            2 => rng.usize(0..end) / 64 * 64,
            _ => rng.usize(0..end),
        };
        // A segment that says that it is superseded is another test's: here it would be replaced by one that nobody overwrites.
        if place / 8 == STATE / 8 {
            0
        } else {
            place
        }
    }
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().unwrap())
}

/// How often a segment is overwritten after its ends have attached.
const REWRITES: u64 = 4;

/// A quarter of all cases, with segments of one kind; each rewrite is one, of a segment that may have been overwritten before.
fn withstand<K: KindOf>(what: &str, segment: fn(Segment) -> Segment<K>) {
    let cases = number("GIMMAL_CASES").unwrap_or(100_000) / 4 / REWRITES;
    let seed = number("GIMMAL_SEED").unwrap_or_else(|| fastrand::u64(..));
    eprintln!("{what}: GIMMAL_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let _guard = Guard::new(120 + cases / 100);
    let scrap = Scrap::new(what);
    let segment = || segment(scrap.segment());
    let victim = Victim::new(segment, &scrap.path());
    let mut attached = 0;
    for _ in 0..cases {
        victim.restore();
        if rng.bool() {
            (0..rng.u8(1..4)).for_each(|_| victim.overwrite(&mut rng));
        }
        // Where one fails the other may still stand.
        let mut tx = segment().producer::<Message>().ok();
        let mut rx = segment().consumer::<Message>().ok();
        attached += u64::from(tx.is_some() && rx.is_some());
        for _ in 0..REWRITES {
            for id in 0..rng.u64(0..30) {
                if let Some(tx) = &mut tx {
                    let _ = tx.push([id, id]);
                }
            }
            for _ in 0..rng.u8(0..30) {
                if let Some(rx) = &mut rx {
                    let _ = rx.pop();
                }
            }
            if let Some(rx) = &mut rx {
                let _ = (
                    rx.skip_dead(),
                    rx.len(),
                    rx.is_empty(),
                    rx.dropped(),
                    rx.peer(),
                );
            }
            if let Some(tx) = &mut tx {
                let _ = (tx.offer([1, 1]), tx.len(), tx.peer(), tx.is_current());
            }
            if rng.u8(0..8) == 0 {
                look(&segment());
            }
            victim.overwrite(&mut rng);
        }
        drop((tx, rx));
        victim.check_behind();
    }
    assert!(attached > cases / 4, "of {cases} only {attached} attached");
}

/// As the command does.
fn look<K: KindOf>(segment: &Segment<K>) {
    if let Ok(state) = segment.inspect() {
        let _ = (
            state.rings(),
            state.consumer(),
            state.producers(),
            state.skipped(),
        );
    }
}

#[test]
fn rings_by_line_withstand_what_is_written_over_them() {
    withstand("line", |segment| segment.line(20));
}

#[test]
fn rings_by_index_withstand_what_is_written_over_them() {
    withstand("index", |segment| segment.index(16));
}

#[test]
fn lanes_withstand_what_is_written_over_them() {
    withstand("lanes", |segment| segment.lanes(20, 3));
}

#[test]
fn rings_of_many_producers_withstand_what_is_written_over_them() {
    withstand("mpsc", |segment| segment.mpsc(16, 3));
}

/// Both ends work while another thread overwrites the segment as fast as it can.
fn withstand_at_once<K: KindOf>(what: &str, segment: fn(Segment) -> Segment<K>) {
    let _guard = Guard::new(120);
    let scrap = Scrap::new(what);
    let segment = || segment(scrap.segment());
    let victim = Victim::new(segment, &scrap.path());
    let (may_write, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = Rng::new();
            while !is_over.load(Relaxed) {
                if may_write.load(Relaxed) {
                    victim.overwrite(&mut rng);
                }
            }
        });
        let (mut rounds, mut corrupt) = (0, 0);
        // Until some of it was noticed: how much is written depends on the machine.
        while rounds < 200 || corrupt < 10 {
            rounds += 1;
            may_write.store(false, Relaxed);
            victim.restore();
            // A write may still come after the restoring.
            let Ok(mut tx) = segment().producer::<Message>() else {
                continue;
            };
            let Ok(mut rx) = segment().consumer::<Message>() else {
                continue;
            };
            may_write.store(true, Relaxed);
            for id in 0..3000 {
                let _ = tx.push([id, id]);
                corrupt += u32::from(rx.pop() == Err(Fault::Corrupt));
            }
            // A wait ends, too.
            let mut looks = 0;
            let mut soon = At::after(5, || {
                looks += 1;
                looks
            });
            let _ = rx.pop_wait_until(&mut Yield::new(), &mut soon);
        }
        is_over.store(true, Relaxed);
    });
    victim.check_behind();
}

#[test]
fn ends_withstand_what_is_written_while_they_work() {
    withstand_at_once("line", |segment: Segment<Line>| segment.line(20));
    withstand_at_once("index", |segment: Segment<Line>| -> Segment<Index> {
        segment.index(16)
    });
    withstand_at_once("lanes", |segment: Segment<Line>| -> Segment<Lanes> {
        segment.lanes(20, 3)
    });
    withstand_at_once("mpsc", |segment: Segment<Line>| -> Segment<Mpsc> {
        segment.mpsc(16, 3)
    });
}
