/* The rows for one kind: KIND and OTHER name it and another one, OBJECT is its type, FN() names its functions; MANY is defined for
 * many producers. */

/* The functions that only rings of one producer have, or of many. */
#if defined(MANY)
#define CALLS_OF_THE_KIND(status, bad)                                                                                 \
  do {                                                                                                                 \
    REFUSED(status, CALL(stalled)(bad, &out.number));                                                                  \
  } while (0)
#else
#define CALLS_OF_THE_KIND(status, bad)                                                                                 \
  do {                                                                                                                 \
    REFUSED(status, CALL(claim_producer)(bad));                                                                        \
    REFUSED(status, CALL(release_producer)(bad));                                                                      \
    REFUSED(status, CALL(push_n)(bad, &element, 1, &out.number));                                                      \
    REFUSED(status, CALL(push_n)(bad, &element, 0, &out.number));                                                      \
    REFUSED(status, CALL(reserve)(bad, 1, &out.spans));                                                                \
    REFUSED(status, CALL(reserve)(bad, 0, &out.spans));                                                                \
    REFUSED(status, CALL(commit)(bad, 1));                                                                             \
    REFUSED(status, CALL(commit)(bad, 0));                                                                             \
    REFUSED(status, CALL(read)(bad, 1, &out.spans));                                                                   \
    REFUSED(status, CALL(read)(bad, 0, &out.spans));                                                                   \
    REFUSED(status, CALL(release)(bad, 1));                                                                            \
    REFUSED(status, CALL(release)(bad, 0));                                                                            \
  } while (0)
#endif

/* Every function that takes a ring, with arguments that are right but for the ring. */
#define EVERY_CALL(status, bad)                                                                                        \
  do {                                                                                                                 \
    REFUSED(status, CALL(deinit)(bad));                                                                                \
    REFUSED(status, CALL(claim_consumer)(bad));                                                                        \
    REFUSED(status, CALL(release_consumer)(bad));                                                                      \
    REFUSED(status, CALL(push)(bad, &element));                                                                        \
    REFUSED(status, CALL(offer)(bad, &element));                                                                       \
    REFUSED(status, CALL(pop)(bad, &out.element));                                                                     \
    REFUSED(status, CALL(peek)(bad, &out.element));                                                                    \
    REFUSED(status, CALL(pop_n)(bad, &out.element, 1, &out.number));                                                   \
    REFUSED(status, CALL(pop_n)(bad, &out.element, 0, &out.number));                                                   \
    REFUSED(status, CALL(len)(bad, &out.number));                                                                      \
    REFUSED(status, CALL(is_empty)(bad, &out.flag));                                                                   \
    REFUSED(status, CALL(is_full)(bad, &out.flag));                                                                    \
    REFUSED(status, CALL(capacity)(bad, &out.number));                                                                 \
    REFUSED(status, CALL(dropped)(bad, &out.number));                                                                  \
    REFUSED(status, CALL(close)(bad));                                                                                 \
    REFUSED(status, CALL(is_closed)(bad, &out.flag));                                                                  \
    CALLS_OF_THE_KIND(status, bad);                                                                                    \
  } while (0)

static OBJECT *FN(fresh)(void) {
  OBJECT *ring = NULL;
  memset(storage, 0xA5, sizeof storage);
  CHECK(CALL(init)(storage, sizeof storage, ELEMENT_SIZE, ELEMENT_ALIGN, CAPACITY, &ring) == GIMMAL_OK);
  CHECK((void *)ring == storage);
  return ring;
}

/* The size of a fresh ring. */
static size_t FN(size)(void) {
  size_t size = 0;
  size_t align = 0;
  CHECK(CALL(layout)(ELEMENT_SIZE, ELEMENT_ALIGN, CAPACITY, &size, &align) == GIMMAL_OK);
  CHECK(size <= sizeof storage);
  return size;
}

