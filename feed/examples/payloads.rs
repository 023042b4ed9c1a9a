//! Messages of different sizes over a ring, three ways: records of bytes, slots of one size, and handles of payloads on the heap.
//! `docs/adr/0025-feed-payloads.md` tells what came of it.
//!
//! `cargo run --release -p gimmal-feed --example payloads [ROUNDS]`

use gimmal::{line_ring, ring, LineRing, Ring};
use gimmal_feed::queue::{Offered, Queue, Receiver, Sender, Size, Ticks};
use std::hint::{black_box, spin_loop};
use std::mem::MaybeUninit;
use std::thread;
use std::time::{Duration, Instant};

/// Lengths as in recordings of an exchange: best prices, small diffs, and now and then a large one.
const LENGTHS: [usize; 20] = [
    152, 152, 160, 164, 164, 165, 166, 168, 170, 180, 190, 200, 220, 250, 300, 340, 420, 560, 900,
    2900,
];
const MESSAGES: usize = 20_000;
const PACED: usize = 1_000;
const PACE: Duration = Duration::from_micros(20);

/// The sending end of a way.
trait Sends: Send {
    /// Whether there was room.
    fn send(&mut self, at: u64, text: &[u8]) -> bool;
}

/// The receiving end of a way.
trait Receives {
    /// Gives the next message to `visit`, if there is one.
    fn receive(&mut self, visit: impl FnOnce(u64, &[u8])) -> bool;
}

impl Sends for Sender<'_> {
    fn send(&mut self, at: u64, text: &[u8]) -> bool {
        self.offer(1, at, text) == Offered::Sent
    }
}

impl Receives for Receiver<'_> {
    fn receive(&mut self, visit: impl FnOnce(u64, &[u8])) -> bool {
        self.try_receive(|head, _, text| visit(head.at, text))
            .is_some()
    }
}

/// A slot that holds the largest message.
struct Slot<const BYTES: usize> {
    at: u64,
    length: usize,
    text: [MaybeUninit<u8>; BYTES],
}

impl<const BYTES: usize> Sends for ring::Producer<'_, Slot<BYTES>> {
    fn send(&mut self, at: u64, text: &[u8]) -> bool {
        let Ok(mut grant) = self.reserve(1) else {
            return false;
        };
        let slot = grant.slices().0[0].as_mut_ptr();
        // SAFETY: the slot is reserved, its bytes need no value, and the message fits.
        unsafe {
            assert!(text.len() <= BYTES);
            (&raw mut (*slot).at).write(at);
            (&raw mut (*slot).length).write(text.len());
            let to = (&raw mut (*slot).text).cast::<u8>();
            text.as_ptr().copy_to_nonoverlapping(to, text.len());
            grant.commit(1);
        }
        true
    }
}

impl<const BYTES: usize> Receives for ring::Consumer<'_, Slot<BYTES>> {
    fn receive(&mut self, visit: impl FnOnce(u64, &[u8])) -> bool {
        let Some(spans) = self.read(1) else {
            return false;
        };
        let slot = &spans.slices().0[0];
        // SAFETY: the sender has written so many bytes.
        let text = unsafe { std::slice::from_raw_parts(slot.text.as_ptr().cast(), slot.length) };
        visit(slot.at, text);
        spans.release(1);
        true
    }
}

type Handle = (u64, Box<[u8]>);

impl Sends for line_ring::Producer<'_, Handle> {
    fn send(&mut self, at: u64, text: &[u8]) -> bool {
        !self.is_full() && self.push((at, text.into())).is_ok()
    }
}

impl Receives for line_ring::Consumer<'_, Handle> {
    fn receive(&mut self, visit: impl FnOnce(u64, &[u8])) -> bool {
        self.pop().map(|(at, text)| visit(at, &text)).is_some()
    }
}

/// Nanoseconds a message at full speed, and the median from end to end when paced.
fn measure(mut sender: impl Sends, mut receiver: impl Receives) -> (f64, f64) {
    let texts: Vec<Vec<u8>> = LENGTHS.iter().map(|length| vec![b'x'; *length]).collect();
    let ticks = Ticks::start();
    thread::scope(|scope| {
        scope.spawn(move || {
            let texts = || (0..).map(|at: usize| &texts[at * 7 % texts.len()]);
            for text in texts().take(MESSAGES) {
                while !sender.send(ticks.now(), text) {
                    spin_loop();
                }
            }
            for text in texts().take(PACED) {
                let start = Instant::now();
                while start.elapsed() < PACE {
                    spin_loop();
                }
                while !sender.send(ticks.now(), text) {
                    spin_loop();
                }
            }
        });
        let mut take = |count: usize, times: &mut Vec<u64>| {
            let mut taken = 0;
            while taken < count {
                let is_taken = receiver.receive(|at, text| {
                    times.push(ticks.now().saturating_sub(at));
                    // As who parses: every byte is read.
                    black_box(text.iter().map(|byte| u64::from(*byte)).sum::<u64>());
                });
                taken += usize::from(is_taken);
            }
        };
        let mut times = Vec::with_capacity(MESSAGES);
        let start = Instant::now();
        take(MESSAGES, &mut times);
        let each = start.elapsed().as_nanos() as f64 / MESSAGES as f64;
        times.clear();
        take(PACED, &mut times);
        times.sort_unstable();
        (each, times[PACED / 2] as f64)
    })
}

fn slots<const BYTES: usize, const COUNT: usize>() -> (f64, f64) {
    let mut memory = Box::new_uninit();
    let ring: &mut Ring<Slot<BYTES>, COUNT> = Ring::init(&mut memory);
    let (sender, receiver) = ring.split().expect("it is new");
    measure(sender, receiver)
}

fn bytes() -> (f64, f64) {
    let queue = Queue::new(Size::M1);
    let (sender, receiver) = queue.split().expect("it is new");
    measure(sender, receiver)
}

fn handles() -> (f64, f64) {
    let ring: Box<gimmal::line_ring!(Handle, 4096)> = Box::new(LineRing::new());
    let (sender, receiver) = ring.split().expect("it is new");
    measure(sender, receiver)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let rounds = std::env::args().nth(1);
    let rounds = rounds.map_or(21, |rounds| rounds.parse().expect("a number of rounds"));
    type Way = (&'static str, &'static str, fn() -> (f64, f64));
    let ways: [Way; 5] = [
        ("records of bytes", "1 MiB", bytes),
        ("slots of 4 KiB", "1 MiB", slots::<4080, 256>),
        ("slots of 4 KiB", "16 MiB", slots::<4080, 4096>),
        ("slots of 64 KiB", "16 MiB", slots::<65520, 256>),
        ("handles", "heap", handles),
    ];
    let mut results = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        for (results, (_, _, way)) in results.iter_mut().zip(ways) {
            results.push(way());
        }
    }
    println!(
        "{rounds} rounds; nanoseconds, and the median of the rounds' ratios to records of bytes"
    );
    for (result, (name, memory, _)) in results.iter().zip(ways) {
        let column = |of: fn(&(f64, f64)) -> f64| {
            let value = median(result.iter().map(of).collect());
            let ratios = result.iter().zip(&results[0]);
            let ratio = median(ratios.map(|(one, bytes)| of(one) / of(bytes)).collect());
            format!("{value:7.0} {ratio:5.2}")
        };
        let (each, latency) = (column(|result| result.0), column(|result| result.1));
        println!("{name:17} {memory:7}  a message {each}   paced, one way {latency}");
    }
}
