//! `gimmal_mpsc_t`: a ring of many producers. Not on a target with no compare-and-swap, unless by the feature
//! `critical-section`.

use core::ffi::c_void;

use crate::call::{self, status};
use crate::control::gimmal_control_t;
use crate::status::gimmal_status_t;
use crate::wait::gimmal_wait_t;

/// A ring of any number of producers and one consumer. Each element has a cell of its own, of a cache
/// line or more, with a stamp by which its producer tells of it; it holds its capacity exactly. A
/// push claims a cell by compare-and-swap, and tries again only when another producer has claimed
/// one. A producer that is interrupted between its claim and its stamp delays what lies behind its
/// cell. The cells follow in memory.
#[repr(C)]
pub struct gimmal_mpsc_t {
    /// The control block.
    pub control: gimmal_control_t,
}

/// Tells the size and alignment of the storage for a ring that holds `capacity` elements, a power of
/// two.
///
/// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such ring.
///
/// # Safety
/// `size` and `align` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_layout(
    element_size: usize,
    element_align: usize,
    capacity: usize,
    size: *mut usize,
    align: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        status(call::layout::<gimmal_mpsc_t>(
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
/// The errors of gimmal_mpsc_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
/// does not answer to it.
///
/// # Safety
/// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `ring` is NULL or
/// writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_init(
    storage: *mut c_void,
    storage_size: usize,
    element_size: usize,
    element_align: usize,
    capacity: usize,
    ring: *mut *mut gimmal_mpsc_t,
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

/// Finds the ring that another party laid out in `memory`, and checks that it is one of many
/// producers, for such elements, and wholly inside. The functions below trust a ring's geometry once it is
/// attached: memory that a hostile party writes needs more than this.
///
/// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
/// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
///
/// # Safety
/// `memory` is NULL or `memory_size` readable and writable bytes; `ring` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_attach(
    memory: *mut c_void,
    memory_size: usize,
    element_size: usize,
    element_align: usize,
    ring: *mut *mut gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_deinit(ring: *mut gimmal_mpsc_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::deinit(ring)) }
}

/// Anyone. Takes the consumer's end. A party that is known to be the only consumer need not.
/// Producers claim nothing: any number of them may push at any time.
///
/// GIMMAL_BUSY if it is taken.
///
/// # Safety
/// `ring` is NULL or a ring.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_claim_consumer(ring: *mut gimmal_mpsc_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::claim_consumer(ring)) }
}

/// Consumer. Gives the consumer's end back, to be taken by another party.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_release_consumer(ring: *mut gimmal_mpsc_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::release_consumer(ring)) }
}

/// Anyone, any number at once. Copies one element into the ring. Elements of one thread keep their
/// order.
///
/// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in.
///
/// # Safety
/// `ring` is NULL or a ring; `element` is NULL or an element.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_push(
    ring: *mut gimmal_mpsc_t,
    element: *const c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::push(ring, element)) }
}

/// Anyone, any number at once. Copies one element into the ring, or counts it as dropped.
///
/// GIMMAL_FULL or GIMMAL_CLOSED if it was dropped.
///
/// # Safety
/// `ring` is NULL or a ring; `element` is NULL or an element.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_offer(
    ring: *mut gimmal_mpsc_t,
    element: *const c_void,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::offer(ring, element)) }
}

/// Consumer. Moves the oldest element out of the ring.
///
/// GIMMAL_EMPTY if there is none, or its producer has not finished: see gimmal_mpsc_stalled().
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_pop(
    ring: *mut gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_peek(
    ring: *mut gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_pop_n(
    ring: *mut gimmal_mpsc_t,
    elements: *mut c_void,
    count: usize,
    popped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::pop_n(ring, elements, count, popped)) }
}

/// Consumer. Names the cell that keeps gimmal_mpsc_pop() from the elements behind it: its producer has
/// claimed it and not published it yet. `number` counts the cells claimed before it, and wraps at
/// half of the range of size_t; modulo the capacity it is the cell's place.
///
/// In passing, every push is in that state. If the same cell is named again and again, its producer
/// was interrupted, or is gone.
///
/// GIMMAL_EMPTY if there is no such cell: an element can be popped, or nothing was pushed.
///
/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `number` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_stalled(
    ring: *const gimmal_mpsc_t,
    number: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::stalled(ring, number)) }
}

/// Anyone. How many elements the ring holds: a snapshot, from 0 to the capacity. An element counts
/// from the moment when its producer has claimed its cell.
///
/// # Safety
/// `ring` is NULL or a ring; `len` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_len(
    ring: *const gimmal_mpsc_t,
    len: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::len(ring, len)) }
}

/// Anyone. Whether the ring holds no element: a snapshot, of what gimmal_mpsc_len() counts. Whether
/// there is one to pop, gimmal_mpsc_peek() tells.
///
/// # Safety
/// `ring` is NULL or a ring; `is_empty` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_is_empty(
    ring: *const gimmal_mpsc_t,
    is_empty: *mut bool,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::is_empty(ring, is_empty)) }
}

/// Anyone. Whether the next push would report GIMMAL_FULL: a snapshot.
///
/// # Safety
/// `ring` is NULL or a ring; `is_full` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_is_full(
    ring: *const gimmal_mpsc_t,
    is_full: *mut bool,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::is_full(ring, is_full)) }
}

/// Anyone. How many elements the ring holds, at most and for certain.
///
/// # Safety
/// `ring` is NULL or a ring; `capacity` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_capacity(
    ring: *const gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_dropped(
    ring: *const gimmal_mpsc_t,
    dropped: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::dropped(ring, dropped)) }
}

/// Anyone. Closes the ring for good: a push reports GIMMAL_CLOSED, a pop delivers what is left.
/// Closing twice is the same as once. A push that another thread has begun may still go through, and
/// is delivered.
///
/// # Safety
/// `ring` is NULL or a ring.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_close(ring: *mut gimmal_mpsc_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::close(ring)) }
}

/// Anyone. Whether the ring is closed and no push is under way any more. A consumer that learns this,
/// whoever closed, and then finds the ring empty, has had every element. Once the ring is closed, it
/// takes a look at each element left.
///
/// # Safety
/// `ring` is NULL or a ring; `is_closed` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_is_closed(
    ring: *const gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_pop_wait(
    ring: *mut gimmal_mpsc_t,
    element: *mut c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::pop_wait(ring, element, wait, timeout)) }
}

/// Producer. Copies one element into the ring, and waits for room as `wait` does, for `timeout` nanoseconds at most or
/// GIMMAL_WAIT_FOREVER. Of several producers that sleep, some may look again only after 100 ms.
///
/// GIMMAL_CLOSED, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is timed and the strategy has no clock.
///
/// # Safety
/// `ring` is NULL or a ring; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or initialised,
/// that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_push_wait(
    ring: *mut gimmal_mpsc_t,
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
/// `ring` is NULL or a ring; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or
/// initialised.
#[no_mangle]
pub unsafe extern "C" fn gimmal_mpsc_push_notify(
    ring: *mut gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_pop_notify(
    ring: *mut gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_close_notify(
    ring: *mut gimmal_mpsc_t,
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
pub unsafe extern "C" fn gimmal_mpsc_declare_wait(
    ring: *mut gimmal_mpsc_t,
    wait: *mut gimmal_wait_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    unsafe { status(call::declare(ring, wait)) }
}
