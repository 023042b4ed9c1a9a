//! `gimmal_pool_t`: slots that any party acquires and releases. Not on a target with no compare-and-swap, unless by the feature
//! `critical-section`.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::NonNull;

use gimmal::raw::pool::{
    attach_pool, open_pool, ErasedPool, FreeSlots, PoolBody, PoolControl, PoolShape, KIND,
};
use static_assertions::{assert_eq_align, assert_eq_size, const_assert_eq};

use crate::call::{not_null, refusal, refused_shape, status, Outcome};
use crate::status::*;

/// A list of free slots, on a cache line of its own where there is a cache.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_pool_list_t {
    /// The first slot, and in the shared list a tag.
    pub first: usize,
}

/// A pool: slots of one size that any party acquires, and any other releases. A slot's number is its
/// index, its address that of the element in it. All zeros is a valid pool with every slot free,
/// whose geometry is not published. The links of the slots follow in memory, and then the slots.
///
/// Acquiring and releasing are lock-free. One party at a time may be the owner of a list of its own, from
/// which it acquires at less expense; what others release, it gets when its list is used up.
#[repr(C)]
pub struct gimmal_pool_t {
    /// GIMMAL_MAGIC, or 0 while the geometry is not published.
    pub magic: u32,
    /// GIMMAL_LAYOUT_VERSION.
    pub version: u8,
    /// GIMMAL_KIND_POOL.
    pub kind: u8,
    /// The size of a word: 4 or 8.
    pub word_size: u8,
    /// The base-2 logarithm of GIMMAL_LINE, 0 when packed.
    pub log2_line: u8,
    /// Bytes in an element.
    pub element_size: u32,
    /// Bytes from one slot to the next.
    pub stride: u32,
    /// Where the slots begin.
    pub slots_offset: u32,
    /// The base-2 logarithm of an element's alignment.
    pub log2_align: u8,
    /// Zero.
    pub log2_count: u8,
    /// One.
    pub per_cell: u8,
    /// Zero.
    pub reserved_geometry: u8,
    /// 1 while the owner's list has an owner.
    pub owner_claimed: u8,
    /// Zeros.
    pub reserved_state: [u8; 11],
    /// The number of slots.
    pub count: u32,
    /// The free slots that are anyone's.
    pub shared: gimmal_pool_list_t,
    /// The free slots on the owner's list.
    pub owned: gimmal_pool_list_t,
}

/// What `kind` holds in a pool.
pub const GIMMAL_KIND_POOL: u8 = 6;

const_assert_eq!(GIMMAL_KIND_POOL, KIND);
assert_eq_size!(gimmal_pool_t, PoolControl);
assert_eq_align!(gimmal_pool_t, PoolControl);
const_assert_eq!(offset_of!(gimmal_pool_t, owner_claimed), 24);
const_assert_eq!(offset_of!(gimmal_pool_t, count), 36);
const_assert_eq!(offset_of!(gimmal_pool_t, shared), PoolControl::SHARED);
const_assert_eq!(offset_of!(gimmal_pool_t, owned), PoolControl::OWNED);

/// The pool, if its control block states one.
///
/// # Safety
/// `pool` is NULL or a pool that outlives the value.
#[inline(always)]
unsafe fn open(pool: *const gimmal_pool_t) -> Result<ErasedPool, gimmal_status_t> {
    let pool = not_null(pool.cast_mut())?.cast();
    // SAFETY: the caller's word.
    unsafe { open_pool(pool) }.map_err(refusal)
}

/// Refuses what only an owner may do where there is none.
#[inline(always)]
fn owned(pool: &ErasedPool) -> Outcome {
    if pool.has_owner() {
        Ok(())
    } else {
        Err(GIMMAL_NOT_CLAIMED.into())
    }
}

fn shape(
    size: usize,
    align: usize,
    capacity: usize,
    padded: bool,
) -> Result<PoolShape, gimmal_status_t> {
    PoolShape::new(size, align, capacity, padded).map_err(refused_shape)
}

/// Tells the size and alignment of the storage for a pool of `capacity` slots. If `padded`, each slot
/// has cache lines of its own, of 64 bytes; else slots lie side by side.
///
/// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such pool.
///
/// # Safety
/// `size` and `align` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_layout(
    element_size: usize,
    element_align: usize,
    capacity: usize,
    padded: bool,
    size: *mut usize,
    align: *mut usize,
) -> gimmal_status_t {
    status((|| {
        let (size, align) = (not_null(size)?, not_null(align)?);
        let shape = shape(element_size, element_align, capacity, padded)?;
        // SAFETY: the caller keeps the contract above; neither is NULL.
        unsafe {
            size.write(shape.size());
            align.write(shape.align());
        }
        Ok(())
    })())
}

