//! `gimmal_shm_options_t`: where a segment is, and what it is to be.

use core::alloc::Layout;
use core::ffi::{c_char, CStr};
use core::ptr::NonNull;
use std::os::fd::{BorrowedFd, IntoRawFd, OwnedFd};
use std::string::ToString;

use gimmal_shm::kinds::{Index, KindOf, Lanes, Line, Mpsc};
use gimmal_shm::{ErasedConsumer, ErasedProducer, Error, Segment};

use super::error::{failed, said};
use crate::status::*;

/// One producer and one consumer, by line: the least latency.
pub const GIMMAL_SHM_LINE: u32 = 2;
/// One producer and one consumer, by index: the least memory.
pub const GIMMAL_SHM_INDEX: u32 = 1;
/// Many producers and one consumer, in one order.
pub const GIMMAL_SHM_MPSC: u32 = 3;
/// Many producers, each with a ring by line of its own, and one consumer that takes turns. There is no order between the elements of two producers.
pub const GIMMAL_SHM_LANES: u32 = 18;

/// Attach to the segment, or create it if it is not there and a capacity is given.
pub const GIMMAL_SHM_OPEN: u32 = 0;
/// Create the segment; GIMMAL_EXISTS if it is there.
pub const GIMMAL_SHM_CREATE: u32 = 1;
/// Create the segment in place of one that is there, whatever that is. Its ends get GIMMAL_SUPERSEDED and can attach again.
pub const GIMMAL_SHM_REPLACE: u32 = 2;

/// Create a segment without a name. The descriptor that its end gives (gimmal_shm_producer_share(), gimmal_shm_consumer_share()) leads another process to it.
pub const GIMMAL_SHM_ANONYMOUS: u32 = 3;
/// Attach to the segment without a name behind `descriptor`.
pub const GIMMAL_SHM_PASSED: u32 = 4;

/// Touch every page before the end is handed out, so that no push or pop is the first to.
pub const GIMMAL_SHM_TOUCH: u32 = 1;
/// Ask the kernel for huge pages.
pub const GIMMAL_SHM_HUGE_PAGES: u32 = 2;
/// Keep the segment in memory: never swapped out.
pub const GIMMAL_SHM_LOCK_MEMORY: u32 = 4;

/// Where a segment is, and what it is to be. What is not wanted may be zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gimmal_shm_options_t {
    /// 1 to 240 letters, digits, '-', '_' and '.', the first no '.'; NULL with GIMMAL_SHM_ANONYMOUS and GIMMAL_SHM_PASSED.
    pub name: *const c_char,
    /// GIMMAL_SHM_LINE, GIMMAL_SHM_INDEX, GIMMAL_SHM_MPSC or GIMMAL_SHM_LANES.
    pub kind: u32,
    /// GIMMAL_SHM_OPEN, GIMMAL_SHM_CREATE, GIMMAL_SHM_REPLACE, GIMMAL_SHM_ANONYMOUS or GIMMAL_SHM_PASSED.
    pub opening: u32,
    /// Bytes of an element, all of which cross to the other process: it should have no padding and no pointers, and be valid whatever its bytes are.
    pub element_size: usize,
    /// The alignment of an element.
    pub element_align: usize,
    /// Elements for which there must be room, in each lane; by index and with GIMMAL_SHM_MPSC a power of two. 0 to attach to a segment of
    /// any capacity, and create none.
    pub capacity: usize,
    /// How many producers there may be at a time, with GIMMAL_SHM_MPSC and GIMMAL_SHM_LANES: 1 to 1024; otherwise 0 or 1.
    pub producers: usize,
    /// A number that says what the elements mean; GIMMAL_MISMATCH if the segment has another. 0 takes any.
    pub type_tag: u64,
    /// The permissions of the file that is created; 0 for 0600.
    pub mode: u32,
    /// GIMMAL_SHM_TOUCH, GIMMAL_SHM_HUGE_PAGES and GIMMAL_SHM_LOCK_MEMORY, or any of them together.
    pub flags: u32,
    /// With GIMMAL_SHM_PASSED: a descriptor of the segment in this process, which stays the caller's and may be closed afterwards.
    pub descriptor: i32,
}

/// What an end is made of.
pub(super) trait End: Sized {
    fn open<K: KindOf>(segment: Segment<K>, element: Layout) -> Result<Self, Error>;
}

impl End for ErasedProducer {
    fn open<K: KindOf>(segment: Segment<K>, element: Layout) -> Result<Self, Error> {
        segment.erased_producer(element)
    }
}

impl End for ErasedConsumer {
    fn open<K: KindOf>(segment: Segment<K>, element: Layout) -> Result<Self, Error> {
        segment.erased_consumer(element)
    }
}

/// The segment that the options lead to.
///
/// # Safety
/// The name is NULL or a string.
pub(super) unsafe fn place(options: &gimmal_shm_options_t) -> Result<Segment, gimmal_status_t> {
    match options.opening {
        GIMMAL_SHM_ANONYMOUS | GIMMAL_SHM_PASSED if !options.name.is_null() => Err(said(
            GIMMAL_BAD_OPTION,
            "a segment without a name has a name",
        )),
        GIMMAL_SHM_ANONYMOUS => Ok(Segment::anonymous()),
        GIMMAL_SHM_PASSED => Ok(Segment::passed(own(options.descriptor)?)),
        // SAFETY: the caller's word.
        _ => unsafe { named(options.name) },
    }
}

