/* The storage that a program places itself: what the inline header's macros say is what the library says, and what both
 * need. */

#include <string.h>

#include "check.h"
#include "gimmal_inline.h"

typedef struct element_1_t {
  unsigned char bytes[1];
} element_1_t;
typedef uint64_t element_8_t;
typedef struct element_20_t {
  uint32_t words[5];
} element_20_t;
typedef struct element_48_t {
  uint64_t words[6];
} element_48_t;
typedef struct wide_t {
  GIMMAL_ALIGNAS(256) unsigned char bytes[256];
} wide_t;

GIMMAL_RING_DECLARE(index_1, element_1_t);
GIMMAL_RING_DECLARE(index_8, element_8_t);
GIMMAL_RING_DECLARE(index_20, element_20_t);
GIMMAL_RING_DECLARE(index_48, element_48_t);
GIMMAL_RING_DECLARE(index_wide, wide_t);
GIMMAL_LINE_RING_DECLARE(line_1, element_1_t);
GIMMAL_LINE_RING_DECLARE(line_8, element_8_t);
GIMMAL_LINE_RING_DECLARE(line_20, element_20_t);
GIMMAL_LINE_RING_DECLARE(line_48, element_48_t);
GIMMAL_LINE_RING_DECLARE(line_wide, wide_t);
GIMMAL_MPSC_DECLARE(mpsc_1, element_1_t);
GIMMAL_MPSC_DECLARE(mpsc_8, element_8_t);
GIMMAL_MPSC_DECLARE(mpsc_20, element_20_t);
GIMMAL_MPSC_DECLARE(mpsc_48, element_48_t);
GIMMAL_MPSC_DECLARE(mpsc_wide, wide_t);

/* A ring of this kind and capacity, laid out in exactly its storage; a byte less is refused, and no byte behind it is
 * written. */
#define PLACE(prefix, object, layout, STORAGE, type, number)                                                           \
  do {                                                                                                                 \
    GIMMAL_ALIGNAS(STORAGE##_ALIGN(type)) static unsigned char storage[STORAGE##_SIZE(type, number) + 1];              \
    const size_t whole = sizeof storage - 1;                                                                           \
    size_t size = 0;                                                                                                   \
    size_t align = 0;                                                                                                  \
    object *ring = NULL;                                                                                               \
    type element;                                                                                                      \
    size_t held = 0;                                                                                                   \
    CHECK(layout(sizeof(type), GIMMAL_ALIGNOF(type), number, &size, &align) == GIMMAL_OK);                             \
    CHECK(size == whole && align == STORAGE##_ALIGN(type));                                                            \
    memset(storage, 0xA5, sizeof storage);                                                                             \
    memset(&element, 0x5A, sizeof element);                                                                            \
    CHECK(prefix##_init(storage, whole - 1, number, &ring) == GIMMAL_TOO_SMALL);                                       \
    CHECK(prefix##_init(storage, whole, number, &ring) == GIMMAL_OK);                                                  \
    while (prefix##_push(ring, &element) == GIMMAL_OK) {                                                               \
      ++held;                                                                                                          \
    }                                                                                                                  \
    CHECK(held >= number);                                                                                             \
    CHECK(storage[whole] == 0xA5);                                                                                     \
  } while (0)

#define PLACE_ALL(size, type, number)                                                                                  \
  PLACE(index_##size, gimmal_ring_t, gimmal_ring_layout, GIMMAL_RING_STORAGE, type, number);                           \
  PLACE(line_##size, gimmal_line_ring_t, gimmal_line_ring_layout, GIMMAL_LINE_RING_STORAGE, type, number);             \
  PLACE(mpsc_##size, gimmal_mpsc_t, gimmal_mpsc_layout, GIMMAL_MPSC_STORAGE, type, number)

#define PLACE_EVERY_CAPACITY(size, type)                                                                               \
  PLACE_ALL(size, type, 1);                                                                                            \
  PLACE_ALL(size, type, 2);                                                                                            \
  PLACE_ALL(size, type, 64);                                                                                           \
  PLACE_ALL(size, type, 1024)

int main(void) {
  PLACE_EVERY_CAPACITY(1, element_1_t);
  PLACE_EVERY_CAPACITY(8, element_8_t);
  PLACE_EVERY_CAPACITY(20, element_20_t);
  PLACE_EVERY_CAPACITY(48, element_48_t);
  PLACE_EVERY_CAPACITY(wide, wide_t);
  /* By line any capacity will do. */
  PLACE(line_8, gimmal_line_ring_t, gimmal_line_ring_layout, GIMMAL_LINE_RING_STORAGE, element_8_t, 99);
  PLACE(line_8, gimmal_line_ring_t, gimmal_line_ring_layout, GIMMAL_LINE_RING_STORAGE, element_8_t, 100);
  return 0;
}
