//! A process killed while it creates, claims, takes over, replaces or removes, at every instruction after which others see something else: deterministic,
//! by `ptrace`.
//!
//! What a dead process leaves is the bytes of the files that names lead to, the names themselves and the kernel's answers to its calls: its registers, its own memory and
//! files without a name go with it. So two instructions between which none of these changed leave the same, and one kill stands for both. Each is looked for instruction by
//! instruction, between any two system calls (on x86-64; elsewhere the kills are before and after system calls alone). `GIMMAL_STEPS=all` kills after every single
//! instruction instead, which takes long, and in release.

mod common;

use common::traced::{Stride, Traced};
use common::{play, say, Guard, Player, Scrap};
use gimmal_shm::kinds::{KindOf, Line, Mpsc};
use gimmal_shm::{Consumer, Error, Segment};
use std::fs::File;
use std::os::unix::fs::FileExt;

#[test]
fn child() {
    play(&[
        ("create", |name| {
            step(name, line, &[], false, |segment| {
                drop(segment.producer::<u64>().unwrap());
            })
        }),
        ("claim", |name| {
            step(name, line, &[leave_one], true, |segment| {
                drop(segment.consumer::<u64>().unwrap());
            })
        }),
        ("take over a producer's end", |name| {
            step(
                name,
                line,
                &[leave_one, die_pushing::<Line, 1>],
                true,
                |segment| {
                    drop(segment.producer::<u64>().unwrap());
                },
            )
        }),
        ("take over a consumer's end", |name| {
            step(name, line, &[leave_one, die_popping], false, |segment| {
                drop(segment.consumer::<u64>().unwrap());
            })
        }),
        ("take over one of many", |name| {
            // With its cell claimed.
            step(
                name,
                mpsc,
                &[leave_one, die_pushing::<Mpsc, 2>],
                true,
                |segment| {
                    drop(segment.producer::<u64>().unwrap());
                },
            )
        }),
        ("replace", |name| {
            step(name, line, &[leave_one], false, |segment| {
                drop(segment.replace().producer::<u64>().unwrap());
            })
        }),
        ("remove", |name| {
            step(name, line, &[leave_one], false, |segment| {
                segment.remove().unwrap()
            })
        }),
    ]);
}

fn line(name: &str) -> Segment<Line> {
    Segment::named(name).line(20)
}

fn mpsc(name: &str) -> Segment<Mpsc> {
    Segment::named(name).mpsc(16, 2)
}

/// Something that happened to the segment of this name before.
type Past<K> = fn(&str, &dyn Fn() -> Segment<K>);

/// The message that the past leaves.
const LEFT: u64 = 1;

fn leave_one<K: KindOf>(_: &str, segment: &dyn Fn() -> Segment<K>) {
    segment().producer::<u64>().unwrap().push(LEFT).unwrap();
}

/// A producer dies when so many of the stores of a push are seen.
fn die_pushing<K: KindOf, const STORES: u64>(name: &str, segment: &dyn Fn() -> Segment<K>) {
    let set_up = || segment().producer::<u64>().unwrap();
    let traced = Traced::new(set_up, |tx| i32::from(tx.push(99).is_err()));
    assert!(matches!(go_on(&traced, name, STORES, false), Reached::Stop));
    traced.kill();
}

/// The consumer dies when the first store of a pop is seen.
fn die_popping<K: KindOf>(name: &str, segment: &dyn Fn() -> Segment<K>) {
    let set_up = || segment().consumer::<u64>().unwrap();
    let traced = Traced::new(set_up, |rx| i32::from(rx.pop().is_err()));
    assert!(matches!(go_on(&traced, name, 1, false), Reached::Stop));
    traced.kill();
}

/// The files that names lead to, while nobody calls the system.
struct Seen {
    files: Vec<File>,
    before: Vec<u8>,
    now: Vec<u8>,
}

impl Seen {
    fn new(name: &str) -> Self {
        let paths = [
            format!("/dev/shm/gimmal-{name}"),
            format!("/dev/shm/.gimmal-{name}"),
        ];
        let mut seen = Self {
            files: paths
                .iter()
                .filter_map(|path| File::open(path).ok())
                .collect(),
            before: Vec::new(),
            now: Vec::new(),
        };
        seen.look();
        seen.before.clone_from(&seen.now);
        seen
    }

    fn look(&mut self) {
        self.now.clear();
        for file in &self.files {
            let size = file.metadata().unwrap().len() as usize;
            let from = self.now.len();
            self.now.resize(from + size, 0);
            file.read_exact_at(&mut self.now[from..], 0).unwrap();
        }
    }

