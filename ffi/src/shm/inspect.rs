//! Looking at a segment without being an end of it, and removing it.

use core::ffi::c_char;

use gimmal_shm::EndState;

use super::error::failed;
use super::options::named;
use super::state;
use crate::status::*;

/// How an end fares, and what its holder stated of itself.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gimmal_shm_end_t {
    /// GIMMAL_SHM_ABSENT, GIMMAL_SHM_ALIVE, GIMMAL_SHM_STOPPED or GIMMAL_SHM_DEAD.
    pub state: u32,
    /// The holder's process in its own pid namespace; 0 if there is none, or it gave the end back.
    pub pid: u32,
    /// How often the end was claimed, wrapping.
    pub claims: u32,
    /// Nanoseconds since the holder last said that it runs; UINT64_MAX if none ever did.
    pub beat_age: u64,
}

/// What can be told of a segment: a snapshot.
#[repr(C)]
pub struct gimmal_shm_inspection_t {
    /// One of the GIMMAL_SHM kinds.
    pub kind: u32,
    /// Whether nothing more can be pushed.
    pub closed: bool,
    /// Bytes of an element.
    pub element_size: usize,
    /// The alignment of an element.
    pub element_align: usize,
    /// Elements that each ring holds for certain.
    pub capacity: usize,
    /// How many producers there may be at a time.
    pub producers: usize,
    /// Bytes of the whole segment.
    pub size: usize,
    /// What its creator said that the elements mean.
    pub type_tag: u64,
    /// How often a segment of this name was made, one in place of another.
    pub epoch: u64,
    /// Elements in all its rings.
    pub len: usize,
    /// Elements dropped by offers, wrapping.
    pub dropped: usize,
    /// Elements of dead producers among many that the consumer skipped, wrapping.
    pub skipped: usize,
    /// The consumer's end.
    pub consumer: gimmal_shm_end_t,
    /// The producer's end; of many, the one that fares best.
    pub producer: gimmal_shm_end_t,
}

fn end(of: &EndState) -> gimmal_shm_end_t {
    let nanoseconds = of.last_beat.map(|age| age.as_nanos());
    gimmal_shm_end_t {
        state: state(of.peer),
        pid: of.holder.map_or(0, |holder| holder.pid),
        claims: of.claims,
        beat_age: nanoseconds.map_or(u64::MAX, |age| age.try_into().unwrap_or(u64::MAX)),
    }
}

/// Alive before stopped, stopped before dead, dead before absent.
fn fortune(end: &gimmal_shm_end_t) -> u32 {
    match end.state {
        super::GIMMAL_SHM_ABSENT => 3,
        state => state - super::GIMMAL_SHM_ALIVE,
    }
}

/// Looks at a segment without becoming an end of it, read only.
///
/// The errors of gimmal_shm_producer_open() for what is there and for its name, but GIMMAL_BUSY.
///
/// # Safety
/// `name` is NULL or a string; `inspection` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_inspect(
    name: *const c_char,
    inspection: *mut gimmal_shm_inspection_t,
) -> gimmal_status_t {
    if inspection.is_null() {
        return GIMMAL_NULL_POINTER;
    }
    // SAFETY: the caller keeps the contract above.
    let segment = match unsafe { named(name) } {
        Ok(segment) => segment,
        Err(status) => return status,
    };
    let seen = match segment.inspect() {
        Ok(seen) => seen,
        // SAFETY: the caller keeps the contract above.
        Err(error) => return unsafe { failed(&error, name) },
    };
    let rings = seen.rings();
    let producers = seen.producers();
    let best = producers.iter().map(end).min_by_key(fortune);
    let consumer = end(&seen.consumer());
    let told = gimmal_shm_inspection_t {
        kind: seen.kind() as u32,
        closed: rings.iter().all(|ring| ring.is_closed),
        element_size: seen.shape().element_size(),
        element_align: seen.shape().element_align(),
        capacity: seen.shape().capacity(),
        producers: producers.len(),
        size: seen.size(),
        type_tag: seen.type_tag(),
        epoch: seen.epoch(),
        len: rings.iter().map(|ring| ring.len).sum(),
        dropped: rings
            .iter()
            .fold(0, |sum, ring| sum.wrapping_add(ring.dropped)),
        skipped: seen.skipped(),
        consumer,
        producer: best.unwrap_or(consumer),
    };
    // SAFETY: the caller's word, and it is not NULL.
    unsafe { inspection.write(told) };
    GIMMAL_OK
}

/// Removes a segment; what is in it is lost. Ends that live get GIMMAL_SUPERSEDED, if it is removed by force.
///
/// GIMMAL_BUSY if an end has a live holder and it is not by force; GIMMAL_WRONG_KIND, GIMMAL_UNINITIALISED, GIMMAL_MISMATCH or GIMMAL_CORRUPT for a file that is
/// no whole segment, which goes by force alone; GIMMAL_NOT_FOUND, GIMMAL_BAD_NAME, GIMMAL_NOT_TRUSTED, GIMMAL_SYSTEM.
///
/// # Safety
/// `name` is NULL or a string.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_unlink(name: *const c_char, by_force: bool) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    let segment = match unsafe { named(name) } {
        Ok(segment) => segment,
        Err(status) => return status,
    };
    let removed = if by_force {
        segment.remove_by_force()
    } else {
        segment.remove()
    };
    match removed {
        Ok(()) => GIMMAL_OK,
        // SAFETY: the caller keeps the contract above.
        Err(error) => unsafe { failed(&error, name) },
    }
}
