//! A model of how a word is changed where there is no compare-and-swap, and a control for each side of it.
#![cfg(feature = "lab")]
#![allow(missing_docs)]

#[path = "common/modelled.rs"]
mod modelled;

use gimmal::sync::update::{update, Section};
use gimmal::sync::{Atomic, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicU8;
use loom::sync::Arc;
use loom::thread;
use modelled::{explore, must_fail, Modelling};

macro_rules! section {
    ($name:ident $(, $side:ident)?) => {
        /// Keeps nobody out: in each model one party alone is ever in it.
        #[derive(Default)]
        struct $name;

        impl Section for $name {
            $(const $side: Ordering = Ordering::Relaxed;)?

            fn within<R>(&self, work: impl FnOnce() -> R) -> R {
                work()
            }
        }
    };
}

section!(Sound);
section!(RelaxedLoad, LOAD);
section!(RelaxedStore, STORE);

/// A word that is changed in a section, and what it orders.
struct Shared<S> {
    section: S,
    word: Modelling<AtomicU8>,
    plain: UnsafeCell<u64>,
}

// SAFETY: loom reports every use of the cell that nothing orders.
unsafe impl<S> Send for Shared<S> {}
// SAFETY: as for `Send`.
unsafe impl<S> Sync for Shared<S> {}

type Model<S> = Arc<Shared<S>>;

fn make<S: Section + Default>() -> Model<S> {
    Arc::new(Shared {
        section: S::default(),
        word: Modelling::default(),
        plain: UnsafeCell::new(0),
    })
}

fn write<S>(model: &Shared<S>) {
    // SAFETY: loom reports every use of the cell that nothing orders.
    model.plain.with_mut(|plain| unsafe { *plain += 1 });
}

/// What is stored outside of the section is changed in it: an end given up and claimed again.
fn changed_after_a_store<S: Section + Default + 'static>(model: Model<S>) {
    let other = Arc::clone(&model);
    let leaving = thread::spawn(move || {
        write(&other);
        other.word.store(1, Ordering::Release);
    });
    if update(&model.section, &model.word, |found| found + 1) == 1 {
        write(&model);
    }
    leaving.join().unwrap();
}

/// What is changed in the section is loaded outside of it: a cell claimed, and seen to be.
fn loaded_after_a_change<S: Section + Default + 'static>(model: Model<S>) {
    let other = Arc::clone(&model);
    let claiming = thread::spawn(move || {
        write(&other);
        update(&other.section, &other.word, |found: u8| found + 1);
    });
    while model.word.load(Ordering::Acquire) != 1 {
        thread::yield_now();
    }
    write(&model);
    claiming.join().unwrap();
}

#[test]
fn a_change_is_ordered_behind_stores_and_before_loads_outside() {
    explore(make::<Sound>, changed_after_a_store);
    explore(make::<Sound>, loaded_after_a_change);
}

#[test]
fn every_weakened_side_is_caught() {
    must_fail(
        make::<RelaxedLoad>,
        changed_after_a_store,
        "a relaxed load in the section",
    );
    must_fail(
        make::<RelaxedStore>,
        loaded_after_a_change,
        "a relaxed store in the section",
    );
}