/// Lays out a pool with every slot free in `storage`, whatever that held, and gives its address:
/// `storage`. Takes time in proportion to the capacity. Other parties may use the pool as soon as
/// they learn of it in an orderly way.
///
/// The errors of gimmal_pool_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
/// does not answer to it.
///
/// # Safety
/// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `pool` is NULL or
/// writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_init(
    storage: *mut c_void,
    storage_size: usize,
    element_size: usize,
    element_align: usize,
    capacity: usize,
    padded: bool,
    pool: *mut *mut gimmal_pool_t,
) -> gimmal_status_t {
    status((|| {
        let (storage, pool) = (not_null(storage)?.cast::<u8>(), not_null(pool)?);
        let shape = shape(element_size, element_align, capacity, padded)?;
        if storage.addr().get() & (shape.align() - 1) != 0 {
            return Err(GIMMAL_MISALIGNED.into());
        }
        if storage_size < shape.size() {
            return Err(GIMMAL_TOO_SMALL.into());
        }
        // SAFETY: the storage is aligned, large enough for the shape, and nobody else uses it, by the contract above.
        unsafe {
            ErasedPool::init(storage, &shape);
            pool.write(storage.cast().as_ptr());
        }
        Ok(())
    })())
}

/// Finds the pool that another party laid out in `memory`, and checks that it is one of slots for
/// such elements, and wholly inside. The functions below trust a pool's geometry once it is
/// attached: memory that a hostile party writes needs more than this.
///
/// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
/// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
///
/// # Safety
/// `memory` is NULL or `memory_size` readable and writable bytes; `pool` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_attach(
    memory: *mut c_void,
    memory_size: usize,
    element_size: usize,
    element_align: usize,
    pool: *mut *mut gimmal_pool_t,
) -> gimmal_status_t {
    status((|| {
        let (memory, pool) = (not_null(memory)?.cast::<u8>(), not_null(pool)?);
        // SAFETY: the caller keeps the contract above.
        unsafe { attach_pool(memory, memory_size, element_size, element_align) }
            .map_err(refusal)?;
        // SAFETY: the caller keeps the contract above; it is not NULL.
        unsafe { pool.write(memory.cast().as_ptr()) };
        Ok(())
    })())
}

/// Ends the pool: every later call reports GIMMAL_UNINITIALISED, until it is laid out again. Slots
/// that are out are forgotten.
///
/// # Safety
/// `pool` is NULL or a pool that no other call uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_deinit(pool: *mut gimmal_pool_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    status(unsafe { open(pool) }.map_err(Into::into).map(|pool| {
        // SAFETY: the caller keeps the contract above.
        unsafe { pool.deinit() }
    }))
}

/// Hands a slot out that was taken, if one was.
///
/// # Safety
/// The slot was taken by the caller; `index` and `element` are writable.
#[inline(always)]
unsafe fn give(
    pool: ErasedPool,
    taken: Option<usize>,
    index: NonNull<u32>,
    element: NonNull<*mut c_void>,
) -> Outcome {
    let Some(taken) = taken else {
        return Err(GIMMAL_EXHAUSTED.into());
    };
    // SAFETY: the caller's word.
    unsafe {
        pool.hand_out(taken);
        index.write(taken as u32);
        element.write(pool.slot(taken).cast().as_ptr());
    }
    Ok(())
}

/// Anyone. Acquires a slot: its index, and the address of the element in it, which is left over from
/// its last use or zeros.
///
/// GIMMAL_EXHAUSTED if no slot is free.
///
/// # Safety
/// `pool` is NULL or a pool; `index` and `element` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_acquire(
    pool: *mut gimmal_pool_t,
    index: *mut u32,
    element: *mut *mut c_void,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        let (index, element) = (not_null(index)?, not_null(element)?);
        // SAFETY: the slot was taken just now; the outputs are writable by the contract above.
        unsafe { give(pool, pool.take(), index, element) }
    })())
}

/// The index of the slot at this address.
///
/// # Safety
/// `pool` is NULL or a pool.
#[inline(always)]
unsafe fn find(
    pool: *const gimmal_pool_t,
    element: *const c_void,
) -> Result<(ErasedPool, usize), gimmal_status_t> {
    // SAFETY: the caller's word.
    let pool = unsafe { open(pool) }?;
    let element = not_null(element.cast_mut())?;
    let index = pool
        .index_of(element.cast().as_ptr())
        .ok_or(GIMMAL_FOREIGN)?;
    Ok((pool, index))
}

/// Takes a slot over that is out.
#[inline(always)]
fn take_back(pool: ErasedPool, index: usize) -> Result<(), gimmal_status_t> {
    if index >= pool.count() {
        return Err(GIMMAL_FOREIGN);
    }
    if !pool.take_back(index) {
        return Err(GIMMAL_NOT_OUT);
    }
    Ok(())
}

/// Anyone. Releases the slot at this address. If two parties release it, one of them is told, whatever
/// their timing; but not if the slot was acquired anew between the two.
///
/// GIMMAL_FOREIGN if no slot of this pool begins there, GIMMAL_NOT_OUT if the slot is free.
///
/// # Safety
/// `pool` is NULL or a pool. The caller acquired the slot, or was given it, and does not use it any more.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_release(
    pool: *mut gimmal_pool_t,
    element: *mut c_void,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let (pool, index) = unsafe { find(pool, element) }?;
        take_back(pool, index)?;
        // SAFETY: the slot was taken over just now.
        unsafe { pool.put(index) };
        Ok(())
    })())
}

