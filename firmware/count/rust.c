/* The ends in Rust. */

#include <stdbool.h>

#include "count.h"

#define COUNT(name, type, value_type, large)                                                                           \
  do {                                                                                                                 \
    size_t name##_ends_##type(void *ends[2]);                                                                          \
    bool name##_push_##type(void *end, value_type value);                                                              \
    bool name##_pop_##type(void *end, void *element);                                                                  \
    queue_t queue = {#name, #type, (large), NULL, NULL, {NULL, NULL}, 0};                                          \
    queue.ram = (uint32_t)name##_ends_##type(queue.ends);                                                              \
    queue.push = (uint32_t(*)(void *, uintptr_t))(void (*)(void))name##_push_##type;                                   \
    queue.pop = (uint32_t(*)(void *, void *))(void (*)(void))name##_pop_##type;                                        \
    count_queue(&queue);                                                                                               \
  } while (0)

#define COUNT_ALL(name)                                                                                                \
  COUNT(name, u8, uint8_t, 0);                                                                                         \
  COUNT(name, u32, uint32_t, 0);                                                                                       \
  COUNT(name, b16, const element_t *, 1)

void count_rust(void) {
  COUNT_ALL(rust_shared);
  COUNT_ALL(rust_bare);
  COUNT_ALL(heapless);
}
