//! A hint that a line will be written. The compilers' builtins emit a prefetch for reading, which leaves the line shared.

/// Fetches the line at `address` for writing, where the processor has an instruction for it. Any address is allowed.
///
/// `nomem`, because what the compiler knows of memory stays true: without it the handles would be stored and loaded around it.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // Nothing is read or written through it.
pub(super) fn for_writing(address: *mut u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch touches no memory that the program can see and faults on no address.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nomem, nostack, preserves_flags));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: a prefetch touches no memory that the program can see and faults on no address.
    unsafe {
        core::arch::asm!("prfm pstl1keep, [{}]", in(reg) address, options(nomem, nostack, preserves_flags));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = address;
}
