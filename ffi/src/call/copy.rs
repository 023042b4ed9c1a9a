//! Copies elements whose size is known at run time only.

use core::ptr::{copy_nonoverlapping, NonNull};

/// Copies one element of `size` bytes. The common sizes take a move or two; a call of `memcpy` would cost several
/// nanoseconds more, save on processors with no compare-and-swap.
///
/// # Safety
/// `from` is readable and `to` writable for `size` bytes, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_one(from: NonNull<u8>, to: NonNull<u8>, size: usize) {
    let (from, to) = (from.as_ptr(), to.as_ptr());
    if cfg!(not(target_has_atomic = "ptr")) {
        // The smallest processors, whose flash is scarce, and which would copy byte by byte.
        // SAFETY: the caller's word.
        return unsafe { copy_nonoverlapping(from, to, size) };
    }
    // SAFETY: the caller's word, in every arm for the same number of bytes.
    unsafe {
        match size {
            1 => copy_nonoverlapping(from, to, 1),
            2 => copy_nonoverlapping(from, to, 2),
            4 => copy_nonoverlapping(from, to, 4),
            8 => copy_nonoverlapping(from, to, 8),
            16 => copy_nonoverlapping(from, to, 16),
            32 => copy_nonoverlapping(from, to, 32),
            48 => copy_nonoverlapping(from, to, 48),
            64 => copy_nonoverlapping(from, to, 64),
            _ => copy_nonoverlapping(from, to, size),
        }
    }
}

/// Copies `count` elements of `size` bytes that lie side by side.
///
/// # Safety
/// `from` is readable and `to` writable for `count` elements, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_run(from: NonNull<u8>, to: NonNull<u8>, count: usize, size: usize) {
    // SAFETY: the caller's word. Elements that lie in memory do not overflow its size.
    unsafe { copy_nonoverlapping(from.as_ptr(), to.as_ptr(), count.wrapping_mul(size)) };
}
