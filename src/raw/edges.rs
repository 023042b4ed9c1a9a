//! The memory ordering of each edge of the protocols.
//!
//! An edge is a store of one end and the load of the other that reads it. Each is named once, here, and used under its name.

use crate::sync::{Atomic, Atomics, CompareExchange, Ordering};

/// How the edges are ordered.
pub trait Edges: 'static {
    /// A published element: the producer's store of a stamp (by line) or of `tail` (by index). Pairs with `OBSERVE`.
    const PUBLISH: Ordering = Ordering::Release;
    /// The consumer's load of a stamp or of `tail`. Pairs with `PUBLISH`.
    const OBSERVE: Ordering = Ordering::Acquire;
    /// A slot given back: the consumer's store of a stamp or of `head`. Pairs with `REUSE`.
    const HAND_BACK: Ordering = Ordering::Release;
    /// The producer's load of a stamp or of `head`. Pairs with `HAND_BACK`.
    const REUSE: Ordering = Ordering::Acquire;
    /// With many producers, what a producer knows of the cells before it claims the next: the claim's writing side. Pairs
    /// with `FOLLOW`.
    const PASS: Ordering = Ordering::Release;
    /// With many producers, a load of `tail`, and the claim's reading side. Pairs with `PASS`.
    const FOLLOW: Ordering = Ordering::Acquire;
    /// An end given back to be claimed again. Pairs with `CLAIM`.
    const GIVE_UP: Ordering = Ordering::Release;
    /// The exchange by which an end is claimed. Pairs with `GIVE_UP`.
    const CLAIM: Ordering = Ordering::Acquire;
    /// The store that closes a ring. Pairs with `SEE_CLOSED`.
    const CLOSE: Ordering = Ordering::Release;
    /// The load by which a consumer learns that nothing more will come. Pairs with `CLOSE`.
    const SEE_CLOSED: Ordering = Ordering::Acquire;
    /// The geometry stated: the store of `magic`. Pairs with `LEARN`.
    const STATE: Ordering = Ordering::Release;
    /// The load of `magic` before the geometry is used. Pairs with `STATE`.
    const LEARN: Ordering = Ordering::Acquire;
    /// A producer's declaration taken back, after what it declared. Pairs with `SEE_WITHDRAWN`.
    const WITHDRAW: Ordering = Ordering::Release;
    /// The load of a declaration before the second look at a stalled cell. Pairs with `WITHDRAW`.
    const SEE_WITHDRAWN: Ordering = Ordering::Acquire;
    /// A tap's fence between its copy and its second look. Pairs with the Release fence of the hook `won`.
    const LOOK_AGAIN: Ordering = Ordering::Acquire;
    /// What carries the ordering.
    const CARRIER: Carrier = Carrier::Access;
    /// The consumer hands a cell back before it has read the last element: wrong, for the control only.
    const EARLY_HAND_BACK: bool = false;
}

/// What carries an edge's ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// The load or store itself.
    Access,
    /// A relaxed access and a fence beside it.
    Fence,
    /// A relaxed access and a fence that binds the compiler only: for two ends on one core.
    Compiler,
}

/// Acquire and release on the accesses.
#[derive(Debug, Clone, Copy)]
pub enum AcquireRelease {}

impl Edges for AcquireRelease {}

/// Relaxed accesses, ordered by the compiler only.
#[derive(Debug, Clone, Copy)]
pub enum CompilerOnly {}

impl Edges for CompilerOnly {
    const CARRIER: Carrier = Carrier::Compiler;
}

/// Loads at the receiving side of an edge.
#[inline(always)]
pub(super) fn receive<A: Atomics, E: Edges, V>(from: &impl Atomic<V>, order: Ordering) -> V {
    match E::CARRIER {
        Carrier::Access => from.load(order),
        Carrier::Fence => {
            let value = from.load(Ordering::Relaxed);
            if order != Ordering::Relaxed {
                A::fence(order);
            }
            value
        }
        Carrier::Compiler => {
            let value = from.load(Ordering::Relaxed);
            A::compiler_fence(order);
            value
        }
    }
}

/// Stores at the sending side of an edge.
#[inline(always)]
pub(super) fn send<A: Atomics, E: Edges, V>(to: &impl Atomic<V>, value: V, order: Ordering) {
    match E::CARRIER {
        Carrier::Access => to.store(value, order),
        Carrier::Fence => {
            if order != Ordering::Relaxed {
                A::fence(order);
            }
            to.store(value, Ordering::Relaxed);
        }
        Carrier::Compiler => {
            A::compiler_fence(order);
            to.store(value, Ordering::Relaxed);
        }
    }
}

