//! What rings, pools and their ends tell of themselves, and what errors say.
#![allow(missing_docs)]

use gimmal::error::{AlreadySplit, AttachError, Closed, Corrupt, Exhausted, PushError};
use gimmal::error::{ReserveError, WaitError};
use gimmal::layout::Control;
use gimmal::raw::mapped::Fault;
use gimmal::shape::ShapeError;
use gimmal::{cells, LineRing, Mpsc, Pool, Ring};
use std::error::Error;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

/// What cannot be printed.
struct Silent(#[allow(dead_code)] u64);

#[test]
fn an_error_says_what_was_wrong_and_with_what() {
    let element = AttachError::Element {
        size: 24,
        log2_align: 3,
    };
    let machine = AttachError::Machine {
        word_size: 4,
        log2_line: 6,
    };
    let slots = AttachError::Slots {
        count: 17,
        stride: 40,
    };
    let small = AttachError::TooSmall {
        needed: 640,
        given: 128,
    };
    let large = ReserveError::TooLarge {
        asked: 9,
        capacity: 8,
    };
    let said: [(Box<dyn Error>, &[&str]); 26] = [
        (Box::new(PushError::Full(1)), &["ring", "full"]),
        (Box::new(PushError::Closed(1)), &["ring is closed"]),
        (Box::new(ReserveError::Full), &["slots", "free"]),
        (Box::new(large), &["9 slots", "8"]),
        (Box::new(AlreadySplit), &["claimed already", "drop"]),
        (Box::new(Closed), &["closed and empty"]),
        (Box::new(WaitError::TimedOut), &["empty", "deadline"]),
        (Box::new(Corrupt), &["contradict"]),
        (Box::new(Exhausted(1)), &["pool"]),
        (Box::new(Fault::Full), &["full"]),
        (Box::new(AttachError::Misaligned), &["aligned"]),
        (Box::new(small), &["640", "128"]),
        (Box::new(AttachError::Uninitialised), &["published"]),
        (
            Box::new(AttachError::NotARing { magic: 0xabc }),
            &["0x00000abc"],
        ),
        (Box::new(AttachError::Version(9)), &["version 9"]),
        (Box::new(machine), &["4 bytes", "2^6"]),
        (Box::new(AttachError::WrongKind(1)), &["by index"]),
        (Box::new(AttachError::WrongKind(2)), &["by line"]),
        (Box::new(AttachError::WrongKind(3)), &["many producers"]),
        (Box::new(AttachError::WrongKind(6)), &["a pool"]),
        (Box::new(AttachError::WrongKind(77)), &["kind 77"]),
        (Box::new(element), &["24 bytes", "2^3"]),
        (Box::new(slots), &["17 slots", "40 bytes"]),
        (Box::new(ShapeError::Element), &["element's size"]),
        (Box::new(ShapeError::Capacity), &["capacity"]),
        (Box::new(ShapeError::Overflow), &["larger than memory"]),
    ];
    for (error, words) in &said {
        let text = error.to_string();
        for word in *words {
            assert!(text.contains(word), "{text:?} says nothing of {word:?}");
        }
    }
    // The same fault is named alike by whoever meets it.
    let same = |one: &dyn Error, other: &dyn Error| assert_eq!(one.to_string(), other.to_string());
    same(&ReserveError::Closed, &PushError::Closed(()));
    same(&Fault::Closed, &PushError::Closed(()));
    same(&WaitError::Closed, &Closed);
    same(&Fault::Corrupt, &Corrupt);
    same(&Fault::Full, &PushError::Full(()));
}

#[test]
fn an_error_prints_whatever_it_holds() {
    assert_eq!(format!("{:?}", PushError::Full(Silent(1))), "Full(..)");
    assert_eq!(format!("{:?}", PushError::Closed(Silent(1))), "Closed(..)");
    assert_eq!(format!("{:?}", Exhausted(Silent(1))), "Exhausted(..)");
}

#[test]
fn rings_print_what_they_hold() {
    macro_rules! prints {
        ($ring:expr, $name:literal) => {
            let ring = $ring;
            let (mut tx, rx) = ring.split().unwrap();
            assert!(tx.push(Silent(1)).is_ok() && tx.push(Silent(1)).is_ok());
            while tx.push(Silent(1)).is_ok() {}
            assert!(!tx.offer(Silent(1)));
            tx.close();
            let text = format!("{ring:?}");
            let held = format!("len: {},", rx.len());
            for told in [$name, held.as_str(), "dropped: 1,", "closed: true"] {
                assert!(text.contains(told), "{text} says nothing of {told}");
            }
            let view = format!("{:?}", ring.view());
            assert!(view.contains("View"), "{view}");
        };
    }
    prints!(Ring::<Silent, 4>::default(), "Ring");
    prints!(LineRing::<Silent, 2>::default(), "LineRing");
    prints!(Mpsc::<Silent, 4>::default(), "Mpsc");
}

#[test]
fn pools_print_how_many_slots_are_free() {
    let pool = Pool::<u32, 4>::default();
    let held = pool.insert(7).unwrap();
    let text = format!("{pool:?}");
    assert!(
        text.contains("available: 3") && text.contains("capacity: 4"),
        "{text}"
    );
    assert_eq!(format!("{held:?}"), "7");
    let vacant = format!("{:?}", pool.acquire().unwrap());
    assert!(vacant.starts_with("Vacant"), "{vacant}");
    let owner = format!("{:?}", pool.owner().unwrap());
    assert!(owner.starts_with("Owner"), "{owner}");
}

#[test]
fn a_consumer_tells_when_its_ring_is_full() {
    macro_rules! tells {
        ($ring:expr, $capacity:expr) => {
            let mut ring = $ring;
            ring.start_at(usize::MAX >> 9);
            let (mut tx, mut rx) = ring.split().unwrap();
            assert_eq!(rx.capacity(), $capacity);
            assert_eq!(ring.view().capacity(), $capacity);
            for turn in 0..3 {
                let mut held = 0;
                assert!(!rx.is_full() && rx.is_empty() && ring.view().is_empty());
                while tx.push(turn).is_ok() {
                    held += 1;
                    assert_eq!(rx.is_full(), held >= $capacity);
                    assert_eq!((rx.len(), ring.view().len()), (held, held));
                    assert!(!ring.view().is_empty());
                }
                assert!(ring.view().is_full());
                while rx.pop().is_some() {
                    held -= 1;
                    assert_eq!(rx.is_full(), held >= $capacity);
                }
            }
        };
    }
    tells!(Ring::<u64, 1>::new(), 1);
    tells!(Ring::<u64, 8>::new(), 8);
    tells!(LineRing::<u64, 4>::new(), 22);
    tells!(LineRing::<u64, 1>::new(), 1);
    tells!(Mpsc::<u64, 8>::new(), 8);
}

#[test]
fn a_view_closes_its_ring_and_tells() {
    macro_rules! closes {
        ($ring:expr) => {
            let ring = $ring;
            let (mut tx, mut rx) = ring.split().unwrap();
            assert!(!ring.view().is_closed() && !rx.is_closed());
            tx.push(1).unwrap();
            ring.view().close();
            assert!(ring.view().is_closed() && rx.is_closed());
            assert_eq!(tx.push(2), Err(PushError::Closed(2)));
            assert!(!tx.offer(3) && !tx.offer(4));
            assert_eq!((ring.view().dropped(), rx.dropped()), (2, 2));
            assert_eq!((rx.pop(), rx.pop()), (Some(1), None));
        };
    }
    closes!(Ring::<u64, 4>::new());
    closes!(LineRing::<u64, 4>::new());
    closes!(Mpsc::<u64, 4>::new());
}

/// Where there is no exchange, ends are claimed by who claims alone: each once, and again after it was given up.
#[test]
fn ends_are_claimed_alone() {
    macro_rules! alone {
        ($ring:expr) => {
            let ring = $ring;
            // SAFETY: this thread alone claims ends of the ring.
            unsafe {
                let mut tx = ring.view().producer_alone().unwrap();
                assert_eq!(ring.view().producer_alone().err(), Some(AlreadySplit));
                assert_eq!(ring.view().producer().err(), Some(AlreadySplit));
                let mut rx = ring.view().consumer_alone().unwrap();
                assert_eq!(ring.view().consumer_alone().err(), Some(AlreadySplit));
                assert_eq!(ring.view().consumer().err(), Some(AlreadySplit));
                assert!(tx.has_consumer() && rx.has_producer());
                tx.push(5).unwrap();
                drop(tx);
                assert!(!rx.has_producer());
                let mut tx = ring.view().producer_alone().unwrap();
                tx.push(6).unwrap();
                assert_eq!((rx.pop(), rx.pop()), (Some(5), Some(6)));
                drop(rx);
                assert!(!tx.has_consumer());
                assert!(ring.view().consumer_alone().is_ok());
            }
        };
    }
    alone!(Ring::<u32, 2>::new());
    alone!(LineRing::<u32, 2>::new());
}

/// Tests of the wrap rest on this: a ring starts where it is told to.
#[test]
fn both_ends_start_where_they_are_told_to() {
    macro_rules! starts {
        ($ring:expr, $number:expr, $place:expr) => {
            let mut ring = $ring;
            ring.start_at($number);
            // SAFETY: a ring begins with its control block, which is all atomics.
            let control = unsafe { ring.view().publish().cast::<Control>().as_ref() };
            assert_eq!(control.producer().tail.load(Relaxed), $place);
            assert_eq!(control.consumer().head.load(Relaxed), $place);
        };
    }
    for number in [0, 1, 1000, usize::MAX - 3, usize::MAX] {
        starts!(Ring::<u64, 8>::new(), number, number);
        starts!(LineRing::<u64, 8>::new(), number, number << 8);
        starts!(Mpsc::<u64, 8>::new(), number, number & (usize::MAX >> 1));
    }
}

#[test]
fn a_ring_by_line_has_the_cells_that_a_capacity_needs() {
    let needed = |capacities: [usize; 6]| capacities.map(cells::<u64>);
    assert_eq!(needed([1, 2, 8, 9, 22, 23]), [1, 2, 2, 4, 4, 8]);
    assert_eq!(cells::<[u8; 48]>(5), 8);
    assert_eq!(cells::<[u8; 100]>(4), 4);
}

/// Memory that is too short for a control block, or on which the elements would not be aligned, is not read.
#[test]
fn memory_that_holds_no_ring_is_refused() {
    #[repr(align(4096))]
    struct Page([u8; 8192]);

    #[repr(align(512))]
    #[derive(Clone, Copy)]
    #[allow(dead_code)]
    struct Wide(u64);

    let mut page = Box::new(Page([0; 8192]));
    let at = NonNull::from(&mut page.0).cast::<u8>();
    for kind in 0..2 {
        let attach = |memory, len| {
            // SAFETY: the memory may be read for so long.
            unsafe {
                match kind {
                    0 => gimmal::ring::View::<Wide>::attach(memory, len).err(),
                    _ => gimmal::mpsc::View::<Wide>::attach(memory, len).err(),
                }
            }
        };
        let short = AttachError::TooSmall {
            needed: size_of::<Control>(),
            given: size_of::<Control>() - 1,
        };
        assert_eq!(attach(at, size_of::<Control>() - 1), Some(short));
        assert_eq!(
            attach(at, size_of::<Control>()),
            Some(AttachError::Uninitialised)
        );
    }
    // A copy of a ring's control block where its elements would not be aligned.
    let ring = Box::new(Ring::<Wide, 2>::new());
    let bytes = ring.view().publish();
    // SAFETY: the control block's bytes go to the page, which is aligned for it and not for the elements.
    unsafe {
        let elsewhere = at.add(256);
        bytes.copy_to(elsewhere, size_of::<Control>());
        let refused = gimmal::ring::View::<Wide>::attach(elsewhere, 8192 - 256).err();
        assert_eq!(refused, Some(AttachError::Misaligned));
        bytes.copy_to(at, size_of::<Control>());
        assert!(gimmal::ring::View::<Wide>::attach(at, 8192).is_ok());
    }
}

/// A pool of another version, another machine or too short is refused, and said to be that.
#[test]
fn memory_that_holds_another_pool_is_refused() {
    let pool = Pool::<u64, 4>::new();
    let at = pool.publish();
    let attach = |len| {
        // SAFETY: the pool outlives what is attached, and holds plain integers.
        unsafe { Pool::<u64, 4>::attach(at, len) }.err()
    };
    let len = size_of_val(&pool);
    assert_eq!(attach(len), None);
    let small = attach(16);
    assert!(
        matches!(small, Some(AttachError::TooSmall { given: 16, .. })),
        "{small:?}"
    );
    // SAFETY: a pool begins with a header, which is all atomics.
    let header = unsafe {
        at.cast::<gimmal::layout::Header<gimmal::sync::Native>>()
            .as_ref()
    };
    let changed = |byte: &std::sync::atomic::AtomicU8, value: u8| {
        let before = byte.swap(value, Relaxed);
        let refused = attach(len);
        byte.store(before, Relaxed);
        refused
    };
    assert_eq!(changed(&header.version, 9), Some(AttachError::Version(9)));
    let log2_line = header.log2_line.load(Relaxed);
    let word_size = size_of::<usize>() as u8;
    let machine = |word_size, log2_line| {
        Some(AttachError::Machine {
            word_size,
            log2_line,
        })
    };
    assert_eq!(changed(&header.word_size, 16), machine(16, log2_line));
    assert_eq!(changed(&header.log2_line, 3), machine(word_size, 3));
    assert_eq!(attach(len), None);
    assert_eq!(pool.available(), 4);
}
