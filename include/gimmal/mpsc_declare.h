/* Static rings of many producers, and typed functions on such rings, for C. Part of gimmal_inline.h.
 *
 *     GIMMAL_MPSC_DEFINE(events, event_t, 1024);   // a static ring, with events_ring() and events_size()
 *     GIMMAL_MPSC_DECLARE(event, event_t);         // event_push(), event_pop() ... on any such ring of event_t
 *
 * As the macros of gimmal/declare.h, which tells how they are used.
 */

#ifndef GIMMAL_MPSC_DECLARE_H
#define GIMMAL_MPSC_DECLARE_H

/* ---- Operations that find their place in the control block. Pointers are not checked. ---- */

GIMMAL_INLINE gimmal_status_t gimmal_control_push_one(gimmal_control_t *control, gimmal_shape_t shape,
                                                      const void *element) {
  gimmal_many_producer_t end = gimmal_many_producer(control, shape);
  const gimmal_status_t status = gimmal_many_claim(&end, shape);
  if (status == GIMMAL_OK) {
    gimmal_copy_one(gimmal_many_claimed(end, shape), element, shape);
    gimmal_many_publish(&end, end, shape);
  }
  return status;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_offer_one(gimmal_control_t *control, gimmal_shape_t shape,
                                                       const void *element) {
  const gimmal_status_t status = gimmal_control_push_one(control, shape, element);
  if (GIMMAL_UNLIKELY(status != GIMMAL_OK)) {
    gimmal_add(&control->producer.dropped, 1);
  }
  return status;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_pop_one(gimmal_control_t *control, gimmal_shape_t shape, void *element) {
  gimmal_many_consumer_t end = gimmal_many_consumer(control, shape);
  if (!gimmal_many_find(end, shape)) {
    return GIMMAL_EMPTY;
  }
  gimmal_copy_one(element, gimmal_many_front(end, shape), shape);
  gimmal_many_release(&end, end, shape);
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_peek_one(gimmal_control_t *control, gimmal_shape_t shape, void *element) {
  gimmal_many_consumer_t end = gimmal_many_consumer(control, shape);
  if (!gimmal_many_find(end, shape)) {
    return GIMMAL_EMPTY;
  }
  gimmal_copy_one(element, gimmal_many_front(end, shape), shape);
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_pop_some(gimmal_control_t *control, gimmal_shape_t shape, void *elements,
                                                      size_t count, size_t *popped) {
  gimmal_many_consumer_t end = gimmal_many_consumer(control, shape);
  size_t done = 0;
  while (done < count && gimmal_many_find(end, shape)) {
    GIMMAL_COPY((unsigned char *)elements + done * shape.size, gimmal_many_front(end, shape), shape.size);
    gimmal_many_release(&end, end, shape);
    ++done;
  }
  if (done == 0 && count != 0) {
    return GIMMAL_EMPTY;
  }
  *popped = done;
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_stalled(const gimmal_control_t *control, gimmal_shape_t shape,
                                                     size_t *number) {
  return gimmal_many_stalled(control, shape, number) ? GIMMAL_OK : GIMMAL_EMPTY;
}

/* ---- Typed ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): types cannot be put in parentheses. */

/* The storage of a ring of many producers that DEFINE does not place, as constants, as GIMMAL_RING_STORAGE_SIZE. */
#define GIMMAL_MPSC_STORAGE_ALIGN(type) GIMMAL_CELLS_ALIGN(type)
#define GIMMAL_MPSC_STORAGE_SIZE(type, capacity) GIMMAL_CELLS_SIZE(type, 1, capacity)

/* A static ring of many producers with `capacity` elements, a power of two, with `gimmal_mpsc_t *name_ring(void)` and
 * `size_t name_size(void)`, as those of GIMMAL_RING_DEFINE. */
#define GIMMAL_MPSC_DEFINE(name, type, capacity)                                                                       \
  GIMMAL_STATIC_ASSERT((capacity) > 0 && ((capacity) & ((capacity) - 1)) == 0 && (size_t)(capacity) <= 1u << 30,       \
                       "the capacity of a ring of many producers is a power of two");                                  \
  GIMMAL_CELLS_DEFINE(name, gimmal_mpsc_t, type, 1, capacity);                                                         \
  GIMMAL_ACCESSOR(name, gimmal_mpsc_t, gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),                          \
                  GIMMAL_LOG2_CEIL((size_t)(capacity)))                                                                \
  GIMMAL_CELLS_ASSERT(name, gimmal_mpsc_t, type)

/* clang-format off */
/* Typed functions on any ring of many producers of `type`: those of gimmal.h with `prefix_` for `gimmal_mpsc_`, the
 * element's size and alignment left out and `type *` for `void *`. They check what the library checks, except that a
 * pointer is NULL and that the ring is of `type` (prefix_attach does); what cannot fail is returned as it is. None of
 * them blocks; all but is_closed take constant time, a push save for what other producers push meanwhile. Who may call:
 *
 *   while nobody else uses the storage
 *     init(storage, storage_size, capacity, &ring)
 *   anyone
 *     push(ring, element), offer(ring, element), attach(memory, memory_size, &ring), claim_consumer(ring), len(ring),
 *     is_empty(ring), is_full(ring), capacity(ring), dropped(ring), close(ring), is_closed(ring)
 *   the consumer
 *     pop(ring, element), peek(ring, element), pop_n(ring, elements, count, &popped), stalled(ring, &number),
 *     release_consumer(ring)
 */
/* clang-format on */
#define GIMMAL_MPSC_DECLARE(prefix, type)                                                                              \
  GIMMAL_DECLARE_STORAGE(prefix, gimmal_mpsc_t, gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)))                 \
  GIMMAL_INLINE gimmal_status_t prefix##_claim_consumer(gimmal_mpsc_t *ring) {                                         \
    return gimmal_claim_end(&ring->control.consumer_claimed) ? GIMMAL_OK : GIMMAL_BUSY;                                \
  }                                                                                                                    \
  GIMMAL_INLINE void prefix##_release_consumer(gimmal_mpsc_t *ring) {                                                  \
    gimmal_give_up_end(&ring->control.consumer_claimed);                                                               \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_push(gimmal_mpsc_t *ring, const type *element) {                              \
    return gimmal_control_push_one(gimmal_control_of(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),     \
                                   element);                                                                           \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_offer(gimmal_mpsc_t *ring, const type *element) {                             \
    return gimmal_control_offer_one(gimmal_control_of(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),    \
                                    element);                                                                          \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_pop(gimmal_mpsc_t *ring, type *element) {                                     \
    return gimmal_control_pop_one(gimmal_control_of(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),      \
                                  element);                                                                            \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_peek(gimmal_mpsc_t *ring, type *element) {                                    \
    return gimmal_control_peek_one(gimmal_control_of(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),     \
                                   element);                                                                           \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_pop_n(gimmal_mpsc_t *ring, type *elements, size_t count, size_t *popped) {    \
    return gimmal_control_pop_some(gimmal_control_of(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),     \
                                   elements, count, popped);                                                           \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_stalled(const gimmal_mpsc_t *ring, size_t *number) {                          \
    return gimmal_control_stalled(gimmal_look_at(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)),         \
                                  number);                                                                             \
  }                                                                                                                    \
  GIMMAL_DECLARE_OBSERVERS(prefix, gimmal_mpsc_t, gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)))               \
  GIMMAL_INLINE void prefix##_close(gimmal_mpsc_t *ring) { gimmal_many_close(&ring->control); }                        \
  GIMMAL_INLINE bool prefix##_is_closed(const gimmal_mpsc_t *ring) {                                                   \
    return gimmal_many_is_closed(gimmal_look_at(ring), gimmal_shape_mpsc(sizeof(type), GIMMAL_ALIGNOF(type)));         \
  }                                                                                                                    \
  GIMMAL_DECLARE_NOTIFY(prefix, type, gimmal_mpsc_t)                                                                   \
  GIMMAL_STATIC_ASSERT(sizeof(type) > 0, "an element has a size")

/* NOLINTEND(bugprone-macro-parentheses) */

#endif /* GIMMAL_MPSC_DECLARE_H */
