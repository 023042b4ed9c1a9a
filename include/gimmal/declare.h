/* Static rings and typed functions for C. Part of gimmal_inline.h.
 *
 *     GIMMAL_LINE_RING_DEFINE(ticks, tick_t, 1024);   // a static ring, with ticks_ring() and ticks_size()
 *     GIMMAL_LINE_RING_DECLARE(tick, tick_t);         // tick_push(), tick_pop() ... on any ring of tick_t
 *
 *     tick_push(ticks_ring(), &tick);
 *
 * DEFINE makes the ring, DECLARE the functions. A ring made by DEFINE is all zeros and lies in .bss; there is no call
 * to initialise it. It is static to its file: DEFINE in a header that two files include makes two rings. To share one,
 * write DEFINE in one file and hand the address that name_ring() gives to the others; DECLARE may stand in any number
 * of files.
 *
 * The functions do not check claims: they work whether an end is claimed or not, and whoever claimed it. Where the same
 * end may be wanted by others too, by C++ or Rust handles say, claim it first and use it only if that gave GIMMAL_OK.
 *
 * `type` is a complete object type that can stand before a name (an array or a function pointer needs a typedef). The
 * text of a status, gimmal_status_str(), is the library's: it needs libgimmal to be linked, which nothing here does.
 */

#ifndef GIMMAL_DECLARE_H
#define GIMMAL_DECLARE_H

/* The base-2 logarithm of `n`, rounded up, as a constant expression; `n` is at most 2^31. */
#define GIMMAL_LOG2_CEIL(n)                                                                                            \
  (((n) > 1u << 0) + ((n) > 1u << 1) + ((n) > 1u << 2) + ((n) > 1u << 3) + ((n) > 1u << 4) + ((n) > 1u << 5) +         \
   ((n) > 1u << 6) + ((n) > 1u << 7) + ((n) > 1u << 8) + ((n) > 1u << 9) + ((n) > 1u << 10) + ((n) > 1u << 11) +       \
   ((n) > 1u << 12) + ((n) > 1u << 13) + ((n) > 1u << 14) + ((n) > 1u << 15) + ((n) > 1u << 16) + ((n) > 1u << 17) +   \
   ((n) > 1u << 18) + ((n) > 1u << 19) + ((n) > 1u << 20) + ((n) > 1u << 21) + ((n) > 1u << 22) + ((n) > 1u << 23) +   \
   ((n) > 1u << 24) + ((n) > 1u << 25) + ((n) > 1u << 26) + ((n) > 1u << 27) + ((n) > 1u << 28) + ((n) > 1u << 29) +   \
   ((n) > 1u << 30))

/* The cells that hold `capacity` elements for certain, before rounding up to a power of two. */
#define GIMMAL_CELLS(type, capacity)                                                                                   \
  (((capacity) - 1) / GIMMAL_PER_CELL(sizeof(type), GIMMAL_ALIGNOF(type)) +                                            \
   (((capacity) - 1) % GIMMAL_PER_CELL(sizeof(type), GIMMAL_ALIGNOF(type)) != 0) + 1)

/* The storage of a ring that DEFINE does not place, in memory of its own kind or in a structure, as constants: how many
 * bytes, and how aligned. `prefix_init` of DECLARE lays the ring out there, once:
 *
 *     _Alignas(GIMMAL_RING_STORAGE_ALIGN(tick_t)) static unsigned char storage[GIMMAL_RING_STORAGE_SIZE(tick_t, 1024)];
 *
 * `capacity` is what a DEFINE takes, in no more than 32 bits. */
#define GIMMAL_RING_STORAGE_ALIGN(type) GIMMAL_MAX(GIMMAL_ALIGNOF(gimmal_ring_t), GIMMAL_ALIGNOF(type))
#define GIMMAL_RING_STORAGE_SIZE(type, capacity)                                                                       \
  GIMMAL_ROUND_UP(GIMMAL_ROUND_UP(sizeof(gimmal_ring_t), GIMMAL_ALIGNOF(type)) + sizeof(type) * (capacity),            \
                  GIMMAL_RING_STORAGE_ALIGN(type))
