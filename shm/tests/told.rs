//! What segments, their ends and those who look at them tell, and what errors say.
#![allow(missing_docs)]

mod common;

use common::{Guard, Scrap};
use gimmal::layout;
use gimmal::shape::ShapeError;
use gimmal::wait::{Park, Spin, Wake};
use gimmal_shm::kinds::KindOf;
use gimmal_shm::{End, Error, Fault, Kind, Peer, Segment};
use rustix::io::Errno;
use std::alloc::Layout;
use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};

type Message = [u64; 2];

const CAPACITY: usize = 16;
const PRODUCERS: usize = 3;

fn message(id: u64) -> Message {
    [id, !id]
}

/// The segment of every kind under a name of its own.
macro_rules! every_kind {
    ($test:ident) => {
        let scraps: [Scrap; 4] = std::array::from_fn(|_| Scrap::new("told"));
        $test(|| scraps[0].segment().line(CAPACITY), CAPACITY, 1);
        $test(|| scraps[1].segment().index(CAPACITY), CAPACITY, 1);
        $test(
            || scraps[2].segment().mpsc(CAPACITY, PRODUCERS),
            CAPACITY,
            1,
        );
        $test(
            || scraps[3].segment().lanes(CAPACITY, PRODUCERS),
            CAPACITY,
            PRODUCERS,
        );
    };
}

