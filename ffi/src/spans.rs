//! The one or two runs of elements that a reservation or a read gives out.

use core::ffi::c_void;
use core::ptr::null_mut;

/// Room for elements, or elements to read, in at most two runs. The second is empty unless the
/// elements go past the end of the slots and on from the start, which happens by index only. The
/// address of an empty run means nothing.
#[repr(C)]
pub struct gimmal_spans_t {
    /// The first element.
    pub first: *mut c_void,
    /// Elements in the first run.
    pub first_count: usize,
    /// The element after the first run.
    pub second: *mut c_void,
    /// Elements in the second run.
    pub second_count: usize,
}

impl gimmal_spans_t {
    pub(crate) const NONE: Self = Self {
        first: null_mut(),
        first_count: 0,
        second: null_mut(),
        second_count: 0,
    };
}
