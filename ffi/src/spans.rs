//! The one or two runs of elements that a reservation or a read gives out.

use core::ffi::c_void;

/// Room for elements, or elements to read, in at most two runs. The second is empty unless the
/// elements go past the end of the slots and on from the start, which happens by index only.
#[repr(C)]
pub struct gimmal_spans_t {
    /// The first element.
    pub first: *mut c_void,
    /// Elements in the first run.
    pub first_count: usize,
    /// The element after the first run, or NULL.
    pub second: *mut c_void,
    /// Elements in the second run, or 0.
    pub second_count: usize,
}
