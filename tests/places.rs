//! Where ends stand: what they say of it, and what one leaves to the next that is made in its place.
#![allow(missing_docs)]

#[path = "common/segment.rs"]
mod segment;

use gimmal::index::{advance, numbered, numbers_between, NUMBER};
use gimmal::policy::Shared;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{pop, push};
use gimmal::raw::mpsc::ByCell;
use gimmal::raw::{self, Cells, Consumer, Geometry, Producer, Refused, Slots};
use gimmal::{LineRing, Ring};
use segment::Memory;
use std::ptr::NonNull;

/// Just below the wrap of an index, and of a cell's number.
const STARTS: [usize; 4] = [0, usize::MAX - 2, usize::MAX >> 8, (usize::MAX >> 8) - 2];

/// Both ends' places, after so many elements went through a ring that started at `start`.
macro_rules! places {
    ($kind:ty, $count:expr, $start:expr, $place:expr) => {
        let memory = Memory::of::<$kind>(8, 8, $count, $start);
        let mut tx = memory.producer::<$kind>().unwrap();
        let mut rx = memory.consumer::<$kind>().unwrap();
        let place = $place(memory.shape().per_cell());
        for through in 0..60_usize {
            assert_eq!((tx.place(), rx.place()), (place(through), place(through)));
            // SAFETY: here and below, elements are words.
            unsafe { push(&mut tx, through) }.unwrap();
            assert_eq!(
                (tx.place(), rx.place()),
                (place(through + 1), place(through))
            );
            // SAFETY: as above.
            assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(through)));
        }
        // Whoever takes an end over stands where the last one stood.
        assert_eq!(memory.producer::<$kind>().unwrap().place(), place(60));
        assert_eq!(memory.consumer::<$kind>().unwrap().place(), place(60));
    };
}

#[test]
fn ends_say_where_they_stand() {
    for start in STARTS {
        for count in [2, 64] {
            places!(ByIndex, count, start, |_| move |through| {
                start.wrapping_add(through)
            });
            places!(ByLine, count, start, |held| move |through| {
                advance(numbered(start), through, held)
            });
        }
    }
}

#[test]
fn what_is_ahead_by_up_to_half_of_all_numbers_is_ahead() {
    for head in [0, 1, NUMBER - 3, NUMBER] {
        let between = |ahead: usize| numbers_between(head, head.wrapping_add(ahead) & NUMBER);
        assert_eq!(between(NUMBER / 2), NUMBER / 2);
        assert_eq!(between(NUMBER / 2 + 1), 0);
        assert_eq!((between(0), between(1), between(NUMBER)), (0, 1, 0));
    }
}

/// A ring's two ends, each made anew for every call, as the C library makes them.
trait Resumed {
    type Geometry: Geometry + Copy;
    type Producer: Producer<Body = raw::Memory<Self::Geometry, Shared>>;
    type Consumer: Consumer<Body = raw::Memory<Self::Geometry, Shared>>;

    fn producer(&self) -> Self::Producer;
    fn consumer(&self) -> Self::Consumer;

    /// Claims so many slots, or as many as there are in a run, and fills them; how many.
    fn push(&self, first: u64, count: usize) -> usize
    where
        <Self::Producer as Producer>::Body: raw::Body<Slot = NonNull<u8>>,
    {
        let mut tx = self.producer();
        let runs = match tx.claim_runs(count) {
            Ok(runs) => runs,
            Err(Refused::Full) => return 0,
            Err(Refused::Closed) => panic!("nobody closed the ring"),
        };
        let mut value = first;
        for run in runs {
            for at in 0..run.len {
                // SAFETY: claimed slots are free, aligned, and as large as a word.
                unsafe { run.first.cast::<u64>().add(at).write(value) };
                value += 1;
            }
        }
        let pushed = (value - first) as usize;
        // SAFETY: so many were written.
        unsafe { tx.publish_runs(pushed) };
        tx.suspend();
        pushed
    }

