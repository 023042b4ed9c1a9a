/* The free slots of a pool: a tagged stack of slot numbers that anyone takes from and puts to, and a list of one owner.
 * The twin of the Rust core's `raw::pool` (Treiber 1986), over the same bytes. Part of gimmal_inline.h.
 *
 * The number of slots is a parameter, which is a constant for whoever knows the pool's type. A slot that was taken
 * belongs to the taker. These functions trust their caller; whoever passes slots on by number hands them out and takes
 * them back, and is told of a slot that comes back twice.
 */

#ifndef GIMMAL_POOL_H
#define GIMMAL_POOL_H

/* No slot. */
#define GIMMAL_NO_SLOT SIZE_MAX

/* The bits of the stack's word that hold a slot's number; the tag has the rest. */
GIMMAL_CONSTANT size_t gimmal_pool_index_mask(size_t count) {
  return SIZE_MAX >> (sizeof(size_t) * 8 - 1 - gimmal_log2(count));
}

GIMMAL_INLINE uint32_t *gimmal_pool_link(gimmal_pool_t *pool, size_t index) {
  return (uint32_t *)(void *)((unsigned char *)pool + sizeof(gimmal_pool_t)) + index;
}

/* The slot after the one at `index`. Relaxed: ordered by the load of the word that led there, or the owner's alone. */
GIMMAL_INLINE size_t gimmal_pool_next(gimmal_pool_t *pool, size_t index) {
  return (index + 1) ^ GIMMAL_LOAD(*gimmal_pool_link(pool, index), GIMMAL_RELAXED);
}

/* Makes `next` follow the slot at `index`. Relaxed: ordered by the swap that puts it on the stack. */
GIMMAL_INLINE void gimmal_pool_set_next(gimmal_pool_t *pool, size_t index, size_t next) {
  GIMMAL_STORE(*gimmal_pool_link(pool, index), (uint32_t)((index + 1) ^ next), GIMMAL_RELAXED);
}

/* Takes a slot, or GIMMAL_NO_SLOT. */
GIMMAL_INLINE size_t gimmal_pool_take(gimmal_pool_t *pool, size_t count) {
  const size_t mask = gimmal_pool_index_mask(count);
  /* Pairs with the swap in gimmal_pool_put_chain: the slot's last user is done with it, and its link is written. */
  size_t first = GIMMAL_LOAD(pool->shared.first, GIMMAL_ORDER_TAKE);
  for (;;) {
    const size_t index = first & mask;
    if (GIMMAL_UNLIKELY(index >= count)) {
      return GIMMAL_NO_SLOT;
    }
    /* Relaxed: ordered by the load above; where another party took the slot meanwhile, the swap fails. */
    const size_t link = GIMMAL_LOAD(*gimmal_pool_link(pool, index), GIMMAL_RELAXED);
    /* The tag raised, and the next slot: an index below the count plus 1 carries nothing. */
    if (GIMMAL_SWAP(&pool->shared.first, &first, (first + mask + 2) ^ link, GIMMAL_ORDER_TAKE, GIMMAL_ORDER_TAKE)) {
      return index;
    }
  }
}

/* Puts slots on the stack that follow each other from `from` to `to`. */
GIMMAL_INLINE void gimmal_pool_put_chain(gimmal_pool_t *pool, size_t count, size_t from, size_t to) {
  const size_t mask = gimmal_pool_index_mask(count);
  /* Relaxed: nothing is read on the strength of it. */
  size_t first = GIMMAL_LOAD(pool->shared.first, GIMMAL_RELAXED);
  do {
    gimmal_pool_set_next(pool, to, first & mask);
    /* Pairs with the loads in gimmal_pool_take and gimmal_pool_adopt: what was done with the slots is done. */
  } while (!GIMMAL_SWAP(&pool->shared.first, &first, (first & ~mask) | from, GIMMAL_ORDER_PUT, GIMMAL_RELAXED));
}

/* Puts back a slot that the caller took, and does not use any more. */
GIMMAL_INLINE void gimmal_pool_put(gimmal_pool_t *pool, size_t count, size_t index) {
  gimmal_pool_put_chain(pool, count, index, index);
}

/* For the owner: takes the whole stack, and gives its first slot, or the count. */
GIMMAL_COLD size_t gimmal_pool_adopt(gimmal_pool_t *pool, size_t count) {
  const size_t mask = gimmal_pool_index_mask(count);
  /* Pairs as in gimmal_pool_take. */
  size_t first = GIMMAL_LOAD(pool->shared.first, GIMMAL_ORDER_TAKE);
  while ((first & mask) < count) {
    if (GIMMAL_SWAP(&pool->shared.first, &first, ((first + mask + 1) & ~mask) | count, GIMMAL_ORDER_TAKE,
                    GIMMAL_ORDER_TAKE)) {
      return first & mask;
    }
  }
  return count;
}