#define GIMMAL_LINE_RING_STORAGE_ALIGN(type) GIMMAL_CELLS_ALIGN(type)
#define GIMMAL_LINE_RING_STORAGE_SIZE(type, capacity)                                                                  \
  GIMMAL_CELLS_SIZE(type, GIMMAL_PER_CELL(sizeof(type), GIMMAL_ALIGNOF(type)),                                         \
                    (size_t)1 << GIMMAL_LOG2_CEIL(GIMMAL_CELLS(type, (size_t)(capacity))))

/* The same of a ring in `count` cells, with `per_cell` elements in each. */
#define GIMMAL_CELLS_ALIGN(type) GIMMAL_MAX(GIMMAL_ALIGNOF(gimmal_control_t), GIMMAL_CELL_ALIGN(type))
#define GIMMAL_CELLS_SIZE(type, per_cell, count)                                                                       \
  GIMMAL_ROUND_UP(                                                                                                     \
      GIMMAL_ROUND_UP(sizeof(gimmal_control_t), GIMMAL_CELL_ALIGN(type)) +                                             \
          GIMMAL_ROUND_UP(GIMMAL_FIRST(GIMMAL_ALIGNOF(type)) + (per_cell) * sizeof(type), GIMMAL_CELL_ALIGN(type)) *   \
              (count),                                                                                                 \
      GIMMAL_CELLS_ALIGN(type))
#define GIMMAL_CELL_ALIGN(type) GIMMAL_MAX(GIMMAL_CELL_SIZE, GIMMAL_ALIGNOF(type))

/* A ring's control block, as the beginning of the whole ring and not as a member of its own. */
GIMMAL_INLINE gimmal_control_t *gimmal_control_of(void *ring) { return (gimmal_control_t *)ring; }
GIMMAL_INLINE const gimmal_control_t *gimmal_look_at(const void *ring) { return (const gimmal_control_t *)ring; }

/* NOLINTBEGIN(bugprone-macro-parentheses): types cannot be put in parentheses. */

/* Makes `name_size()` and `name_ring()` from `struct name_storage_t`, which begins with a ring. */
#define GIMMAL_ACCESSOR(name, object, shape, log2_count)                                                               \
  static struct name##_storage_t name##_storage;                                                                       \
  static inline GIMMAL_UNUSED size_t name##_size(void) { return sizeof(struct name##_storage_t); }                     \
  static inline GIMMAL_UNUSED object *name##_ring(void) {                                                              \
    gimmal_control_t *control = gimmal_control_of(&name##_storage);                                                    \
    if (GIMMAL_UNLIKELY(gimmal_magic(control) != GIMMAL_MAGIC)) {                                                      \
      gimmal_publish_geometry(control, shape, (uint8_t)(log2_count));                                                  \
    }                                                                                                                  \
    return (object *)(void *)&name##_storage;                                                                          \
  }

/* A static ring by index of `capacity` elements, a power of two, with two functions that anyone may call at any time:
 * `gimmal_ring_t *name_ring(void)`, which publishes the ring's geometry the first time, and `size_t name_size(void)`,
 * the ring's bytes, for whoever attaches to it from elsewhere: a view in C++ or in Rust. */
