//! Laying rings out, finding them, and ending them.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::NonNull;

use gimmal::policy::Shared;
use gimmal::raw::{self, Attach, Ends, Memory, Protocol};
use gimmal::shape::{Shape, ShapeError};

use super::{not_null, open, refusal, Object, Outcome};
use crate::control::gimmal_control_t;
use crate::status::*;

fn shape<O: Object>(size: usize, align: usize, capacity: usize) -> Result<Shape, gimmal_status_t> {
    O::shape(size, align, capacity).map_err(refused_shape)
}

pub(crate) fn refused_shape(error: ShapeError) -> gimmal_status_t {
    match error {
        ShapeError::Element => GIMMAL_BAD_ELEMENT,
        ShapeError::Capacity => GIMMAL_BAD_CAPACITY,
        ShapeError::Overflow => GIMMAL_OVERFLOW,
    }
}

/// # Safety
/// `size` and `align` are NULL or writable.
pub(crate) unsafe fn layout<O: Object>(
    element_size: usize,
    element_align: usize,
    capacity: usize,
    size: *mut usize,
    align: *mut usize,
) -> Outcome {
    let (size, align) = (not_null(size)?, not_null(align)?);
    let shape = shape::<O>(element_size, element_align, capacity)?;
    // SAFETY: the caller's word; neither is NULL.
    unsafe {
        size.write(shape.size());
        align.write(shape.align());
    }
    Ok(())
}

/// # Safety
/// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `ring` is NULL or writable.
pub(crate) unsafe fn init<O: Object>(
    storage: *mut c_void,
    storage_size: usize,
    element_size: usize,
    element_align: usize,
    capacity: usize,
    ring: *mut *mut O,
) -> Outcome {
    let (storage, ring) = (not_null(storage)?.cast::<u8>(), not_null(ring)?);
    let shape = shape::<O>(element_size, element_align, capacity)?;
    if storage.addr().get() % shape.align() != 0 {
        return Err(GIMMAL_MISALIGNED.into());
    }
    if storage_size < shape.size() {
        return Err(GIMMAL_TOO_SMALL.into());
    }
    // SAFETY: the storage is aligned, large enough for the shape, and nobody else uses it; a zeroed control block is a
    // valid one, and `start_at` writes every stamp.
    unsafe {
        storage
            .cast::<u8>()
            .write_bytes(0, size_of::<gimmal_control_t>());
        let body = Memory::<O::Geometry, Shared>::new(storage, O::of_shape(&shape));
        O::Protocol::start_at(&body, 0);
        body.publish(&shape);
        ring.write(storage.cast().as_ptr());
    }
    Ok(())
}

/// # Safety
/// `memory` is NULL or `memory_size` readable and writable bytes, which others access by the protocol at most; `ring` is
/// NULL or writable.
pub(crate) unsafe fn attach<O: Object>(
    memory: *mut c_void,
    memory_size: usize,
    element_size: usize,
    element_align: usize,
    ring: *mut *mut O,
) -> Outcome {
    let (memory, ring) = (not_null(memory)?.cast::<u8>(), not_null(ring)?);
    let expected = Attach {
        kind: O::KIND,
        element: Some((element_size, element_align)),
    };
    // SAFETY: the caller's word is the same.
    unsafe { raw::attach::<Shared>(memory, memory_size, expected) }.map_err(refusal)?;
    // SAFETY: the caller's word; it is not NULL.
    unsafe { ring.write(memory.cast().as_ptr()) };
    Ok(())
}

/// # Safety
/// `ring` is NULL or a ring that no other call uses.
pub(crate) unsafe fn deinit<O: Object>(ring: *mut O) -> Outcome {
    // SAFETY: the caller's word.
    let magic: NonNull<u32> = unsafe {
        open(ring)?
            .as_ptr()
            .add(offset_of!(gimmal_control_t, magic))
            .cast()
    };
    // SAFETY: the field of a control block that nobody else uses.
    unsafe { magic.write(0) };
    Ok(())
}
