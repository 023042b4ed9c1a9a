//! A process killed, or stopped, after each single instruction of a push and of a pop: deterministic, by `ptrace`. (Lanes are rings by line.) Code that is not
//! optimised has so many instructions that only some are taken: run this in release. What creates, claims and replaces is in `steps`.

mod common;

use common::traced::{kill_after, Stride, Traced};
use common::{play, say, Guard, Player, Scrap};
use gimmal_shm::kinds::KindOf;
use gimmal_shm::{Consumer, Error, Segment};

#[test]
fn child() {
    play(&[
        ("push-line", |name| {
            step_pushes(|| Segment::named(name).line(20))
        }),
        ("push-index", |name| {
            step_pushes(|| Segment::named(name).index(16))
        }),
        ("push-mpsc", |name| {
            step_pushes(|| Segment::named(name).mpsc(16, 2))
        }),
        ("pop-line", |name| {
            step_pops(|| Segment::named(name).line(20))
        }),
        ("pop-index", |name| {
            step_pops(|| Segment::named(name).index(16))
        }),
        ("pop-mpsc", |name| {
            step_pops(|| Segment::named(name).mpsc(16, 2))
        }),
        ("overtake", overtake),
        ("stop", stop_pushes),
    ]);
}

/// Instructions from one kill to the next.
const EVERY: usize = if cfg!(debug_assertions) { 13 } else { 1 };

/// What is there, with dead producers' cells skipped.
fn take<K: KindOf>(rx: &mut Consumer<u64, K>) -> Option<u64> {
    rx.pop().unwrap().or_else(|| {
        rx.skip_dead();
        rx.pop().unwrap()
    })
}

fn step_pushes<K: KindOf>(segment: impl Fn() -> Segment<K>) {
    let mut rx = segment().consumer::<u64>().unwrap();
    let (mut id, mut arrived) = (0, 0);
    for steps in (0..).step_by(EVERY) {
        id += 1;
        let set_up = || segment().producer::<u64>().unwrap();
        let goes_on = kill_after(Stride::Instruction, steps, set_up, |tx| {
            tx.push(id).unwrap()
        });
        // All or nothing; and all once it was there.
        let found = take(&mut rx);
        assert!(
            found.is_none() || found == Some(id),
            "{found:?} after {steps}"
        );
        assert!(
            found.is_some() || arrived == 0 || goes_on,
            "lost after {steps}"
        );
        arrived += u64::from(found.is_some());
        assert_eq!(take(&mut rx), None, "twice after {steps}");
        // The successor goes on.
        id += 1;
        segment().producer::<u64>().unwrap().push(id).unwrap();
        assert_eq!(take(&mut rx), Some(id), "after {steps}");
        if !goes_on {
            assert!(0 < arrived && arrived < steps, "{arrived} of {steps}");
            return say("good");
        }
    }
}

fn step_pops<K: KindOf>(segment: impl Fn() -> Segment<K>) {
    let mut tx = segment().producer::<u64>().unwrap();
    let (mut id, mut left) = (0, 0);
    for steps in (0..).step_by(EVERY) {
        id += 1;
        tx.push(id).unwrap();
        let set_up = || segment().consumer::<u64>().unwrap();
        let goes_on = kill_after(Stride::Instruction, steps, set_up, |rx| {
            assert_eq!(rx.pop(), Ok(Some(id)));
        });
        // It is there still, or gone; and the next one comes.
        let mut rx = segment().consumer::<u64>().unwrap();
        let found = take(&mut rx);
        assert!(
            found.is_none() || found == Some(id),
            "{found:?} after {steps}"
        );
        left += u64::from(found.is_some());
        id += 1;
        tx.push(id).unwrap();
        assert_eq!(take(&mut rx), Some(id), "after {steps}");
        assert_eq!(take(&mut rx), None);
        if !goes_on {
            assert!(
                found.is_none() && 0 < left && left < steps,
                "{left} of {steps}"
            );
            return say("good");
        }
    }
}

/// One of many producers that is stopped after whichever instruction of a push, and lives, is not given up.
fn stop_pushes(name: &str) {
    let segment = || Segment::named(name).mpsc(16, 2);
    let mut rx = segment().consumer::<u64>().unwrap();
    for (id, steps) in (0..).step_by(EVERY).enumerate() {
        let id = id as u64;
        let set_up = || segment().producer::<u64>().unwrap();
        let traced = Traced::new(set_up, |tx| i32::from(tx.push(id).is_err()));
        let goes_on = traced.go(Stride::Instruction, steps);
        let early = rx.pop().unwrap();
        assert_eq!(rx.skip_dead(), 0, "after {steps}");
        assert_eq!(traced.finish(), Some(0), "after {steps}");
        let late = take(&mut rx);
        assert_eq!(early.or(late), Some(id), "after {steps}");
        assert!(early.is_none() || late.is_none(), "twice after {steps}");
        if !goes_on {
            assert!(early.is_some() && id > 2);
            return say("good");
        }
    }
}

/// Whoever claims an end while the segment is replaced, before or after whichever of its system calls, has that of the new one.
fn overtake(name: &str) {
    let segment = || Segment::named(name).line(20);
    drop(segment().producer::<u64>().unwrap());
    let mut replaced = 0;
    for calls in 0.. {
        let traced = Traced::new(segment, |_| match segment().producer::<u64>() {
            Ok(tx) => i32::from(!tx.is_current()),
            Err(_) => 2,
        });
        let goes_on = traced.go(Stride::SystemCall, calls);
        match segment().replace().producer::<u64>() {
            Ok(_) => replaced += 1,
            Err(Error::Busy { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
        assert_eq!(traced.finish(), Some(0), "after {calls}");
        if !goes_on {
            assert!(5 < replaced && replaced < calls, "{replaced} of {calls}");
            return say("good");
        }
    }
}

fn survive(role: &str) {
    let _guard = Guard::new(300);
    let scrap = Scrap::new(role);
    let mut player = Player::new(role, scrap.name());
    assert_eq!(player.hear(), "good", "{role}");
    player.finish();
}

#[test]
fn a_push_is_there_or_not_after_each_instruction() {
    ["push-line", "push-index", "push-mpsc"]
        .into_iter()
        .for_each(survive);
}

#[test]
fn a_pop_is_done_or_not_after_each_instruction() {
    ["pop-line", "pop-index", "pop-mpsc"]
        .into_iter()
        .for_each(survive);
}

#[test]
fn a_claim_that_a_replacement_overtakes_begins_again() {
    survive("overtake");
}

#[test]
fn a_producer_that_is_slow_is_not_taken_for_a_dead_one() {
    survive("stop");
}
