//! `gimmal_shm_consumer_t`: the end of a segment that pops.

use core::ffi::c_void;
use core::slice;
use std::boxed::Box;

use gimmal_shm::{ErasedConsumer, Fault};

use super::error::refused;
use super::options::{gimmal_shm_options_t, open, share};
use super::strategy::{waiting, waking, Until};
use super::{gimmal_shm_ring_t, word};
use crate::status::*;
use crate::wait::gimmal_wait_t;

/// A segment's consumer. It may move to another thread, and is used by one at a time.
pub struct gimmal_shm_consumer_t(ErasedConsumer);

/// Becomes the consumer of a segment. `*consumer` is for gimmal_shm_consumer_free().
///
/// As for gimmal_shm_producer_open().
///
/// # Safety
/// `options` is NULL or readable, and its name NULL or a string; `consumer` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_open(
    options: *const gimmal_shm_options_t,
    consumer: *mut *mut gimmal_shm_consumer_t,
) -> gimmal_status_t {
    if consumer.is_null() {
        return GIMMAL_NULL_POINTER;
    }
    // SAFETY: the caller keeps the contract above.
    match unsafe { open::<ErasedConsumer>(options) } {
        Ok(opened) => {
            // SAFETY: the caller's word, and it is not NULL.
            unsafe { consumer.write(Box::into_raw(Box::new(gimmal_shm_consumer_t(opened)))) };
            GIMMAL_OK
        }
        Err(status) => status,
    }
}

/// Does something that gives an element: whether there was one.
///
/// # Safety
/// `consumer` is NULL or a consumer; `element` is NULL or room for an element.
#[inline(always)]
unsafe fn with(
    consumer: *mut gimmal_shm_consumer_t,
    element: *mut c_void,
    pop: impl FnOnce(&mut ErasedConsumer, &mut [u8]) -> Result<bool, Fault>,
) -> gimmal_status_t {
    // SAFETY: the caller's word.
    let Some(consumer) = (unsafe { consumer.as_mut() }) else {
        return GIMMAL_NULL_POINTER;
    };
    if element.is_null() {
        return GIMMAL_NULL_POINTER;
    }
    // SAFETY: the caller's word: an element has as many bytes, which are only written.
    let element = unsafe { slice::from_raw_parts_mut(element.cast(), consumer.0.element_size()) };
    match pop(&mut consumer.0, element) {
        Ok(true) => GIMMAL_OK,
        Ok(false) => GIMMAL_EMPTY,
        Err(fault) => refused(fault),
    }
}

/// Takes the oldest element; with lanes, the oldest of the next lane that has any. Never waits, and never enters the kernel.
///
/// GIMMAL_EMPTY; GIMMAL_CLOSED or GIMMAL_SUPERSEDED if it is empty and nothing more will come; GIMMAL_CORRUPT if another process has written to the
/// ring what no end writes.
///
/// # Safety
/// `consumer` is NULL or a consumer; `element` is NULL or room for an element.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_pop(
    consumer: *mut gimmal_shm_consumer_t,
    element: *mut c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { with(consumer, element, |consumer, element| consumer.pop(element)) }
}

/// As gimmal_shm_consumer_pop(), and wakes a producer that waits for room as the strategy does.
///
/// Also GIMMAL_BAD_STRATEGY, as for gimmal_shm_producer_push_notify(). Nothing was popped then.
///
/// # Safety
/// As for gimmal_shm_consumer_pop(); `wait` is NULL or a strategy.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_pop_notify(
    consumer: *mut gimmal_shm_consumer_t,
    element: *mut c_void,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { waking(wait) } {
        // SAFETY: the caller keeps the contract above.
        Ok(wait) => unsafe {
            with(consumer, element, |consumer, element| {
                let found = consumer.pop(element)?;
                if found {
                    consumer.notify(wait);
                }
                Ok(found)
            })
        },
        Err(status) => status,
    }
}

/// Wakes a producer that waits for room as the strategy does: after any pops. With lanes, that of the lane popped last.
///
/// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
///
/// # Safety
/// `consumer` is NULL or a consumer; `wait` is NULL or a strategy.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_notify(
    consumer: *const gimmal_shm_consumer_t,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (consumer.as_ref(), waking(wait)) } {
        (Some(consumer), Ok(wait)) => {
            consumer.0.notify(wait);
            GIMMAL_OK
        }
        (None, _) => GIMMAL_NULL_POINTER,
        (_, Err(status)) => status,
    }
}

