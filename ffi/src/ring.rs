//! `gimmal_ring_t`: a ring published by index.

use core::ffi::c_void;

use crate::call::{self, status};
use crate::control::gimmal_control_t;
use crate::spans::gimmal_spans_t;
use crate::status::gimmal_status_t;
use crate::wait::gimmal_wait_t;

/// A ring whose elements lie side by side, and whose producer tells of them by its index. Its
/// capacity is exact and a power of two. The slots follow in memory.
#[repr(C)]
pub struct gimmal_ring_t {
    /// The control block.
    pub control: gimmal_control_t,
}

/// Tells the size and alignment of the storage for a ring of `capacity` elements, a power of two.
///
/// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such ring.
///
/// # Safety
/// `size` and `align` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_layout(
    element_size: usize,
    element_align: usize,
    capacity: usize,
    size: *mut usize,
    align: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        status(call::layout::<gimmal_ring_t>(
            element_size,
            element_align,
            capacity,
            size,
            align,
        ))
    }
}

/// Lays out an empty ring in `storage`, whatever that held, and gives its address: `storage`.
/// Other parties may use the ring as soon as they learn of it in an orderly way.
///
/// The errors of gimmal_ring_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
/// does not answer to it.
///
/// # Safety
/// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `ring` is NULL or
/// writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_init(
    storage: *mut c_void,
    storage_size: usize,
    element_size: usize,
    element_align: usize,
    capacity: usize,
    ring: *mut *mut gimmal_ring_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        status(call::init(
            storage,
            storage_size,
            element_size,
            element_align,
            capacity,
            ring,
        ))
    }
}

/// Finds the ring that another party laid out in `memory`, and checks that it is one by index, for
/// such elements, and wholly inside. The functions below trust a ring's geometry once it is
/// attached: memory that a hostile party writes needs more than this.
///
/// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
/// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
///
/// # Safety
/// `memory` is NULL or `memory_size` readable and writable bytes; `ring` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_attach(
    memory: *mut c_void,
    memory_size: usize,
    element_size: usize,
    element_align: usize,
    ring: *mut *mut gimmal_ring_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        status(call::attach(
            memory,
            memory_size,
            element_size,
            element_align,
            ring,
        ))
    }
}

/// Ends the ring: every later call reports GIMMAL_UNINITIALISED, until it is laid out again.
/// Elements that are left are forgotten.
///
/// # Safety
/// `ring` is NULL or a ring that no other call uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_deinit(ring: *mut gimmal_ring_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::deinit(ring)) }
}

/// Anyone. Takes the producer's end. A party that is known to be the only producer need not. On a
/// processor with no atomic exchange, such as a Cortex-M0, no two may call it at once.
///
/// GIMMAL_BUSY if it is taken.
///
/// # Safety
/// `ring` is NULL or a ring.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_claim_producer(ring: *mut gimmal_ring_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::claim_producer(ring)) }
}

/// Producer. Gives the producer's end back, to be taken by another party.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_release_producer(ring: *mut gimmal_ring_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::release_producer(ring)) }
}

/// Anyone. Takes the consumer's end. A party that is known to be the only consumer need not. On a
/// processor with no atomic exchange, such as a Cortex-M0, no two may call it at once.
///
/// GIMMAL_BUSY if it is taken.
///
/// # Safety
/// `ring` is NULL or a ring.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_claim_consumer(ring: *mut gimmal_ring_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::claim_consumer(ring)) }
}

/// Consumer. Gives the consumer's end back, to be taken by another party.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_release_consumer(ring: *mut gimmal_ring_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::release_consumer(ring)) }
}

/// Producer. Copies one element into the ring.
///
/// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_push(
    ring: *mut gimmal_ring_t,
    element: *const c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::push(ring, element)) }
}

/// Producer. Copies one element into the ring, or counts it as dropped.
///
/// GIMMAL_FULL or GIMMAL_CLOSED if it was dropped.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_offer(
    ring: *mut gimmal_ring_t,
    element: *const c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::offer(ring, element)) }
}

/// Producer. Copies as many of `count` elements into the ring as fit, and tells how many.
///
/// GIMMAL_FULL if none fits; GIMMAL_CLOSED.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `elements` is NULL or `count` elements;
/// `pushed` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_push_n(
    ring: *mut gimmal_ring_t,
    elements: *const c_void,
    count: usize,
    pushed: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::push_n(ring, elements, count, pushed)) }
}

/// Producer. Gives out room for up to `count` elements, at least one, to be filled in place and
/// then committed. Until then nothing is published, and reserving again gives the same room.
///
/// GIMMAL_FULL if there is no room; GIMMAL_CLOSED; GIMMAL_TOO_LARGE if `count` is beyond the
/// capacity, so that waiting for it would never end.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `spans` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_reserve(
    ring: *mut gimmal_ring_t,
    count: usize,
    spans: *mut gimmal_spans_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::reserve(ring, count, spans)) }
}

/// Producer. Publishes the first `count` elements of the room that was reserved.
///
/// GIMMAL_TOO_LARGE if there is no room for so many, GIMMAL_CLOSED.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller, who has filled the room.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_commit(
    ring: *mut gimmal_ring_t,
    count: usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::commit(ring, count)) }
}

/// Consumer. Moves the oldest element out of the ring.
///
/// GIMMAL_EMPTY if there is none.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_pop(
    ring: *mut gimmal_ring_t,
    element: *mut c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::pop(ring, element)) }
}

/// Consumer. Copies the oldest element and leaves it in the ring.
///
/// GIMMAL_EMPTY if there is none.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_peek(
    ring: *mut gimmal_ring_t,
    element: *mut c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::peek(ring, element)) }
}

