//! Changing an atomic where the processor has loads and stores alone: in the program's critical section.

use super::update::{self, Section};
use super::{native, Accumulate, Atomic, CompareExchange, Exchange, Ordering};

struct Critical;

impl Section for Critical {
    fn within<R>(&self, work: impl FnOnce() -> R) -> R {
        critical_section::with(|_| work())
    }
}

fn update<V: Copy + PartialEq>(atomic: &impl Atomic<V>, change: impl FnOnce(V) -> V) -> V {
    update::update(&Critical, atomic, change)
}

fn update_if<V: Copy + PartialEq>(atomic: &impl Atomic<V>, current: V, new: V) -> Result<V, V> {
    let found = update(atomic, |found| if found == current { new } else { found });
    if found == current {
        Ok(found)
    } else {
        Err(found)
    }
}

impl Exchange<u8> for native::AtomicU8 {
    #[inline]
    fn swap(&self, value: u8, _: Ordering) -> u8 {
        update(self, |_| value)
    }
}

macro_rules! compare_exchange {
    ($atomic:ident, $value:ty) => {
        impl CompareExchange<$value> for native::$atomic {
            #[inline]
            fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                _: Ordering,
                _: Ordering,
            ) -> Result<$value, $value> {
                update_if(self, current, new)
            }

            #[inline]
            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                _: Ordering,
                _: Ordering,
            ) -> Result<$value, $value> {
                update_if(self, current, new)
            }
        }
    };
}

compare_exchange!(AtomicUsize, usize);
compare_exchange!(AtomicU32, u32);

impl Accumulate<usize> for native::AtomicUsize {
    #[inline]
    fn fetch_add(&self, value: usize, _: Ordering) -> usize {
        update(self, |found| found.wrapping_add(value))
    }

    #[inline]
    fn fetch_or(&self, value: usize, _: Ordering) -> usize {
        update(self, |found| found | value)
    }
}
