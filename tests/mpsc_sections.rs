//! The ring of many producers where there is no compare-and-swap: every change of a shared word runs in a critical section. And what the
//! hooks around the claim are told.
#![allow(missing_docs)]

use gimmal::index::cell_mask;
use gimmal::layout::{ConsumerWords, Header, ProducerWords};
use gimmal::policy::Shared;
use gimmal::raw::mpsc::{ByCell, Consumer, Producer};
use gimmal::raw::{Body, Consumer as _, LineBody, Protocol, Refused};
use gimmal::sync::{Accumulate, Atomic, Atomics, CompareExchange, Ordering};
use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicBool, AtomicU32, AtomicU64, AtomicU8, AtomicUsize};
use std::sync::{Arc, Mutex};

/// The one critical section of the program: a lock of atomics, which ThreadSanitizer sees, as it does not see into the library's.
static ENTERED: AtomicBool = AtomicBool::new(false);
/// How often it was entered.
static SECTIONS: AtomicU64 = AtomicU64::new(0);

fn in_section<R>(work: impl FnOnce() -> R) -> R {
    // Pairs with the Release store below: what the last section did is seen.
    while ENTERED.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    SECTIONS.fetch_add(1, Ordering::Relaxed);
    let result = work();
    // Pairs with the Acquire swap above.
    ENTERED.store(false, Ordering::Release);
    result
}

/// Atomics that can be loaded and stored, and no more.
enum Sectioned {}

#[derive(Default)]
struct Plain<A>(A);

macro_rules! plain {
    ($atomic:ident, $value:ty) => {
        impl Atomic<$value> for Plain<$atomic> {
            fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
            }
        }
    };
}

plain!(AtomicUsize, usize);
plain!(AtomicU32, u32);
plain!(AtomicU8, u8);

impl Plain<AtomicUsize> {
    /// Changes the value in the section if `change` gives another, and returns what was there.
    fn update(&self, change: impl FnOnce(usize) -> Option<usize>) -> usize {
        in_section(|| {
            let found = self.0.load(Ordering::Relaxed);
            if let Some(new) = change(found) {
                // Release, for those who load outside of the section, as they do with a real one.
                self.0.store(new, Ordering::Release);
            }
            found
        })
    }
}

impl CompareExchange<usize> for Plain<AtomicUsize> {
    fn compare_exchange_weak(
        &self,
        current: usize,
        new: usize,
        _: Ordering,
        _: Ordering,
    ) -> Result<usize, usize> {
        let found = self.update(|found| (found == current).then_some(new));
        if found == current {
            Ok(found)
        } else {
            Err(found)
        }
    }

    fn compare_exchange(
        &self,
        current: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        self.compare_exchange_weak(current, new, success, failure)
    }
}

impl Accumulate<usize> for Plain<AtomicUsize> {
    fn fetch_add(&self, value: usize, _: Ordering) -> usize {
        self.update(|found| Some(found.wrapping_add(value)))
    }

    fn fetch_or(&self, value: usize, _: Ordering) -> usize {
        self.update(|found| Some(found | value))
    }
}

impl Atomics for Sectioned {
    type Word = Plain<AtomicUsize>;
    type Half = Plain<AtomicU32>;
    type Byte = Plain<AtomicU8>;

    fn fence(order: Ordering) {
        fence(order);
    }

    fn compiler_fence(order: Ordering) {
        std::sync::atomic::compiler_fence(order);
    }
}

type Element = [u64; 3];

struct Cells {
    header: Header<Sectioned>,
    producer: ProducerWords<Sectioned>,
    consumer: ConsumerWords<Sectioned>,
    stamps: Vec<Plain<AtomicUsize>>,
    slots: Vec<UnsafeCell<Element>>,
    /// What the hooks were told.
    told: Mutex<Vec<(&'static str, usize)>>,
}

/// A ring on such atomics.
#[derive(Clone)]
struct Section(Arc<Cells>);

// SAFETY: slots are used by the protocol, which is under test.
unsafe impl Send for Cells {}
// SAFETY: as for `Send`.
unsafe impl Sync for Cells {}

impl Section {
    fn new(cells: usize, start: usize) -> Self {
        let ring = Self(Arc::new(Cells {
            header: Header {
                magic: Plain::default(),
                version: Plain::default(),
                kind: Plain::default(),
                word_size: Plain::default(),
                log2_line: Plain::default(),
                element_size: Plain::default(),
                stride: Plain::default(),
                slots_offset: Plain::default(),
                log2_align: Plain::default(),
                log2_count: Plain::default(),
                per_cell: Plain::default(),
                reserved: Plain::default(),
                producer_claimed: Plain::default(),
                consumer_claimed: Plain::default(),
                closed: Plain::default(),
                reserved2: Plain::default(),
                consumer_bell: Plain::default(),
                producer_bell: Plain::default(),
            },
            producer: ProducerWords {
                tail: Plain::default(),
                stop: Plain::default(),
                dropped: Plain::default(),
            },
            consumer: ConsumerWords {
                head: Plain::default(),
                seen: Plain::default(),
            },
            stamps: (0..cells).map(|_| Plain::default()).collect(),
            slots: (0..cells).map(|_| UnsafeCell::default()).collect(),
            told: Mutex::default(),
        }));
        // SAFETY: no end exists yet.
        unsafe { ByCell::start_at(&ring, start) };
        ring
    }

