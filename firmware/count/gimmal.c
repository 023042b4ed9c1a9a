/* gimmal's rings in C: by the inline header under its three policies, and by calls of libgimmal. */

#include "count.h"
#include "gimmal_inline.h"

/* Out of line, so that the code of each can be told. */
#define FUNCTIONS(name, object, type, value_type, address)                                                             \
  uint32_t name##_push_##type(void *end, uintptr_t value);                                                             \
  uint32_t name##_pop_##type(void *end, void *element);                                                                \
  __attribute__((noinline)) uint32_t name##_push_##type(void *end, uintptr_t value) {                                  \
    const value_type number = (value_type)value;                                                                       \
    return name##_##type##_push((object *)end, address);                                                               \
  }                                                                                                                    \
  __attribute__((noinline)) uint32_t name##_pop_##type(void *end, void *element) {                                     \
    return name##_##type##_pop((object *)end, (type *)element);                                                        \
  }

typedef uint8_t u8;
typedef uint32_t u32;
typedef element_t b16;

#define RINGS(type, value_type, address)                                                                               \
  GIMMAL_RING_DEFINE(ring_##type, type, CAPACITY);                                                                     \
  GIMMAL_RING_DECLARE(c_shared_##type, type);                                                                          \
  GIMMAL_RING_DECLARE_SINGLE_CORE(c_single_##type, type);                                                              \
  GIMMAL_RING_DECLARE_BARE(c_bare_##type, type, CAPACITY);                                                             \
  FUNCTIONS(c_shared, gimmal_ring_t, type, value_type, address)                                                        \
  FUNCTIONS(c_single, gimmal_ring_t, type, value_type, address)                                                        \
  FUNCTIONS(c_bare, gimmal_ring_t, type, value_type, address)                                                          \
  static uint32_t call_push_##type(void *end, uintptr_t value) {                                                       \
    const value_type number = (value_type)value;                                                                       \
    return gimmal_ring_push((gimmal_ring_t *)end, address);                                                            \
  }                                                                                                                    \
  static uint32_t call_pop_##type(void *end, void *element) { return gimmal_ring_pop((gimmal_ring_t *)end, element); }

RINGS(u8, u8, &number)
RINGS(u32, u32, &number)
RINGS(b16, uintptr_t, (const b16 *)number)

#define COUNT(name, type, large)                                                                                       \
  count_queue(&(queue_t){#name, #type, large, name##_push_##type, name##_pop_##type,                                   \
                         {ring_##type##_ring(), ring_##type##_ring()},                                                 \
                         (uint32_t)(ring_##type##_size() - CAPACITY * sizeof(type))})

#define COUNT_ALL(type, large)                                                                                         \
  do {                                                                                                                 \
    COUNT(c_shared, type, large);                                                                                      \
    COUNT(c_single, type, large);                                                                                      \
    c_bare_##type##_claim_producer(ring_##type##_ring());                                                              \
    c_bare_##type##_claim_consumer(ring_##type##_ring());                                                              \
    COUNT(c_bare, type, large);                                                                                        \
    c_bare_##type##_release_producer(ring_##type##_ring());                                                            \
    c_bare_##type##_release_consumer(ring_##type##_ring());                                                            \
    c_shared_##type##_claim_producer(ring_##type##_ring());                                                            \
    c_shared_##type##_claim_consumer(ring_##type##_ring());                                                            \
    COUNT(call, type, large);                                                                                          \
  } while (0)

void count_gimmal(void) {
  COUNT_ALL(u8, 0);
  COUNT_ALL(u32, 0);
  COUNT_ALL(b16, 1);
}
