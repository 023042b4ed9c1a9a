//! `gimmal_shm_producer_t`: the end of a segment that pushes.

use core::ffi::c_void;
use core::slice;
use std::boxed::Box;

use gimmal_shm::{ErasedProducer, Fault};

use super::error::refused;
use super::options::{gimmal_shm_options_t, open, share};
use super::strategy::{waiting, waking, Until};
use super::{gimmal_shm_ring_t, word};
use crate::status::*;
use crate::wait::gimmal_wait_t;

/// A segment's producer, or one of its producers. It may move to another thread, and is used by one at a time.
pub struct gimmal_shm_producer_t(ErasedProducer);

/// Becomes the producer of a segment, or one of its producers: attaches to it, creates it or replaces it as the options say, and takes the end over
/// if its holder died. `*producer` is for gimmal_shm_producer_free().
///
/// GIMMAL_BAD_NAME, GIMMAL_BAD_OPTION, GIMMAL_WRONG_KIND, GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY or GIMMAL_OVERFLOW for options of
/// which there is no segment; GIMMAL_BUSY if a live process holds the end, or others are replacing the segment; GIMMAL_NOT_FOUND,
/// GIMMAL_EXISTS, GIMMAL_SUPERSEDED; GIMMAL_WRONG_KIND, GIMMAL_MISMATCH, GIMMAL_CORRUPT, GIMMAL_UNINITIALISED or GIMMAL_NOT_TRUSTED for what is there;
/// GIMMAL_NO_SPACE, GIMMAL_SYSTEM. gimmal_shm_error() tells more.
///
/// # Safety
/// `options` is NULL or readable, and its name NULL or a string; `producer` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_open(
    options: *const gimmal_shm_options_t,
    producer: *mut *mut gimmal_shm_producer_t,
) -> gimmal_status_t {
    if producer.is_null() {
        return GIMMAL_NULL_POINTER;
    }
    // SAFETY: the caller keeps the contract above.
    match unsafe { open::<ErasedProducer>(options) } {
        Ok(opened) => {
            // SAFETY: the caller's word, and it is not NULL.
            unsafe { producer.write(Box::into_raw(Box::new(gimmal_shm_producer_t(opened)))) };
            GIMMAL_OK
        }
        Err(status) => status,
    }
}

/// Does something with an element.
///
/// # Safety
/// `producer` is NULL or a producer; `element` is NULL or an element.
#[inline(always)]
unsafe fn with(
    producer: *mut gimmal_shm_producer_t,
    element: *const c_void,
    push: impl FnOnce(&mut ErasedProducer, &[u8]) -> Result<(), Fault>,
) -> gimmal_status_t {
    // SAFETY: the caller's word.
    let Some(producer) = (unsafe { producer.as_mut() }) else {
        return GIMMAL_NULL_POINTER;
    };
    if element.is_null() {
        return GIMMAL_NULL_POINTER;
    }
    // SAFETY: the caller's word: an element has as many bytes.
    let element = unsafe { slice::from_raw_parts(element.cast(), producer.0.element_size()) };
    match push(&mut producer.0, element) {
        Ok(()) => GIMMAL_OK,
        Err(fault) => refused(fault),
    }
}

/// Pushes a copy of an element. Never waits, and never enters the kernel.
///
/// GIMMAL_FULL, GIMMAL_CLOSED, GIMMAL_SUPERSEDED, or GIMMAL_CORRUPT if another process has written to the ring what no end writes.
///
/// # Safety
/// `producer` is NULL or a producer; `element` is NULL or an element.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_push(
    producer: *mut gimmal_shm_producer_t,
    element: *const c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        with(producer, element, |producer, element| {
            producer.push(element)
        })
    }
}

/// As gimmal_shm_producer_push(), and counts the element if it is dropped for want of room.
///
/// # Safety
/// As for gimmal_shm_producer_push().
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_offer(
    producer: *mut gimmal_shm_producer_t,
    element: *const c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        with(producer, element, |producer, element| {
            producer.offer(element)
        })
    }
}

