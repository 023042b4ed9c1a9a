//! What a consumer does that looked and found nothing, before it looks again.

use crate::policy::Policy;

/// Lets no later look begin before this one has ended, where the policy asks for it.
///
/// A processor that runs ahead has dozens of looks under way at a line when the producer takes it, and repeats them all when it comes
/// back. `nomem`, because what the compiler knows of memory stays true.
#[inline(always)]
pub(super) fn in_order<P: Policy>() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if P::POLL_IN_ORDER {
        // SAFETY: the instruction waits for those before it, and touches nothing.
        unsafe { core::arch::asm!("lfence", options(nomem, nostack, preserves_flags)) };
    }
}
