/* Laying a ring out in memory, and finding one that somebody else laid out. Part of gimmal_inline.h.
 *
 * The caller of any of these names the kind, size and alignment of the elements by their shape.
 */

#ifndef GIMMAL_STORAGE_H
#define GIMMAL_STORAGE_H

/* What a ring's memory must be. */
typedef struct gimmal_extent_t {
  uint8_t log2_count; /* of its slots or cells */
  size_t size;
  size_t align;
} gimmal_extent_t;

GIMMAL_CONSTANT size_t gimmal_ring_align(gimmal_shape_t shape) {
  return gimmal_max(GIMMAL_ALIGNOF(gimmal_control_t), shape.slots_align);
}

/* The most slots or cells there may be, as a power of two: what is left of a word tells laps apart. */
GIMMAL_CONSTANT uint8_t gimmal_max_log2_count(gimmal_shape_t shape) {
  return (uint8_t)(sizeof(size_t) * 8 - (shape.kind == GIMMAL_KIND_INDEX ? 2 : 10));
}

/* The memory of a ring with 2^`log2_count` slots or cells. GIMMAL_OVERFLOW if there can be none. */
GIMMAL_COLD gimmal_status_t gimmal_extent_of_count(gimmal_shape_t shape, uint8_t log2_count, gimmal_extent_t *extent) {
  size_t align = gimmal_ring_align(shape);
  size_t most = SIZE_MAX / 2 - align;
  if (log2_count > gimmal_max_log2_count(shape) || shape.stride > UINT32_MAX || shape.slots_offset > UINT32_MAX ||
      shape.slots_offset > most || shape.stride > (most - shape.slots_offset) >> log2_count) {
    return GIMMAL_OVERFLOW;
  }
  extent->log2_count = log2_count;
  extent->size = gimmal_round_up(shape.slots_offset + (shape.stride << log2_count), align);
  extent->align = align;
  return GIMMAL_OK;
}

/* The memory of a ring that holds `capacity` elements for certain.
 *
 * GIMMAL_BAD_CAPACITY if that is 0 or, but by line, no power of two; GIMMAL_OVERFLOW if there can be no such ring. */
GIMMAL_COLD gimmal_status_t gimmal_extent_of(gimmal_shape_t shape, size_t capacity, gimmal_extent_t *extent) {
  size_t count = capacity;
  uint8_t log2_count = 0;
  if (capacity == 0 || (shape.kind != GIMMAL_KIND_LINE && (capacity & (capacity - 1)) != 0)) {
    return GIMMAL_BAD_CAPACITY;
  }
  if (shape.kind == GIMMAL_KIND_LINE) {
    /* The consumer may hold back all but one of a cell's elements. */
    count = (capacity - 1) / shape.per_cell + ((capacity - 1) % shape.per_cell != 0) + 1;
  }
  while (((size_t)1 << log2_count) < count) {
    if (++log2_count > gimmal_max_log2_count(shape)) {
      return GIMMAL_OVERFLOW;
    }
  }
  return gimmal_extent_of_count(shape, log2_count, extent);
}

/* Lays out an empty ring in `storage`, whatever that held. Nobody else uses the storage meanwhile.
 *
 * The errors of gimmal_extent_of, and GIMMAL_NULL_POINTER, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the storage. */
GIMMAL_COLD gimmal_status_t gimmal_lay_out(void *storage, size_t storage_size, gimmal_shape_t shape, size_t capacity) {
  gimmal_extent_t extent = {0, 0, 0};
  gimmal_status_t status = gimmal_extent_of(shape, capacity, &extent);
  if (status != GIMMAL_OK) {
    return status;
  }
  if (storage == NULL) {
    return GIMMAL_NULL_POINTER;
  }
  if ((uintptr_t)storage % extent.align != 0) {
    return GIMMAL_MISALIGNED;
  }
  if (storage_size < extent.size) {
    return GIMMAL_TOO_SMALL;
  }
  GIMMAL_FILL(storage, 0, sizeof(gimmal_control_t));
  if (shape.kind != GIMMAL_KIND_INDEX) {
    unsigned char *cell = (unsigned char *)storage + shape.slots_offset;
    unsigned char *end = cell + (shape.stride << extent.log2_count);
    for (; cell != end; cell += shape.stride) {
      *gimmal_stamp_of(cell) = 0;
    }
  }
  gimmal_publish_geometry((gimmal_control_t *)storage, shape, extent.log2_count);
  return GIMMAL_OK;
}

/* Checks that `memory` begins with a published ring of this shape that lies wholly inside it.
 *
 * GIMMAL_NULL_POINTER, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory; for what it holds GIMMAL_UNINITIALISED,
 * GIMMAL_WRONG_KIND, GIMMAL_MISMATCH (another version, word size, LINE, element size or alignment) or GIMMAL_CORRUPT.
 */
GIMMAL_COLD gimmal_status_t gimmal_check(void *memory, size_t memory_size, gimmal_shape_t shape) {
  const gimmal_control_t *control = (const gimmal_control_t *)memory;
  gimmal_extent_t extent = {0, 0, 0};
  uint32_t magic;
  if (memory == NULL) {
    return GIMMAL_NULL_POINTER;
  }
  if ((uintptr_t)memory % GIMMAL_ALIGNOF(gimmal_control_t) != 0) {
    return GIMMAL_MISALIGNED;
  }
  if (memory_size < sizeof(gimmal_control_t)) {
    return GIMMAL_TOO_SMALL;
  }
  magic = gimmal_magic(control);
  if (magic != GIMMAL_MAGIC) {
    return magic == 0 ? GIMMAL_UNINITIALISED : GIMMAL_CORRUPT;
  }
  if (gimmal_stated_byte(&control->version) != GIMMAL_LAYOUT_VERSION ||
      gimmal_stated_byte(&control->word_size) != sizeof(size_t) ||
      gimmal_stated_byte(&control->log2_line) != GIMMAL_LOG2_LINE) {
    return GIMMAL_MISMATCH;
  }
  if (gimmal_stated_byte(&control->kind) != shape.kind) {
    return GIMMAL_WRONG_KIND;
  }
  if (gimmal_stated_half(&control->element_size) != shape.size ||
      gimmal_stated_byte(&control->log2_align) != gimmal_log2(shape.align)) {
    return GIMMAL_MISMATCH;
  }
  if (gimmal_stated_half(&control->stride) != shape.stride ||
      gimmal_stated_half(&control->slots_offset) != shape.slots_offset ||
      gimmal_stated_byte(&control->per_cell) != shape.per_cell ||
      gimmal_extent_of_count(shape, gimmal_stated_byte(&control->log2_count), &extent) != GIMMAL_OK) {
    return GIMMAL_CORRUPT;
  }
  if ((uintptr_t)memory % extent.align != 0) {
    return GIMMAL_MISALIGNED;
  }
  return memory_size < extent.size ? GIMMAL_TOO_SMALL : GIMMAL_OK;
}

#endif /* GIMMAL_STORAGE_H */