/// Another descriptor for what is behind the caller's.
fn own(descriptor: i32) -> Result<OwnedFd, gimmal_status_t> {
    if descriptor < 0 {
        return Err(said(GIMMAL_BAD_OPTION, "no descriptor is below 0"));
    }
    // SAFETY: it is not -1. One that is not open is an error here; one that is, is used during the call alone.
    let passed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    passed
        .try_clone_to_owned()
        .map_err(|error| said(GIMMAL_SYSTEM, &error.to_string()))
}

/// Gives a descriptor to the caller.
///
/// # Safety
/// `descriptor` is NULL or writable.
pub(super) unsafe fn share(
    shared: std::io::Result<OwnedFd>,
    descriptor: *mut i32,
) -> gimmal_status_t {
    match shared {
        Ok(shared) => {
            // SAFETY: the caller's word; the callers have refused NULL.
            unsafe { descriptor.write(shared.into_raw_fd()) };
            GIMMAL_OK
        }
        Err(error) => said(GIMMAL_SYSTEM, &error.to_string()),
    }
}

/// A segment's name as the C API has it.
///
/// # Safety
/// `name` is NULL or a string.
pub(super) unsafe fn named(name: *const c_char) -> Result<Segment, gimmal_status_t> {
    let Some(name) = NonNull::new(name.cast_mut()) else {
        return Err(said(GIMMAL_NULL_POINTER, "a pointer is NULL"));
    };
    // SAFETY: the caller's word.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    match name.to_str() {
        Ok(name) => Ok(Segment::named(name)),
        Err(_) => Err(said(GIMMAL_BAD_NAME, "the name is no UTF-8")),
    }
}

/// Opens an end.
///
/// # Safety
/// `options` is NULL or readable, and its name NULL or a string.
pub(super) unsafe fn open<E: End>(
    options: *const gimmal_shm_options_t,
) -> Result<E, gimmal_status_t> {
    // SAFETY: the caller's word.
    let Some(options) = (unsafe { options.as_ref() }) else {
        return Err(said(GIMMAL_NULL_POINTER, "a pointer is NULL"));
    };
    // SAFETY: the caller's word.
    let segment = with_options(unsafe { place(options) }?, options)?;
    let element = Layout::from_size_align(options.element_size, options.element_align)
        .map_err(|_| said(GIMMAL_BAD_ELEMENT, "no element has this size and alignment"))?;
    let (capacity, producers) = (options.capacity, options.producers);
    let opened = match (options.kind, capacity) {
        (GIMMAL_SHM_LINE, 0) => E::open(segment.kind::<Line>(), element),
        (GIMMAL_SHM_INDEX, 0) => E::open(segment.kind::<Index>(), element),
        (GIMMAL_SHM_MPSC, 0) => E::open(segment.kind::<Mpsc>(), element),
        (GIMMAL_SHM_LANES, 0) => E::open(segment.kind::<Lanes>(), element),
        (GIMMAL_SHM_LINE, _) => E::open(segment.line(capacity), element),
        (GIMMAL_SHM_INDEX, _) => E::open(segment.index(capacity), element),
        (GIMMAL_SHM_MPSC, _) => E::open(segment.mpsc(capacity, producers), element),
        (GIMMAL_SHM_LANES, _) => E::open(segment.lanes(capacity, producers), element),
        _ => return Err(said(GIMMAL_WRONG_KIND, "there is no such kind of segment")),
    };
    // SAFETY: the caller's word.
    opened.map_err(|error| unsafe { failed(&error, options.name) })
}

fn with_options(
    mut segment: Segment,
    options: &gimmal_shm_options_t,
) -> Result<Segment, gimmal_status_t> {
    let bad = |what| Err(said(GIMMAL_BAD_OPTION, what));
    segment = match options.opening {
        GIMMAL_SHM_OPEN | GIMMAL_SHM_ANONYMOUS | GIMMAL_SHM_PASSED => segment,
        GIMMAL_SHM_CREATE => segment.create_new(),
        GIMMAL_SHM_REPLACE => segment.replace(),
        _ => return bad("there is no such opening"),
    };
    if !matches!(options.opening, GIMMAL_SHM_OPEN | GIMMAL_SHM_PASSED) && options.capacity == 0 {
        return Err(said(
            GIMMAL_BAD_CAPACITY,
            "a segment to be created has a capacity",
        ));
    }
    if options.producers > 1 && matches!(options.kind, GIMMAL_SHM_LINE | GIMMAL_SHM_INDEX) {
        return bad("a segment of this kind has one producer");
    }
    if options.mode > 0o777 {
        return bad("no file has such permissions");
    }
    if options.mode != 0 {
        segment = segment.mode(options.mode);
    }
    if options.flags & !(GIMMAL_SHM_TOUCH | GIMMAL_SHM_HUGE_PAGES | GIMMAL_SHM_LOCK_MEMORY) != 0 {
        return bad("there is no such flag");
    }
    if options.flags & GIMMAL_SHM_TOUCH != 0 {
        segment = segment.touch();
    }
    if options.flags & GIMMAL_SHM_HUGE_PAGES != 0 {
        segment = segment.huge_pages();
    }
    if options.flags & GIMMAL_SHM_LOCK_MEMORY != 0 {
        segment = segment.lock_memory();
    }
    Ok(segment.type_tag(options.type_tag))
}