/* For the owner: takes a slot off its list, or GIMMAL_NO_SLOT. */
GIMMAL_INLINE size_t gimmal_pool_take_owned(gimmal_pool_t *pool, size_t count) {
  /* Relaxed, as every access to the list: it is the owner's alone. */
  size_t index = GIMMAL_LOAD(pool->owned.first, GIMMAL_RELAXED) ^ count;
  if (GIMMAL_UNLIKELY(index == count)) {
    index = gimmal_pool_adopt(pool, count);
    if (index == count) {
      return GIMMAL_NO_SLOT;
    }
  }
  GIMMAL_STORE(pool->owned.first, gimmal_pool_next(pool, index) ^ count, GIMMAL_RELAXED);
  return index;
}

/* For the owner: puts on its list a slot that it took, and does not use any more. */
GIMMAL_INLINE void gimmal_pool_put_owned(gimmal_pool_t *pool, size_t count, size_t index) {
  gimmal_pool_set_next(pool, index, GIMMAL_LOAD(pool->owned.first, GIMMAL_RELAXED) ^ count);
  GIMMAL_STORE(pool->owned.first, index ^ count, GIMMAL_RELAXED);
}

/* How many slots a list has that begins at `first`; `*last` is the last of them. Ends even if the list changes. */
GIMMAL_COLD size_t gimmal_pool_walk(gimmal_pool_t *pool, size_t count, size_t first, size_t *last) {
  size_t length = 0;
  for (; first < count && length < count; ++length) {
    *last = first;
    first = gimmal_pool_next(pool, first);
  }
  return length;
}

/* For the owner: what is left of its list goes to the stack, and the list is given up. */
GIMMAL_COLD void gimmal_pool_disown(gimmal_pool_t *pool, size_t count) {
  const size_t first = GIMMAL_LOAD(pool->owned.first, GIMMAL_RELAXED) ^ count;
  size_t last = first;
  if (gimmal_pool_walk(pool, count, first, &last) != 0) {
    GIMMAL_STORE(pool->owned.first, (size_t)0, GIMMAL_RELAXED);
    gimmal_pool_put_chain(pool, count, first, last);
  }
  gimmal_give_up_end(&pool->owner_claimed);
}

/* How many slots are free, the owner's among them: exact while nobody takes or puts any, else a guess. */
GIMMAL_COLD size_t gimmal_pool_count_free(gimmal_pool_t *pool, size_t count) {
  /* Pairs as in gimmal_pool_take: the links are those of this list or newer ones. */
  const size_t shared = GIMMAL_LOAD(pool->shared.first, GIMMAL_ORDER_TAKE) & gimmal_pool_index_mask(count);
  const size_t owned = GIMMAL_LOAD(pool->owned.first, GIMMAL_RELAXED) ^ count;
  size_t last = 0;
  const size_t length = gimmal_pool_walk(pool, count, shared, &last) + gimmal_pool_walk(pool, count, owned, &last);
  return length < count ? length : count;
}

/* What a slot's link holds while the slot is out under its bare number. */
#define GIMMAL_POOL_OUT ((uint32_t)1 << 31)

/* Marks a slot that the caller took as out under its number, so that gimmal_pool_release() accepts it. Relaxed: whoever
 * passes the number on orders this before its use. */
GIMMAL_INLINE void gimmal_pool_hand_out(gimmal_pool_t *pool, size_t index) {
  GIMMAL_STORE(*gimmal_pool_link(pool, index), GIMMAL_POOL_OUT, GIMMAL_RELAXED);
}

/* Takes over a slot that is out under its number; false if no slot of that number is, and then nothing changes. Of two
 * parties who both try, one succeeds. Relaxed: whoever passed the number on ordered what was done to the slot. */
GIMMAL_INLINE bool gimmal_pool_take_back(gimmal_pool_t *pool, size_t count, size_t index) {
  return index < count && gimmal_swap_half(gimmal_pool_link(pool, index), GIMMAL_POOL_OUT, 0);
}

/* Where the element in the slot at `index` lies, in a pool whose geometry is published. */
GIMMAL_INLINE void *gimmal_pool_slot(gimmal_pool_t *pool, size_t index) {
  return (unsigned char *)pool + gimmal_stated_half(&pool->slots_offset) + index * gimmal_stated_half(&pool->stride);
}