/// As gimmal_shm_producer_push(), and wakes a consumer that sleeps as the strategy does.
///
/// Also GIMMAL_BAD_STRATEGY, if it was not initialised, or sleeps where only its own process can wake it: GIMMAL_WAIT_PARK, and GIMMAL_WAIT_ADAPTIVE
/// without callbacks. Nothing was pushed then.
///
/// # Safety
/// As for gimmal_shm_producer_push(); `wait` is NULL or a strategy.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_push_notify(
    producer: *mut gimmal_shm_producer_t,
    element: *const c_void,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { waking(wait) } {
        // SAFETY: the caller keeps the contract above.
        Ok(wait) => unsafe {
            with(producer, element, |producer, element| {
                producer.push(element)?;
                producer.notify(wait);
                Ok(())
            })
        },
        Err(status) => status,
    }
}

/// Wakes a consumer that sleeps as the strategy does: after any pushes.
///
/// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
///
/// # Safety
/// `producer` is NULL or a producer; `wait` is NULL or a strategy.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_notify(
    producer: *const gimmal_shm_producer_t,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (producer.as_ref(), waking(wait)) } {
        (Some(producer), Ok(wait)) => {
            producer.0.notify(wait);
            GIMMAL_OK
        }
        (None, _) => GIMMAL_NULL_POINTER,
        (_, Err(status)) => status,
    }
}

/// Pushes a copy of an element, and waits for room as the strategy does, for so many nanoseconds or GIMMAL_WAIT_FOREVER, by the system's clock. Every 50 ms it
/// looks whether the consumer lives.
///
/// As for gimmal_shm_producer_push(), and GIMMAL_TIMED_OUT, or GIMMAL_PEER_DIED if the consumer died and the ring is full. GIMMAL_BAD_STRATEGY
/// as for gimmal_shm_producer_push_notify().
///
/// # Safety
/// As for gimmal_shm_producer_push(); `wait` is NULL or a strategy that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_push_wait(
    producer: *mut gimmal_shm_producer_t,
    element: *const c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { waiting(wait) } {
        // SAFETY: the caller keeps the contract above.
        Ok(strategy) => unsafe {
            with(producer, element, |producer, element| {
                producer.push_wait_until(element, strategy, &mut Until::after(timeout))
            })
        },
        Err(status) => status,
    }
}

/// Tells which of the producers' places this is, from 0; with lanes, the lane.
///
/// # Safety
/// `producer` is NULL or a producer; `place` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_place(
    producer: *const gimmal_shm_producer_t,
    place: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(producer, place, |producer| producer.place()) }
}

/// Tells whether the other end lives: one of the GIMMAL_SHM states from GIMMAL_SHM_ABSENT on. Asks the kernel.
///
/// # Safety
/// `producer` is NULL or a producer; `state` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_peer(
    producer: *const gimmal_shm_producer_t,
    state: *mut u32,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(producer, state, |producer| super::state(producer.peer())) }
}

/// GIMMAL_OK, or GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more can be pushed.
///
/// # Safety
/// `producer` is NULL or a producer.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_status(
    producer: *const gimmal_shm_producer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { producer.as_ref() } {
        Some(producer) => producer.0.fault().map_or(GIMMAL_OK, refused),
        None => GIMMAL_NULL_POINTER,
    }
}

/// Says that this process runs, for those who look at the segment. To open an end and to wait says it too; a push or pop does not.
///
/// # Safety
/// `producer` is NULL or a producer.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_beat(
    producer: *const gimmal_shm_producer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { producer.as_ref() } {
        Some(producer) => {
            producer.0.beat();
            GIMMAL_OK
        }
        None => GIMMAL_NULL_POINTER,
    }
}

/// Tells how many elements are in this producer's ring: a snapshot.
///
/// # Safety
/// `producer` is NULL or a producer; `len` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_len(
    producer: *const gimmal_shm_producer_t,
    len: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(producer, len, |producer| producer.len()) }
}

/// Tells how many elements a ring of the segment holds for certain.
///
/// # Safety
/// `producer` is NULL or a producer; `capacity` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_capacity(
    producer: *const gimmal_shm_producer_t,
    capacity: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(producer, capacity, |producer| producer.capacity()) }
}

/// Tells how many elements were dropped by offers since the segment was made, wrapping.
///
/// # Safety
/// `producer` is NULL or a producer; `dropped` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_dropped(
    producer: *const gimmal_shm_producer_t,
    dropped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(producer, dropped, |producer| producer.dropped()) }
}

