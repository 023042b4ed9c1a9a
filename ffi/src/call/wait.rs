//! Waiting, and waking the other end.

use core::ffi::c_void;
use core::ptr::NonNull;

use gimmal::wait::Bell;

use super::{close, find, is_closed, not_null, pop, push, status, Object, Outcome};
use crate::status::*;
use crate::wait::gimmal_wait_t;

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy that
/// nobody else uses.
pub(crate) unsafe fn pop_wait<O: Object>(
    ring: *mut O,
    element: *mut c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> Outcome {
    let mut wait = not_null(wait)?;
    not_null(element)?;
    // SAFETY: the caller's word.
    unsafe {
        let (_, header) = find(ring)?;
        let poll = || match status(pop(ring, element)) {
            GIMMAL_EMPTY if has_closed(ring) => {
                // Closed, and only then found empty: nothing is left.
                match status(pop(ring, element)) {
                    GIMMAL_EMPTY => Some(GIMMAL_CLOSED),
                    other => Some(other),
                }
            }
            GIMMAL_EMPTY => None,
            other => Some(other),
        };
        let bell = Bell::new(&header.consumer_bell);
        done(wait.as_mut().wait(bell, timeout, poll)?)
    }
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy that
/// nobody else uses.
pub(crate) unsafe fn push_wait<O: Object>(
    ring: *mut O,
    element: *const c_void,
    wait: *mut gimmal_wait_t,
    timeout: u64,
) -> Outcome {
    let mut wait = not_null(wait)?;
    not_null(element.cast_mut())?;
    // SAFETY: the caller's word.
    unsafe {
        let (_, header) = find(ring)?;
        let poll = || match status(push(ring, element)) {
            GIMMAL_FULL => None,
            other => Some(other),
        };
        let bell = Bell::new(&header.producer_bell);
        done(wait.as_mut().wait(bell, timeout, poll)?)
    }
}

/// The outcome of a wait.
fn done(found: Option<gimmal_status_t>) -> Outcome {
    match found {
        Some(GIMMAL_OK) => Ok(()),
        Some(status) => Err(status.into()),
        None => Err(GIMMAL_TIMED_OUT.into()),
    }
}

/// # Safety
/// `ring` is a ring.
unsafe fn has_closed<O: Object>(ring: *mut O) -> bool {
    let mut closed = false;
    // SAFETY: the caller's word.
    let asked = unsafe { is_closed(ring.cast_const(), &mut closed) };
    asked.is_ok() && closed
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy.
#[inline(always)]
pub(crate) unsafe fn push_notify<O: Object>(
    ring: *mut O,
    element: *const c_void,
    wait: *const gimmal_wait_t,
) -> Outcome {
    let wait: NonNull<gimmal_wait_t> = not_null(wait.cast_mut())?;
    // SAFETY: the caller's word.
    unsafe {
        known(wait)?;
        push(ring, element)?;
        let (_, header) = find(ring)?;
        Ok(wait.as_ref().ring(Bell::new(&header.consumer_bell))?)
    }
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy.
#[inline(always)]
pub(crate) unsafe fn pop_notify<O: Object>(
    ring: *mut O,
    element: *mut c_void,
    wait: *const gimmal_wait_t,
) -> Outcome {
    let wait: NonNull<gimmal_wait_t> = not_null(wait.cast_mut())?;
    // SAFETY: the caller's word.
    unsafe {
        known(wait)?;
        pop(ring, element)?;
        let (_, header) = find(ring)?;
        Ok(wait.as_ref().ring(Bell::new(&header.producer_bell))?)
    }
}

/// # Safety
/// `ring` is NULL or a ring; `wait` is NULL or a strategy.
pub(crate) unsafe fn close_notify<O: Object>(ring: *mut O, wait: *const gimmal_wait_t) -> Outcome {
    let wait: NonNull<gimmal_wait_t> = not_null(wait.cast_mut())?;
    // SAFETY: the caller's word.
    unsafe {
        known(wait)?;
        close(ring)?;
        let (_, header) = find(ring)?;
        wait.as_ref().ring(Bell::new(&header.consumer_bell))?;
        Ok(wait.as_ref().ring(Bell::new(&header.producer_bell))?)
    }
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `wait` is NULL or a strategy that nobody else uses.
pub(crate) unsafe fn declare<O: Object>(ring: *mut O, wait: *mut gimmal_wait_t) -> Outcome {
    let mut wait = not_null(wait)?;
    // SAFETY: the caller's word.
    unsafe {
        let (_, header) = find(ring)?;
        Ok(wait.as_mut().declare(Bell::new(&header.consumer_bell))?)
    }
}

/// That the strategy was initialised: before anything is done for which it is needed.
///
/// # Safety
/// `wait` is readable.
#[inline(always)]
unsafe fn known(wait: NonNull<gimmal_wait_t>) -> Outcome {
    // SAFETY: the caller's word.
    match unsafe { wait.as_ref() }.strategy {
        crate::wait::GIMMAL_WAIT_SPIN..=crate::wait::GIMMAL_WAIT_ADAPTIVE => Ok(()),
        _ => Err(GIMMAL_BAD_STRATEGY.into()),
    }
}