/// Takes the oldest element, and waits for one as the strategy does, for so many nanoseconds or GIMMAL_WAIT_FOREVER, by the system's clock. Every 50 ms it looks
/// whether a producer lives, and skips what dead ones among many have left unfinished.
///
/// As for gimmal_shm_consumer_pop(), but GIMMAL_TIMED_OUT in place of GIMMAL_EMPTY, and GIMMAL_PEER_DIED if a producer died, none lives, and nothing is
/// left. If none has come yet, or all gave their ends back, the wait goes on. GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
///
/// # Safety
/// As for gimmal_shm_consumer_pop(); `wait` is NULL or a strategy that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_pop_wait(
    consumer: *mut gimmal_shm_consumer_t,
    element: *mut c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { waiting(wait) } {
        // SAFETY: the caller keeps the contract above.
        Ok(strategy) => unsafe {
            with(consumer, element, |consumer, element| {
                let mut until = Until::after(timeout);
                consumer.pop_wait_until(element, strategy, &mut until)?;
                Ok(true)
            })
        },
        Err(status) => status,
    }
}

/// Says how this end will sleep while it waits, so that notifying pushes cost less from the first on.
///
/// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
///
/// # Safety
/// `consumer` is NULL or a consumer; `wait` is NULL or a strategy that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_declare(
    consumer: *const gimmal_shm_consumer_t,
    wait: *mut gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (consumer.as_ref(), waiting(wait)) } {
        (Some(consumer), Ok(strategy)) => {
            consumer.0.declare(strategy);
            GIMMAL_OK
        }
        (None, _) => GIMMAL_NULL_POINTER,
        (_, Err(status)) => status,
    }
}

/// With GIMMAL_SHM_MPSC: gives up the elements that producers were pushing when they died, where they are in the way, and tells how many. Waiting does it
/// too; who only polls calls it when nothing has come for a while. Asks the kernel.
///
/// # Safety
/// `consumer` is NULL or a consumer; `skipped` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_skip_dead(
    consumer: *mut gimmal_shm_consumer_t,
    skipped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (consumer.as_mut(), skipped.as_mut()) } {
        (Some(consumer), Some(skipped)) => {
            *skipped = consumer.0.skip_dead();
            GIMMAL_OK
        }
        _ => GIMMAL_NULL_POINTER,
    }
}

/// Tells whether the other end lives: one of the GIMMAL_SHM states from GIMMAL_SHM_ABSENT on. With many producers, the one that fares best. Asks the kernel.
///
/// # Safety
/// `consumer` is NULL or a consumer; `state` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_peer(
    consumer: *const gimmal_shm_consumer_t,
    state: *mut u32,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(consumer, state, |consumer| super::state(consumer.peer())) }
}

/// GIMMAL_OK, or GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more will come; there may be elements left.
///
/// # Safety
/// `consumer` is NULL or a consumer.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_status(
    consumer: *const gimmal_shm_consumer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { consumer.as_ref() } {
        Some(consumer) => consumer.0.fault().map_or(GIMMAL_OK, refused),
        None => GIMMAL_NULL_POINTER,
    }
}

/// Says that this process runs, for those who look at the segment. To open an end and to wait says it too; a push or pop does not.
///
/// # Safety
/// `consumer` is NULL or a consumer.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_beat(
    consumer: *const gimmal_shm_consumer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { consumer.as_ref() } {
        Some(consumer) => {
            consumer.0.beat();
            GIMMAL_OK
        }
        None => GIMMAL_NULL_POINTER,
    }
}

/// Tells how many elements are in the segment: a snapshot.
///
/// # Safety
/// `consumer` is NULL or a consumer; `len` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_len(
    consumer: *const gimmal_shm_consumer_t,
    len: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(consumer, len, |consumer| consumer.len()) }
}

/// Tells how many elements a ring of the segment holds for certain.
///
/// # Safety
/// `consumer` is NULL or a consumer; `capacity` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_capacity(
    consumer: *const gimmal_shm_consumer_t,
    capacity: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(consumer, capacity, |consumer| consumer.capacity()) }
}

