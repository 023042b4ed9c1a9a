//! The free slots of a pool: a stack of slot numbers that anyone pops and pushes, and beside it a private list of one owner.
//!
//! The stack is Treiber's (*Systems programming: coping with parallelism*, IBM RJ 5118, 1986), on numbers in place of
//! pointers, so that a number and a *tag* fit in one word. The tag is raised by every removal, which is what a removal needs to
//! know that the first slot it saw is still followed by the second. The owner's list follows the split of local and remote frees in
//! mimalloc (Leijen, Zorn and de Moura, *Mimalloc: free list sharding in action*, 2019) and snmalloc (Liétar et al., *snmalloc: a message
//! passing allocator*, 2019): others give slots back to the stack, and the owner takes the whole of it when its own list is used up.
//!
//! A slot's *link* is `(index + 1) ^ next`, where `next` is the slot after it, or the number of slots at the end. So all-zero
//! memory is a full pool: the stack begins at slot 0, and every slot is followed by its neighbour.

mod control;
mod shape;

pub use control::{attach_pool, open_pool, publish_pool, ErasedPool, PoolControl, KIND};
pub use shape::{PoolShape, MAX_COUNT};

use crate::sync::{Atomic, Atomics, CompareExchange, Exchange, Ordering};

/// What the link of a slot holds while the slot is out under its bare number.
const OUT: u32 = 1 << 31;

/// How the edges of a pool are ordered.
pub trait PoolEdges: 'static {
    /// A slot put on the stack. Pairs with `TAKE`.
    const PUT: Ordering = Ordering::Release;
    /// The load of the stack's word before a slot is taken off it. Pairs with `PUT`.
    const TAKE: Ordering = Ordering::Acquire;
    /// The owner's list given up. Pairs with `CLAIM`.
    const GIVE_UP: Ordering = Ordering::Release;
    /// The exchange by which the owner's list is claimed. Pairs with `GIVE_UP`.
    const CLAIM: Ordering = Ordering::Acquire;
    /// Removals raise the tag: off for the control only.
    const TAG: bool = true;
}

/// Acquire and release, and a tag.
#[derive(Debug, Clone, Copy)]
pub enum Tagged {}

impl PoolEdges for Tagged {}

/// One weakened control for every edge, and one for the tag.
#[cfg(feature = "lab")]
pub mod lab {
    use super::{Ordering, PoolEdges};

    macro_rules! weakened {
        ($($(#[$doc:meta])* $name:ident: $edge:ident = $value:expr, $type:ty;)*) => {$(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub enum $name {}

            impl PoolEdges for $name {
                const $edge: $type = $value;
            }
        )*};
    }

    weakened! {
        /// Broken: slots are put back by a relaxed compare-and-swap.
        RelaxedPut: PUT = Ordering::Relaxed, Ordering;
        /// Broken: slots are taken after a relaxed load.
        RelaxedTake: TAKE = Ordering::Relaxed, Ordering;
        /// Broken: the owner's list is given up by a relaxed store.
        RelaxedGiveUp: GIVE_UP = Ordering::Relaxed, Ordering;
        /// Broken: the owner's list is claimed by a relaxed exchange.
        RelaxedClaim: CLAIM = Ordering::Relaxed, Ordering;
        /// Broken: removals leave the tag alone.
        Untagged: TAG = false, bool;
    }
}

/// A pool, as the algorithm sees it.
///
/// # Safety
/// The references returned belong to one pool, always the same, whose count never changes, and stay valid as long as the value
/// is used. The links of different slots are different.
pub unsafe trait PoolBody {
    /// The atomics of the control block.
    type Atomics: Atomics;
    /// The ordering of the edges.
    type Edges: PoolEdges;

