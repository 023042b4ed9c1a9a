//! What stands at the start of a segment, and the orderings of its fields.
//!
//! The rings' orderings are the core's. The only ones outside it are here: of the segment's own magic number and state, and the
//! relaxed ones of fields that explain and decide nothing.

use crate::identity::Identity;
use gimmal::raw::mapped::Table;
use static_assertions::const_assert;
use std::mem::{offset_of, size_of};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, AtomicUsize, Ordering};

/// The value of `magic` once a segment is published: the bytes `GIMMALSH` on a little-endian machine.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"GIMMALSH");
/// The version of the segment's layout.
pub(crate) const VERSION: u32 = 1;
/// As the machine that made the segment writes it.
pub(crate) const BYTE_ORDER: u32 = 0x0102_0304;

/// Parts that different processes write lie this far apart, at least.
pub(crate) const LINE: usize = 128;

/// The byte of an entry whose lock is the end's. Where it lies in the file is all that matters.
pub(crate) const LOCK: usize = 8;

/// The segment was replaced by another.
const SUPERSEDED: u32 = 1;

/// The start of a segment. All fields are atomic, since nothing keeps another process from writing them.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Header {
    magic: AtomicU64,
    version: AtomicU32,
    byte_order: AtomicU32,
    word_size: AtomicU8,
    log2_line: AtomicU8,
    kind: AtomicU8,
    log2_align: AtomicU8,
    element_size: AtomicU32,
    type_tag: AtomicU64,
    producers: AtomicU32,
    log2_count: AtomicU32,
    rings_offset: AtomicU64,
    ring_size: AtomicU64,
    size: AtomicU64,
    epoch: AtomicU64,
    ticks_per_second: AtomicU64,
    creator_pid: AtomicU32,
    reserved: AtomicU32,
    creator_start: AtomicU64,
    creator_pid_namespace: AtomicU64,
    boot: [AtomicU64; 2],
    status: Status,
}

/// On a line of its own: written when the segment is replaced.
#[derive(Debug)]
#[repr(C, align(128))]
struct Status {
    state: AtomicU32,
}

/// What one end states of itself, on a line that it alone writes: a line of the core's table of producers, whose first is the consumer's.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Entry {
    /// The table's word: of a producer the cell that it is about to claim, of the consumer how many it skipped.
    word: AtomicUsize,
    /// How often the end was claimed.
    claims: AtomicU32,
    /// The holder's pid; 0 when the end was given back.
    pid: AtomicU32,
    start: AtomicU64,
    pid_namespace: AtomicU64,
    heartbeat: AtomicU64,
}

const_assert!(offset_of!(Header, version) == 8);
const_assert!(offset_of!(Header, word_size) == 16);
const_assert!(offset_of!(Header, kind) == 18);
const_assert!(offset_of!(Header, element_size) == 20);
const_assert!(offset_of!(Header, type_tag) == 24);
const_assert!(offset_of!(Header, producers) == 32);
const_assert!(offset_of!(Header, rings_offset) == 40);
const_assert!(offset_of!(Header, size) == 56);
const_assert!(offset_of!(Header, epoch) == 64);
const_assert!(offset_of!(Header, creator_pid) == 80);
const_assert!(offset_of!(Header, boot) == 104);
const_assert!(offset_of!(Header, status) == LINE);
const_assert!(size_of::<Header>() == 2 * LINE);
const_assert!(offset_of!(Entry, claims) == LOCK);
const_assert!(offset_of!(Entry, pid) == 12);
const_assert!(offset_of!(Entry, heartbeat) == 32);
const_assert!(size_of::<Entry>() <= Table::line(0));
const_assert!(LINE % Table::ALIGN == 0);

/// The header's fields, once they are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fields {
    pub version: u32,
    pub byte_order: u32,
    pub word_size: u8,
    pub log2_line: u8,
    pub kind: u8,
    pub log2_align: u8,
    pub element_size: u32,
    pub type_tag: u64,
    pub producers: u32,
    pub log2_count: u32,
    pub rings_offset: u64,
    pub ring_size: u64,
    pub size: u64,
    pub epoch: u64,
    pub ticks_per_second: u64,
    pub creator: Identity,
    pub boot: [u64; 2],
}