/// Tells how many elements were dropped by offers since the segment was made, wrapping.
///
/// # Safety
/// `consumer` is NULL or a consumer; `dropped` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_dropped(
    consumer: *const gimmal_shm_consumer_t,
    dropped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(consumer, dropped, |consumer| consumer.dropped()) }
}

/// Tells how often a segment of this name was made, one in place of another.
///
/// # Safety
/// `consumer` is NULL or a consumer; `epoch` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_epoch(
    consumer: *const gimmal_shm_consumer_t,
    epoch: *mut u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(consumer, epoch, |consumer| consumer.epoch()) }
}

/// Closes the segment: nothing more can be pushed, by anyone. What is in it can still be popped. Whoever sleeps is woken.
///
/// # Safety
/// `consumer` is NULL or a consumer.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_close(
    consumer: *mut gimmal_shm_consumer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { consumer.as_mut() } {
        Some(consumer) => {
            consumer.0.close();
            GIMMAL_OK
        }
        None => GIMMAL_NULL_POINTER,
    }
}

/// Gives the end back, unmaps the segment and makes `*consumer` NULL. The segment stays. In a child of the process that opened it, only the
/// handle goes.
///
/// # Safety
/// `consumer` is NULL, or leads to NULL or to a consumer, which is not used any more.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_free(
    consumer: *mut *mut gimmal_shm_consumer_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    let Some(consumer) = (unsafe { consumer.as_mut() }) else {
        return GIMMAL_NULL_POINTER;
    };
    let freed = core::mem::replace(consumer, core::ptr::null_mut());
    if !freed.is_null() {
        // SAFETY: `gimmal_shm_consumer_open` made it of a box.
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
/// `consumer` is NULL or a consumer; `descriptor` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_share(
    consumer: *const gimmal_shm_consumer_t,
    descriptor: *mut i32,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { consumer.as_ref() } {
        // SAFETY: the caller's word, and it is not NULL.
        Some(consumer) if !descriptor.is_null() => unsafe { share(consumer.0.share(), descriptor) },
        _ => GIMMAL_NULL_POINTER,
    }
}

/// Tells of the bell behind which this end sleeps, `own`, and of the producer's, with lanes that of the lane popped last: for code that is inlined and waits.
///
/// # Safety
/// `consumer` is NULL or a consumer; `own` and `other` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_bells(
    consumer: *const gimmal_shm_consumer_t,
    own: *mut *mut u32,
    other: *mut *mut u32,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (consumer.as_ref(), own.as_mut(), other.as_mut()) } {
        (Some(consumer), Some(own), Some(other)) => {
            let bells = consumer.0.bells();
            (*own, *other) = (word(bells.0), word(bells.1));
            GIMMAL_OK
        }
        _ => GIMMAL_NULL_POINTER,
    }
}

/// Gives the end to code that is inlined: gimmal/mapped.h or gimmal/shm.hpp. From then on that code alone pops; the functions that wait for an
/// element or for room, or move one, report GIMMAL_BUSY, and so does this one. GIMMAL_UNSUPPORTED for kinds of many producers.
///
/// # Safety
/// `consumer` is NULL or a consumer; `ring` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_consumer_ring(
    consumer: *mut gimmal_shm_consumer_t,
    ring: *mut gimmal_shm_ring_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (consumer.as_mut(), ring.as_mut()) } {
        (Some(consumer), Some(ring)) => match consumer.0.passage() {
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
/// `consumer` is NULL or a consumer; `output` is NULL or writable.
unsafe fn tell<R>(
    consumer: *const gimmal_shm_consumer_t,
    output: *mut R,
    ask: impl FnOnce(&ErasedConsumer) -> R,
) -> gimmal_status_t {
    // SAFETY: the caller's word.
    match unsafe { (consumer.as_ref(), output.is_null()) } {
        (Some(consumer), false) => {
            // SAFETY: the caller's word, and it is not NULL.
            unsafe { output.write(ask(&consumer.0)) };
            GIMMAL_OK
        }
        _ => GIMMAL_NULL_POINTER,
    }
}