    /// Whether the private list has an owner.
    fn claimed(&self) -> &<Self::Atomics as Atomics>::Byte;
    /// The stack: `tag << bits | index of the first slot`, or the count in place of an index when it is empty.
    fn shared(&self) -> &<Self::Atomics as Atomics>::Word;
    /// The owner's list: the index of its first slot, xor the count; so 0 when it is empty.
    fn owned(&self) -> &<Self::Atomics as Atomics>::Word;
    /// The link of the slot at `index`, below the count.
    fn link(&self, index: usize) -> &<Self::Atomics as Atomics>::Half;
    /// How many slots there are.
    fn count(&self) -> usize;
}

/// The bits of the stack's word that hold an index, in a pool of `count` slots. The tag has the rest.
#[inline(always)]
pub(crate) const fn index_mask(count: usize) -> usize {
    usize::MAX >> count.leading_zeros()
}

/// The slot after the one at `index`, whose link is `link`.
#[inline(always)]
fn follow(index: usize, link: u32) -> usize {
    (index + 1) ^ link as usize
}

/// The link of the slot at `index` when `next` comes after it.
#[inline(always)]
fn link_to(index: usize, next: usize) -> u32 {
    ((index + 1) ^ next) as u32
}

/// Taking slots and putting them back.
///
/// A slot is *taken* from the moment a call returns it until it is put back, and belongs to one party meanwhile.
pub trait FreeSlots: PoolBody
where
    <Self::Atomics as Atomics>::Word: CompareExchange<usize>,
    <Self::Atomics as Atomics>::Half: CompareExchange<u32>,
{
    /// Takes a slot off the stack. Lock-free.
    #[inline(always)]
    fn take(&self) -> Option<usize> {
        let mask = index_mask(self.count());
        let raise = if Self::Edges::TAG { mask + 1 } else { 0 };
        // Pairs with the PUT in `put` and `disown`: the slot's last user is done with it, and its link is written.
        let mut head = self.shared().load(Self::Edges::TAKE);
        loop {
            let index = head & mask;
            if index >= self.count() {
                return None;
            }
            // Relaxed: ordered by the load of `head`; where another party took the slot meanwhile, the exchange fails.
            let link = self.link(index).load(Ordering::Relaxed);
            // `follow`, on the low bits of the whole word: an index below the count plus 1 carries nothing.
            let next = head.wrapping_add(raise + 1) ^ link as usize;
            // Relaxed on success: the word is still the one whose load was ordered, since the tag tells removals apart.
            match self.shared().compare_exchange_weak(
                head,
                next,
                Ordering::Relaxed,
                Self::Edges::TAKE,
            ) {
                Ok(_) => return Some(index),
                Err(found) => head = found,
            }
        }
    }

    /// Puts a slot on the stack. Lock-free.
    ///
    /// # Safety
    /// The slot is taken by the caller, who does not use it any more.
    #[inline(always)]
    unsafe fn put(&self, index: usize) {
        push(self, index, index);
    }

    /// Claims the owner's list; false if it has an owner.
    #[inline]
    fn claim_owner(&self) -> bool
    where
        <Self::Atomics as Atomics>::Byte: Exchange<u8>,
    {
        // Pairs with the GIVE_UP store in `disown`.
        self.claimed().swap(1, Self::Edges::CLAIM) == 0
    }

    /// Whether the owner's list has an owner: a snapshot, save for the owner.
    #[inline(always)]
    fn has_owner(&self) -> bool {
        // Relaxed: an owner sees its own claim, and nothing is read on the strength of another's.
        self.claimed().load(Ordering::Relaxed) != 0
    }

    /// Takes a slot off the owner's list; when that is empty, the owner first moves the whole stack to it.
    ///
    /// # Safety
    /// The caller is the owner.
    #[inline(always)]
    unsafe fn take_owned(&self) -> Option<usize> {
        // Relaxed, like every access to the list: it is the owner's alone.
        let mut first = self.owned().load(Ordering::Relaxed);
        if first == 0 {
            first = adopt(self)?;
        }
        let index = first ^ self.count();
        let link = self.link(index).load(Ordering::Relaxed);
        let rest = follow(index, link) ^ self.count();
        self.owned().store(rest, Ordering::Relaxed);
        Some(index)
    }

    /// Puts a slot on the owner's list.
    ///
    /// # Safety
    /// The caller is the owner; the slot is taken by the caller, who does not use it any more.
    #[inline(always)]
    unsafe fn put_owned(&self, index: usize) {
        // Relaxed: the list is the owner's alone.
        let first = self.owned().load(Ordering::Relaxed);
        let link = link_to(index, first ^ self.count());
        self.link(index).store(link, Ordering::Relaxed);
        self.owned().store(index ^ self.count(), Ordering::Relaxed);
    }

    /// Moves what is left of the owner's list to the stack, and gives the list up. Takes time in proportion to what is left.
    ///
    /// # Safety
    /// The caller is the owner, and is not any more.
    unsafe fn disown(&self) {
        // Relaxed: the list is the owner's alone.
        let first = self.owned().load(Ordering::Relaxed) ^ self.count();
        if first != self.count() {
            self.owned().store(0, Ordering::Relaxed);
            let (_, last) = walk(self, first);
            push(self, first, last);
        }
        // Pairs with the CLAIM exchange in `claim_owner`: the next owner finds the list as this one left it.
        self.claimed().store(0, Self::Edges::GIVE_UP);
    }

    /// Marks a taken slot as out under its bare number, which [`take_back`](Self::take_back) checks.
    ///
    /// # Safety
    /// The slot is taken by the caller.
    #[inline(always)]
    unsafe fn hand_out(&self, index: usize) {
        // Relaxed: whoever passes the number on orders this before its use.
        self.link(index).store(OUT, Ordering::Relaxed);
    }

    /// Takes a slot over that is out under its number; false if no slot of that number is, and then nothing changes. Of
    /// two parties who both try, one succeeds.
    #[inline(always)]
    fn take_back(&self, index: usize) -> bool {
        // Relaxed: whoever passed the number on ordered what was done to the slot.
        index < self.count()
            && self
                .link(index)
                .compare_exchange(OUT, 0, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Free slots, the owner's among them. Exact while nobody takes or puts any, and else a guess; takes time in
    /// proportion to the answer.
    fn available(&self) -> usize {
        // Pairs with the PUT of a slot: the links below are those of this list or newer ones.
        let shared = self.shared().load(Self::Edges::TAKE) & index_mask(self.count());
        let owned = self.owned().load(Ordering::Relaxed) ^ self.count();
        let (shared, _) = walk(self, shared);
        let (owned, _) = walk(self, owned);
        (shared + owned).min(self.count())
    }

    /// Gives the stack's word this tag, for tests of its wrap.
    ///
    /// # Safety
    /// Nobody uses the pool.
    unsafe fn set_tag(&self, tag: usize) {
        let mask = index_mask(self.count());
        // Relaxed: whoever uses the pool later is ordered after this by what hands it over.
        let index = self.shared().load(Ordering::Relaxed) & mask;
        self.shared()
            .store(tag.wrapping_mul(mask + 1) | index, Ordering::Relaxed);
    }
}

impl<B: PoolBody> FreeSlots for B
where
    <B::Atomics as Atomics>::Word: CompareExchange<usize>,
    <B::Atomics as Atomics>::Half: CompareExchange<u32>,
{
}

/// Puts a chain of slots on the stack.
#[inline(always)]
fn push<B: PoolBody + ?Sized>(body: &B, first: usize, last: usize)
where
    <B::Atomics as Atomics>::Word: CompareExchange<usize>,
{
    let mask = index_mask(body.count());
    // Relaxed: nothing is read on the strength of it.
    let mut head = body.shared().load(Ordering::Relaxed);
    loop {
        // Relaxed: ordered by the exchange.
        body.link(last)
            .store(link_to(last, head & mask), Ordering::Relaxed);
        // Pairs with the TAKE load in `take` and `adopt`: what was done with the slots is done.
        match body.shared().compare_exchange_weak(
            head,
            (head & !mask) | first,
            B::Edges::PUT,
            Ordering::Relaxed,
        ) {
            Ok(_) => return,
            Err(found) => head = found,
        }
    }
}

/// Takes the whole stack: its first slot, as the owner's list keeps it.
#[inline(never)]
fn adopt<B: PoolBody + ?Sized>(body: &B) -> Option<usize>
where
    <B::Atomics as Atomics>::Word: CompareExchange<usize>,
{
    let mask = index_mask(body.count());
    let raise = if B::Edges::TAG { mask + 1 } else { 0 };
    // Pairs with the PUT in `put` and `disown`: the slots' last users are done with them, and their links are written.
    let mut head = body.shared().load(B::Edges::TAKE);
    loop {
        if head & mask >= body.count() {
            return None;
        }
        let empty = (head.wrapping_add(raise) & !mask) | body.count();
        // Relaxed on success: as in `take`.
        match body
            .shared()
            .compare_exchange_weak(head, empty, Ordering::Relaxed, B::Edges::TAKE)
        {
            Ok(_) => return Some((head & mask) ^ body.count()),
            Err(found) => head = found,
        }
    }
}

/// How many slots a list has, and the last one. Ends even if the list changes meanwhile.
fn walk<B: PoolBody + ?Sized>(body: &B, first: usize) -> (usize, usize) {
    let (mut length, mut last, mut next) = (0, first, first);
    while next < body.count() && length < body.count() {
        length += 1;
        last = next;
        // Relaxed: ordered by the load of the list's beginning, or a guess.
        next = follow(next, body.link(next).load(Ordering::Relaxed));
    }
    (length, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_zero_leads_to_the_neighbour() {
        for index in [0, 1, 62, 63, 4095] {
            assert_eq!(follow(index, 0), index + 1);
        }
    }

    #[test]
    fn links_lead_where_they_were_made_to_lead() {
        for count in 1..=70 {
            for index in 0..count {
                for next in 0..=count {
                    let link = link_to(index, next);
                    assert_eq!(follow(index, link), next);
                    assert!(link as usize <= index_mask(count));
                    assert_ne!(link, OUT);
                }
            }
        }
        let most = MAX_COUNT;
        assert!(link_to(most - 1, 0) < OUT && link_to(0, most) < OUT);
    }

    #[test]
    fn the_index_takes_no_more_bits_than_the_count() {
        for (count, bits) in [(1, 1), (2, 2), (3, 2), (64, 7), (4096, 13)] {
            assert_eq!(index_mask(count), (1 << bits) - 1);
        }
        assert!(index_mask(MAX_COUNT).leading_zeros() >= 8);
    }
}
