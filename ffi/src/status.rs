//! What a call reports.

use core::ffi::{c_char, CStr};

/// What a call reports: one of the constants below. New ones are only ever added at the end.
pub type gimmal_status_t = u32;

/// Done.
pub const GIMMAL_OK: gimmal_status_t = 0;
/// No room, not for one element.
pub const GIMMAL_FULL: gimmal_status_t = 1;
/// No element to take.
pub const GIMMAL_EMPTY: gimmal_status_t = 2;
/// The ring is closed: nothing more is published.
pub const GIMMAL_CLOSED: gimmal_status_t = 3;
/// A pointer argument is NULL.
pub const GIMMAL_NULL_POINTER: gimmal_status_t = 4;
/// The storage is not aligned as the layout function says.
pub const GIMMAL_MISALIGNED: gimmal_status_t = 5;
/// The storage is smaller than the layout function says.
pub const GIMMAL_TOO_SMALL: gimmal_status_t = 6;
/// The capacity is 0, or no power of two where it must be one.
pub const GIMMAL_BAD_CAPACITY: gimmal_status_t = 7;
/// The element's size is 0, or its alignment not a power of two, or its size no multiple of it.
pub const GIMMAL_BAD_ELEMENT: gimmal_status_t = 8;
/// It would be larger than memory, or than the layout can describe.
pub const GIMMAL_OVERFLOW: gimmal_status_t = 9;
/// No geometry is published there: no party that knows the element's type claimed an end of the ring, or published the pool.
pub const GIMMAL_UNINITIALISED: gimmal_status_t = 10;
/// A ring of another kind, or a pool in place of a ring or the other way round.
pub const GIMMAL_WRONG_KIND: gimmal_status_t = 11;
/// Another party holds this end of the ring, or the owner's list of the pool.
pub const GIMMAL_BUSY: gimmal_status_t = 12;
/// The element's size or alignment, the word size, line size or layout version, or a pool's slots differ.
pub const GIMMAL_MISMATCH: gimmal_status_t = 13;
/// More elements than the ring can ever hold, than there is room to commit, or than there are to release.
pub const GIMMAL_TOO_LARGE: gimmal_status_t = 14;
/// The control block contradicts itself.
pub const GIMMAL_CORRUPT: gimmal_status_t = 15;
/// No slot of the pool is free.
pub const GIMMAL_EXHAUSTED: gimmal_status_t = 16;
/// The address or index is not that of a slot of this pool.
pub const GIMMAL_FOREIGN: gimmal_status_t = 17;
/// The slot is not out: it was given back before, or never acquired, or a handle of C++ or Rust has it.
pub const GIMMAL_NOT_OUT: gimmal_status_t = 18;
/// The deadline passed first.
pub const GIMMAL_TIMED_OUT: gimmal_status_t = 19;
/// No such strategy, or one that was not initialised.
pub const GIMMAL_BAD_STRATEGY: gimmal_status_t = 20;
/// It needs what this system does not have.
pub const GIMMAL_UNSUPPORTED: gimmal_status_t = 21;
/// The system refuses the core, the priority or the memory that was asked for.
pub const GIMMAL_NOT_ALLOWED: gimmal_status_t = 22;
/// No segment can have this name: 1 to 240 letters, digits, '-', '_' and '.'.
pub const GIMMAL_BAD_NAME: gimmal_status_t = 23;
/// An option is none of those that there are, or cannot be had with the others.
pub const GIMMAL_BAD_OPTION: gimmal_status_t = 24;
/// There is no segment of this name, and no capacity was given with which to create it.
pub const GIMMAL_NOT_FOUND: gimmal_status_t = 25;
/// There is a segment of this name already.
pub const GIMMAL_EXISTS: gimmal_status_t = 26;
/// The segment was replaced or removed: attach again.
pub const GIMMAL_SUPERSEDED: gimmal_status_t = 27;
/// The process at the other end died, and another may take its place. For a consumer: all that it pushed is taken.
pub const GIMMAL_PEER_DIED: gimmal_status_t = 28;
/// There is not enough shared memory for the segment, which was not created.
pub const GIMMAL_NO_SPACE: gimmal_status_t = 29;
/// The segment's file belongs to another user, who could make every access a fatal signal.
pub const GIMMAL_NOT_TRUSTED: gimmal_status_t = 30;
/// The operating system refused.
pub const GIMMAL_SYSTEM: gimmal_status_t = 31;
/// Nobody has claimed the owner's list of the pool, so the caller cannot be its owner.
pub const GIMMAL_NOT_CLAIMED: gimmal_status_t = 32;

/// Describes a status in a few words. The text is static and never NULL, whatever the value.
#[no_mangle]
pub extern "C" fn gimmal_status_str(status: gimmal_status_t) -> *const c_char {
    text(status).as_ptr()
}

fn text(status: gimmal_status_t) -> &'static CStr {
    match status {
        GIMMAL_OK => c"ok",
        GIMMAL_FULL => c"the ring is full",
        GIMMAL_EMPTY => c"the ring is empty",
        GIMMAL_CLOSED => c"the ring is closed",
        GIMMAL_NULL_POINTER => c"a pointer is NULL",
        GIMMAL_MISALIGNED => c"the storage is misaligned",
        GIMMAL_TOO_SMALL => c"the storage is too small",
        GIMMAL_BAD_CAPACITY => c"the capacity is not possible",
        GIMMAL_BAD_ELEMENT => c"the element's size or alignment is not possible",
        GIMMAL_OVERFLOW => c"it would be too large",
        GIMMAL_UNINITIALISED => c"no geometry is published there",
        GIMMAL_WRONG_KIND => c"it is of another kind",
        GIMMAL_BUSY => c"it is already claimed",
        GIMMAL_MISMATCH => c"it was laid out for something else",
        GIMMAL_TOO_LARGE => c"the batch is longer than can be had",
        GIMMAL_CORRUPT => c"the control block contradicts itself",
        GIMMAL_EXHAUSTED => c"no slot of the pool is free",
        GIMMAL_FOREIGN => c"not a slot of this pool",
        GIMMAL_NOT_OUT => c"the slot is not out of the pool",
        GIMMAL_TIMED_OUT => c"the deadline passed",
        GIMMAL_BAD_STRATEGY => c"there is no such strategy",
        GIMMAL_UNSUPPORTED => c"this system cannot do that",
        GIMMAL_NOT_ALLOWED => c"the system does not allow it",
        GIMMAL_BAD_NAME => c"no segment can have this name",
        GIMMAL_BAD_OPTION => c"an option is not possible",
        GIMMAL_NOT_FOUND => c"there is no such segment",
        GIMMAL_EXISTS => c"there is such a segment already",
        GIMMAL_SUPERSEDED => c"the segment was replaced or removed",
        GIMMAL_PEER_DIED => c"the process at the other end died",
        GIMMAL_NO_SPACE => c"there is not enough shared memory",
        GIMMAL_NOT_TRUSTED => c"the segment's file belongs to another user",
        GIMMAL_SYSTEM => c"the operating system refused",
        GIMMAL_NOT_CLAIMED => c"it is not claimed",
        _ => c"unknown status",
    }
}
