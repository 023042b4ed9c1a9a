//! What the consumer does.

use core::ffi::c_void;
use core::ptr::NonNull;

use gimmal::policy::Shared;
use gimmal::raw::{Consumer, Geometry, Memory};

use super::copy::{copy_one, copy_run};
use super::{not_null, open, run, spans, Object, Outcome, Stateless, Task};
use crate::spans::gimmal_spans_t;
use crate::status::*;

/// Pops an element to this address.
struct Pop(NonNull<u8>);

impl Task for Pop {
    /// # Safety
    /// The caller is the ring's consumer, and has room for an element at the address.
    #[inline(always)]
    unsafe fn run<G>(self, ring: Memory<G, Shared>) -> Outcome
    where
        G: Geometry,
        G::Protocol: Stateless<Memory<G, Shared>>,
    {
        // SAFETY: the caller's word: the only consumer, room for an element. The front slot holds one, and is no memory of
        // the caller's.
        unsafe {
            let mut end = G::Protocol::resume_consumer(ring);
            let slot = end.front().ok_or(GIMMAL_EMPTY)?;
            copy_one(slot, self.0, ring.geometry().element_size());
            end.release();
            end.suspend();
        }
        Ok(())
    }
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
#[inline(always)]
pub(crate) unsafe fn pop<O: Object>(ring: *mut O, element: *mut c_void) -> Outcome {
    let element = not_null(element)?.cast();
    // SAFETY: the caller's word.
    unsafe { run(ring, Pop(element)) }
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
pub(crate) unsafe fn peek<O: Object>(ring: *mut O, element: *mut c_void) -> Outcome {
    let element = not_null(element)?.cast();
    // SAFETY: as in `pop`.
    unsafe {
        let ring = open(ring)?;
        let slot = O::Protocol::resume_consumer(ring)
            .front()
            .ok_or(GIMMAL_EMPTY)?;
        copy_one(slot, element, ring.geometry().element_size());
    }
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `elements` is NULL or room for `count`; `popped` is NULL or
/// writable.
pub(crate) unsafe fn pop_n<O: Object>(
    ring: *mut O,
    elements: *mut c_void,
    count: usize,
    popped: *mut usize,
) -> Outcome {
    let popped = not_null(popped)?;
    // SAFETY: the caller's word.
    let ring = unsafe { open(ring) }?;
    if count == 0 {
        // SAFETY: the caller's word; it is not NULL.
        unsafe { popped.write(0) };
        return Ok(());
    }
    let mut to: NonNull<u8> = not_null(elements)?.cast();
    let size = ring.geometry().element_size();
    let mut done = 0;
    // SAFETY: the caller's word: the only consumer, and room for `count` elements of which `to` is the next. The runs hold
    // elements, no more than are left to pop, and are no memory of the caller's.
    unsafe {
        let mut end = O::Protocol::resume_consumer(ring);
        while done < count {
            let Some(runs) = end.front_runs(count - done) else {
                break;
            };
            for run in &runs {
                copy_run(run.first, to, run.len, size);
                to = to.add(run.len.wrapping_mul(size));
            }
            let found = runs[0].len + runs[1].len;
            // A whole cell not by the count that was found: the next cell's address must not wait for this cell's stamp.
            if found == end.whole_run() {
                end.release_runs(end.whole_run());
            } else {
                end.release_runs(found);
            }
            done += found;
        }
        if done == 0 {
            return Err(GIMMAL_EMPTY.into());
        }
        end.suspend();
        popped.write(done);
    }
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller; `out` is NULL or writable.
pub(crate) unsafe fn read<O: Object>(
    ring: *mut O,
    count: usize,
    out: *mut gimmal_spans_t,
) -> Outcome {
    let out = not_null(out)?;
    // SAFETY: the caller's word.
    let mut end = unsafe { O::Protocol::resume_consumer(open(ring)?) };
    let runs = end.front_runs(count).ok_or(GIMMAL_EMPTY)?;
    end.suspend();
    // SAFETY: the caller's word; it is not NULL.
    unsafe { out.write(spans(runs)) };
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring whose consumer is the caller, who uses the first `count` elements no more.
pub(crate) unsafe fn release<O: Object>(ring: *mut O, count: usize) -> Outcome {
    // SAFETY: the caller's word.
    let mut end = unsafe { O::Protocol::resume_consumer(open(ring)?) };
    if count == 0 {
        return Ok(());
    }
    let found = match end.front_runs(count) {
        Some(runs) => runs[0].len + runs[1].len,
        None => 0,
    };
    if found < count {
        return Err(GIMMAL_TOO_LARGE.into());
    }
    // SAFETY: the elements were found just now, and the caller uses them no more.
    unsafe { end.release_runs(count) };
    end.suspend();
    Ok(())
}
