//! What the producer does.

use core::ffi::c_void;
use core::ptr::NonNull;

use gimmal::policy::Shared;
use gimmal::raw::{Ends, Geometry, Memory, Producer, Protocol, Refused};

use super::copy::{copy_one, copy_run};
use super::{not_null, open, run, spans, status, Object, Outcome, Stateless, Task};
use crate::spans::gimmal_spans_t;
use crate::status::*;

#[inline(always)]
fn refused(why: Refused) -> gimmal_status_t {
    match why {
        Refused::Full => GIMMAL_FULL,
        Refused::Closed => GIMMAL_CLOSED,
    }
}

fn still_open(ring: &impl Ends) -> Outcome {
    match ring.is_closed() {
        true => Err(GIMMAL_CLOSED.into()),
        false => Ok(()),
    }
}

/// Pushes the element at this address.
struct Push(NonNull<u8>);

impl Task for Push {
    /// # Safety
    /// The caller is the ring's producer, and has an element at the address.
    #[inline(always)]
    unsafe fn run<G>(self, ring: Memory<G, Shared>) -> Outcome
    where
        G: Geometry,
        G::Protocol: Stateless<Memory<G, Shared>>,
    {
        // SAFETY: the caller's word: the only producer, an element. A claimed slot has room for one, and is no memory of
        // the caller's.
        unsafe {
            let mut end = G::Protocol::resume_producer(ring);
            let slot = end.claim().map_err(refused)?;
            copy_one(self.0, slot, ring.geometry().element_size());
            end.publish();
            end.suspend();
        }
        Ok(())
    }
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
#[inline(always)]
pub(crate) unsafe fn push<O: Object>(ring: *mut O, element: *const c_void) -> Outcome {
    let element = not_null(element.cast_mut())?.cast();
    // SAFETY: the caller's word.
    unsafe { run(ring, Push(element)) }
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
#[inline(always)]
pub(crate) unsafe fn offer<O: Object>(ring: *mut O, element: *const c_void) -> Outcome {
    // SAFETY: the caller's word.
    let pushed = unsafe { push(ring, element) };
    if let GIMMAL_FULL | GIMMAL_CLOSED = status(pushed) {
        // SAFETY: the caller's word.
        O::Protocol::count_dropped(&unsafe { open(ring) }?);
    }
    pushed
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `elements` is NULL or `count` elements; `pushed` is NULL or
/// writable.
pub(crate) unsafe fn push_n<O: Object>(
    ring: *mut O,
    elements: *const c_void,
    count: usize,
    pushed: *mut usize,
) -> Outcome {
    let pushed = not_null(pushed)?;
    // SAFETY: the caller's word.
    let ring = unsafe { open(ring) }?;
    if count == 0 {
        still_open(&ring)?;
        // SAFETY: the caller's word; it is not NULL.
        unsafe { pushed.write(0) };
        return Ok(());
    }
    let mut from: NonNull<u8> = not_null(elements.cast_mut())?.cast();
    let size = ring.geometry().element_size();
    let mut done = 0;
    // SAFETY: the caller's word: the only producer, and `count` elements of which `from` is the next. The runs are free
    // slots, no more than are left to push, and no memory of the caller's.
    unsafe {
        let mut end = O::Protocol::resume_producer(ring);
        while done < count {
            match end.claim_runs(count - done) {
                Ok(runs) => {
                    for run in &runs {
                        copy_run(from, run.first, run.len, size);
                        from = from.add(run.len.wrapping_mul(size));
                    }
                    let claimed = runs[0].len + runs[1].len;
                    end.publish_runs(claimed);
                    done += claimed;
                }
                Err(why) if done == 0 => return Err(refused(why).into()),
                Err(_) => break,
            }
        }
        end.suspend();
        pushed.write(done);
    }
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller; `out` is NULL or writable.
pub(crate) unsafe fn reserve<O: Object>(
    ring: *mut O,
    count: usize,
    out: *mut gimmal_spans_t,
) -> Outcome {
    let out = not_null(out)?;
    // SAFETY: the caller's word.
    let ring = unsafe { open(ring) }?;
    if count == 0 || count > O::Protocol::capacity(&ring) {
        still_open(&ring)?;
        if count > 0 {
            return Err(GIMMAL_TOO_LARGE.into());
        }
        // SAFETY: the caller's word; it is not NULL.
        unsafe { out.write(gimmal_spans_t::NONE) };
        return Ok(());
    }
    // SAFETY: the caller's word.
    let mut end = unsafe { O::Protocol::resume_producer(ring) };
    let runs = end.claim_runs(count).map_err(refused)?;
    end.suspend();
    // SAFETY: the caller's word; it is not NULL.
    unsafe { out.write(spans(runs)) };
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose producer is the caller, who has filled the first `count` slots of the room reserved.
pub(crate) unsafe fn commit<O: Object>(ring: *mut O, count: usize) -> Outcome {
    // SAFETY: the caller's word.
    let ring = unsafe { open(ring) }?;
    if count == 0 {
        return still_open(&ring);
    }
    // SAFETY: the caller's word.
    let mut end = unsafe { O::Protocol::resume_producer(ring) };
    // The room that was reserved is free still, so claiming it again gives as many slots at least.
    let room = match end.claim_runs(count) {
        Ok(runs) => runs[0].len + runs[1].len,
        Err(Refused::Full) => 0,
        Err(Refused::Closed) => return Err(GIMMAL_CLOSED.into()),
    };
    if room < count {
        return Err(GIMMAL_TOO_LARGE.into());
    }
    // SAFETY: the slots were claimed just now, and the caller has filled them.
    unsafe { end.publish_runs(count) };
    end.suspend();
    Ok(())
}
