//! The atomics that the algorithms stand on, chosen in this one place.
//!
//! [`Atomics`] is a family of atomic integers. [`Native`] is the machine's own, `core`'s; on a target with no compare-and-swap
//! those have loads and stores, which are all that a ring of one producer needs, and the rest runs in the program's critical
//! section (feature `critical-section`). Models (loom) bring a family of their own from outside, which is why nothing in
//! `raw/` may assume that an atomic is zeroable or can be made in a constant.

pub use core::sync::atomic::Ordering;

use core::sync::atomic as native;

#[cfg(all(not(target_has_atomic = "ptr"), feature = "critical-section"))]
mod section;
#[cfg(any(
    feature = "lab",
    all(not(target_has_atomic = "ptr"), feature = "critical-section")
))]
pub mod update;

/// An atomic integer holding a `V`.
pub trait Atomic<V> {
    /// Reads the value.
    fn load(&self, order: Ordering) -> V;
    /// Writes the value.
    fn store(&self, value: V, order: Ordering);
}

/// An atomic that can be exchanged in one step.
pub trait Exchange<V>: Atomic<V> {
    /// Writes `value` and returns what was there.
    fn swap(&self, value: V, order: Ordering) -> V;
}

/// An atomic that can be written in one step on condition of its value.
pub trait CompareExchange<V>: Atomic<V> {
    /// Writes `new` if the value is `current`; the value that was there, as an error if nothing was written.
    ///
    /// # Errors
    /// The value was another, or the machine failed for no reason: this is for loops.
    fn compare_exchange_weak(
        &self,
        current: V,
        new: V,
        success: Ordering,
        failure: Ordering,
    ) -> Result<V, V>;

    /// As [`compare_exchange_weak`](Self::compare_exchange_weak), and fails only if the value is another.
    ///
    /// # Errors
    /// The value was another.
    fn compare_exchange(
        &self,
        current: V,
        new: V,
        success: Ordering,
        failure: Ordering,
    ) -> Result<V, V>;
}

/// An atomic that several parties can change in one step, whatever its value.
pub trait Accumulate<V>: Atomic<V> {
    /// Adds `value`, wrapping, and returns what was there.
    fn fetch_add(&self, value: V, order: Ordering) -> V;
    /// Sets the bits that `value` has, and returns what was there.
    fn fetch_or(&self, value: V, order: Ordering) -> V;
}

/// A family of atomic integers and its fences.
pub trait Atomics: 'static {
    /// As wide as a pointer: cursors, indices, stamps.
    type Word: Atomic<usize>;
    /// 32 bits: geometry and bells.
    type Half: Atomic<u32>;
    /// 8 bits: flags, a byte each.
    type Byte: Atomic<u8>;

    /// Orders memory between threads.
    fn fence(order: Ordering);
    /// Orders memory between a thread and an interrupt handler on the same core: binds the compiler only.
    fn compiler_fence(order: Ordering);
}

/// Atomics whose words several parties may change: what a ring of many producers needs.
pub trait Swapping: Atomics<Word: CompareExchange<usize> + Accumulate<usize>> {}

impl<A: Atomics<Word: CompareExchange<usize> + Accumulate<usize>>> Swapping for A {}

/// The machine's own atomics.
#[derive(Debug, Clone, Copy)]
pub enum Native {}

impl Atomics for Native {
    type Word = native::AtomicUsize;
    type Half = native::AtomicU32;
    type Byte = native::AtomicU8;

    #[inline(always)]
    fn fence(order: Ordering) {
        native::fence(order);
    }

    #[inline(always)]
    fn compiler_fence(order: Ordering) {
        native::compiler_fence(order);
    }
}

macro_rules! native_atomic {
    ($atomic:ident, $value:ty) => {
        impl Atomic<$value> for native::$atomic {
            #[inline(always)]
            fn load(&self, order: Ordering) -> $value {
                self.load(order)
            }

            #[inline(always)]
            fn store(&self, value: $value, order: Ordering) {
                self.store(value, order);
            }
        }
    };
}

native_atomic!(AtomicUsize, usize);
native_atomic!(AtomicU32, u32);
native_atomic!(AtomicU8, u8);

#[cfg(target_has_atomic = "ptr")]
impl Exchange<u8> for native::AtomicU8 {
    #[inline]
    fn swap(&self, value: u8, order: Ordering) -> u8 {
        self.swap(value, order)
    }
}

#[cfg(target_has_atomic = "ptr")]
macro_rules! native_compare_exchange {
    ($atomic:ident, $value:ty) => {
        impl CompareExchange<$value> for native::$atomic {
            #[inline(always)]
            fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange_weak(current, new, success, failure)
            }

            #[inline(always)]
            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }
        }
    };
}

#[cfg(target_has_atomic = "ptr")]
native_compare_exchange!(AtomicUsize, usize);
#[cfg(target_has_atomic = "ptr")]
native_compare_exchange!(AtomicU32, u32);

#[cfg(target_has_atomic = "ptr")]
impl Accumulate<usize> for native::AtomicUsize {
    #[inline(always)]
    fn fetch_add(&self, value: usize, order: Ordering) -> usize {
        self.fetch_add(value, order)
    }

    #[inline(always)]
    fn fetch_or(&self, value: usize, order: Ordering) -> usize {
        self.fetch_or(value, order)
    }
}