fn ends_tell<K: KindOf>(segment: impl Fn() -> Segment<K>, least: usize, rings: usize) {
    let mut rx = segment().consumer::<Message>().unwrap();
    let mut tx = segment().producer::<Message>().unwrap();
    assert!(rx.capacity() >= least && tx.capacity() == rx.capacity());
    assert!(rx.is_empty() && tx.is_empty());
    assert_eq!((rx.epoch(), tx.epoch()), (1, 1));
    assert_eq!(
        (tx.place(), tx.peer(), rx.peer()),
        (0, Peer::Alive, Peer::Alive)
    );
    let alive = rx.peers().filter(|peer| peer.is_alive()).count();
    assert_eq!(alive, 1);
    let look = segment().inspect().unwrap();
    let before = look.rings();
    let mut pushed = 0;
    while tx.push(message(pushed)).is_ok() {
        pushed += 1;
    }
    assert!(!tx.offer(message(0)) && !tx.offer(message(0)));
    assert!(pushed as usize >= rx.capacity());
    assert_eq!((tx.len(), rx.len()), (pushed as usize, pushed as usize));
    assert_eq!((tx.dropped(), rx.dropped()), (2, 2));
    assert!(!rx.is_empty() && !tx.is_empty());
    let after = look.rings();
    assert_eq!(after.len(), rings);
    assert_eq!((after[0].len, after[0].dropped), (pushed as usize, 2));
    assert_eq!(look.pushed_between(&before, &after), pushed as usize);
    assert_eq!(look.pushed_between(&after, &before), 0);
    assert_eq!((look.kind(), look.skipped()), (K::KIND, 0));
    for text in [format!("{rx:?}"), format!("{tx:?}")] {
        let told = [
            format!("kind: {:?}", K::KIND),
            format!("len: {pushed}"),
            format!("capacity: {}", rx.capacity()),
        ];
        assert!(told.iter().all(|told| text.contains(told)), "{text}");
    }
    assert!(format!("{look:?}").contains(&format!("kind: {:?}", K::KIND)));
    let tap = look.tap().map(|tap| format!("{tap:?}"));
    assert!(tap.unwrap().contains(&format!("rings: {rings}")));

    // A pop wakes a producer that sleeps, and only a pop that takes something.
    let wakes = AtomicUsize::new(0);
    let wake = Wake::new(|| {
        wakes.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(rx.pop_notify(&wake), Ok(Some(message(0))));
    assert_eq!(wakes.load(Ordering::Relaxed), 0, "nobody sleeps");
    tx.declare(&mut Park::shared());
    rx.declare(&mut Park::shared());
    tx.beat();
    rx.beat();
    assert!(segment().inspect().unwrap().consumer().last_beat.is_some());
    for id in 1..pushed {
        assert_eq!(rx.pop_wait(&mut Spin), Ok(message(id)));
    }
    assert_eq!(rx.pop_notify(&wake), Ok(None));
    tx.push(message(7)).unwrap();
    rx.close();
    assert_eq!(tx.push(message(8)), Err(Fault::Closed));
    assert_eq!(rx.pop(), Ok(Some(message(7))));
    assert_eq!(rx.pop(), Err(Fault::Closed));
    assert!(segment().inspect().unwrap().rings()[0].is_closed);
}

#[test]
fn ends_tell_what_they_hold_and_who_is_there() {
    let _guard = Guard::new(60);
    every_kind!(ends_tell);
}

fn erased_ends_tell<K: KindOf>(segment: impl Fn() -> Segment<K>, least: usize, _: usize) {
    let layout = Layout::new::<Message>();
    let mut rx = segment().erased_consumer(layout).unwrap();
    let mut tx = segment().erased_producer(layout).unwrap();
    assert_eq!((rx.element_size(), tx.element_size()), (16, 16));
    assert!(rx.capacity() >= least && tx.capacity() == rx.capacity());
    assert_eq!(
        (rx.epoch(), tx.epoch(), tx.place(), tx.peer(), rx.peer()),
        (1, 1, 0, Peer::Alive, Peer::Alive)
    );
    assert!(rx.is_empty() && tx.is_empty());
    let mut pushed = 0;
    while tx.push(&[pushed; 16]) == Ok(()) {
        pushed += 1;
    }
    assert_eq!(tx.offer(&[0; 16]), Err(Fault::Full));
    assert_eq!(
        (tx.len(), rx.len()),
        (usize::from(pushed), usize::from(pushed))
    );
    assert_eq!((tx.dropped(), rx.dropped()), (1, 1));
    assert!(!rx.is_empty() && !tx.is_empty());
    for text in [format!("{rx:?}"), format!("{tx:?}")] {
        assert!(text.contains(&format!("kind: {:?}", K::KIND)), "{text}");
    }
    let mut element = [0; 16];
    for number in 0..pushed {
        assert_eq!(rx.pop(&mut element), Ok(true));
        assert_eq!(element, [number; 16]);
    }
    assert_eq!((rx.fault(), tx.fault()), (None, None));
    rx.beat();
    tx.beat();
    tx.push(&[9; 16]).unwrap();
    tx.close();
    assert_eq!(tx.push(&[9; 16]), Err(Fault::Closed));
    assert_eq!(rx.pop(&mut element), Ok(true));
    assert_eq!(rx.pop(&mut element), Err(Fault::Closed));
    assert_eq!(
        (rx.fault(), tx.fault()),
        (Some(Fault::Closed), Some(Fault::Closed))
    );
}

#[test]
fn erased_ends_tell_what_they_hold_and_who_is_there() {
    let _guard = Guard::new(60);
    every_kind!(erased_ends_tell);
}

/// Ends given to inlined code move nothing themselves from then on; those of many producers are not given.
fn ends_are_given_once<K: KindOf>(segment: impl Fn() -> Segment<K>, _: usize, _: usize) {
    let layout = Layout::new::<Message>();
    let mut rx = segment().erased_consumer(layout).unwrap();
    let mut tx = segment().erased_producer(layout).unwrap();
    let given = matches!(K::KIND, Kind::Line | Kind::Index);
    assert_eq!(rx.passage().unwrap().is_some(), given);
    if !given {
        assert!(rx.passage().unwrap().is_none());
        assert_eq!(rx.pop(&mut [0; 16]), Ok(false));
        return;
    }
    assert!(tx.passage().unwrap().is_some());
    assert_eq!(rx.passage().err(), Some(Fault::Given));
    assert_eq!(tx.passage().err(), Some(Fault::Given));
    assert_eq!(rx.pop(&mut [0; 16]), Err(Fault::Given));
    assert_eq!(tx.push(&[0; 16]), Err(Fault::Given));
}

#[test]
fn ends_are_given_to_inlined_code_once() {
    let _guard = Guard::new(60);
    every_kind!(ends_are_given_once);
}

#[test]
fn a_segment_lies_in_the_directory_that_was_asked_for() {
    let folder = format!("/dev/shm/test-told-folder-{}", std::process::id());
    std::fs::create_dir(&folder).unwrap();
    let segment = || Segment::named("told").directory(&folder).line(CAPACITY);
    let shown = format!("{:?}", segment());
    let rx = segment().consumer::<Message>();
    let names = gimmal_shm::names(Some(folder.as_ref()));
    let elsewhere = Segment::named("told").inspect().err();
    drop(rx);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(shown.contains("told") && shown.contains(&folder), "{shown}");
    assert!(shown.contains("kind: Line") && shown.contains("Some(16)"));
    assert_eq!(names.unwrap(), ["told"]);
    assert_eq!(elsewhere, Some(Error::NotFound("told".into())));
}

#[test]
fn a_segment_without_a_name_is_looked_at_through_its_descriptor_alone() {
    let segment = Segment::anonymous().line(CAPACITY);
    assert!(format!("{segment:?}").contains("none"));
    assert_eq!(segment.inspect().err(), Some(Error::NotReady));
    assert!(matches!(segment.remove(), Err(Error::NotFound(_))));
    let mut rx = segment.consumer::<Message>().unwrap();
    let shared = || Segment::passed(rx.share().unwrap()).line(CAPACITY);
    assert!(format!("{:?}", shared()).contains("descriptor"));
    let look = shared().inspect().unwrap();
    assert!(look.is_current() && look.kind() == Kind::Line);
    assert!(matches!(shared().remove(), Err(Error::NotFound(_))));
    let mut tx = shared().producer::<Message>().unwrap();
    let mut tap = look.into_tap().unwrap();
    tx.push(message(3)).unwrap();
    let mut element = [0; 16];
    assert!(format!("{:?}", tap.next_to(&mut element)).contains("Element"));
    assert_eq!(element[..8], 3_u64.to_ne_bytes());
    assert_eq!(rx.pop(), Ok(Some(message(3))));
    let again = Segment::passed(tx.share().unwrap()).line(CAPACITY);
    assert!(matches!(
        again.consumer::<Message>(),
        Err(Error::Busy { .. })
    ));
}

#[test]
fn an_error_says_what_was_wrong_and_with_what() {
    let busy = |end, pid| Error::Busy { end, pid };
    let mismatch = |what, asked, found| Error::Mismatch { what, asked, found };
    let full = Error::NoSpace {
        needed: 640,
        free: 128,
    };
    let os = Error::Os {
        doing: "map the segment",
        errno: Errno::NOMEM,
    };
    let said: [(Error, &[&str]); 24] = [
        (Error::Name("a/b".into()), &["\"a/b\"", "240"]),
        (Error::NotFound("ticks".into()), &["no segment ticks"]),
        (Error::Exists("ticks".into()), &["ticks already"]),
        (busy(End::Producer, 0), &["producer's end", "live"]),
        (busy(End::Consumer, 77), &["consumer's end", "pid 77"]),
        (Error::Replacing, &["replacing"]),
        (Error::Superseded, &["replaced", "attach again"]),
        (Error::NotReady, &["too short", "replaced or removed"]),
        (Error::NotASegment { magic: 0xabc }, &["0x0000000000000abc"]),
        (Error::Version(9), &["version 9"]),
        (Error::Machine, &["another byte order"]),
        (mismatch("kind", 18, 1), &["lanes was asked", "kind index"]),
        (mismatch("kind", 2, 99), &["line was asked", "kind 99"]),
        (
            mismatch("capacity", 8, 16),
            &["capacity 16", "8 was asked for"],
        ),
        (Error::Unwatchable, &["capacity 1"]),
        (Error::Corrupt("its size"), &["corrupt: its size"]),
        (full, &["640 bytes", "128 are free"]),
        (Error::Producers(0), &["1 to 1024", "not 0"]),
        (Error::Owner { uid: 1234 }, &["user 1234"]),
        (Error::Unsealed, &["not sealed"]),
        (Error::from(ShapeError::Capacity), &["capacity"]),
        (Error::from(Fault::PeerDied), &["died"]),
        (os.clone(), &["cannot map the segment"]),
        (Error::from(Fault::Given), &["inlined code"]),
    ];
    for (error, words) in &said {
        let text = error.to_string();
        for word in *words {
            assert!(text.contains(word), "{text:?} says nothing of {word:?}");
        }
    }
    let source = |error: &Error| error.source().map(|source| source.to_string());
    assert_eq!(source(&os), Some(Errno::NOMEM.to_string()));
    assert_eq!(
        source(&Error::from(Fault::Full)),
        Some(Fault::Full.to_string())
    );
    assert_eq!(
        source(&Error::from(ShapeError::Element)),
        Some(ShapeError::Element.to_string())
    );
    assert_eq!(source(&Error::NotReady), None);
}

#[test]
fn words_name_faults_kinds_and_peers() {
    let faults = [
        (Fault::Full, "full"),
        (Fault::Closed, "closed"),
        (Fault::Superseded, "replaced or removed"),
        (Fault::PeerDied, "died"),
        (Fault::TimedOut, "deadline"),
        (Fault::Corrupt, "overwritten"),
        (Fault::Given, "inlined code"),
    ];
    for (fault, word) in faults {
        assert!(fault.to_string().contains(word), "{fault}");
    }
    let kinds = [
        (Kind::Line, "line", layout::Kind::Line),
        (Kind::Index, "index", layout::Kind::Index),
        (Kind::Mpsc, "mpsc", layout::Kind::Mpsc),
        (Kind::Lanes, "lanes", layout::Kind::Line),
    ];
    for (kind, word, ring) in kinds {
        assert_eq!((kind.to_string().as_str(), kind.ring()), (word, ring));
    }
    let peers = [Peer::Alive, Peer::Stopped, Peer::Dead, Peer::Absent];
    let words = peers.map(|peer| format!("{peer:>8}"));
    assert_eq!(words, ["   alive", " stopped", "    dead", "  absent"]);
    assert_eq!(peers.map(Peer::is_alive), [true, true, false, false]);
}
