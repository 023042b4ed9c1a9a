//! What anyone may ask of a ring.

use gimmal::raw::{Ends, Protocol};

use super::{not_null, open, Erased, Object, Outcome};

/// Writes what `ask` says of the ring.
///
/// # Safety
/// `ring` is NULL or a ring; `answer` is NULL or writable.
#[inline(always)]
unsafe fn query<O: Object, V>(
    ring: *const O,
    answer: *mut V,
    ask: impl FnOnce(&Erased<O>) -> V,
) -> Outcome {
    let answer = not_null(answer)?;
    // SAFETY: the caller's word; the answer is not NULL.
    unsafe { answer.write(ask(&open(ring)?)) };
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring; `len` is NULL or writable.
pub(crate) unsafe fn len<O: Object>(ring: *const O, len: *mut usize) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { query(ring, len, O::Protocol::stored) }
}

/// # Safety
/// `ring` is NULL or a ring; `is_empty` is NULL or writable.
pub(crate) unsafe fn is_empty<O: Object>(ring: *const O, is_empty: *mut bool) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { query(ring, is_empty, |ring| O::Protocol::stored(ring) == 0) }
}

/// # Safety
/// `ring` is NULL or a ring; `is_full` is NULL or writable.
pub(crate) unsafe fn is_full<O: Object>(ring: *const O, is_full: *mut bool) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { query(ring, is_full, O::Protocol::is_full) }
}

/// # Safety
/// `ring` is NULL or a ring; `capacity` is NULL or writable.
pub(crate) unsafe fn capacity<O: Object>(ring: *const O, capacity: *mut usize) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { query(ring, capacity, O::Protocol::capacity) }
}

/// # Safety
/// `ring` is NULL or a ring; `dropped` is NULL or writable.
pub(crate) unsafe fn dropped<O: Object>(ring: *const O, dropped: *mut usize) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { query(ring, dropped, Ends::dropped) }
}

/// # Safety
/// `ring` is NULL or a ring; `is_closed` is NULL or writable.
pub(crate) unsafe fn is_closed<O: Object>(ring: *const O, is_closed: *mut bool) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { query(ring, is_closed, O::Protocol::is_closed) }
}
