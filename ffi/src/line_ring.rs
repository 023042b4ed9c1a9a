//! `gimmal_line_ring_t`: a ring published by line.

use crate::control::gimmal_control_t;

/// A ring whose elements lie in cells of one cache line, each published by a stamp of its own. The
/// cells follow in memory.
#[repr(C)]
pub struct gimmal_line_ring_t {
    /// The control block.
    pub control: gimmal_control_t,
}