    /// Takes so many elements, or as many as there are in a run, and checks them; how many.
    fn pop(&self, first: u64, count: usize) -> usize
    where
        <Self::Consumer as Consumer>::Body: raw::Body<Slot = NonNull<u8>>,
    {
        let mut rx = self.consumer();
        let Some(runs) = rx.front_runs(count) else {
            rx.suspend();
            return 0;
        };
        let mut value = first;
        for run in runs {
            for at in 0..run.len {
                // SAFETY: these slots hold elements.
                let found = unsafe { run.first.cast::<u64>().add(at).read() };
                assert_eq!(found, value);
                value += 1;
            }
        }
        let popped = (value - first) as usize;
        // SAFETY: so many were read.
        unsafe { rx.release_runs(popped) };
        rx.suspend();
        popped
    }
}

macro_rules! resumed {
    ($name:ident, $ring:ty, $protocol:ident, $geometry:ident, $count:ident) => {
        struct $name<const $count: usize>(Box<$ring>);

        impl<const $count: usize> Resumed for $name<$count> {
            type Geometry = $geometry<u64>;
            type Producer = raw::$protocol::Producer<raw::Memory<$geometry<u64>, Shared>>;
            type Consumer = raw::$protocol::Consumer<raw::Memory<$geometry<u64>, Shared>>;

            fn producer(&self) -> Self::Producer {
                // SAFETY: the ring outlives the end, of which there is one at a time; the last one was suspended.
                unsafe {
                    let at = self.0.view().publish();
                    Self::Producer::resume(raw::Memory::new(at, $geometry::new($count)))
                }
            }

            fn consumer(&self) -> Self::Consumer {
                // SAFETY: as for the producer.
                unsafe {
                    let at = self.0.view().publish();
                    Self::Consumer::resume(raw::Memory::new(at, $geometry::new($count)))
                }
            }
        }

        impl<const $count: usize> $name<$count> {
            fn at(start: usize) -> Self {
                let mut ring = Box::new(<$ring>::new());
                ring.start_at(start);
                Self(ring)
            }
        }
    };
}

resumed!(OnIndex, Ring<u64, N>, index, Slots, N);
resumed!(OnLine, LineRing<u64, N>, line, Cells, N);

fn goes_on(ring: &impl Resumed) {
    let (mut sent, mut taken) = (0, 0);
    for step in 0..400 {
        let mut left = [1, 3, 20, 2, 7, 1000][step % 6];
        while left > 0 {
            let pushed = ring.push(sent, left);
            if pushed == 0 {
                break;
            }
            left -= pushed;
            sent += pushed as u64;
        }
        let mut left = [1, 1, 5, 1000, 2][step % 5];
        while left > 0 {
            let popped = ring.pop(taken, left);
            if popped == 0 {
                break;
            }
            left -= popped;
            taken += popped as u64;
        }
        // What is there is what was pushed and not taken, whoever asks.
        let stored = (sent - taken) as usize;
        let ends = (ring.producer().stored(), ring.consumer().stored());
        assert_eq!(ends, (stored, stored));
        assert_eq!(ring.consumer().is_empty(), stored == 0);
    }
    assert!(sent > 100 && taken > 100);
}

#[test]
fn an_end_goes_on_where_the_last_one_was_suspended() {
    for start in STARTS {
        goes_on(&OnIndex::<1>::at(start));
        goes_on(&OnIndex::<2>::at(start));
        goes_on(&OnIndex::<64>::at(start));
        goes_on(&OnLine::<1>::at(start));
        goes_on(&OnLine::<2>::at(start));
        goes_on(&OnLine::<64>::at(start));
    }
}

/// With many producers, places are in the control block alone: an end that is dropped leaves nothing else.
#[test]
fn ends_among_many_producers_leave_nothing() {
    for start in STARTS {
        let memory = Memory::of::<ByCell>(8, 8, 4, start);
        for through in 0..20_usize {
            let mut tx = memory.producer::<ByCell>().unwrap();
            // SAFETY: here and below, elements are words.
            unsafe { push(&mut tx, through) }.unwrap();
            tx.suspend();
            let mut rx = memory.consumer::<ByCell>().unwrap();
            // SAFETY: as above.
            assert_eq!(unsafe { pop(&mut rx) }, Ok(Some(through)));
            rx.suspend();
        }
    }
}
