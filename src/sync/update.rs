//! Changing a word by a load and a store, in a section that keeps out all others who change it.
//!
//! Loads and stores stay the processor's own and enter no section, so others may load or store the word meanwhile. A store by
//! others must not fall between the load and the store here: no word of the protocols is stored plainly by one party while
//! another changes it, but for a claim given up while somebody asks for it in vain; so what would not change is not stored.

use super::{Atomic, Ordering};

/// A section that one party at a time is in.
pub trait Section {
    /// At least what any caller asks for. Pairs with what others store outside.
    const LOAD: Ordering = Ordering::Acquire;
    /// At least what any caller asks for, whatever the section itself orders. Pairs with what others load outside.
    const STORE: Ordering = Ordering::Release;

    /// Works within the section.
    fn within<R>(&self, work: impl FnOnce() -> R) -> R;
}

/// Changes the value if `change` gives another, and returns what was there.
pub fn update<S: Section, V: Copy + PartialEq>(
    section: &S,
    atomic: &impl Atomic<V>,
    change: impl FnOnce(V) -> V,
) -> V {
    section.within(|| {
        let found = atomic.load(S::LOAD);
        let new = change(found);
        if new != found {
            atomic.store(new, S::STORE);
        }
        found
    })
}