/// Tells how often a segment of this name was made, one in place of another.
///
/// # Safety
/// `producer` is NULL or a producer; `epoch` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_epoch(
    producer: *const gimmal_shm_producer_t,
    epoch: *mut u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(producer, epoch, |producer| producer.epoch()) }
}

/// Closes the segment: nothing more can be pushed, by anyone. What is in it can still be popped. Whoever sleeps is woken.
///
/// # Safety
/// `producer` is NULL or a producer.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_close(
    producer: *mut gimmal_shm_producer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { producer.as_mut() } {
        Some(producer) => {
            producer.0.close();
            GIMMAL_OK
        }
        None => GIMMAL_NULL_POINTER,
    }
}

/// Gives the end back, unmaps the segment and makes `*producer` NULL. The segment stays. In a child of the process that opened it, only the
/// handle goes.
///
/// # Safety
/// `producer` is NULL, or leads to NULL or to a producer, which is not used any more.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_free(
    producer: *mut *mut gimmal_shm_producer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    let Some(producer) = (unsafe { producer.as_mut() }) else {
        return GIMMAL_NULL_POINTER;
    };
    let freed = core::mem::replace(producer, core::ptr::null_mut());
    if !freed.is_null() {
        // SAFETY: `gimmal_shm_producer_open` made it of a box.
        drop(unsafe { Box::from_raw(freed) });
    }
    GIMMAL_OK
}

/// Gives a descriptor that leads another process to a segment without a name: sent over a socket, or inherited. It is the caller's to close, holds no lock,
/// and is closed on exec unless the caller says otherwise. That of a segment with a name is refused where it is passed, since its file can be truncated.
///
/// GIMMAL_SYSTEM if the process has too many open.
///
/// # Safety
/// `producer` is NULL or a producer; `descriptor` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_share(
    producer: *const gimmal_shm_producer_t,
    descriptor: *mut i32,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { producer.as_ref() } {
        // SAFETY: the caller's word, and it is not NULL.
        Some(producer) if !descriptor.is_null() => unsafe { share(producer.0.share(), descriptor) },
        _ => GIMMAL_NULL_POINTER,
    }
}

/// Tells of the bell behind which this end sleeps, `own`, and of the consumer's: for code that is inlined and waits.
///
/// # Safety
/// `producer` is NULL or a producer; `own` and `other` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_bells(
    producer: *const gimmal_shm_producer_t,
    own: *mut *mut u32,
    other: *mut *mut u32,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (producer.as_ref(), own.as_mut(), other.as_mut()) } {
        (Some(producer), Some(own), Some(other)) => {
            let bells = producer.0.bells();
            (*own, *other) = (word(bells.0), word(bells.1));
            GIMMAL_OK
        }
        _ => GIMMAL_NULL_POINTER,
    }
}

/// Gives the end to code that is inlined: gimmal/mapped.h or gimmal/shm.hpp. From then on that code alone pushes; the functions that wait for an
/// element or for room, or move one, report GIMMAL_BUSY, and so does this one. GIMMAL_UNSUPPORTED with GIMMAL_SHM_MPSC.
///
/// # Safety
/// `producer` is NULL or a producer; `ring` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_producer_ring(
    producer: *mut gimmal_shm_producer_t,
    ring: *mut gimmal_shm_ring_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (producer.as_mut(), ring.as_mut()) } {
        (Some(producer), Some(ring)) => match producer.0.passage() {
            Ok(Some(passage)) => {
                *ring = passage.into();
                GIMMAL_OK
            }
            Ok(None) => GIMMAL_UNSUPPORTED,
            Err(fault) => refused(fault),
        },
        _ => GIMMAL_NULL_POINTER,
    }
}

/// Writes what `ask` tells of the end.
///
/// # Safety
/// `producer` is NULL or a producer; `output` is NULL or writable.
unsafe fn tell<R>(
    producer: *const gimmal_shm_producer_t,
    output: *mut R,
    ask: impl FnOnce(&ErasedProducer) -> R,
) -> gimmal_status_t {
    // SAFETY: the caller's word.
    match unsafe { (producer.as_ref(), output.is_null()) } {
        (Some(producer), false) => {
            // SAFETY: the caller's word, and it is not NULL.
            unsafe { output.write(ask(&producer.0)) };
            GIMMAL_OK
        }
        _ => GIMMAL_NULL_POINTER,
    }
}
