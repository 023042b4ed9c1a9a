//! Watching a segment whose ends work in other processes.

mod common;

use common::{play, say, Guard, Player, Scrap};
use gimmal::wait::Yield;
use gimmal_shm::kinds::{Index, KindOf, Lanes, Line, Mpsc};
use gimmal_shm::{Error, Fault, Seen, Segment};

type Message = [u64; 5];

const COUNT: u64 = 20_000;

fn message(id: u64) -> Message {
    [id, !id, id.rotate_left(17), id, !id]
}

#[test]
fn child() {
    play(&[
        ("line", |name| pass(Segment::named(name).kind::<Line>())),
        ("index", |name| pass(Segment::named(name).kind::<Index>())),
        ("mpsc", |name| pass(Segment::named(name).kind::<Mpsc>())),
        ("lanes", |name| pass(Segment::named(name).kind::<Lanes>())),
    ]);
}

fn pass<K: KindOf>(segment: Segment<K>) {
    let mut tx = segment.producer::<Message>().unwrap();
    say("ready");
    for id in 0..COUNT {
        tx.push_wait(message(id), &mut Yield::new()).unwrap();
    }
    tx.close();
}

/// Every element that the tap copies is whole, and it passes over no more than it says.
fn watch<K: KindOf>(role: &str, segment: fn(Segment) -> Segment<K>) {
    let _guard = Guard::new(120);
    let scrap = Scrap::new(role);
    let mut rx = segment(scrap.segment()).consumer::<Message>().unwrap();
    let inspection = scrap.segment().inspect().unwrap();
    let mut tap = inspection.tap().unwrap();
    let mut bytes = Vec::new();
    assert_eq!(tap.next(&mut bytes), Seen::Nothing);
    let mut player = Player::new(role, scrap.name());
    player.expect("ready");
    let (mut next, mut copied, mut popped) = (0, 0, 0);
    loop {
        match tap.next(&mut bytes) {
            Seen::Element { ring: 0 } => {
                let words = bytes
                    .chunks(8)
                    .map(|word| u64::from_ne_bytes(word.try_into().unwrap()));
                assert_eq!(words.collect::<Vec<_>>(), message(next));
                next += 1;
                copied += 1;
            }
            Seen::Missed { ring: 0, count } => next += count as u64,
            Seen::Nothing if popped == COUNT && next == COUNT => break,
            Seen::Nothing => {}
            seen => panic!("{seen:?}"),
        }
        // Sometimes the tap keeps up, sometimes not.
        for _ in 0..=popped / 64 % 5 {
            match rx.pop() {
                Ok(Some(found)) => {
                    assert_eq!(found, message(popped));
                    popped += 1;
                }
                Ok(None) | Err(Fault::Closed) => break,
                Err(fault) => panic!("{fault:?}"),
            }
        }
    }
    assert!(copied > 0);
    player.finish();
}

#[test]
fn a_tap_sees_each_element_or_says_that_it_missed_it() {
    watch("line", |segment| segment.line(100));
    watch("index", |segment| segment.index(64));
    watch("mpsc", |segment| segment.mpsc(64, 1));
    watch("lanes", |segment| segment.lanes(100, 1));
}

#[test]
fn a_ring_whose_one_slot_is_always_the_next_is_not_watched() {
    let scrap = Scrap::new("one");
    let _tx = scrap.segment().index(1).producer::<Message>().unwrap();
    let inspection = scrap.segment().inspect().unwrap();
    assert_eq!(inspection.tap().unwrap_err(), Error::Unwatchable);
    let scrap = Scrap::new("line");
    let _tx = scrap.segment().line(1).producer::<Message>().unwrap();
    assert!(scrap.segment().inspect().unwrap().tap().is_ok());
}