/* Whether slots that lie side by side, or `padded` on lines of their own, would lie as the pool states. */
GIMMAL_COLD bool gimmal_pool_lies_so(const gimmal_pool_t *pool, size_t size, size_t align, size_t *whole_align) {
  const unsigned long long links = sizeof(gimmal_pool_t) + (unsigned long long)gimmal_stated_half(&pool->count) * 4;
  *whole_align = align > GIMMAL_ALIGNOF(gimmal_pool_t) ? align : GIMMAL_ALIGNOF(gimmal_pool_t);
  return gimmal_stated_half(&pool->stride) == (size + (align - 1)) / align * align &&
         gimmal_stated_half(&pool->slots_offset) == (links + (align - 1)) / align * align;
}

/* Checks that `memory` begins with a published pool of slots for elements of this size and alignment, which lies wholly
 * inside it. GIMMAL_NULL_POINTER, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory; for what it holds
 * GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT. */
GIMMAL_COLD gimmal_status_t gimmal_pool_check(void *memory, size_t memory_size, size_t size, size_t align) {
  const gimmal_pool_t *pool = (const gimmal_pool_t *)memory;
  const unsigned long long most =
      SIZE_MAX <= UINT32_MAX ? ((unsigned long long)1 << 24) - 1 : (unsigned long long)1 << 30;
  unsigned long long end;
  size_t whole_align = 0;
  uint32_t magic;
  uint32_t count;
  if (memory == NULL) {
    return GIMMAL_NULL_POINTER;
  }
  if ((uintptr_t)memory % GIMMAL_ALIGNOF(gimmal_pool_t) != 0) {
    return GIMMAL_MISALIGNED;
  }
  if (memory_size < sizeof(gimmal_pool_t)) {
    return GIMMAL_TOO_SMALL;
  }
  /* Pairs with the store in gimmal_pool_publish: the other fields are complete. */
  magic = GIMMAL_LOAD(pool->magic, GIMMAL_ORDER_LEARN);
  if (magic != GIMMAL_MAGIC) {
    return magic == 0 ? GIMMAL_UNINITIALISED : GIMMAL_CORRUPT;
  }
  if (gimmal_stated_byte(&pool->kind) != GIMMAL_KIND_POOL) {
    return GIMMAL_WRONG_KIND;
  }
  if (gimmal_stated_byte(&pool->version) != GIMMAL_LAYOUT_VERSION ||
      gimmal_stated_byte(&pool->word_size) != sizeof(size_t) ||
      gimmal_stated_byte(&pool->log2_line) != GIMMAL_LOG2_LINE || gimmal_stated_half(&pool->element_size) != size ||
      gimmal_stated_byte(&pool->log2_align) != gimmal_log2(align)) {
    return GIMMAL_MISMATCH;
  }
  count = gimmal_stated_half(&pool->count);
  if (count == 0 || count > most ||
      (!gimmal_pool_lies_so(pool, size, align < 64 ? 64 : align, &whole_align) &&
       !gimmal_pool_lies_so(pool, size, align, &whole_align))) {
    return GIMMAL_CORRUPT;
  }
  if ((uintptr_t)memory % whole_align != 0) {
    return GIMMAL_MISALIGNED;
  }
  end = gimmal_stated_half(&pool->slots_offset) + (unsigned long long)gimmal_stated_half(&pool->stride) * count;
  return memory_size < (end + (whole_align - 1)) / whole_align * whole_align ? GIMMAL_TOO_SMALL : GIMMAL_OK;
}

/* Publishes the geometry of a pool. Two parties that do so store identical values. */
GIMMAL_COLD void gimmal_pool_publish(gimmal_pool_t *pool, size_t size, size_t align, size_t stride, size_t slots_offset,
                                     size_t count) {
  /* Relaxed: ordered by the magic number. */
  GIMMAL_STORE(pool->version, (uint8_t)GIMMAL_LAYOUT_VERSION, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->kind, (uint8_t)GIMMAL_KIND_POOL, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->word_size, (uint8_t)sizeof(size_t), GIMMAL_RELAXED);
  GIMMAL_STORE(pool->log2_line, (uint8_t)GIMMAL_LOG2_LINE, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->element_size, (uint32_t)size, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->stride, (uint32_t)stride, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->slots_offset, (uint32_t)slots_offset, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->log2_align, gimmal_log2(align), GIMMAL_RELAXED);
  GIMMAL_STORE(pool->per_cell, (uint8_t)1, GIMMAL_RELAXED);
  GIMMAL_STORE(pool->count, (uint32_t)count, GIMMAL_RELAXED);
  /* Pairs with the acquire of whoever attaches: the fields above are complete. */
  GIMMAL_STORE(pool->magic, (uint32_t)GIMMAL_MAGIC, GIMMAL_ORDER_STATE);
}

#endif /* GIMMAL_POOL_H */
