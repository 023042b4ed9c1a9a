//! A file's bytes in this process's memory.

use crate::Error;
use rustix::mm::{madvise, mlock, mmap, munmap, Advice, MapFlags, ProtFlags};
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;

/// What a mapping may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only looking: a write is a fault.
    Read,
    /// Reading and writing.
    Write,
}

/// How memory is to be held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Ask for huge pages.
    pub is_huge: bool,
    /// Touch every page at once.
    pub is_touched: bool,
    /// Keep every page in memory.
    pub is_locked: bool,
}

/// The first `len` bytes of a file, shared with all who map it. Children do not inherit it.
#[derive(Debug)]
pub(crate) struct Mapping {
    at: NonNull<u8>,
    len: usize,
    /// The process that made it: in a child nothing lies there, or something else.
    pid: u32,
}

// SAFETY: the mapping is the process's, not a thread's; what lies in it is accessed atomically.
unsafe impl Send for Mapping {}
// SAFETY: as for `Send`.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a file that is at least `len` bytes long.
    pub fn new(file: BorrowedFd<'_>, len: usize, access: Access) -> Result<Self, Error> {
        let protection = match access {
            Access::Read => ProtFlags::READ,
            Access::Write => ProtFlags::READ | ProtFlags::WRITE,
        };
        let nowhere = std::ptr::null_mut();
        // SAFETY: at an address of the kernel's choice, so that no memory in use is replaced.
        let at = unsafe { mmap(nowhere, len, protection, MapFlags::SHARED, file, 0) }
            .map_err(Error::os("map the segment"))?;
        let mapping = Self {
            at: NonNull::new(at.cast()).ok_or(Error::Corrupt("mapped at address 0"))?,
            len,
            pid: std::process::id(),
        };
        mapping.advise(Advice::LinuxDontFork, "keep the segment out of children")?;
        Ok(mapping)
    }

    /// Sees to how the memory is held.
    pub fn hold(&self, memory: Memory) -> Result<(), Error> {
        if memory.is_huge {
            self.advise(Advice::LinuxHugepage, "ask for huge pages")?;
        }
        if memory.is_touched {
            self.advise(Advice::LinuxPopulateWrite, "touch the segment's pages")?;
        }
        if memory.is_locked {
            // SAFETY: the range is this mapping.
            unsafe { mlock(self.at.as_ptr().cast(), self.len) }
                .map_err(Error::os("lock the segment in memory"))?;
        }
        Ok(())
    }

    fn advise(&self, advice: Advice, doing: &'static str) -> Result<(), Error> {
        // SAFETY: the range is this mapping, and none of the advices used here changes what it holds.
        unsafe { madvise(self.at.as_ptr().cast(), self.len, advice) }.map_err(Error::os(doing))
    }

    /// Where the file's first byte lies, at the start of a page.
    pub fn as_ptr(&self) -> NonNull<u8> {
        self.at
    }

    /// How many bytes are mapped.
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.pid == std::process::id() {
            // SAFETY: the range is this mapping, which nothing borrows any more.
            let unmapped = unsafe { munmap(self.at.as_ptr().cast(), self.len) };
            debug_assert_eq!(unmapped, Ok(()));
        }
    }
}
