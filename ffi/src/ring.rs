//! `gimmal_ring_t`: a ring published by index.

use crate::control::gimmal_control_t;

/// A ring whose elements lie side by side and whose producer publishes by index. The slots follow
/// in memory.
#[repr(C)]
pub struct gimmal_ring_t {
    /// The control block.
    pub control: gimmal_control_t,
}
