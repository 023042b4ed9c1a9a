//! What went wrong with a segment: a status, and a sentence for people.

use core::cell::RefCell;
use core::ffi::{c_char, CStr};
use core::ptr::NonNull;
use std::ffi::CString;
use std::string::ToString;
use std::thread_local;

use gimmal::shape::ShapeError;
use gimmal_shm::{Error, Fault};

use crate::status::*;

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// Tells what the last GIMMAL_SHM function that failed in this thread failed at, in a sentence; of those that open, inspect or unlink only. Empty
/// if none has. The text is valid until the next of them is called in this thread.
#[no_mangle]
pub extern "C" fn gimmal_shm_error() -> *const c_char {
    // While a thread ends there is no text any more.
    let text = LAST.try_with(|last| last.borrow().as_ptr());
    text.unwrap_or(c"".as_ptr())
}

/// The status of an error, whose text is kept, with the name of the segment if it has one.
///
/// # Safety
/// `name` is NULL or a string.
pub(super) unsafe fn failed(error: &Error, name: *const c_char) -> gimmal_status_t {
    let name = NonNull::new(name.cast_mut());
    // SAFETY: the caller's word.
    let name = name.and_then(|name| unsafe { CStr::from_ptr(name.as_ptr()) }.to_str().ok());
    let text = name.map_or_else(|| error.to_string(), |name| error.about(name));
    said(status(error), &text)
}

/// The status, whose text is kept.
pub(super) fn said(status: gimmal_status_t, text: &str) -> gimmal_status_t {
    // Names may hold a NUL in no language but this one.
    let text = CString::new(text).unwrap_or_default();
    let _ = LAST.try_with(|last| last.replace(text));
    status
}

fn status(error: &Error) -> gimmal_status_t {
    match error {
        Error::Name(_) => GIMMAL_BAD_NAME,
        Error::NotFound(_) => GIMMAL_NOT_FOUND,
        Error::Exists(_) => GIMMAL_EXISTS,
        Error::Busy { .. } | Error::Replacing => GIMMAL_BUSY,
        Error::Superseded => GIMMAL_SUPERSEDED,
        Error::NotReady => GIMMAL_UNINITIALISED,
        Error::NotASegment { .. } | Error::NotAFile(_) | Error::Mismatch { what: "kind", .. } => {
            GIMMAL_WRONG_KIND
        }
        Error::Version(_) | Error::Machine | Error::Mismatch { .. } => GIMMAL_MISMATCH,
        Error::Corrupt(_) => GIMMAL_CORRUPT,
        Error::NoSpace { .. } => GIMMAL_NO_SPACE,
        Error::Shape(ShapeError::Element) => GIMMAL_BAD_ELEMENT,
        Error::Shape(ShapeError::Capacity) | Error::Capacity { .. } => GIMMAL_BAD_CAPACITY,
        Error::Shape(ShapeError::Overflow) => GIMMAL_OVERFLOW,
        Error::Producers(_) => GIMMAL_BAD_OPTION,
        Error::Owner { .. } | Error::Unsealed => GIMMAL_NOT_TRUSTED,
        Error::Unwatchable => GIMMAL_UNSUPPORTED,
        Error::Fault(fault) => refused(*fault),
        _ => GIMMAL_SYSTEM,
    }
}

/// The status of a push or pop that did nothing.
pub(super) fn refused(fault: Fault) -> gimmal_status_t {
    match fault {
        Fault::Full => GIMMAL_FULL,
        Fault::Closed => GIMMAL_CLOSED,
        Fault::Superseded => GIMMAL_SUPERSEDED,
        Fault::PeerDied => GIMMAL_PEER_DIED,
        Fault::TimedOut => GIMMAL_TIMED_OUT,
        Fault::Given => GIMMAL_BUSY,
        _ => GIMMAL_CORRUPT,
    }
}
