//! Runs a ring or a pool between two threads with one edge of its protocol weakened: the control that shows that
//! ThreadSanitizer would see the fault. (A weakened claim shows as a stale index or list and no race: the models in
//! `tests/loom.rs` and `tests/loom_pool.rs` catch that.) `weakened KIND EDGE` passes some hundred thousand messages or slots; built
//! with `-Zsanitizer=thread` it must be reported for every edge but `sound`.

use gimmal::policy::lab::WithEdges;
use gimmal::raw::lab::{
    EarlyHandBack, RelaxedHandBack, RelaxedObserve, RelaxedPublish, RelaxedReuse,
};
use gimmal::raw::pool::lab::{RelaxedPut, RelaxedTake, Untagged};
use gimmal::raw::pool::{FreeSlots, PoolBody, PoolEdges, Tagged};
use gimmal::raw::{AcquireRelease, Edges};
use gimmal::sync::Native;
use gimmal::{LineRing, Mpsc, Ring};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, AtomicU8, AtomicUsize};
use std::thread::{scope, yield_now};

const MESSAGES: u64 = 100_000;

/// Passes messages one by one, as fast as the two threads can.
macro_rules! pass {
    ($ring:ty) => {{
        // SAFETY: none: what comes of a broken promise is what is to be seen.
        let ring = unsafe { <$ring>::with_policy() };
        let (mut tx, mut rx) = ring.split().unwrap();
        scope(|scope| {
            scope.spawn(move || {
                for value in 0..MESSAGES {
                    while tx.push([value; 4]).is_err() {
                        yield_now();
                    }
                }
            });
            for _ in 0..MESSAGES {
                while rx.pop().is_none() {
                    yield_now();
                }
            }
        });
    }};
}

fn by_index<E: Edges>() {
    pass!(Ring<[u64; 4], 2, WithEdges<E>>);
}

fn by_line<E: Edges>() {
    pass!(LineRing<[u64; 4], 1, WithEdges<E>>);
    pass!(LineRing<[u64; 4], 2, WithEdges<E>>);
}

fn of_many<E: Edges>() {
    pass!(Mpsc<[u64; 4], 1, WithEdges<E>>);
    pass!(Mpsc<[u64; 4], 2, WithEdges<E>>);
}

/// A pool whose edges can be weakened, with a free slot or two.
struct Slots<E, const N: usize> {
    claimed: AtomicU8,
    shared: AtomicUsize,
    owned: AtomicUsize,
    links: [AtomicU32; N],
    slots: [UnsafeCell<u64>; N],
    edges: PhantomData<fn() -> E>,
}

// SAFETY: none: what comes of a broken promise is what is to be seen.
unsafe impl<E, const N: usize> Sync for Slots<E, N> {}

// SAFETY: everything belongs to the one pool.
unsafe impl<E: PoolEdges, const N: usize> PoolBody for Slots<E, N> {
    type Atomics = Native;
    type Edges = E;

    fn claimed(&self) -> &AtomicU8 {
        &self.claimed
    }

    fn shared(&self) -> &AtomicUsize {
        &self.shared
    }

    fn owned(&self) -> &AtomicUsize {
        &self.owned
    }

    fn link(&self, index: usize) -> &AtomicU32 {
        &self.links[index]
    }

    fn count(&self) -> usize {
        N
    }
}

impl<E: PoolEdges, const N: usize> Slots<E, N> {
    /// Takes slots, writes them and puts them back, as the owner or as anybody.
    fn turn(&self, owns: bool) {
        for turn in 0..MESSAGES {
            if turn % 16 == 0 {
                // Neither thread is done before the other begins.
                yield_now();
            }
            let taken = if owns {
                // SAFETY: one thread alone owns the list.
                unsafe { self.take_owned() }
            } else {
                self.take()
            };
            let Some(index) = taken else {
                yield_now();
                continue;
            };
            // SAFETY: the slot is taken, so nobody else uses it, if the promises are kept.
            unsafe {
                *self.slots[index].get() += 1;
                self.put(index);
            }
        }
    }
}

/// Two threads take and put; the first of them is the owner, or there is none.
fn pooled<E: PoolEdges, const N: usize>() {
    for owns in [false, true] {
        // Kept for good: ThreadSanitizer does not see the end of a scope, after which the memory might serve again.
        let pool: &Slots<E, N> = Box::leak(Box::new(Slots {
            claimed: AtomicU8::new(0),
            shared: AtomicUsize::new(0),
            owned: AtomicUsize::new(0),
            links: std::array::from_fn(|_| AtomicU32::new(0)),
            slots: std::array::from_fn(|_| UnsafeCell::new(0)),
            edges: PhantomData,
        }));
        scope(|scope| {
            scope.spawn(|| pool.turn(owns));
            pool.turn(false);
        });
    }
}

fn pool<E: PoolEdges>() -> bool {
    pooled::<E, 1>();
    pooled::<E, 2>();
    true
}

/// Runs the kind named with these edges.
fn run<E: Edges>(kind: &str) -> bool {
    match kind {
        "index" => by_index::<E>(),
        "line" => by_line::<E>(),
        "mpsc" => of_many::<E>(),
        _ => return false,
    }
    true
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let known = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [kind @ ("index" | "line" | "mpsc"), "sound"] => run::<AcquireRelease>(kind),
        [kind, "publish"] => run::<RelaxedPublish>(kind),
        [kind, "observe"] => run::<RelaxedObserve>(kind),
        [kind, "hand-back"] => run::<RelaxedHandBack>(kind),
        [kind, "reuse"] => run::<RelaxedReuse>(kind),
        [kind @ ("line" | "mpsc"), "early-hand-back"] => run::<EarlyHandBack>(kind),
        ["pool", "sound"] => pool::<Tagged>(),
        ["pool", "put"] => pool::<RelaxedPut>(),
        ["pool", "take"] => pool::<RelaxedTake>(),
        ["pool", "tag"] => pool::<Untagged>(),
        _ => false,
    };
    if known {
        ExitCode::SUCCESS
    } else {
        eprintln!(
            "usage: weakened index|line|mpsc sound|publish|observe|hand-back|reuse, weakened line|mpsc early-hand-back, or \
             weakened pool sound|put|take|tag"
        );
        ExitCode::from(2)
    }
}