    fn tell(&self, what: &'static str, cursor: usize) {
        // Only where a test asks for it: threads would meet here.
        if self.0.slots.len() == 1 {
            self.0.told.lock().unwrap().push((what, cursor));
        }
    }

    fn told(&self) -> Vec<(&'static str, usize)> {
        std::mem::take(&mut self.0.told.lock().unwrap())
    }
}

// SAFETY: everything belongs to the one ring.
unsafe impl Body for Section {
    type Atomics = Sectioned;
    type Policy = Shared;
    type Slot = *mut Element;

    fn header(&self) -> &Header<Sectioned> {
        &self.0.header
    }

    fn producer(&self) -> &ProducerWords<Sectioned> {
        &self.0.producer
    }

    fn consumer(&self) -> &ConsumerWords<Sectioned> {
        &self.0.consumer
    }
}

// SAFETY: as for `Body`.
unsafe impl LineBody for Section {
    type Cell = usize;

    fn mask(&self) -> usize {
        cell_mask(self.0.slots.len())
    }

    fn per_cell(&self) -> usize {
        1
    }

    fn cell(&self, cursor: usize) -> usize {
        (cursor >> 8) % self.0.slots.len()
    }

    fn stamp(&self, cell: usize) -> &Plain<AtomicUsize> {
        &self.0.stamps[cell]
    }

    fn slot(&self, cell: usize, _: usize) -> *mut Element {
        self.0.slots[cell].get()
    }

    fn winning(&self, cursor: usize) {
        self.tell("winning", cursor);
    }

    fn lost(&self, cursor: usize) {
        self.tell("lost", cursor);
    }

    fn won(&self, cursor: usize) {
        self.tell("won", cursor);
    }

    fn fulfilled(&self, cursor: usize) {
        self.tell("fulfilled", cursor);
    }
}

fn push(tx: &mut Producer<Section>, element: Element) -> Result<(), Refused> {
    let claim = tx.claim_cell()?;
    // SAFETY: the claimed slot is this producer's until it is published.
    unsafe {
        tx.slot(&claim).write(element);
        tx.publish_cell(claim);
    }
    Ok(())
}

fn pop(rx: &mut Consumer<Section>) -> Option<Element> {
    let slot = rx.front()?;
    // SAFETY: the front slot is the consumer's until it is released.
    unsafe {
        let element = slot.read();
        rx.release();
        Some(element)
    }
}

#[test]
fn producers_that_share_a_critical_section_lose_nothing() {
    const MESSAGES: u64 = 20_000;
    for cells in [2, 16] {
        let ring = Section::new(cells, usize::MAX / 2 - 100);
        let before = SECTIONS.load(Ordering::Relaxed);
        let mut next = [0; 3];
        std::thread::scope(|scope| {
            let working: Vec<_> = (0..3)
                .map(|producer| {
                    let ring = ring.clone();
                    scope.spawn(move || {
                        let mut tx = Producer::enter(ring);
                        for count in 0..MESSAGES {
                            let element = [producer, count, producer ^ !count];
                            while let Err(refused) = push(&mut tx, element) {
                                assert_eq!(refused, Refused::Full);
                                std::thread::yield_now();
                            }
                        }
                    })
                })
                .collect();
            // SAFETY: the only consumer.
            let mut rx = unsafe { Consumer::enter(ring.clone()) };
            while !rx.is_closed() {
                if working.iter().all(|producer| producer.is_finished()) {
                    rx.close();
                }
                while let Some([producer, count, check]) = pop(&mut rx) {
                    assert_eq!(check, producer ^ !count, "torn");
                    assert_eq!(
                        count, next[producer as usize],
                        "lost, twice or out of order"
                    );
                    next[producer as usize] += 1;
                }
                std::thread::yield_now();
            }
            while let Some([producer, ..]) = pop(&mut rx) {
                next[producer as usize] += 1;
            }
        });
        assert_eq!(next, [MESSAGES; 3]);
        let entered = SECTIONS.load(Ordering::Relaxed) - before;
        assert!(entered > 3 * MESSAGES, "a claim outside of the section");
    }
}

#[test]
fn the_hooks_name_the_cell_before_the_claim_and_after() {
    let ring = Section::new(1, 5);
    let [mut one, mut two] = [Producer::enter(ring.clone()), Producer::enter(ring.clone())];
    // SAFETY: the only consumer.
    let mut rx = unsafe { Consumer::enter(ring.clone()) };
    let (fifth, sixth) = (5 << 8, 6 << 8);

    let claim = one.claim_cell().unwrap();
    assert_eq!(ring.told(), [("winning", fifth), ("won", fifth)]);
    // The cell looks free still, so the other tries for it, and learns that the ring is full.
    assert_eq!(two.claim_cell().err(), Some(Refused::Full));
    assert_eq!(ring.told(), [("winning", fifth), ("lost", fifth)]);
    // SAFETY: the claim is this producer's, and its slot is written.
    unsafe {
        one.slot(&claim).write([1; 3]);
        one.publish_cell(claim);
    }
    assert_eq!(ring.told(), [("fulfilled", fifth)]);
    assert_eq!(one.claim_cell().err(), Some(Refused::Full));
    assert_eq!(ring.told(), []);

    assert_eq!(pop(&mut rx), Some([1; 3]));
    rx.close();
    for tx in [&mut one, &mut two] {
        assert_eq!(tx.claim_cell().err(), Some(Refused::Closed));
        assert_eq!(ring.told(), [("winning", sixth), ("lost", sixth)]);
    }
}