#define GIMMAL_RING_DEFINE(name, type, capacity)                                                                       \
  GIMMAL_STATIC_ASSERT((capacity) > 0 && ((capacity) & ((capacity) - 1)) == 0,                                         \
                       "the capacity of a ring by index is a power of two");                                           \
  struct name##_storage_t {                                                                                            \
    gimmal_ring_t ring;                                                                                                \
    type slots[capacity];                                                                                              \
  };                                                                                                                   \
  GIMMAL_ACCESSOR(name, gimmal_ring_t, gimmal_shape_by_index(sizeof(type), GIMMAL_ALIGNOF(type)),                      \
                  GIMMAL_LOG2_CEIL((size_t)(capacity)))                                                                \
  GIMMAL_STATIC_ASSERT(offsetof(struct name##_storage_t, slots) % GIMMAL_ALIGNOF(type) == 0 &&                         \
                           offsetof(struct name##_storage_t, slots) - sizeof(gimmal_ring_t) < GIMMAL_ALIGNOF(type),    \
                       "the layout of a ring")

/* A static ring by line that holds `capacity` elements for certain, with `gimmal_line_ring_t *name_ring(void)` and
 * `size_t name_size(void)`, as above. */
#define GIMMAL_LINE_RING_DEFINE(name, type, capacity)                                                                  \
  GIMMAL_STATIC_ASSERT((capacity) > 0 && (size_t)(capacity) <= 1u << 30, "the capacity of a ring");                    \
  GIMMAL_CELLS_DEFINE(name, gimmal_line_ring_t, type, GIMMAL_PER_CELL(sizeof(type), GIMMAL_ALIGNOF(type)),             \
                      (size_t)1 << GIMMAL_LOG2_CEIL(GIMMAL_CELLS(type, (size_t)(capacity))));                          \
  GIMMAL_ACCESSOR(name, gimmal_line_ring_t, gimmal_shape_by_line(sizeof(type), GIMMAL_ALIGNOF(type)),                  \
                  GIMMAL_LOG2_CEIL(GIMMAL_CELLS(type, (size_t)(capacity))))                                            \
  GIMMAL_CELLS_ASSERT(name, gimmal_line_ring_t, type)

/* `struct name_storage_t` of a ring in `count` cells, with `per_cell` elements in each. */
#define GIMMAL_CELLS_DEFINE(name, object, type, per_cell, count)                                                       \
  struct name##_cell_t {                                                                                               \
    GIMMAL_ALIGNAS(GIMMAL_MAX(64, GIMMAL_ALIGNOF(type))) size_t stamp;                                                 \
    GIMMAL_ALIGNAS(GIMMAL_FIRST(GIMMAL_ALIGNOF(type))) type elements[per_cell];                                        \
  };                                                                                                                   \
  struct name##_storage_t {                                                                                            \
    object ring;                                                                                                       \
    struct name##_cell_t cells[count];                                                                                 \
  }