/// Moves `word` from one value to another, which must be its value: the `FOLLOW` and `PASS` sides of an edge at once. The error is
/// what is there instead, or, if the machine failed for no reason, the same.
#[inline(always)]
pub(super) fn relay<A: Atomics, E: Edges>(
    word: &impl CompareExchange<usize>,
    from: usize,
    to: usize,
) -> Result<usize, usize> {
    match E::CARRIER {
        Carrier::Access => {
            word.compare_exchange_weak(from, to, both(E::FOLLOW, E::PASS), E::FOLLOW)
        }
        Carrier::Fence => {
            if E::PASS != Ordering::Relaxed {
                A::fence(E::PASS);
            }
            let moved = word.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed);
            if E::FOLLOW != Ordering::Relaxed {
                A::fence(E::FOLLOW);
            }
            moved
        }
        Carrier::Compiler => {
            A::compiler_fence(E::PASS);
            let moved = word.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed);
            A::compiler_fence(E::FOLLOW);
            moved
        }
    }
}

/// The ordering of one step that is a load so ordered and a store so ordered.
const fn both(load: Ordering, store: Ordering) -> Ordering {
    match (load, store) {
        (Ordering::Acquire, Ordering::Release) => Ordering::AcqRel,
        (Ordering::Relaxed, store) => store,
        (load, Ordering::Relaxed) => load,
        _ => Ordering::SeqCst,
    }
}

/// The study's orderings, and one weakened control for every edge.
#[cfg(feature = "lab")]
pub mod lab {
    use super::{Carrier, Edges, Ordering};

    /// Every access sequentially consistent.
    #[derive(Debug, Clone, Copy)]
    pub enum SeqCst {}

    impl Edges for SeqCst {
        const PUBLISH: Ordering = Ordering::SeqCst;
        const OBSERVE: Ordering = Ordering::SeqCst;
        const HAND_BACK: Ordering = Ordering::SeqCst;
        const REUSE: Ordering = Ordering::SeqCst;
    }

    /// Relaxed accesses and standalone fences.
    #[derive(Debug, Clone, Copy)]
    pub enum Fences {}

    impl Edges for Fences {
        const CARRIER: Carrier = Carrier::Fence;
    }

    macro_rules! weakened {
        ($($(#[$doc:meta])* $name:ident: $edge:ident;)*) => {$(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub enum $name {}

            impl Edges for $name {
                const $edge: Ordering = Ordering::Relaxed;
            }
        )*};
    }

    weakened! {
        /// Broken: elements are published by a relaxed store.
        RelaxedPublish: PUBLISH;
        /// Broken: the consumer learns of elements by a relaxed load.
        RelaxedObserve: OBSERVE;
        /// Broken: slots are given back by a relaxed store.
        RelaxedHandBack: HAND_BACK;
        /// Broken: the producer learns of free slots by a relaxed load.
        RelaxedReuse: REUSE;
        /// Broken: a claim among many producers passes nothing on.
        RelaxedPass: PASS;
        /// Broken: a producer among many learns of claims by relaxed loads.
        RelaxedFollow: FOLLOW;
        /// Broken: an end is given up by a relaxed store.
        RelaxedGiveUp: GIVE_UP;
        /// Broken: an end is claimed by a relaxed exchange.
        RelaxedClaim: CLAIM;
        /// Broken: a ring is closed by a relaxed store.
        RelaxedClose: CLOSE;
        /// Broken: the close is learnt of by a relaxed load.
        RelaxedSeeClosed: SEE_CLOSED;
        /// Broken: the geometry is stated by a relaxed store.
        RelaxedState: STATE;
        /// Broken: the geometry is used after a relaxed load.
        RelaxedLearn: LEARN;
        /// Broken: a declaration is taken back by a relaxed store.
        RelaxedWithdraw: WITHDRAW;
        /// Broken: a declaration is looked at by a relaxed load.
        RelaxedSeeWithdrawn: SEE_WITHDRAWN;
        /// Broken: a tap looks again without a fence.
        RelaxedLookAgain: LOOK_AGAIN;
    }

    /// Broken: a cell is handed back before its last element is read.
    #[derive(Debug, Clone, Copy)]
    pub enum EarlyHandBack {}

    impl Edges for EarlyHandBack {
        const EARLY_HAND_BACK: bool = true;
    }

    /// Broken: every edge relaxed.
    #[derive(Debug, Clone, Copy)]
    pub enum AllRelaxed {}

    impl Edges for AllRelaxed {
        const PUBLISH: Ordering = Ordering::Relaxed;
        const OBSERVE: Ordering = Ordering::Relaxed;
        const HAND_BACK: Ordering = Ordering::Relaxed;
        const REUSE: Ordering = Ordering::Relaxed;
    }
}
