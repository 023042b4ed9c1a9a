//! Memory for a ring, as the system gives it: nothing of it is mapped until it is touched.

use anyhow::{Context, Result};
use rustix::mm::{
    madvise, mlock, mlock_with, mmap_anonymous, munmap, Advice, MapFlags, MlockFlags, ProtFlags,
};
use std::ptr::{null_mut, NonNull};

/// What is valid as zeros.
///
/// # Safety
///
/// It is.
pub unsafe trait Zeros {}

// SAFETY: each element is.
unsafe impl<T: Zeros, const COUNT: usize> Zeros for [T; COUNT] {}

/// How memory is kept from being paged out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// Not at all.
    No,
    /// As it is touched.
    OnTouch,
    /// All of it, which touches it.
    Whole,
}

/// A `T` in small pages of its own.
pub struct Mapped<T: Zeros> {
    at: NonNull<T>,
}

// SAFETY: it owns what it points to.
unsafe impl<T: Zeros + Send> Send for Mapped<T> {}

impl<T: Zeros> Mapped<T> {
    /// All zeros.
    ///
    /// # Errors
    ///
    /// If the system gives no memory, or locks none.
    pub fn new(locked: Locked) -> Result<Self> {
        let bytes = size_of::<T>();
        // SAFETY: new pages, of nobody else's.
        let at = unsafe {
            mmap_anonymous(
                null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        }
        .context("no memory for a ring")?;
        let mapped = Self {
            at: NonNull::new(at.cast()).context("memory at address 0")?,
        };
        // SAFETY: the pages are this value's.
        unsafe {
            // Where the kernel has no large pages there is nothing to keep it from.
            let _ = madvise(at, bytes, Advice::LinuxNoHugepage);
            match locked {
                Locked::No => Ok(()),
                Locked::OnTouch => mlock_with(at, bytes, MlockFlags::ONFAULT),
                Locked::Whole => mlock(at, bytes),
            }
        }
        .with_context(|| format!("cannot lock {bytes} bytes (ulimit -l)"))?;
        Ok(mapped)
    }

    /// What lies there.
    pub fn get(&self) -> &T {
        // SAFETY: the pages are zeros, which are valid, or what was made of them; pages are aligned for any of these.
        unsafe { self.at.as_ref() }
    }

    /// Kept for as long as the program runs.
    pub fn leak(self) -> &'static T {
        let at = self.at;
        std::mem::forget(self);
        // SAFETY: as in `get`, and never unmapped.
        unsafe { at.as_ref() }
    }
}

impl<T: Zeros> Drop for Mapped<T> {
    fn drop(&mut self) {
        // SAFETY: mapped once, with this length. None of these has anything to drop.
        let unmapped = unsafe { munmap(self.at.as_ptr().cast(), size_of::<T>()) };
        debug_assert!(unmapped.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: an integer.
    unsafe impl Zeros for u64 {}

    #[test]
    fn memory_is_zeros_and_may_be_kept() {
        let mapped = Mapped::<[u64; 4096]>::new(Locked::No).unwrap();
        assert!(mapped.get().iter().all(|&word| word == 0));
        assert!(mapped.leak().iter().all(|&word| word == 0));
    }
}