/* That the compiler lays such cells out as the layout says. */
#define GIMMAL_CELLS_ASSERT(name, object, type)                                                                        \
  GIMMAL_STATIC_ASSERT(offsetof(struct name##_cell_t, elements) == GIMMAL_FIRST(GIMMAL_ALIGNOF(type)) &&               \
                           offsetof(struct name##_storage_t, cells) % GIMMAL_ALIGNOF(struct name##_cell_t) == 0 &&     \
                           offsetof(struct name##_storage_t, cells) - sizeof(object) <                                 \
                               GIMMAL_ALIGNOF(struct name##_cell_t),                                                   \
                       "the layout of a ring")

/* clang-format off */
/* Typed functions on any ring by index of `type`: those of gimmal.h with `prefix_` for `gimmal_ring_`, the element's
 * size and alignment left out and `type *` for `void *`. They never block, in constant time save the batches. They
 * check what the library checks, except that a pointer is NULL and that the ring is of `type` (prefix_attach does);
 * what cannot fail is returned as it is. Who may call:
 *
 *   while nobody else uses the storage
 *     init(storage, storage_size, capacity, &ring)
 *   anyone
 *     attach(memory, memory_size, &ring), claim_producer(ring), claim_consumer(ring), len(ring), is_empty(ring),
 *     is_full(ring), capacity(ring), dropped(ring), close(ring), is_closed(ring)
 *   the producer
 *     push(ring, element), offer(ring, element), push_n(ring, elements, count, &pushed), reserve(ring, count, &spans),
 *     commit(ring, count), release_producer(ring)
 *   the consumer
 *     pop(ring, element), peek(ring, element), pop_n(ring, elements, count, &popped), read(ring, count, &spans),
 *     release(ring, count), release_consumer(ring)
 */
/* clang-format on */
#define GIMMAL_RING_DECLARE(prefix, type)                                                                              \
  GIMMAL_DECLARE(prefix, type, gimmal_ring_t, gimmal_shape_by_index(sizeof(type), GIMMAL_ALIGNOF(type)))

/* The same on any ring by line of `type`. */
#define GIMMAL_LINE_RING_DECLARE(prefix, type)                                                                         \
  GIMMAL_DECLARE(prefix, type, gimmal_line_ring_t, gimmal_shape_by_line(sizeof(type), GIMMAL_ALIGNOF(type)))

/* Both again, for rings whose two ends run on ONE core, as an interrupt handler and the code that it interrupts do, or
 * the tasks of a kernel for one core: no processor barrier is emitted, only compiler barriers. On two cores such a ring
 * loses and tears messages, also if only one end is declared so. */
#define GIMMAL_RING_DECLARE_SINGLE_CORE(prefix, type)                                                                  \
  GIMMAL_DECLARE(prefix, type, gimmal_ring_t,                                                                          \
                 gimmal_shape_single_core(gimmal_shape_by_index(sizeof(type), GIMMAL_ALIGNOF(type))))
#define GIMMAL_LINE_RING_DECLARE_SINGLE_CORE(prefix, type)                                                             \
  GIMMAL_DECLARE(prefix, type, gimmal_line_ring_t,                                                                     \
                 gimmal_shape_single_core(gimmal_shape_by_line(sizeof(type), GIMMAL_ALIGNOF(type))))

/* For one core, and with the fewest instructions: on rings by index of exactly `capacity` elements, which pushes take
 * to be open. An end that is used by these functions is used by no others, unless it is claimed between; nor may its
 * ring have another capacity, which nothing checks. */
#define GIMMAL_RING_DECLARE_BARE(prefix, type, capacity)                                                               \
  GIMMAL_STATIC_ASSERT((capacity) > 0 && ((capacity) & ((capacity) - 1)) == 0,                                         \
                       "the capacity of a ring by index is a power of two");                                           \
  GIMMAL_DECLARE(prefix, type, gimmal_ring_t, gimmal_shape_bare(sizeof(type), GIMMAL_ALIGNOF(type), (capacity)))

/* The functions of all of these. */
#define GIMMAL_DECLARE(prefix, type, object, shape)                                                                    \
  GIMMAL_DECLARE_STORAGE(prefix, object, shape)                                                                        \
  GIMMAL_INLINE gimmal_status_t prefix##_claim_producer(object *ring) {                                                \
    return gimmal_control_claim_producer(&ring->control, shape);                                                       \
  }                                                                                                                    \
  GIMMAL_INLINE void prefix##_release_producer(object *ring) { gimmal_give_up_end(&ring->control.producer_claimed); }  \
  GIMMAL_INLINE gimmal_status_t prefix##_claim_consumer(object *ring) {                                                \
    return gimmal_control_claim_consumer(&ring->control, shape);                                                       \
  }                                                                                                                    \
  GIMMAL_INLINE void prefix##_release_consumer(object *ring) { gimmal_give_up_end(&ring->control.consumer_claimed); }  \
  GIMMAL_INLINE gimmal_status_t prefix##_push(object *ring, const type *element) {                                     \
    return gimmal_control_push(gimmal_control_of(ring), shape, element);                                               \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_offer(object *ring, const type *element) {                                    \
    return gimmal_control_offer(gimmal_control_of(ring), shape, element);                                              \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_push_n(object *ring, const type *elements, size_t count, size_t *pushed) {    \
    return gimmal_control_push_n(gimmal_control_of(ring), shape, elements, count, pushed);                             \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_reserve(object *ring, size_t count, gimmal_spans_t *spans) {                  \
    return gimmal_control_reserve(gimmal_control_of(ring), shape, count, spans);                                       \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_commit(object *ring, size_t count) {                                          \
    return gimmal_control_commit(gimmal_control_of(ring), shape, count);                                               \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_pop(object *ring, type *element) {                                            \
    return gimmal_control_pop(gimmal_control_of(ring), shape, element);                                                \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_peek(object *ring, type *element) {                                           \
    return gimmal_control_peek(gimmal_control_of(ring), shape, element);                                               \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_pop_n(object *ring, type *elements, size_t count, size_t *popped) {           \
    return gimmal_control_pop_n(gimmal_control_of(ring), shape, elements, count, popped);                              \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_read(object *ring, size_t count, gimmal_spans_t *spans) {                     \
    return gimmal_control_read(gimmal_control_of(ring), shape, count, spans);                                          \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_release(object *ring, size_t count) {                                         \
    return gimmal_control_release(gimmal_control_of(ring), shape, count);                                              \
  }                                                                                                                    \
  GIMMAL_DECLARE_OBSERVERS(prefix, object, shape)                                                                      \
  GIMMAL_INLINE void prefix##_close(object *ring) { gimmal_close(&ring->control); }                                    \
  GIMMAL_INLINE bool prefix##_is_closed(const object *ring) { return gimmal_is_closed(&ring->control); }               \
  GIMMAL_DECLARE_NOTIFY(prefix, type, object)                                                                          \
  GIMMAL_STATIC_ASSERT(sizeof(type) > 0, "an element has a size")

/* Rings the bell of whoever may sleep behind it, as `wait` wakes. */
GIMMAL_INLINE void gimmal_notify(uint32_t *bell, const gimmal_wait_t *wait) {
  if (gimmal_bell_ring(bell, gimmal_bell_quiet(wait->reached != 0)) && wait->wake != NULL) {
    wait->wake(wait->context, bell);
  }
}

/* Pushing, popping and closing with a ring of the bell; `wait` was made by gimmal_wait_init(), of libgimmal, which also
 * has the functions that wait. */
#define GIMMAL_DECLARE_NOTIFY(prefix, type, object)                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_push_notify(object *ring, const type *element, const gimmal_wait_t *wait) {   \
    gimmal_status_t status = prefix##_push(ring, element);                                                             \
    if (status == GIMMAL_OK) {                                                                                         \
      gimmal_notify(&gimmal_control_of(ring)->consumer_bell, wait);                                                    \
    }                                                                                                                  \
    return status;                                                                                                     \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_pop_notify(object *ring, type *element, const gimmal_wait_t *wait) {          \
    gimmal_status_t status = prefix##_pop(ring, element);                                                              \
    if (status == GIMMAL_OK) {                                                                                         \
      gimmal_notify(&gimmal_control_of(ring)->producer_bell, wait);                                                    \
    }                                                                                                                  \
    return status;                                                                                                     \
  }                                                                                                                    \
  GIMMAL_INLINE void prefix##_close_notify(object *ring, const gimmal_wait_t *wait) {                                  \
    prefix##_close(ring);                                                                                              \
    gimmal_notify(&gimmal_control_of(ring)->consumer_bell, wait);                                                      \
    gimmal_notify(&gimmal_control_of(ring)->producer_bell, wait);                                                      \
  }

/* What all kinds of rings have in common. */
#define GIMMAL_DECLARE_STORAGE(prefix, object, shape)                                                                  \
  GIMMAL_INLINE gimmal_status_t prefix##_init(void *storage, size_t storage_size, size_t capacity, object **ring) {    \
    gimmal_status_t status = gimmal_lay_out(storage, storage_size, shape, capacity);                                   \
    if (status == GIMMAL_OK) {                                                                                         \
      *ring = (object *)storage;                                                                                       \
    }                                                                                                                  \
    return status;                                                                                                     \
  }                                                                                                                    \
  GIMMAL_INLINE gimmal_status_t prefix##_attach(void *memory, size_t memory_size, object **ring) {                     \
    gimmal_status_t status = gimmal_check(memory, memory_size, shape);                                                 \
    if (status == GIMMAL_OK) {                                                                                         \
      *ring = (object *)memory;                                                                                        \
    }                                                                                                                  \
    return status;                                                                                                     \
  }

/* What anyone may ask. */
#define GIMMAL_DECLARE_OBSERVERS(prefix, object, shape)                                                                \
  GIMMAL_INLINE size_t prefix##_len(const object *ring) { return gimmal_len(gimmal_look_at(ring), shape); }            \
  GIMMAL_INLINE bool prefix##_is_empty(const object *ring) { return gimmal_is_empty(gimmal_look_at(ring), shape); }    \
  GIMMAL_INLINE bool prefix##_is_full(const object *ring) { return gimmal_is_full(gimmal_look_at(ring), shape); }      \
  GIMMAL_INLINE size_t prefix##_capacity(const object *ring) { return gimmal_capacity(&ring->control, shape); }        \
  GIMMAL_INLINE size_t prefix##_dropped(const object *ring) { return gimmal_dropped(&ring->control); }

/* NOLINTEND(bugprone-macro-parentheses) */

#endif /* GIMMAL_DECLARE_H */
