//! `gimmal_shm_*`: rings in named segments of shared memory, for processes on one Linux machine.

mod consumer;
mod error;
mod inspect;
mod options;
mod producer;
mod strategy;
mod tap;

pub use consumer::*;
pub use error::gimmal_shm_error;
pub use inspect::*;
pub use options::*;
pub use producer::*;
pub use tap::*;

use core::ffi::c_void;

use gimmal::wait::Bell;
use gimmal_shm::{Passage, Peer};

/// Nobody has claimed the end, or whoever did gave it back.
pub const GIMMAL_SHM_ABSENT: u32 = 0;
/// A live process holds the end.
pub const GIMMAL_SHM_ALIVE: u32 = 1;
/// A process holds the end that is stopped by a signal or a debugger.
pub const GIMMAL_SHM_STOPPED: u32 = 2;
/// The holder is gone and has not given the end back. What it pushed is still there, and another may take its place.
pub const GIMMAL_SHM_DEAD: u32 = 3;

/// The number of a peer's state.
fn state(peer: Peer) -> u32 {
    match peer {
        Peer::Absent => GIMMAL_SHM_ABSENT,
        Peer::Alive => GIMMAL_SHM_ALIVE,
        Peer::Stopped => GIMMAL_SHM_STOPPED,
        Peer::Dead => GIMMAL_SHM_DEAD,
    }
}

/// What code that is inlined, `gimmal/mapped.h`, must know of an end's ring: it asks the segment for none of it.
#[repr(C)]
pub struct gimmal_shm_ring_t {
    /// The ring's control block.
    pub ring: *mut c_void,
    /// Where the end stands: an index, or by line a cursor.
    pub place: usize,
    /// log2 of the ring's slots or cells.
    pub log2_count: u32,
}

impl From<Passage> for gimmal_shm_ring_t {
    fn from(passage: Passage) -> Self {
        Self {
            ring: passage.ring.as_ptr().cast(),
            place: passage.place,
            log2_count: passage.log2_count,
        }
    }
}

/// A bell as C has it.
fn word(bell: Bell<'_>) -> *mut u32 {
    (&raw const *bell.word()).cast_mut().cast()
}
