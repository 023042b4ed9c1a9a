//! Claiming an end, giving it back, and closing.

use gimmal::raw::{Consumer, Ends, Producer, Protocol};

use super::{open, Object, Outcome};
use crate::status::GIMMAL_BUSY;

/// # Safety
/// `ring` is NULL or a ring.
pub(crate) unsafe fn claim_producer<O: Object>(ring: *mut O) -> Outcome {
    // SAFETY: the caller's word.
    let ring = unsafe { open(ring) }?;
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    let claimed = ring.claim_producer();
    #[cfg(not(any(target_has_atomic = "8", feature = "critical-section")))]
    // SAFETY: the header file says that nobody may claim at the same time on such a target.
    let claimed = unsafe { ring.claim_producer_alone() };
    if !claimed {
        return Err(GIMMAL_BUSY.into());
    }
    // SAFETY: the end was claimed just now.
    unsafe { O::Protocol::producer(ring) }.suspend();
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring.
pub(crate) unsafe fn claim_consumer<O: Object>(ring: *mut O) -> Outcome {
    // SAFETY: the caller's word.
    let ring = unsafe { open(ring) }?;
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    let claimed = ring.claim_consumer();
    #[cfg(not(any(target_has_atomic = "8", feature = "critical-section")))]
    // SAFETY: the header file says that nobody may claim at the same time on such a target.
    let claimed = unsafe { ring.claim_consumer_alone() };
    if !claimed {
        return Err(GIMMAL_BUSY.into());
    }
    // SAFETY: the end was claimed just now.
    unsafe { O::Protocol::consumer(ring) }.suspend();
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller.
pub(crate) unsafe fn release_producer<O: Object>(ring: *mut O) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { open(ring) }?.give_up_producer();
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller.
pub(crate) unsafe fn release_consumer<O: Object>(ring: *mut O) -> Outcome {
    // SAFETY: the caller's word.
    unsafe { open(ring) }?.give_up_consumer();
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring.
pub(crate) unsafe fn close<O: Object>(ring: *mut O) -> Outcome {
    // SAFETY: the caller's word.
    O::Protocol::close(&unsafe { open(ring) }?);
    Ok(())
}
