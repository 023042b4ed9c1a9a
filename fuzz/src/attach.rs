//! Attaching to memory of any bytes: an error, or a ring or pool that lies wholly in it.

use gimmal::layout::Kind;
use gimmal::policy::Shared;
use gimmal::raw::pool::attach_pool;
use gimmal::raw::Attach;
use gimmal::{line_ring, mpsc, ring, AttachError, Pool};
use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ptr::NonNull;

/// Where the memory begins: as aligned as a page.
const ALIGN: usize = 4096;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Aligned([u8; 64]);

/// Exactly the bytes, so that a sanitizer sees every access beyond them.
struct Memory {
    at: NonNull<u8>,
    layout: Layout,
}

impl Memory {
    fn of(bytes: &[u8]) -> Self {
        let layout = Layout::from_size_align(bytes.len().max(1), ALIGN).expect("a small layout");
        // SAFETY: the layout is not empty.
        let at =
            NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        // SAFETY: as many bytes were allocated, apart from those.
        unsafe { at.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        Self { at, layout }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated so.
        unsafe { dealloc(self.at.as_ptr(), self.layout) };
    }
}

/// The bytes are the memory.
pub fn attach(bytes: &[u8]) {
    let memory = Memory::of(bytes);
    for at in [0, 8, 64, 128] {
        // Shorter than it is, too: what fits must then be less.
        for cut in [0, 1, 64] {
            let Some(len) = bytes.len().checked_sub(at + cut) else {
                continue;
            };
            // SAFETY: no more is left off than there is.
            let start = unsafe { memory.at.add(at) };
            // SAFETY: `len` bytes from there are initialised, and nobody else knows of them.
            unsafe { everything(start, len) };
        }
    }
    // SAFETY: initialised above.
    let left = unsafe { std::slice::from_raw_parts(memory.at.as_ptr(), bytes.len()) };
    assert_eq!(left, bytes, "attaching wrote into the memory");
}

/// # Safety
/// The memory is initialised, and of the caller alone.
unsafe fn everything(at: NonNull<u8>, len: usize) {
    for kind in [Kind::Index, Kind::Line, Kind::Mpsc] {
        let expected = Attach {
            kind,
            element: None,
        };
        // SAFETY: the memory may be read.
        if let Ok(shape) = unsafe { gimmal::raw::attach::<Shared>(at, len, expected) } {
            assert_eq!(shape.kind(), kind);
            inside(at, len, shape.size(), shape.align());
            let end = shape.slots_offset() + shape.stride() * shape.count();
            assert!(end <= shape.size() && shape.capacity() > 0);
            assert!(shape.per_cell() * shape.element_size() <= shape.stride());
        }
    }
    // SAFETY: as above, here and below.
    unsafe {
        typed::<u8>(at, len);
        typed::<u32>(at, len);
        typed::<u64>(at, len);
        typed::<[u64; 6]>(at, len);
        typed::<Aligned>(at, len);
    }
}

/// # Safety
/// As for [`everything`].
unsafe fn typed<T: Copy>(at: NonNull<u8>, len: usize) {
    let (size, align) = (size_of::<T>(), align_of::<T>());
    macro_rules! view {
        ($kind:ident) => {
            // SAFETY: the memory is of this function alone; no element is taken out.
            if let Ok(view) = unsafe { $kind::View::<T>::attach(at, len) } {
                inside(at, len, view.shape().size(), view.shape().align());
                let element = (view.shape().element_size(), view.shape().element_align());
                assert_eq!(element, (size, align));
                let most = view.shape().count() * view.shape().per_cell();
                assert!(view.len() <= most && view.capacity() <= most);
                // Snapshots of whatever stands there: they need only come back.
                let _ = (view.is_full(), view.dropped(), view.is_closed());
            }
        };
    }
    view!(ring);
    view!(line_ring);
    view!(mpsc);

    // SAFETY: the memory may be read.
    match unsafe { attach_pool(at, len, size, align) } {
        Ok(shape) => {
            inside(at, len, shape.size(), shape.align());
            assert!(shape.slots() + shape.stride() * shape.count() <= shape.size());
        }
        Err(AttachError::TooSmall { needed, given }) => assert!(needed > given && given == len),
        Err(_) => {}
    }
    // SAFETY: as for the views.
    if let Ok(pool) = unsafe { Pool::<T, 4>::attach(at, len) } {
        inside(at, len, size_of_val(pool), align_of_val(pool));
    }
}

fn inside(at: NonNull<u8>, len: usize, size: usize, align: usize) {
    assert!(size <= len, "{size} bytes in memory of {len}");
    assert_eq!(at.addr().get() % align, 0, "misaligned");
}
