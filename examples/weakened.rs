//! Runs a ring between two threads with one edge of its protocol weakened: the control that shows that ThreadSanitizer would
//! see the fault. (A weakened claim shows as a stale index and no race: the models in `tests/loom.rs` catch that.) `weakened KIND EDGE` passes a few hundred thousand messages; built with `-Zsanitizer=thread` it must be
//! reported for every edge but `sound`.

use gimmal::policy::lab::WithEdges;
use gimmal::raw::lab::{
    EarlyHandBack, RelaxedHandBack, RelaxedObserve, RelaxedPublish, RelaxedReuse,
};
use gimmal::raw::{AcquireRelease, Edges};
use gimmal::{LineRing, Mpsc, Ring};
use std::process::ExitCode;
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
        [kind, "sound"] => run::<AcquireRelease>(kind),
        [kind, "publish"] => run::<RelaxedPublish>(kind),
        [kind, "observe"] => run::<RelaxedObserve>(kind),
        [kind, "hand-back"] => run::<RelaxedHandBack>(kind),
        [kind, "reuse"] => run::<RelaxedReuse>(kind),
        [kind @ ("line" | "mpsc"), "early-hand-back"] => run::<EarlyHandBack>(kind),
        _ => false,
    };
    if known {
        ExitCode::SUCCESS
    } else {
        eprintln!(
            "usage: weakened index|line|mpsc sound|publish|observe|hand-back|reuse, or weakened line|mpsc early-hand-back"
        );
        ExitCode::from(2)
    }
}
