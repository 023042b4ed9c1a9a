//! The doorbell: one word of the control block, by which a sleeper and whoever wakes it do not miss each other.
//!
//! The sleeper arms the bell and then looks at the ring once more; the other end publishes and then looks at the bell. Between
//! its store and its load each needs a full fence, so that not both miss the other's store (Dekker's problem). A fence in every
//! notifying push is dear, so a sleeper that can make the kernel fence all others in its stead (`membarrier`) *declares* this,
//! and a ring is then one load.

use crate::sync::{Atomic, Atomics, Native, Ordering};

#[cfg(all(feature = "linux", target_os = "linux"))]
use super::barrier::withdraw;

/// Nobody declares anything where there is no barrier.
#[cfg(not(all(feature = "linux", target_os = "linux")))]
fn withdraw() {}

/// Somebody sleeps, or is about to.
const ARMED: u32 = 1;
/// The sleeper fences for both.
const DECLARED: u32 = 2;

/// The word that a sleeper arms and the other end rings. Neither end writes it while the sleeper is awake.
pub struct Bell<'a, A: Atomics = Native>(&'a A::Half);

impl<A: Atomics> Clone for Bell<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Atomics> Copy for Bell<'_, A> {}

impl<A: Atomics> core::fmt::Debug for Bell<'_, A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Relaxed: only shown.
        f.debug_tuple("Bell")
            .field(&self.0.load(Ordering::Relaxed))
            .finish()
    }
}

impl<'a, A: Atomics> Bell<'a, A> {
    /// The bell in this word, which is zero in the beginning.
    #[inline]
    pub fn new(word: &'a A::Half) -> Self {
        Self(word)
    }

    /// The word: what a futex sleeps on.
    #[inline]
    pub fn word(&self) -> &'a A::Half {
        self.0
    }

    /// Says that somebody is about to sleep, who must look at the ring once more before.
    #[inline]
    pub fn arm(&self) {
        let was_declared = self.is_declared();
        // Relaxed: pairs with the load in `ring`, ordered by the fences on both sides. Whatever the ring published before a
        // load that misses this store is seen by the look that follows.
        self.0.store(ARMED, Ordering::Relaxed);
        A::fence(Ordering::SeqCst);
        if was_declared {
            withdraw();
        }
    }

    /// As [`arm`](Self::arm), and fences for the other end too: `barrier` has every thread that may ring the bell execute a
    /// full fence.
    #[inline]
    pub fn arm_declared(&self, barrier: impl FnOnce()) {
        // Relaxed: pairs with the load in `ring`, ordered by the barrier on both sides.
        self.0.store(ARMED | DECLARED, Ordering::Relaxed);
        barrier();
    }

    /// Says that nobody sleeps, and that who will sleep fences for both.
    #[inline]
    pub fn declare(&self) {
        // Relaxed: nothing is read on the strength of it. A ring that misses it fences in vain.
        self.0.store(DECLARED, Ordering::Relaxed);
    }

    /// Whether whoever slept last fenced for both.
    #[inline]
    pub fn is_declared(&self) -> bool {
        // Relaxed: a hint.
        self.0.load(Ordering::Relaxed) & DECLARED != 0
    }

    /// The value of the word between [`arm`](Self::arm) and the ring, and between [`arm_declared`](Self::arm_declared) and the
    /// ring if `declared`: a sleep may begin only while the word has it.
    #[inline]
    pub fn armed(&self, declared: bool) -> u32 {
        if declared {
            ARMED | DECLARED
        } else {
            ARMED
        }
    }

    /// Whether nobody has rung since the bell was armed.
    #[inline]
    pub fn is_armed(&self) -> bool {
        // Relaxed: what the ring published is read by a poll, which orders itself.
        self.0.load(Ordering::Relaxed) & ARMED != 0
    }

    /// Says that nobody sleeps, nor fences for others.
    #[inline]
    pub fn disarm(&self) {
        // Relaxed: a ring that misses it wakes nobody.
        self.0.store(0, Ordering::Relaxed);
    }

    /// After something was published: calls `wake` if somebody sleeps. `reached` says that a sleeper's barrier reaches this
    /// thread.
    #[inline(always)]
    pub fn ring(self, reached: bool, wake: impl FnOnce()) {
        // The load stays behind the publishing store in the program. In the machine the sleeper's barrier sees to that.
        A::compiler_fence(Ordering::SeqCst);
        // Relaxed: pairs with the store in `arm_declared`.
        let seen = self.0.load(Ordering::Relaxed);
        if !(reached && seen == DECLARED) {
            self.ring_out(reached, wake);
        }
    }

    #[cold]
    #[inline(never)]
    fn ring_out(self, reached: bool, wake: impl FnOnce()) {
        // Relaxed: pairs with the stores in `arm` and `arm_declared`; the fence orders it behind the publishing store where
        // the sleeper's barrier does not.
        let mut seen = self.0.load(Ordering::Relaxed);
        if !reached || seen & DECLARED == 0 {
            A::fence(Ordering::SeqCst);
            seen = self.0.load(Ordering::Relaxed);
        }
        if seen & ARMED != 0 {
            // Relaxed: the sleeper that woke by itself meanwhile arms again before it sleeps, and if this store falls between,
            // finds the word changed and does not sleep. What was declared stays so: a later sleeper of another kind must withdraw it.
            self.0.store(seen & DECLARED, Ordering::Relaxed);
            wake();
        }
    }
}