/// Anyone. Releases the slot of this index: as gimmal_pool_release(), and a little faster.
///
/// GIMMAL_FOREIGN if the pool has no slot of this index, GIMMAL_NOT_OUT if the slot is free.
///
/// # Safety
/// As for gimmal_pool_release().
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_release_index(
    pool: *mut gimmal_pool_t,
    index: u32,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        take_back(pool, index as usize)?;
        // SAFETY: the slot was taken over just now.
        unsafe { pool.put(index as usize) };
        Ok(())
    })())
}

/// Anyone. The address of the element in the slot of this index, for who was given the index by
/// another party.
///
/// GIMMAL_FOREIGN if the pool has no slot of this index.
///
/// # Safety
/// `pool` is NULL or a pool; `element` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_element(
    pool: *const gimmal_pool_t,
    index: u32,
    element: *mut *mut c_void,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        let element = not_null(element)?;
        if index as usize >= pool.count() {
            return Err(GIMMAL_FOREIGN.into());
        }
        // SAFETY: the caller keeps the contract above; it is not NULL.
        unsafe { element.write(pool.slot(index as usize).cast().as_ptr()) };
        Ok(())
    })())
}

/// Anyone. The index of the slot at this address, to be passed where addresses differ: another process.
///
/// GIMMAL_FOREIGN if no slot of this pool begins there.
///
/// # Safety
/// `pool` is NULL or a pool; `index` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_index(
    pool: *const gimmal_pool_t,
    element: *const c_void,
    index: *mut u32,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let (_, found) = unsafe { find(pool, element) }?;
        let index = not_null(index)?;
        // SAFETY: the caller keeps the contract above; it is not NULL.
        unsafe { index.write(found as u32) };
        Ok(())
    })())
}

/// Anyone. Makes the caller the owner of the pool's own list.
///
/// GIMMAL_BUSY if it has an owner.
///
/// # Safety
/// `pool` is NULL or a pool.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_claim_owner(pool: *mut gimmal_pool_t) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        if !pool.claim_owner() {
            return Err(GIMMAL_BUSY.into());
        }
        Ok(())
    })())
}

/// Owner. Gives the list up, and what is left on it to anyone. Takes time in proportion to that.
///
/// GIMMAL_NOT_CLAIMED if the pool has no owner.
///
/// # Safety
/// `pool` is NULL or a pool whose owner is the caller.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_release_owner(pool: *mut gimmal_pool_t) -> gimmal_status_t {
    // SAFETY: the caller keeps the contract above.
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        owned(&pool)?;
        // SAFETY: the caller keeps the contract above.
        unsafe { pool.disown() };
        Ok(())
    })())
}

/// Owner. Acquires a slot as gimmal_pool_acquire() does, from the owner's list or, when that is used
/// up, from all that was released meanwhile.
///
/// GIMMAL_EXHAUSTED if no slot is free; GIMMAL_NOT_CLAIMED if the pool has no owner.
///
/// # Safety
/// `pool` is NULL or a pool whose owner is the caller; `index` and `element` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_acquire_owned(
    pool: *mut gimmal_pool_t,
    index: *mut u32,
    element: *mut *mut c_void,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        let (index, element) = (not_null(index)?, not_null(element)?);
        owned(&pool)?;
        // SAFETY: the caller is the owner, and took the slot just now; the outputs are writable by the contract above.
        unsafe { give(pool, pool.take_owned(), index, element) }
    })())
}

/// Owner. Releases a slot, whoever acquired it, to the owner's list.
///
/// As gimmal_pool_release_index(); GIMMAL_NOT_CLAIMED if the pool has no owner.
///
/// # Safety
/// `pool` is NULL or a pool whose owner is the caller, who does not use the slot any more.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_release_owned(
    pool: *mut gimmal_pool_t,
    index: u32,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        owned(&pool)?;
        take_back(pool, index as usize)?;
        // SAFETY: the caller is the owner, and took the slot over just now.
        unsafe { pool.put_owned(index as usize) };
        Ok(())
    })())
}

/// Anyone. How many slots are free: exact while nobody acquires or releases any, and else a guess.
/// Takes time in proportion to the answer.
///
/// # Safety
/// `pool` is NULL or a pool; `count` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_available(
    pool: *const gimmal_pool_t,
    count: *mut usize,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        let count = not_null(count)?;
        // SAFETY: the caller keeps the contract above; it is not NULL.
        unsafe { count.write(pool.available()) };
        Ok(())
    })())
}

/// Anyone. How many slots there are.
///
/// # Safety
/// `pool` is NULL or a pool; `count` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_pool_capacity(
    pool: *const gimmal_pool_t,
    count: *mut usize,
) -> gimmal_status_t {
    status((|| {
        // SAFETY: the caller keeps the contract above.
        let pool = unsafe { open(pool) }?;
        let count = not_null(count)?;
        // SAFETY: the caller keeps the contract above; it is not NULL.
        unsafe { count.write(pool.count()) };
        Ok(())
    })())
}
