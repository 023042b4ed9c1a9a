//! A model of the doorbell, through its own code, and a control for each thing that it rests on: without it a wake is lost, which
//! the model finds when the ringer is done and the sleeper still asleep.
//!
//! Loom knows no barrier that one thread runs on another's behalf. The declared mode is modelled with the fence that the barrier
//! amounts to, between the ringer's publishing store and its load of the bell.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

#[path = "common/modelled.rs"]
mod modelled;

use gimmal::sync::{Atomic, Atomics, Ordering};
use gimmal::wait::sleeper::{asleep, Sleeper};
use gimmal::wait::{Bell, Never};
use loom::sync::atomic::{fence, AtomicU32, AtomicU8, AtomicUsize};
use loom::sync::{Arc, Mutex};
use loom::thread::JoinHandle;
use modelled::Modelling;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Whether fences fence, and whether another's barrier does.
trait Fences: 'static {
    const OWN: bool = true;
    const BARRIER: bool = true;
}

enum All {}
enum NoOwn {}
enum NoBarrier {}

impl Fences for All {}
impl Fences for NoOwn {
    const OWN: bool = false;
}
impl Fences for NoBarrier {
    const BARRIER: bool = false;
}

/// Loom's atomics, with these fences.
struct Fenced<F>(PhantomData<F>);

impl<F: Fences> Atomics for Fenced<F> {
    type Word = Modelling<AtomicUsize>;
    type Half = Modelling<AtomicU32>;
    type Byte = Modelling<AtomicU8>;

    fn fence(order: Ordering) {
        if F::OWN {
            fence(order);
        }
    }

    fn compiler_fence(_: Ordering) {
        if F::BARRIER {
            fence(Ordering::SeqCst);
        }
    }
}

/// What is published, the bell, and whether the kernel has the sleeper in its queue.
struct Door {
    published: AtomicUsize,
    bell: Modelling<AtomicU32>,
    asleep: Mutex<bool>,
}

impl Door {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            published: AtomicUsize::new(0),
            bell: Modelling::default(),
            asleep: Mutex::new(false),
        })
    }

    fn wake(&self) {
        *self.asleep.lock().unwrap() = false;
    }

    /// Publishes message `number`, and rings.
    fn push<F: Fences>(&self, number: usize, reached: bool) {
        self.published.store(number, Ordering::Release);
        Bell::<Fenced<F>>::new(&self.bell).ring(reached, || self.wake());
    }

    fn has(&self, number: usize) -> Option<()> {
        (self.published.load(Ordering::Acquire) >= number).then_some(())
    }
}

/// The kernel's part of a sleep, which lasts until the ringer is done: who is not awake by then never will be.
struct Sleeping<F> {
    door: Arc<Door>,
    ringer: Option<JoinHandle<()>>,
    declared: bool,
    /// Sleeps that end at once, as at a deadline or by a signal.
    short: usize,
    /// The kernel compares the word before it lets a thread sleep.
    compares: bool,
    fences: PhantomData<F>,
}

impl<F: Fences> Sleeping<F> {
    fn new(door: &Arc<Door>, declared: bool, ringer: JoinHandle<()>) -> Self {
        Self {
            door: Arc::clone(door),
            ringer: Some(ringer),
            declared,
            short: 0,
            compares: true,
            fences: PhantomData,
        }
    }
}

impl<F> Sleeping<F> {
    fn wait_for_ringer(&mut self) {
        if let Some(ringer) = self.ringer.take() {
            ringer.join().unwrap();
        }
    }
}

impl<F: Fences> Sleeper<Fenced<F>> for Sleeping<F> {
    fn arm(&mut self, bell: Bell<'_, Fenced<F>>) {
        if self.declared {
            bell.arm_declared(|| Fenced::<F>::fence(Ordering::SeqCst));
        } else {
            bell.arm();
        }
    }

    fn sleep(&mut self, bell: Bell<'_, Fenced<F>>, _: u64) {
        if self.short > 0 {
            self.short -= 1;
            return;
        }
        {
            let mut asleep = self.door.asleep.lock().unwrap();
            if self.compares && bell.word().load(Ordering::Relaxed) != bell.armed(self.declared) {
                return;
            }
            *asleep = true;
        }
        self.wait_for_ringer();
        assert!(!*self.door.asleep.lock().unwrap(), "a wake is lost");
    }

