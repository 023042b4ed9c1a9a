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
    /// By line, with several elements a cell: at most so many cells ahead are prefetched for writing; never more than half of the ring.
    const LOOK_AHEAD: usize = 2;
    /// The same with one element a cell.
    const LOOK_AHEAD_ALONE: usize = 0;
    /// By line: a consumer that finds nothing fetches the cell for writing, so that the producer takes it from one cache and
    /// the hand-back finds it there. Measured on x86-64 only.
    const POLL_FOR_WRITING: bool = cfg!(target_arch = "x86_64");
    /// A consumer that finds nothing does not run ahead to its next looks. Measured on x86-64 only.
    const POLL_IN_ORDER: bool = cfg!(target_arch = "x86_64");
    /// By line: the consumer hands each cell back by its stamp. Otherwise it publishes `head`, which the producer reads.
    const HAND_BACK: bool = true;
    /// What another party has written is checked before it is used, for the other party may be hostile: see [`raw::mapped`](crate::raw::mapped).
    const CHECKED: bool = false;
}

/// A policy under which every use of a ring that compiles is sound, so that `new` is safe.
///
/// Under any other policy a ring is made by `with_policy`, whose caller keeps the policy's promise:
///
/// ```compile_fail,E0277
/// use gimmal::{policy::SingleCore, Ring};
///
/// static RING: Ring<u8, 4, SingleCore> = Ring::new();
/// ```
///
/// ```
/// use gimmal::{policy::SingleCore, Ring};
///
/// // SAFETY: both ends are used by an interrupt handler and what it interrupts, on one core.
/// static RING: Ring<u8, 4, SingleCore> = unsafe { Ring::with_policy() };
/// ```
///
/// # Safety
/// The edges order as [`AcquireRelease`] does, at least, and the padding's groups are what it was given.
pub unsafe trait Sound: Policy {}

/// The two ends may run on two cores: the default.
#[derive(Debug, Clone, Copy)]
pub enum Shared {}

impl Policy for Shared {
    type Padding = TargetPadding;
    type Edges = AcquireRelease;
}

// SAFETY: acquire and release on every edge, and the layout's own padding.
unsafe impl Sound for Shared {}

/// Both ends run on one core, as an interrupt handler and the code that it interrupts do: barriers bind the compiler only.
///
/// A ring with this policy whose ends run on two cores loses and tears messages: hence it is made by the unsafe
/// `with_policy`.
#[derive(Debug, Clone, Copy)]
pub enum SingleCore {}

impl Policy for SingleCore {
    type Padding = TargetPadding;
    type Edges = CompilerOnly;
    const LOOK_AHEAD: usize = 0;
    const POLL_FOR_WRITING: bool = false;
    const POLL_IN_ORDER: bool = false;
}

/// [`SingleCore`], and pushes do not look whether the ring is closed: with a constant capacity ([`Ring::fixed`](crate::Ring::fixed)) the
/// fewest instructions.
#[derive(Debug, Clone, Copy)]
pub enum Bare {}

impl Policy for Bare {
    type Padding = TargetPadding;
    type Edges = CompilerOnly;
    const CLOSE: bool = false;
    const LOOK_AHEAD: usize = 0;
    const POLL_FOR_WRITING: bool = false;
    const POLL_IN_ORDER: bool = false;
}

/// The ring lies in memory that other processes can write: as [`Shared`], and nothing that they wrote is trusted.
#[derive(Debug, Clone, Copy)]
pub enum Segment {}

impl Policy for Segment {
    type Padding = TargetPadding;
    type Edges = AcquireRelease;
    const CHECKED: bool = true;
}

/// The study's policies: [`Shared`] with one thing changed.
#[cfg(feature = "lab")]
pub mod lab {
    use super::{Padding, Policy, Sound, TargetPadding};
    use crate::layout::Gap;
    use crate::raw::lab::{Fences, SeqCst};
    use crate::raw::{AcquireRelease, Edges};
    use core::marker::PhantomData;

    // SAFETY: each differs from `Shared` in what its name says, and in nothing that soundness rests on.
    unsafe impl Sound for WithEdges<SeqCst> {}
    // SAFETY: as above.
    unsafe impl Sound for WithEdges<Fences> {}
    // SAFETY: as above.
    unsafe impl<const BYTES: usize> Sound for WithPadding<Gap<BYTES>> {}
    // SAFETY: as above.
    unsafe impl Sound for Uncached {}
    // SAFETY: as above.
    unsafe impl<const CELLS: usize> Sound for LookAhead<CELLS> {}
    // SAFETY: as above.
    unsafe impl<const CELLS: usize> Sound for OneWay<CELLS> {}
    // SAFETY: as above.
    unsafe impl Sound for PollForReading {}
    // SAFETY: as above.
    unsafe impl Sound for PollAtWill {}
    // SAFETY: as above.
    unsafe impl Sound for NoClose {}

    /// Other orderings.
    #[derive(Debug)]
    pub struct WithEdges<E>(PhantomData<E>);

    impl<E: Edges> Policy for WithEdges<E> {
        type Padding = TargetPadding;
        type Edges = E;
    }

    /// Another padding.
    #[derive(Debug)]
    pub struct WithPadding<L>(PhantomData<L>);

    impl<L: Padding> Policy for WithPadding<L> {
        type Padding = L;
        type Edges = AcquireRelease;
    }

    /// By index, with the other end's index loaded at every message.
    #[derive(Debug)]
    pub enum Uncached {}

    impl Policy for Uncached {
        type Padding = TargetPadding;
        type Edges = AcquireRelease;
        const CACHED: bool = false;
    }

    /// By line, another look-ahead.
    #[derive(Debug)]
    pub enum LookAhead<const CELLS: usize> {}

    impl<const CELLS: usize> Policy for LookAhead<CELLS> {
        type Padding = TargetPadding;
        type Edges = AcquireRelease;
        const LOOK_AHEAD: usize = CELLS;
        const LOOK_AHEAD_ALONE: usize = CELLS;
    }

    /// By line, but the consumer publishes `head` in place of handing cells back by their stamps.
    #[derive(Debug)]
    pub enum OneWay<const CELLS: usize> {}

    impl<const CELLS: usize> Policy for OneWay<CELLS> {
        type Padding = TargetPadding;
        type Edges = AcquireRelease;
        const LOOK_AHEAD: usize = CELLS;
        const LOOK_AHEAD_ALONE: usize = CELLS;
        const HAND_BACK: bool = false;
    }

    /// By line, a consumer that finds nothing leaves the cell as the look at it left it.
    #[derive(Debug)]
    pub enum PollForReading {}

    impl Policy for PollForReading {
        type Padding = TargetPadding;
        type Edges = AcquireRelease;
        const POLL_FOR_WRITING: bool = false;
    }

    /// A consumer that finds nothing runs ahead to its next looks.
    #[derive(Debug)]
    pub enum PollAtWill {}

    impl Policy for PollAtWill {
        type Padding = TargetPadding;
        type Edges = AcquireRelease;
        const POLL_IN_ORDER: bool = false;
    }

    /// Pushes that do not look whether the ring is closed.
    #[derive(Debug)]
    pub enum NoClose {}

    impl Policy for NoClose {
        type Padding = TargetPadding;
        type Edges = AcquireRelease;
        const CLOSE: bool = false;
    }
}
