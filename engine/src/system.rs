//! What Linux is asked to do for a thread and its memory.

use crate::options::{Preparation, PrepareError};
use core::ffi::c_void;

/// Keeps the calling thread on this core.
///
/// ```
/// use gimmal_engine::system::pin_thread;
///
/// if let Err(refused) = pin_thread(0) {
///     eprintln!("{refused}"); // it works all the same
/// }
/// ```
///
/// # Errors
/// [`PrepareError`] if this process may not use it.
pub fn pin_thread(core: usize) -> Result<(), PrepareError> {
    let step = Preparation::Pin(core);
    linux::pin(core).map_err(|code| PrepareError { step, code })
}

/// Runs the calling thread before all ordinary ones, by `SCHED_FIFO` with this priority, 1 to 99.
///
/// # Errors
/// [`PrepareError`] if that is not allowed, or there is no such priority.
pub fn raise_thread(priority: u8) -> Result<(), PrepareError> {
    let step = Preparation::Priority(priority);
    linux::raise(priority).map_err(|code| PrepareError { step, code })
}

/// Keeps memory from being paged out until it is unmapped or unlocked.
///
/// ```
/// use gimmal_engine::system::lock_memory;
///
/// static TABLE: [u64; 512] = [0; 512];
///
/// if let Err(refused) = lock_memory(&TABLE) {
///     eprintln!("{refused}"); // it works all the same
/// }
/// ```
///
/// # Errors
/// [`PrepareError`] if that is more than this process may lock.
pub fn lock_memory<T: ?Sized>(memory: &T) -> Result<(), PrepareError> {
    let bytes = size_of_val(memory);
    let step = Preparation::Lock(bytes);
    linux::lock(core::ptr::from_ref(memory).cast_mut().cast(), bytes)
        .map_err(|code| PrepareError { step, code })
}

#[cfg(all(target_os = "linux", feature = "linux"))]
mod linux {
    use super::c_void;
    use rustix::io::Errno;
    use rustix::thread::{sched_setaffinity, CpuSet};

    fn code(error: Errno) -> Option<i32> {
        Some(error.raw_os_error())
    }

    pub(super) fn pin(core: usize) -> Result<(), Option<i32>> {
        if core >= CpuSet::MAX_CPU {
            return Err(code(Errno::INVAL));
        }
        let mut set = CpuSet::new();
        set.set(core);
        sched_setaffinity(None, &set).map_err(code)
    }

    pub(super) fn raise(priority: u8) -> Result<(), Option<i32>> {
        let parameters = libc::sched_param {
            sched_priority: priority.into(),
        };
        // SAFETY: the pointer is to a whole parameter block; 0 is the calling thread.
        let outcome =
            unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
        if outcome == 0 {
            return Ok(());
        }
        // SAFETY: the address of the calling thread's own error number is always valid.
        Err(Some(unsafe { *libc::__errno_location() }))
    }

    pub(super) fn lock(memory: *mut c_void, bytes: usize) -> Result<(), Option<i32>> {
        // SAFETY: locking reads the pages into memory, and changes nothing in them.
        unsafe { rustix::mm::mlock(memory, bytes) }.map_err(code)
    }
}

#[cfg(not(all(target_os = "linux", feature = "linux")))]
mod linux {
    use super::c_void;

    pub(super) fn pin(_: usize) -> Result<(), Option<i32>> {
        Err(None)
    }

    pub(super) fn raise(_: u8) -> Result<(), Option<i32>> {
        Err(None)
    }

    pub(super) fn lock(_: *mut c_void, _: usize) -> Result<(), Option<i32>> {
        Err(None)
    }
}
