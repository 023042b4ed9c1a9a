//! `gimmal_shm_tap_t`: watching the elements of a segment pass.

use core::ffi::c_void;
use core::slice;
use std::boxed::Box;

use gimmal_shm::{Error, Inspection, OwnedTap, Seen};

use super::error::{failed, said};
use super::options::{gimmal_shm_options_t, place, GIMMAL_SHM_OPEN, GIMMAL_SHM_PASSED};
use crate::status::*;

/// A reader that only watches: it maps the segment read only, and nobody notices it. It copies elements as they pass, from the oldest on, and a copy counts
/// only if it was not overwritten meanwhile; it holds nobody up, so it may miss some.
pub struct gimmal_shm_tap_t {
    tap: OwnedTap,
    /// Elements that passed too fast, wrapping.
    missed: usize,
}

/// Begins to watch a segment: that of the options' name, or with GIMMAL_SHM_PASSED that behind their descriptor. Of the rest kind, element and type tag are
/// looked at. `*tap` is for gimmal_shm_tap_free().
///
/// GIMMAL_BAD_OPTION for an opening that creates; GIMMAL_UNSUPPORTED by index with a capacity of 1, whose one slot is always the next to be written; the errors
/// of gimmal_shm_producer_open() for what is there and for its name, but GIMMAL_BUSY.
///
/// # Safety
/// `options` is NULL or readable, and its name NULL or a string; `tap` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_tap_open(
    options: *const gimmal_shm_options_t,
    tap: *mut *mut gimmal_shm_tap_t,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    let (Some(options), false) = (unsafe { options.as_ref() }, tap.is_null()) else {
        return said(GIMMAL_NULL_POINTER, "a pointer is NULL");
    };
    // SAFETY: the caller keeps the contract above.
    match unsafe { open(options) } {
        Ok(opened) => {
            let opened = gimmal_shm_tap_t {
                tap: opened,
                missed: 0,
            };
            // SAFETY: the caller's word, and it is not NULL.
            unsafe { tap.write(Box::into_raw(Box::new(opened))) };
            GIMMAL_OK
        }
        Err(status) => status,
    }
}

/// # Safety
/// The name is NULL or a string.
unsafe fn open(options: &gimmal_shm_options_t) -> Result<OwnedTap, gimmal_status_t> {
    if !matches!(options.opening, GIMMAL_SHM_OPEN | GIMMAL_SHM_PASSED) {
        return Err(said(GIMMAL_BAD_OPTION, "who watches creates no segment"));
    }
    // SAFETY: the caller's word.
    let opened = unsafe { place(options) }?.inspect().and_then(|seen| {
        check(&seen, options)?;
        seen.into_tap()
    });
    // SAFETY: the caller's word.
    opened.map_err(|error| unsafe { failed(&error, options.name) })
}

/// Whether the segment is what the caller takes it for.
fn check(seen: &Inspection, options: &gimmal_shm_options_t) -> Result<(), Error> {
    let same = |what, asked: u64, found: u64| {
        if asked == found {
            Ok(())
        } else {
            Err(Error::Mismatch { what, asked, found })
        }
    };
    let shape = seen.shape();
    let (size, align) = (options.element_size, options.element_align);
    same("kind", options.kind.into(), seen.kind() as u64)?;
    same("elements of size", size as u64, shape.element_size() as u64)?;
    same(
        "elements of alignment",
        align as u64,
        shape.element_align() as u64,
    )?;
    match options.type_tag {
        0 => Ok(()),
        tag => same("type tag", tag, seen.type_tag()),
    }
}

/// Looks as often as this for one that does not pass too fast.
const LOOKS: usize = 16;

/// Copies the next element, and tells its ring: 0, or with lanes the producer's place; the lanes take turns. Never waits, and never enters the kernel. `ring` may be NULL.
///
/// GIMMAL_EMPTY if there is nothing new, or what is new passes too fast: ask again. The element may be written then.
///
/// # Safety
/// `tap` is NULL or a tap; `element` is NULL or room for an element; `ring` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_tap_next(
    tap: *mut gimmal_shm_tap_t,
    element: *mut c_void,
    ring: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    let (Some(tap), false) = (unsafe { tap.as_mut() }, element.is_null()) else {
        return GIMMAL_NULL_POINTER;
    };
    let size = tap.tap.inspection().shape().element_size();
    // SAFETY: the caller's word: an element has as many bytes, which are only written.
    let element = unsafe { slice::from_raw_parts_mut(element.cast(), size) };
    for _ in 0..LOOKS {
        match tap.tap.next_to(element) {
            Seen::Element { ring: of } => {
                if !ring.is_null() {
                    // SAFETY: the caller's word, and it is not NULL.
                    unsafe { ring.write(of) };
                }
                return GIMMAL_OK;
            }
            Seen::Missed { count, .. } => tap.missed = tap.missed.wrapping_add(count),
            Seen::Nothing => break,
        }
    }
    GIMMAL_EMPTY
}

/// Tells how many elements passed before they could be copied, wrapping.
///
/// # Safety
/// `tap` is NULL or a tap; `missed` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_tap_missed(
    tap: *const gimmal_shm_tap_t,
    missed: *mut usize,
) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { (tap.as_ref(), missed.as_mut()) } {
        (Some(tap), Some(missed)) => {
            *missed = tap.missed;
            GIMMAL_OK
        }
        _ => GIMMAL_NULL_POINTER,
    }
}

/// GIMMAL_OK, or GIMMAL_SUPERSEDED if the segment was replaced or removed: what is left in it can still be watched. Asks the kernel.
///
/// # Safety
/// `tap` is NULL or a tap.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_tap_status(tap: *const gimmal_shm_tap_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    match unsafe { tap.as_ref() } {
        Some(tap) if tap.tap.inspection().is_current() => GIMMAL_OK,
        Some(_) => GIMMAL_SUPERSEDED,
        None => GIMMAL_NULL_POINTER,
    }
}

/// Watches no more, unmaps the segment and makes `*tap` NULL.
///
/// # Safety
/// `tap` is NULL, or leads to NULL or to a tap, which is not used any more.
#[no_mangle]
pub unsafe extern "C" fn gimmal_shm_tap_free(tap: *mut *mut gimmal_shm_tap_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    let Some(tap) = (unsafe { tap.as_mut() }) else {
        return GIMMAL_NULL_POINTER;
    };
    let freed = core::mem::replace(tap, core::ptr::null_mut());
    if !freed.is_null() {
        // SAFETY: `gimmal_shm_tap_open` made it of a box.
        drop(unsafe { Box::from_raw(freed) });
    }
    GIMMAL_OK
}