    fn disarm(&mut self, bell: Bell<'_, Fenced<F>>) {
        if self.declared {
            bell.declare();
        } else {
            bell.disarm();
        }
    }
}

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

fn must_fail(model: impl Fn() + Sync + Send + 'static, what: &str) {
    let fault = catch_unwind(AssertUnwindSafe(|| explore(model)))
        .expect_err(&format!("no wake is lost without {what}"));
    let said = fault.downcast_ref::<&str>().copied();
    assert_eq!(said, Some("a wake is lost"), "without {what}");
}

/// `messages` messages are waited for one after another and rung for one by one; the sleeper's first sleeps are `short`.
fn rings<S: Fences, R: Fences>(
    messages: usize,
    declared: bool,
    short: usize,
    compares: bool,
) -> impl Fn() + Sync + Send {
    move || {
        let door = Door::new();
        let theirs = Arc::clone(&door);
        let producer = loom::thread::spawn(move || {
            for number in 1..=messages {
                theirs.push::<R>(number, declared);
            }
        });
        let mut sleeper = Sleeping::<S> {
            short,
            compares,
            ..Sleeping::new(&door, declared, producer)
        };
        let bell = Bell::new(&door.bell);
        for number in 1..=messages {
            asleep(&mut sleeper, bell, &mut Never, || door.has(number)).unwrap();
        }
        sleeper.wait_for_ringer();
    }
}

#[test]
fn no_wake_is_lost() {
    for declared in [false, true] {
        explore(rings::<All, All>(1, declared, 0, true));
        explore(rings::<All, All>(2, declared, 0, true));
        explore(rings::<All, All>(2, declared, 1, true));
    }
}

/// The last sleeper declared, this one does not; nothing relies on a barrier once the ringer has seen this one's bell.
#[test]
fn a_ringer_that_is_not_reached_fences_whatever_is_declared() {
    explore(|| {
        let door = Door::new();
        let theirs = Arc::clone(&door);
        let producer = loom::thread::spawn(move || theirs.push::<NoBarrier>(1, false));
        let mut sleeper = Sleeping::<All>::new(&door, true, producer);
        let bell = Bell::new(&door.bell);
        asleep(&mut sleeper, bell, &mut Never, || door.has(1)).unwrap();
        sleeper.wait_for_ringer();
    });
}

#[test]
fn each_fence_is_needed() {
    must_fail(
        rings::<NoOwn, All>(1, false, 0, true),
        "the sleeper's fence",
    );
    must_fail(
        rings::<All, Unfenced>(1, false, 0, true),
        "the ringer's fence",
    );
    must_fail(
        rings::<NoOwn, All>(1, true, 0, true),
        "the barrier at the sleeper",
    );
    must_fail(
        rings::<All, NoBarrier>(2, true, 0, true),
        "the barrier at the ringer",
    );
}

/// No fence at all at the ringer.
enum Unfenced {}

impl Fences for Unfenced {
    const OWN: bool = false;
    const BARRIER: bool = false;
}

#[test]
fn the_kernel_s_comparison_is_needed() {
    must_fail(
        rings::<All, All>(1, false, 0, false),
        "the comparison of the word",
    );
}

#[test]
fn the_look_after_arming_is_needed() {
    must_fail(
        || {
            let door = Door::new();
            let theirs = Arc::clone(&door);
            let producer = loom::thread::spawn(move || theirs.push::<All>(1, false));
            let mut sleeper = Sleeping::<All>::new(&door, false, producer);
            let bell = Bell::new(&door.bell);
            while door.has(1).is_none() {
                sleeper.arm(bell);
                sleeper.sleep(bell, u64::MAX);
                sleeper.disarm(bell);
            }
            sleeper.wait_for_ringer();
        },
        "a look after arming",
    );
}

#[test]
fn publishing_before_ringing_is_needed() {
    must_fail(
        || {
            let door = Door::new();
            let theirs = Arc::clone(&door);
            let producer = loom::thread::spawn(move || {
                Bell::<Fenced<All>>::new(&theirs.bell).ring(false, || theirs.wake());
                theirs.published.store(1, Ordering::Release);
            });
            let mut sleeper = Sleeping::<All>::new(&door, false, producer);
            let bell = Bell::new(&door.bell);
            asleep(&mut sleeper, bell, &mut Never, || door.has(1)).unwrap();
            sleeper.wait_for_ringer();
        },
        "the order of publishing and ringing",
    );
}
