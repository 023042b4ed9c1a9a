//! Copies between private memory and memory that another process may be writing.

use crate::sync::{Atomics, Native, Ordering};
use core::mem::{align_of, size_of, MaybeUninit};
use core::ptr::NonNull;

type Word = <Native as Atomics>::Word;
type Half = <Native as Atomics>::Half;
type Byte = <Native as Atomics>::Byte;

/// Where an element lies in memory that another process may be writing. Its bytes are copied, by atomic words: it lends no reference.
#[derive(Debug, Clone, Copy)]
pub struct Place(NonNull<u8>);

impl Place {
    /// The place of an element.
    ///
    /// # Safety
    /// The element's bytes may be accessed atomically as long as the place is used.
    #[inline(always)]
    pub(super) unsafe fn new(address: NonNull<u8>) -> Self {
        Self(address)
    }

    /// A copy of the element.
    ///
    /// # Safety
    /// The place is that of a `T`, which is valid whatever its bytes are.
    #[inline(always)]
    pub unsafe fn read<T: Copy>(self) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: by the caller's word the place has `T`'s size and alignment; `value` is private and as large.
        unsafe {
            let to = NonNull::from(&mut value).cast();
            load(self.0, to, size_of::<T>(), align_of::<T>());
            value.assume_init()
        }
    }

    /// Makes the element a copy of `value`.
    ///
    /// # Safety
    /// The place is that of a `T`, which has no padding bytes.
    #[inline(always)]
    pub unsafe fn write<T: Copy>(self, value: T) {
        // SAFETY: by the caller's word the place has `T`'s size and alignment, and all of `value`'s bytes are initialised.
        unsafe {
            let from = NonNull::from(&value).cast();
            store(self.0, from, size_of::<T>(), align_of::<T>());
        }
    }

    /// Copies the element's bytes to `to`.
    ///
    /// # Safety
    /// The place is that of an element of `to.len()` bytes.
    #[inline]
    pub unsafe fn read_bytes(self, to: &mut [u8]) {
        // SAFETY: the caller's word, and `to` is private; an alignment of 1 promises nothing.
        unsafe { load(self.0, NonNull::from(&mut *to).cast(), to.len(), 1) }
    }

    /// Makes the element's bytes copies of `from`.
    ///
    /// # Safety
    /// The place is that of an element of `from.len()` bytes.
    #[inline]
    pub unsafe fn write_bytes(self, from: &[u8]) {
        // SAFETY: the caller's word, and `from` is private; an alignment of 1 promises nothing.
        unsafe { store(self.0, NonNull::from(from).cast(), from.len(), 1) }
    }
}

/// Goes through `len` bytes at `shared` in the largest steps that their alignment allows.
macro_rules! steps {
    ($step:ident, $shared:expr, $len:expr, $align:expr) => {
        let mut at = 0;
        // The first comparison is a constant for most types, and then the loops are unrolled.
        if $align >= size_of::<Word>() || $shared.addr().get() % size_of::<Word>() == 0 {
            while at + size_of::<Word>() <= $len {
                $step!(Word, usize, at);
                at += size_of::<Word>();
            }
        }
        if $align >= size_of::<Half>() || $shared.addr().get() % size_of::<Half>() == 0 {
            while at + size_of::<Half>() <= $len {
                $step!(Half, u32, at);
                at += size_of::<Half>();
            }
        }
        while at < $len {
            $step!(Byte, u8, at);
            at += 1;
        }
    };
}

/// Copies `len` bytes from shared to private memory.
///
/// # Safety
/// `from` is aligned to `align` and may be accessed atomically for `len` bytes; `to` is private and as large.
#[inline(always)]
unsafe fn load(from: NonNull<u8>, to: NonNull<u8>, len: usize, align: usize) {
    // Relaxed: ordered by the end that found the element published. A macro, since the three atomics have nothing in common but their use.
    macro_rules! step {
        ($atomic:ty, $value:ty, $at:expr) => {
            // SAFETY: the caller's word, `at` is below `len` and a multiple of the atomic's size, to which the address is aligned.
            unsafe {
                let value: $value = from.add($at).cast::<$atomic>().as_ref().load(Ordering::Relaxed);
                to.add($at).cast::<$value>().write_unaligned(value);
            }
        };
    }
    steps!(step, from, len, align);
}

/// Copies `len` bytes from private to shared memory.
///
/// # Safety
/// `to` is aligned to `align` and may be accessed atomically for `len` bytes; `from` is private, initialised and as large.
#[inline(always)]
unsafe fn store(to: NonNull<u8>, from: NonNull<u8>, len: usize, align: usize) {
    // Relaxed: ordered by the end that publishes the element.
    macro_rules! step {
        ($atomic:ty, $value:ty, $at:expr) => {
            // SAFETY: the caller's word, `at` is below `len` and a multiple of the atomic's size, to which the address is aligned.
            unsafe {
                let value = from.add($at).cast::<$value>().read_unaligned();
                to.add($at).cast::<$atomic>().as_ref().store(value, Ordering::Relaxed);
            }
        };
    }
    steps!(step, to, len, align);
}
