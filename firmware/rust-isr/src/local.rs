//! What one interrupt handler owns.

use core::cell::UnsafeCell;

/// A place for what a handler owns, in a `static`: filled before the handler first runs, and then the handler's.
pub struct Local<T>(UnsafeCell<Option<T>>);

// SAFETY: filled by one context and then used by another, never by two at once, as the callers of both functions promise.
unsafe impl<T: Send> Sync for Local<T> {}

impl<T> Local<T> {
    pub const fn new() -> Self {
        Self(UnsafeCell::new(None))
    }

    /// # Safety
    /// The owner does not run meanwhile.
    pub unsafe fn fill(&self, value: T) {
        // SAFETY: nobody else looks, as the caller promises.
        unsafe { *self.0.get() = Some(value) };
    }

    /// # Safety
    /// The caller is the owner, and its last borrow has ended.
    #[allow(clippy::mut_from_ref, reason = "the owner borrows once at a time")]
    pub unsafe fn borrow(&self) -> &mut T {
        // SAFETY: the owner's alone, as the caller promises.
        match unsafe { &mut *self.0.get() } {
            Some(value) => value,
            None => panic!("a handler ran before it was given what it owns"),
        }
    }
}
