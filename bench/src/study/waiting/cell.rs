//! One way of waiting in one regime for a fraction of a second: what its messages took, and what its thread was charged.

use super::consumers::{Waiter, END};
use crate::abi::{Line, Run, Sides};
use crate::away::Away;
use crate::clock::now;
use crate::threads::Crew;
use gimmal::wait::Park;
use gimmal::{line_ring, LineRing};
use nix::time::{clock_gettime, ClockId};
use rustix::thread::futex;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Mutex;

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A ring and plain pushes.
    Plain,
    /// A ring and pushes that notify.
    Ringing,
    /// A counter as a futex, and no ring.
    Futex,
}

/// What two threads share in a cell.
pub struct Cell {
    ring: Line<line_ring!(u64, 1024)>,
    /// When to push, in ticks from the start.
    moments: Vec<u64>,
    carrier: Carrier,
    /// The consumer's strategy; none where a bare futex takes the ring's place.
    waiter: Mutex<Option<Waiter>>,
    /// The bare futex: how many messages were sent, and when each was.
    sent: Line<AtomicU32>,
    stamps: Vec<AtomicU64>,
    outcome: Mutex<Outcome>,
    producer_away: Mutex<Away>,
}

/// What came of a cell.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Ticks from each push to its arrival.
    pub latencies: Vec<u64>,
    /// Nanoseconds of processor time that the consumer's thread took.
    pub charged: f64,
    /// Ticks that it lasted.
    pub lasted: u64,
    /// How the system kept the producer and the consumer from their cores.
    pub away: [Away; 2],
}

impl Cell {
    /// For these moments in ticks.
    pub fn new(waiter: Option<Waiter>, carrier: Carrier, moments: Vec<u64>) -> Self {
        Self {
            ring: Line(LineRing::new()),
            stamps: moments.iter().map(|_| AtomicU64::new(0)).collect(),
            moments,
            carrier,
            waiter: Mutex::new(waiter),
            sent: Line(AtomicU32::new(0)),
            outcome: Mutex::new(Outcome::default()),
            producer_away: Mutex::new(Away::default()),
        }
    }

    /// Runs it, and gives the strategy back with what it has learnt.
    pub fn run(self, crew: &mut Crew) -> (Option<Waiter>, Outcome) {
        let run = Run::new(0, 1, &[]);
        let sides = Sides {
            lead: produce,
            follow: Some(consume),
        };
        let context = (&raw const self).cast_mut().cast::<c_void>();
        // SAFETY: both sides take a `Cell`, which outlives the call.
        unsafe { crew.run(sides, context, &run) };
        let inner = "neither side panics";
        let mut outcome = self.outcome.into_inner().expect(inner);
        outcome.away[0] = self.producer_away.into_inner().expect(inner);
        (self.waiter.into_inner().expect(inner), outcome)
    }
}

/// # Safety
/// The context is a cell, and the run is alive.
unsafe extern "C" fn produce(context: *mut c_void, run: *const Run) {
    // SAFETY: the caller's word.
    let (cell, run) = unsafe { (&*context.cast::<Cell>(), &*run) };
    let mut tx = cell.ring.0.view().producer().expect("the only producer");
    let park = Park::new();
    let before = Away::so_far();
    run.await_ready();
    let start = now();
    for (at, stamp) in cell.moments.iter().zip(&cell.stamps) {
        while now() - start < *at {}
        match cell.carrier {
            // What a full ring refuses is not seen to arrive, and counts as lost.
            Carrier::Plain => drop(tx.push(now())),
            Carrier::Ringing => drop(tx.push_notify(now(), &park)),
            Carrier::Futex => {
                stamp.store(now(), Ordering::Relaxed);
                // Pairs with the Acquire in `on_futex`.
                cell.sent.0.fetch_add(1, Ordering::Release);
                let _ = futex::wake(&cell.sent.0, futex::Flags::PRIVATE, 1);
            }
        }
    }
    while cell.carrier != Carrier::Futex && tx.push_notify(END, &park).is_err() {}
    *cell.producer_away.lock().expect("the only user") = Away::so_far().since(before);
    run.await_finished();
}

/// # Safety
/// The context is a cell, and the run is alive.
unsafe extern "C" fn consume(context: *mut c_void, run: *const Run) {
    // SAFETY: the caller's word.
    let (cell, run) = unsafe { (&*context.cast::<Cell>(), &*run) };
    let mut rx = cell.ring.0.view().consumer().expect("the only consumer");
    let mut latencies = Vec::with_capacity(cell.moments.len());
    let mut waiter = cell.waiter.lock().expect("the only user");
    let before = Away::so_far();
    run.set_ready();
    let (start, charged) = (now(), processor_time());
    match waiter.as_mut() {
        Some(waiter) => {
            waiter.consume(&mut rx, |stamp| latencies.push(now().saturating_sub(stamp)))
        }
        None => on_futex(cell, &mut latencies),
    }
    let (charged, lasted) = (processor_time() - charged, now() - start);
    *cell.outcome.lock().expect("the only user") = Outcome {
        latencies,
        charged,
        lasted,
        away: [Away::default(), Away::so_far().since(before)],
    };
    run.set_finished();
}

fn on_futex(cell: &Cell, latencies: &mut Vec<u64>) {
    let mut seen = 0;
    while (seen as usize) < cell.stamps.len() {
        // Pairs with the Release in `produce`.
        while cell.sent.0.load(Ordering::Acquire) == seen {
            let _ = futex::wait(&cell.sent.0, futex::Flags::PRIVATE, seen, None);
        }
        let stamp = cell.stamps[seen as usize].load(Ordering::Relaxed);
        latencies.push(now().saturating_sub(stamp));
        seen += 1;
    }
}

/// What the calling thread was charged so far, in nanoseconds.
fn processor_time() -> f64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(f64::NAN, |time| {
        time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
    })
}
