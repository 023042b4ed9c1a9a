//! Changing an atomic where the processor has loads and stores alone: in the program's critical section.
//!
//! Loads and stores stay the processor's own and enter no section, so others may load or store the word meanwhile. Loads need
//! the store here to be a release, whatever the section itself orders. A store by others must not fall between the load and the
//! store here: no word of the protocols is stored plainly by one party while another changes it, but for a claim given up while
//! somebody asks for it in vain; so what would not change is not stored.

use super::{native, Accumulate, Atomic, CompareExchange, Exchange, Ordering};

/// Changes the value if `change` gives another, and returns what was there.
fn update<V: Copy + PartialEq>(atomic: &impl Atomic<V>, change: impl FnOnce(V) -> V) -> V {
    critical_section::with(|_| {
        // Acquire, and Release below: at least what any caller asks for.
        let found = atomic.load(Ordering::Acquire);
        let new = change(found);
        if new != found {
            atomic.store(new, Ordering::Release);
        }
        found
    })
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
