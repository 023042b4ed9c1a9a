/* All rings with words of 32 bits, across the wrap. Needs no library of that width: it starts itself, and its exit
 * code is 0 or says which check failed. */

#include "gimmal_inline.h"

#include "start_at.h"

static void quit(int code) {
  __asm__ volatile("int $0x80" : : "a"(1), "b"(code));
  __builtin_unreachable();
}

#define CHECK(code, condition)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      quit(code);                                                                                                      \
    }                                                                                                                  \
  } while (0)

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *at, int value, size_t size);

void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((volatile char *)to)[i] = ((const char *)from)[i];
  }
  return to;
}

void *memset(void *at, int value, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((volatile char *)at)[i] = (char)value;
  }
  return at;
}

static _Alignas(64) unsigned char storage[65536];

static gimmal_status_t push(gimmal_control_t *control, gimmal_shape_t shape, const void *element) {
  return shape.kind == GIMMAL_KIND_MPSC ? gimmal_control_push_one(control, shape, element)
                                        : gimmal_control_push(control, shape, element);
}

static gimmal_status_t pop(gimmal_control_t *control, gimmal_shape_t shape, void *element) {
  return shape.kind == GIMMAL_KIND_MPSC ? gimmal_control_pop_one(control, shape, element)
                                        : gimmal_control_pop(control, shape, element);
}

/* Elements whose size is `word_count` words, each filled with its number. */
static void pass(gimmal_shape_t shape, size_t capacity, size_t place) {
  gimmal_control_t *control = (gimmal_control_t *)(void *)storage;
  uint32_t element[16];
  uint32_t pushed = 0;
  uint32_t popped = 0;
  CHECK(2, gimmal_lay_out(storage, sizeof storage, shape, capacity) == GIMMAL_OK);
  CHECK(3, gimmal_check(storage, sizeof storage, shape) == GIMMAL_OK);
  start_at(control, shape, place);
  for (int lap = 0; lap < 300; ++lap) {
    while (!gimmal_is_full(control, shape)) {
      for (size_t i = 0; i < 16; ++i) {
        element[i] = pushed;
      }
      CHECK(4, push(control, shape, element) == GIMMAL_OK);
      ++pushed;
      CHECK(5, gimmal_len(control, shape) == pushed - popped);
    }
    CHECK(6, pushed - popped >= gimmal_capacity(control, shape));
    CHECK(7, push(control, shape, element) == GIMMAL_FULL);
    while (pushed - popped > (uint32_t)lap % 5) {
      CHECK(8, pop(control, shape, element) == GIMMAL_OK);
      for (size_t i = 0; i < shape.size / 4; ++i) {
        CHECK(9, element[i] == popped);
      }
      ++popped;
    }
  }
}

void start(void) __asm__("_start");

void start(void) {
  for (size_t before = 0; before < 40; ++before) {
    pass(gimmal_shape_by_index(4, 4), 16, SIZE_MAX - before);
    pass(gimmal_shape_by_line(4, 4), 16, SIZE_MAX - before);
    pass(gimmal_shape_by_line(8, 4), 16, SIZE_MAX - before);
    pass(gimmal_shape_by_line(48, 4), 16, SIZE_MAX - before);
    pass(gimmal_shape_mpsc(8, 4), 16, SIZE_MAX - before);
    pass(gimmal_shape_mpsc(64, 4), 1, SIZE_MAX - before);
  }
  quit(0);
}