    /// Whether something else stands there than before.
    fn changed(&mut self) -> bool {
        self.look();
        if self.now == self.before {
            return false;
        }
        self.before.clone_from(&self.now);
        true
    }
}

/// How far a process came.
enum Reached {
    /// An instruction to be killed after.
    Stop,
    /// The next system call.
    Call,
    /// The end.
    End,
}

/// Goes on, until others have seen something else as often as this, or with `every` for as many instructions; to the next system call at most.
fn go_on(traced: &Traced, name: &str, number: u64, every: bool) -> Reached {
    let mut seen = Seen::new(name);
    let mut stops = 0;
    while !traced.is_at_call() {
        if !traced.go(Stride::Instruction, 1) {
            return Reached::End;
        }
        stops += u64::from(every || seen.changed());
        if stops == number {
            return Reached::Stop;
        }
    }
    Reached::Call
}

/// Wherever a process is killed that does `act`, there is a segment afterwards, both of whose ends can be had; and if it keeps what is in it, that is there.
fn step<K: KindOf>(
    name: &str,
    of: fn(&str) -> Segment<K>,
    past: &[Past<K>],
    keeps: bool,
    act: fn(Segment<K>),
) {
    let every = std::env::var("GIMMAL_STEPS").is_ok_and(|steps| steps == "all");
    let segment = || of(name);
    let (mut calls, mut number, mut between) = (0, 0, 0);
    loop {
        remove(&segment());
        past.iter().for_each(|happen| happen(name, &segment));
        let traced = Traced::new(
            || Some(segment()),
            |segment| {
                act(segment.take().unwrap());
                0
            },
        );
        let goes_on = traced.go(Stride::SystemCall, calls);
        // At first before any instruction.
        let reached = match number {
            0 => Reached::Stop,
            _ => go_on(&traced, name, number, every),
        };
        traced.kill();
        check(&segment, keeps);
        match reached {
            _ if !goes_on => break,
            Reached::Stop => {
                between += u64::from(number > 0);
                number += 1;
            }
            Reached::Call | Reached::End => {
                calls += 1;
                number = 0;
            }
        }
    }
    let enough = cfg!(not(target_arch = "x86_64")) || between > 0;
    assert!(
        calls > 10 && enough,
        "{calls} calls, {between} between them"
    );
    eprintln!("killed {calls} times before or after a system call, {between} times between two");
    say("good");
}

fn remove<K: KindOf>(segment: &Segment<K>) {
    match segment.remove() {
        Ok(()) | Err(Error::NotFound(_)) => {}
        Err(error) => panic!("{error:?}"),
    }
}

fn check<K: KindOf>(segment: &dyn Fn() -> Segment<K>, keeps: bool) {
    let mut tx = segment().producer::<u64>().unwrap();
    let mut rx = segment().consumer::<u64>().unwrap();
    assert!(tx.is_current() && rx.is_current());
    assert!((1..=3).contains(&rx.epoch()), "{}", rx.epoch());
    let found = take(&mut rx);
    assert!(
        found == Some(LEFT) || (found.is_none() && !keeps),
        "{found:?}"
    );
    if found.is_some() {
        assert_eq!((take(&mut rx), rx.epoch()), (None, 1));
    }
    // Nor is anything that was begun in the way of what comes.
    assert_eq!(rx.len(), 0);
    tx.push(2).unwrap();
    assert_eq!(take(&mut rx), Some(2));
    assert_eq!(take(&mut rx), None);
}

/// What is there, with dead producers' cells skipped.
fn take<K: KindOf>(rx: &mut Consumer<u64, K>) -> Option<u64> {
    rx.pop().unwrap().or_else(|| {
        rx.skip_dead();
        rx.pop().unwrap()
    })
}

fn survive(role: &str) {
    let _guard = Guard::new(3000);
    let scrap = Scrap::new("steps");
    let mut player = Player::new(role, scrap.name());
    assert_eq!(player.hear(), "good", "{role}");
    player.finish();
}

#[test]
fn a_segment_is_usable_wherever_its_creator_dies() {
    survive("create");
}

#[test]
fn an_end_can_be_had_wherever_its_claimer_dies() {
    survive("claim");
}

#[test]
fn an_end_can_be_had_wherever_one_dies_that_takes_it_over() {
    survive("take over a producer's end");
    survive("take over a consumer's end");
    survive("take over one of many");
}

#[test]
fn a_segment_is_usable_wherever_one_dies_that_replaces_or_removes_it() {
    survive("replace");
    survive("remove");
}