/// Consumer. Moves up to `count` of the oldest elements out of the ring, and tells how many.
///
/// GIMMAL_EMPTY if there is none.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `elements` is NULL or room for `count`;
/// `popped` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_pop_n(
    ring: *mut gimmal_ring_t,
    elements: *mut c_void,
    count: usize,
    popped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::pop_n(ring, elements, count, popped)) }
}

/// Consumer. Gives out up to `count` of the oldest elements, at least one, to be read in place and
/// then released. Until then they stay in the ring, and reading again gives the same.
///
/// GIMMAL_EMPTY if there is none.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `spans` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_read(
    ring: *mut gimmal_ring_t,
    count: usize,
    spans: *mut gimmal_spans_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::read(ring, count, spans)) }
}

/// Consumer. Takes the oldest `count` elements off the ring; their slots are not the caller's any
/// more.
///
/// GIMMAL_TOO_LARGE if there are fewer.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_release(
    ring: *mut gimmal_ring_t,
    count: usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::release(ring, count)) }
}

/// Anyone. How many elements the ring holds: a snapshot, from 0 to the capacity. The consumer may
/// rely on at least so many, the producer on at most so many.
///
/// # Safety
/// `ring` is NULL or a ring; `len` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_len(
    ring: *const gimmal_ring_t,
    len: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::len(ring, len)) }
}

/// Anyone. Whether the ring holds no element: a snapshot. For the consumer, false stays so until it
/// pops.
///
/// # Safety
/// `ring` is NULL or a ring; `is_empty` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_is_empty(
    ring: *const gimmal_ring_t,
    is_empty: *mut bool,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::is_empty(ring, is_empty)) }
}

/// Anyone. Whether the next push would report GIMMAL_FULL: a snapshot. For the producer, false
/// stays so until it pushes.
///
/// # Safety
/// `ring` is NULL or a ring; `is_full` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_is_full(
    ring: *const gimmal_ring_t,
    is_full: *mut bool,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::is_full(ring, is_full)) }
}

/// Anyone. How many elements the ring holds when it is full.
///
/// # Safety
/// `ring` is NULL or a ring; `capacity` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_capacity(
    ring: *const gimmal_ring_t,
    capacity: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::capacity(ring, capacity)) }
}

/// Anyone. How many elements were offered and dropped, ever; it wraps.
///
/// # Safety
/// `ring` is NULL or a ring; `dropped` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_dropped(
    ring: *const gimmal_ring_t,
    dropped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::dropped(ring, dropped)) }
}

/// Anyone. Closes the ring for good: a push reports GIMMAL_CLOSED, a pop delivers what is left.
/// Closing twice is the same as once. A push that another thread has begun may still go through.
///
/// # Safety
/// `ring` is NULL or a ring.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_close(ring: *mut gimmal_ring_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::close(ring)) }
}

/// Anyone. Whether the ring is closed. A consumer that learns this from a producer's close, and
/// then finds the ring empty, has had every element.
///
/// # Safety
/// `ring` is NULL or a ring; `is_closed` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_is_closed(
    ring: *const gimmal_ring_t,
    is_closed: *mut bool,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::is_closed(ring, is_closed)) }
}

/// Consumer. Moves the oldest element out of the ring, and waits for one as `wait` does, for `timeout` nanoseconds at most
/// or GIMMAL_WAIT_FOREVER.
///
/// GIMMAL_CLOSED if the ring is closed and empty, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is
/// timed and the strategy has no clock.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
/// initialised, that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_pop_wait(
    ring: *mut gimmal_ring_t,
    element: *mut c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::pop_wait(ring, element, wait, timeout)) }
}

/// Producer. Copies one element into the ring, and waits for room as `wait` does, for `timeout` nanoseconds at most or
/// GIMMAL_WAIT_FOREVER.
///
/// GIMMAL_CLOSED, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is timed and the strategy has no clock.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or initialised,
/// that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_push_wait(
    ring: *mut gimmal_ring_t,
    element: *const c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::push_wait(ring, element, wait, timeout)) }
}

/// Producer. Copies one element into the ring, and wakes a consumer that sleeps as `wait` does.
///
/// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in, GIMMAL_BAD_STRATEGY.
///
/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or
/// initialised.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_push_notify(
    ring: *mut gimmal_ring_t,
    element: *const c_void,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::push_notify(ring, element, wait)) }
}

/// Consumer. Moves the oldest element out of the ring, and wakes a producer that sleeps as `wait` does until there is room.
///
/// GIMMAL_EMPTY if there is none, GIMMAL_BAD_STRATEGY.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
/// initialised.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_pop_notify(
    ring: *mut gimmal_ring_t,
    element: *mut c_void,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::pop_notify(ring, element, wait)) }
}

/// Anyone. Closes the ring for good, and wakes whoever sleeps at it as `wait` does.
///
/// GIMMAL_BAD_STRATEGY.
///
/// # Safety
/// `ring` is NULL or a ring; `wait` is NULL or a strategy, zeroed or initialised.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_close_notify(
    ring: *mut gimmal_ring_t,
    wait: *const gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::close_notify(ring, wait)) }
}

/// Consumer. Declares how it will sleep, so that pushes that notify cost less from the first on.
///
/// GIMMAL_BAD_STRATEGY.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `wait` is NULL or a strategy, zeroed or initialised, that nobody else
/// uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_ring_declare_wait(
    ring: *mut gimmal_ring_t,
    wait: *mut gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::declare(ring, wait)) }
}
