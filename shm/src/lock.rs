//! Locks on single bytes of a segment's file: who holds one is alive.
//!
//! They are Linux's locks of open file descriptions. Such a lock goes when the last reference to the description does, and a
//! mapping is one: with the descriptor closed and the mapping kept out of children, the lock lives exactly as long as its holder's
//! mapping, whatever becomes of its process. (A POSIX lock goes at any close of the file, and `flock` knows one lock a file.)

use crate::Error;
use rustix::io::Errno;
use std::os::fd::{AsRawFd, BorrowedFd};

/// The byte that whoever replaces a segment holds.
pub(crate) const REPLACING: Span = Span { start: 0, len: 1 };

/// Bytes of a file. Without length, all from the start on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: u64,
    pub len: u64,
}

impl Span {
    /// One byte.
    pub const fn byte(start: u64) -> Self {
        Self { start, len: 1 }
    }

    /// All bytes from `start` on, the file's end no limit.
    pub const fn from(start: u64) -> Self {
        Self { start, len: 0 }
    }

    fn request(self, kind: libc::c_int) -> Result<libc::flock, Errno> {
        // SAFETY: a plain structure of integers, for which zero is a value.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = kind as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        lock.l_start = self.start.try_into().map_err(|_| Errno::OVERFLOW)?;
        lock.l_len = self.len.try_into().map_err(|_| Errno::OVERFLOW)?;
        Ok(lock)
    }
}

/// Locks the bytes for the description behind `file`, which is open for writing; false if another holds any of them.
pub(crate) fn try_lock(file: BorrowedFd<'_>, span: Span) -> Result<bool, Error> {
    match control(file, libc::F_OFD_SETLK, span, libc::F_WRLCK) {
        Ok(_) => Ok(true),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(false),
        Err(errno) => Err(Error::os("lock the segment's file")(errno)),
    }
}

/// Whether another description than the one behind `file` holds any of the bytes. Locks nothing.
pub(crate) fn is_locked(file: BorrowedFd<'_>, span: Span) -> Result<bool, Error> {
    control(file, libc::F_OFD_GETLK, span, libc::F_WRLCK)
        .map(|found| found != libc::F_UNLCK)
        .map_err(Error::os("look at the locks of the segment's file"))
}

/// The type of the lock that the kernel answers with.
fn control(
    file: BorrowedFd<'_>,
    command: libc::c_int,
    span: Span,
    kind: libc::c_int,
) -> Result<libc::c_int, Errno> {
    let mut lock = span.request(kind)?;
    // SAFETY: these commands take a pointer to this structure, which they read and write; the descriptor is open.
    let done = unsafe { libc::fcntl(file.as_raw_fd(), command, &mut lock) };
    if done == 0 {
        return Ok(libc::c_int::from(lock.l_type));
    }
    let error = std::io::Error::last_os_error();
    Err(Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
}
