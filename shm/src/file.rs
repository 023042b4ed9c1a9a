//! The files of segments: opening, making, naming.

use crate::name::Name;
use crate::Error;
use rustix::fs::{
    self, fallocate, fchmod, fcntl_add_seals, fcntl_get_seals, fstat, fstatvfs, ftruncate, linkat,
    memfd_create, AtFlags, FallocateFlags, FileType, MemfdFlags, Mode, OFlags, SealFlags, Stat,
    CWD,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Root's user id: whoever has it can do anything anyway.
const ROOT: u32 = 0;

/// Opens the segment's file for writing; `None` if there is none. A link at its end is not followed, and the owner must be
/// this process's user, root, or one of `trusted`.
pub(crate) fn open(path: &Path, trusted: &[u32]) -> Result<Option<OwnedFd>, Error> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    open_as(path, flags, trusted)
}

/// As [`open`], for reading only.
pub(crate) fn open_to_read(path: &Path, trusted: &[u32]) -> Result<Option<OwnedFd>, Error> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    open_as(path, flags, trusted)
}

fn open_as(path: &Path, flags: OFlags, trusted: &[u32]) -> Result<Option<OwnedFd>, Error> {
    let file = match fs::open(path, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        // What a link, a directory and a socket answer.
        Err(errno @ (Errno::LOOP | Errno::ISDIR | Errno::NXIO)) => {
            let found = fs::lstat(path).map_err(Error::os("look at the segment's name"))?;
            return Err(match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile => Error::os("open the segment's file")(errno),
                other => Error::NotAFile(what(other)),
            });
        }
        Err(errno) => return Err(Error::os("open the segment's file")(errno)),
    };
    let found = status(file.as_fd())?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => {}
        other => return Err(Error::NotAFile(what(other))),
    }
    let uid = found.st_uid;
    if uid != geteuid().as_raw() && uid != ROOT && !trusted.contains(&uid) {
        return Err(Error::Owner { uid });
    }
    Ok(Some(file))
}

/// What is no file, in words.
fn what(kind: FileType) -> &'static str {
    match kind {
        FileType::Symlink => "a symbolic link",
        FileType::Directory => "a directory",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    }
}

/// Another description of the same file: one that holds no lock.
pub(crate) fn reopen(file: BorrowedFd<'_>, flags: OFlags) -> Result<OwnedFd, Error> {
    fs::open(own(file), flags | OFlags::CLOEXEC, Mode::empty())
        .map_err(Error::os("open the segment's file again"))
}

/// Where this process finds what it has open.
fn own(file: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Makes a file of so many zeros that no name leads to. Room for all of it is taken now: later there would be none to report to.
pub(crate) fn make_nameless(directory: &Path, size: usize, mode: u32) -> Result<OwnedFd, Error> {
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(mode);
    let file =
        fs::open(directory, flags, mode).map_err(Error::os("make a file for the segment"))?;
    // What the user's mask took away.
    fchmod(&file, mode).map_err(Error::os("set the mode of the segment's file"))?;
    take_room(file.as_fd(), size)?;
    Ok(file)
}

/// Makes an anonymous file of so many zeros, which nobody can shrink or grow.
pub(crate) fn make_anonymous(size: usize) -> Result<OwnedFd, Error> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = memfd_create("gimmal", flags).map_err(Error::os("make an anonymous file"))?;
    take_room(file.as_fd(), size)?;
    let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    fcntl_add_seals(&file, seals).map_err(Error::os("seal the anonymous file"))?;
    Ok(file)
}

/// Refuses a descriptor whose file somebody could shrink.
pub(crate) fn check_sealed(file: BorrowedFd<'_>) -> Result<(), Error> {
    match fcntl_get_seals(file) {
        Ok(seals) if seals.contains(SealFlags::SHRINK) => Ok(()),
        Ok(_) | Err(Errno::INVAL) => Err(Error::Unsealed),
        Err(errno) => Err(Error::os("look at the descriptor's seals")(errno)),
    }
}

fn take_room(file: BorrowedFd<'_>, size: usize) -> Result<(), Error> {
    let size = size as u64;
    ftruncate(file, size).map_err(Error::os("set the size of the segment's file"))?;
    match fallocate(file, FallocateFlags::empty(), 0, size) {
        Ok(()) => Ok(()),
        Err(Errno::NOSPC) => Err(Error::NoSpace {
            needed: size,
            free: fstatvfs(file).map_or(0, |found| found.f_bavail * found.f_frsize),
        }),
        Err(errno) => Err(Error::os("take memory for the segment")(errno)),
    }
}

/// Gives a nameless file this name; false if it is taken.
pub(crate) fn link(file: BorrowedFd<'_>, path: &Path) -> Result<bool, Error> {
    match linkat(CWD, own(file), CWD, path, AtFlags::SYMLINK_FOLLOW) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(errno) => Err(Error::os("give the segment its name")(errno)),
    }
}

/// Gives a nameless file the name of the segment that it replaces. The caller holds the lock of the one replaced.
pub(crate) fn link_over(file: BorrowedFd<'_>, name: &Name) -> Result<(), Error> {
    let next = name.next_path();
    while !link(file, &next)? {
        // Left by a process that died between the two steps.
        unlink(&next)?;
    }
    fs::rename(&next, name.path()).map_err(Error::os("replace the segment"))
}

/// Removes a name; it may be gone already.
pub(crate) fn unlink(path: &Path) -> Result<(), Error> {
    match fs::unlink(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(Error::os("remove the segment's file")(errno)),
    }
}

/// Whether the path leads to this very file.
pub(crate) fn leads_to(path: &Path, file: BorrowedFd<'_>) -> Result<bool, Error> {
    let found = match fs::lstat(path) {
        Ok(found) => found,
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(Error::os("look at the segment's name")(errno)),
    };
    let own = status(file)?;
    Ok((found.st_dev, found.st_ino) == (own.st_dev, own.st_ino))
}

fn status(file: BorrowedFd<'_>) -> Result<Stat, Error> {
    fstat(file).map_err(Error::os("look at the segment's file"))
}