impl Header {
    /// Writes all fields, then `magic`.
    pub fn publish(&self, fields: &Fields) {
        // Relaxed: ordered by the store of `magic`.
        let order = Ordering::Relaxed;
        self.version.store(fields.version, order);
        self.byte_order.store(fields.byte_order, order);
        self.word_size.store(fields.word_size, order);
        self.log2_line.store(fields.log2_line, order);
        self.kind.store(fields.kind, order);
        self.log2_align.store(fields.log2_align, order);
        self.element_size.store(fields.element_size, order);
        self.type_tag.store(fields.type_tag, order);
        self.producers.store(fields.producers, order);
        self.log2_count.store(fields.log2_count, order);
        self.rings_offset.store(fields.rings_offset, order);
        self.ring_size.store(fields.ring_size, order);
        self.size.store(fields.size, order);
        self.epoch.store(fields.epoch, order);
        self.ticks_per_second.store(fields.ticks_per_second, order);
        self.creator_pid.store(fields.creator.pid, order);
        self.creator_start.store(fields.creator.start, order);
        self.creator_pid_namespace
            .store(fields.creator.pid_namespace, order);
        self.boot[0].store(fields.boot[0], order);
        self.boot[1].store(fields.boot[1], order);
        // Pairs with the Acquire load in `published`: who sees it sees all fields and the rings.
        self.magic.store(MAGIC, Ordering::Release);
    }

    /// All fields, each read once; or what stands in place of the magic number.
    pub fn published(&self) -> Result<Fields, u64> {
        // Pairs with the Release store in `publish`.
        let magic = self.magic.load(Ordering::Acquire);
        if magic != MAGIC {
            return Err(magic);
        }
        // Relaxed: ordered by the load of `magic`.
        let order = Ordering::Relaxed;
        Ok(Fields {
            version: self.version.load(order),
            byte_order: self.byte_order.load(order),
            word_size: self.word_size.load(order),
            log2_line: self.log2_line.load(order),
            kind: self.kind.load(order),
            log2_align: self.log2_align.load(order),
            element_size: self.element_size.load(order),
            type_tag: self.type_tag.load(order),
            producers: self.producers.load(order),
            log2_count: self.log2_count.load(order),
            rings_offset: self.rings_offset.load(order),
            ring_size: self.ring_size.load(order),
            size: self.size.load(order),
            epoch: self.epoch.load(order),
            ticks_per_second: self.ticks_per_second.load(order),
            creator: Identity {
                pid: self.creator_pid.load(order),
                start: self.creator_start.load(order),
                pid_namespace: self.creator_pid_namespace.load(order),
            },
            boot: [self.boot[0].load(order), self.boot[1].load(order)],
        })
    }

    /// Says that another segment takes this one's name.
    pub fn supersede(&self) {
        // Pairs with the Acquire load in `is_superseded`: who learns of it finds what the replacer knew.
        self.status.state.store(SUPERSEDED, Ordering::Release);
    }

    /// Whether another segment took this one's name, or was about to.
    pub fn is_superseded(&self) -> bool {
        // Pairs with the Release store in `supersede`.
        self.status.state.load(Ordering::Acquire) != 0
    }
}

impl Entry {
    /// States who holds the end. The lock is held.
    pub fn claim(&self, holder: &Identity) {
        // Relaxed, here and below: these fields explain who holds or held the lock, which alone decides.
        let claims = self.claims.load(Ordering::Relaxed);
        self.claims.store(claims.wrapping_add(1), Ordering::Relaxed);
        self.start.store(holder.start, Ordering::Relaxed);
        self.pid_namespace
            .store(holder.pid_namespace, Ordering::Relaxed);
        self.pid.store(holder.pid, Ordering::Relaxed);
    }

    /// States that the end was given back, not lost.
    pub fn give_back(&self) {
        self.pid.store(0, Ordering::Relaxed);
    }

    /// Who claimed the end last and has not given it back.
    pub fn holder(&self) -> Option<Identity> {
        let holder = Identity {
            pid: self.pid.load(Ordering::Relaxed),
            start: self.start.load(Ordering::Relaxed),
            pid_namespace: self.pid_namespace.load(Ordering::Relaxed),
        };
        (holder.pid != 0).then_some(holder)
    }

    /// How often the end was claimed, wrapping.
    pub fn claims(&self) -> u32 {
        self.claims.load(Ordering::Relaxed)
    }

    /// Says that the holder ran at this tick.
    pub fn beat(&self, tick: u64) {
        self.heartbeat.store(tick, Ordering::Relaxed);
    }

    /// When the holder last said that it runs.
    pub fn heartbeat(&self) -> u64 {
        self.heartbeat.load(Ordering::Relaxed)
    }

    /// In the consumer's entry: how many cells of dead producers were skipped, wrapping.
    pub fn skipped(&self) -> usize {
        shown(&self.word)
    }
}

/// An end's place in a ring, to be shown.
pub(crate) fn shown(place: &AtomicUsize) -> usize {
    // Relaxed: nothing is read or written on the strength of it.
    place.load(Ordering::Relaxed)
}