static void FN(shapes_that_cannot_be)(void) {
  OBJECT **ring = &out.KIND;
  memset(storage, 0xA5, sizeof storage);
  REFUSED(GIMMAL_NULL_POINTER, CALL(layout)(8, 8, 8, NULL, &out.other));
  REFUSED(GIMMAL_NULL_POINTER, CALL(layout)(8, 8, 8, &out.number, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(init)(NULL, sizeof storage, 8, 8, 8, ring));
  REFUSED(GIMMAL_NULL_POINTER, CALL(init)(storage, sizeof storage, 8, 8, 8, NULL));

  REFUSED(GIMMAL_BAD_ELEMENT, CALL(layout)(0, 1, 8, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, CALL(layout)(0, 8, 8, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, CALL(layout)(8, 0, 8, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, CALL(layout)(9, 3, 8, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, CALL(layout)(12, 8, 8, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, CALL(layout)(SIZE_MAX, 8, 8, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, CALL(layout)(SIZE_MAX, 1, 8, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, CALL(layout)(TOP_BIT, TOP_BIT, 1, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_CAPACITY, CALL(layout)(8, 8, 0, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, CALL(layout)(8, 8, TOP_BIT, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, CALL(layout)(8, 8, TOP_BIT / 2, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, CALL(layout)(1u << 31, 1, TOP_BIT >> 30, &out.number, &out.other));

  REFUSED(GIMMAL_BAD_ELEMENT, CALL(init)(storage, sizeof storage, 0, 8, 8, ring));
  REFUSED(GIMMAL_OVERFLOW, CALL(init)(storage, sizeof storage, SIZE_MAX, 1, 8, ring));
  REFUSED(GIMMAL_BAD_ELEMENT, CALL(init)(storage, sizeof storage, 8, 6, 8, ring));
  REFUSED(GIMMAL_BAD_CAPACITY, CALL(init)(storage, sizeof storage, 8, 8, 0, ring));
  REFUSED(GIMMAL_OVERFLOW, CALL(init)(storage, sizeof storage, 8, 8, TOP_BIT, ring));
}

static void FN(storage_that_will_not_do)(void) {
  OBJECT **ring = &out.KIND;
  const size_t size = FN(size)();
  memset(storage, 0xA5, sizeof storage);
  REFUSED(GIMMAL_TOO_SMALL, CALL(init)(storage, size - 1, 8, 8, CAPACITY, ring));
  REFUSED(GIMMAL_TOO_SMALL, CALL(init)(storage, 0, 8, 8, CAPACITY, ring));
  REFUSED(GIMMAL_MISALIGNED, CALL(init)(storage + 1, size, 8, 8, CAPACITY, ring));
  REFUSED(GIMMAL_MISALIGNED, CALL(init)(storage + alignof(gimmal_control_t) / 2, size, 8, 8, CAPACITY, ring));
  /* An element's alignment may be larger than the control block's. */
  REFUSED(GIMMAL_MISALIGNED, CALL(init)(storage + 1024, 2048, 2048, 2048, 1, ring));
  CHECK(CALL(init)(storage, size, 8, 8, CAPACITY, ring) == GIMMAL_OK);
}

static void FN(rings_that_are_none)(void) {
  const uint64_t element = 1;
  OBJECT *ring = FN(fresh)();
  EVERY_CALL(GIMMAL_NULL_POINTER, NULL);

  /* Whoever knows the type of a zeroed ring has not claimed an end yet. */
  memset(storage, 0, sizeof storage);
  EVERY_CALL(GIMMAL_UNINITIALISED, ring);

  ring = FN(fresh)();
  CHECK(CALL(deinit)(ring) == GIMMAL_OK);
  EVERY_CALL(GIMMAL_UNINITIALISED, ring);

  memset(storage, 0xA5, sizeof storage);
  EVERY_CALL(GIMMAL_CORRUPT, ring);

  NAME(OTHER, init)(storage, sizeof storage, ELEMENT_SIZE, ELEMENT_ALIGN, CAPACITY, &out.OTHER);
  EVERY_CALL(GIMMAL_WRONG_KIND, ring);
}

/* Damages one field of a fresh ring, and attaches. */
#define DAMAGED(status, field, value)                                                                                  \
  do {                                                                                                                 \
    FN(fresh)()->control.field = (value);                                                                              \
    REFUSED(status, CALL(attach)(storage, sizeof storage, ELEMENT_SIZE, ELEMENT_ALIGN, &out.KIND));                    \
  } while (0)

static void FN(memory_that_holds_no_such_ring)(void) {
  OBJECT **ring = &out.KIND;
  const size_t size = FN(size)();
  FN(fresh)();
  CHECK(CALL(attach)(storage, size, 8, 8, ring) == GIMMAL_OK && (void *)*ring == storage);

  REFUSED(GIMMAL_NULL_POINTER, CALL(attach)(NULL, size, 8, 8, ring));
  REFUSED(GIMMAL_NULL_POINTER, CALL(attach)(storage, size, 8, 8, NULL));
  REFUSED(GIMMAL_TOO_SMALL, CALL(attach)(storage, size - 1, 8, 8, ring));
  REFUSED(GIMMAL_TOO_SMALL, CALL(attach)(storage, sizeof(gimmal_control_t), 8, 8, ring));
  REFUSED(GIMMAL_TOO_SMALL, CALL(attach)(storage, 4, 8, 8, ring));
  REFUSED(GIMMAL_MISALIGNED, CALL(attach)(storage + 1, size, 8, 8, ring));
  REFUSED(GIMMAL_MISMATCH, CALL(attach)(storage, size, 16, 8, ring));
  REFUSED(GIMMAL_MISMATCH, CALL(attach)(storage, size, 8, 4, ring));
  REFUSED(GIMMAL_MISMATCH, CALL(attach)(storage, size, 0, 0, ring));

  DAMAGED(GIMMAL_UNINITIALISED, magic, 0);
  DAMAGED(GIMMAL_CORRUPT, magic, GIMMAL_MAGIC + 1);
  DAMAGED(GIMMAL_MISMATCH, version, GIMMAL_LAYOUT_VERSION + 1);
  DAMAGED(GIMMAL_MISMATCH, word_size, 12 - sizeof(size_t));
  DAMAGED(GIMMAL_MISMATCH, log2_line, 5);
  DAMAGED(GIMMAL_WRONG_KIND, kind, GIMMAL_KIND_MPSC + 1);
  DAMAGED(GIMMAL_MISMATCH, element_size, 16);
  DAMAGED(GIMMAL_MISMATCH, log2_align, 4);
  DAMAGED(GIMMAL_CORRUPT, log2_align, 255);
  DAMAGED(GIMMAL_CORRUPT, stride, 12);
  DAMAGED(GIMMAL_CORRUPT, slots_offset, 0);
  DAMAGED(GIMMAL_CORRUPT, per_cell, 0);
  DAMAGED(GIMMAL_CORRUPT, log2_count, 255);
  DAMAGED(GIMMAL_CORRUPT, log2_count, 8 * sizeof(size_t) - 1);
  DAMAGED(GIMMAL_TOO_SMALL, log2_count, 20);

  NAME(OTHER, init)(storage, sizeof storage, 8, 8, CAPACITY, &out.OTHER);
  REFUSED(GIMMAL_WRONG_KIND, CALL(attach)(storage, sizeof storage, 8, 8, ring));
}

static void FN(nowhere_to_write)(void) {
  const uint64_t element = 1;
  OBJECT *ring = FN(fresh)();
  REFUSED(GIMMAL_NULL_POINTER, CALL(push)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(offer)(ring, NULL));
#if defined(MANY)
  REFUSED(GIMMAL_NULL_POINTER, CALL(stalled)(ring, NULL));
#else
  REFUSED(GIMMAL_NULL_POINTER, CALL(push_n)(ring, NULL, 1, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, CALL(push_n)(ring, &element, 1, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(reserve)(ring, 1, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(read)(ring, 1, NULL));
#endif
  CHECK(CALL(push)(ring, &element) == GIMMAL_OK);
  REFUSED(GIMMAL_NULL_POINTER, CALL(pop)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(peek)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(pop_n)(ring, NULL, 1, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, CALL(pop_n)(ring, &out.element, 1, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(len)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(is_empty)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(is_full)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(capacity)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(dropped)(ring, NULL));
  REFUSED(GIMMAL_NULL_POINTER, CALL(is_closed)(ring, NULL));
}

static void FN(ends_that_are_taken)(void) {
  OBJECT *ring = FN(fresh)();
  CHECK(CALL(claim_consumer)(ring) == GIMMAL_OK);
  REFUSED(GIMMAL_BUSY, CALL(claim_consumer)(ring));
#if !defined(MANY)
  CHECK(CALL(claim_producer)(ring) == GIMMAL_OK);
  REFUSED(GIMMAL_BUSY, CALL(claim_producer)(ring));
  CHECK(CALL(release_producer)(ring) == GIMMAL_OK);
  REFUSED(GIMMAL_BUSY, CALL(claim_consumer)(ring));
  CHECK(CALL(claim_producer)(ring) == GIMMAL_OK);
  REFUSED(GIMMAL_BUSY, CALL(claim_producer)(ring));
#endif
  CHECK(CALL(release_consumer)(ring) == GIMMAL_OK);
  CHECK(CALL(claim_consumer)(ring) == GIMMAL_OK);
  REFUSED(GIMMAL_BUSY, CALL(claim_consumer)(ring));
}

static size_t FN(dropped_of)(const OBJECT *ring) {
  size_t dropped = 0;
  CHECK(CALL(dropped)(ring, &dropped) == GIMMAL_OK);
  return dropped;
}

static void FN(nothing_there)(void) {
  OBJECT *ring = FN(fresh)();
  REFUSED(GIMMAL_EMPTY, CALL(pop)(ring, &out.element));
  REFUSED(GIMMAL_EMPTY, CALL(peek)(ring, &out.element));
  REFUSED(GIMMAL_EMPTY, CALL(pop_n)(ring, &out.element, 1, &out.number));
#if defined(MANY)
  REFUSED(GIMMAL_EMPTY, CALL(stalled)(ring, &out.number));
#else
  REFUSED(GIMMAL_EMPTY, CALL(read)(ring, 1, &out.spans));
  REFUSED(GIMMAL_TOO_LARGE, CALL(release)(ring, 1));
  REFUSED(GIMMAL_TOO_LARGE, CALL(release)(ring, SIZE_MAX));
#endif
}

static void FN(no_room)(void) {
  uint64_t element = 1;
  size_t capacity = 0;
  OBJECT *ring = FN(fresh)();
  CHECK(CALL(capacity)(ring, &capacity) == GIMMAL_OK && capacity >= CAPACITY);
#if !defined(MANY)
  REFUSED(GIMMAL_TOO_LARGE, CALL(reserve)(ring, capacity + 1, &out.spans));
  REFUSED(GIMMAL_TOO_LARGE, CALL(reserve)(ring, SIZE_MAX, &out.spans));
  REFUSED(GIMMAL_TOO_LARGE, CALL(commit)(ring, capacity + 1));
  REFUSED(GIMMAL_TOO_LARGE, CALL(commit)(ring, SIZE_MAX));
#endif

  while (CALL(push)(ring, &element) == GIMMAL_OK) {
  }
  REFUSED(GIMMAL_FULL, CALL(push)(ring, &element));
#if defined(MANY)
  REFUSED(GIMMAL_EMPTY, CALL(stalled)(ring, &out.number));
#else
  REFUSED(GIMMAL_FULL, CALL(push_n)(ring, &element, 1, &out.number));
  REFUSED(GIMMAL_FULL, CALL(reserve)(ring, 1, &out.spans));
  REFUSED(GIMMAL_TOO_LARGE, CALL(reserve)(ring, capacity + 1, &out.spans));
  REFUSED(GIMMAL_TOO_LARGE, CALL(commit)(ring, 1));
  REFUSED(GIMMAL_TOO_LARGE, CALL(release)(ring, SIZE_MAX));
#endif

  /* An offer changes one thing. */
  CHECK(CALL(offer)(ring, &element) == GIMMAL_FULL && FN(dropped_of)(ring) == 1);
  ring->control.producer.dropped = SIZE_MAX;
  CHECK(CALL(offer)(ring, &element) == GIMMAL_FULL && FN(dropped_of)(ring) == 0);
}

static void FN(closed_for_good)(void) {
  uint64_t element = 7;
  OBJECT *ring = FN(fresh)();
  CHECK(CALL(push)(ring, &element) == GIMMAL_OK);
#if !defined(MANY)
  CHECK(CALL(reserve)(ring, 1, &out.spans) == GIMMAL_OK);
#endif
  CHECK(CALL(close)(ring) == GIMMAL_OK);
  CHECK(CALL(close)(ring) == GIMMAL_OK);
  REFUSED(GIMMAL_CLOSED, CALL(push)(ring, &element));
#if !defined(MANY)
  REFUSED(GIMMAL_CLOSED, CALL(push_n)(ring, &element, 1, &out.number));
  REFUSED(GIMMAL_CLOSED, CALL(push_n)(ring, NULL, 0, &out.number));
  REFUSED(GIMMAL_CLOSED, CALL(reserve)(ring, 1, &out.spans));
  REFUSED(GIMMAL_CLOSED, CALL(reserve)(ring, 0, &out.spans));
  REFUSED(GIMMAL_CLOSED, CALL(reserve)(ring, SIZE_MAX, &out.spans));
  REFUSED(GIMMAL_CLOSED, CALL(commit)(ring, 1));
  REFUSED(GIMMAL_CLOSED, CALL(commit)(ring, 0));
#endif
  CHECK(CALL(offer)(ring, &element) == GIMMAL_CLOSED && FN(dropped_of)(ring) == 1);

  element = 0;
  CHECK(CALL(pop)(ring, &element) == GIMMAL_OK && element == 7);
  REFUSED(GIMMAL_EMPTY, CALL(pop)(ring, &out.element));
}

static void FN(all)(void) {
  FN(shapes_that_cannot_be)();
  FN(storage_that_will_not_do)();
  FN(rings_that_are_none)();
  FN(memory_that_holds_no_such_ring)();
  FN(nowhere_to_write)();
  FN(ends_that_are_taken)();
  FN(nothing_there)();
  FN(no_room)();
  FN(closed_for_good)();
}

#undef CALLS_OF_THE_KIND
#undef EVERY_CALL
#undef DAMAGED
