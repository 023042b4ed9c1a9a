//! What may be chosen about a ring when it is compiled. No policy changes a byte of the frozen layout, save those of
//! the feature `lab`, whose paddings are for measuring.

use crate::layout::{Padding, TargetPadding};
use crate::raw::{AcquireRelease, CompilerOnly, Edges};

/// A ring's compile-time choices.
pub trait Policy: 'static {
    /// How the control block's groups are kept apart.
    type Padding: Padding;
    /// The memory ordering of every edge of the protocol.
    type Edges: Edges;
    /// By index: keep an older copy of the other end's index and load the index only when the copy is used up.
    const CACHED: bool = true;
    /// A push looks whether the ring is closed.
    const CLOSE: bool = true;
    /// By line: at most so many cells ahead are prefetched for writing; never more than half of the ring.
    const LOOK_AHEAD: usize = 4;
    /// By line: the consumer hands each cell back by its stamp. Otherwise it publishes `head`, which the producer reads.
    const HAND_BACK: bool = true;
}

/// The two ends may run on two cores: the default.
#[derive(Debug, Clone, Copy)]
pub enum Shared {}

impl Policy for Shared {
    type Padding = TargetPadding;
    type Edges = AcquireRelease;
}

/// Both ends run on one core, as an interrupt handler and the code that it interrupts do: barriers bind the compiler only.
///
/// A ring with this policy whose ends run on two cores loses and tears messages.
#[derive(Debug, Clone, Copy)]
pub enum SingleCore {}

impl Policy for SingleCore {
    type Padding = TargetPadding;
    type Edges = CompilerOnly;
    const LOOK_AHEAD: usize = 0;
}

/// [`SingleCore`], and pushes do not look whether the ring is closed: the fewest instructions.
#[derive(Debug, Clone, Copy)]
pub enum Bare {}

impl Policy for Bare {
    type Padding = TargetPadding;
    type Edges = CompilerOnly;
    const CACHED: bool = false;
    const CLOSE: bool = false;
    const LOOK_AHEAD: usize = 0;
}
