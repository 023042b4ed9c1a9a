/* Every function of the library at work: capacities, element sizes, bulk and spans across the end of the slots, and
 * places just before a word wraps. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "start_at.h"

#if !defined(__cplusplus)
#include <stdalign.h>
#endif

/* The longest element of these tests, and the most of them in a batch. */
#define LONGEST 256
#define BATCH 11

typedef struct element_t {
  size_t size;
  size_t align;
} element_t;

static const element_t elements[] = {
    {1, 1},  {2, 2},  {3, 1},   {4, 4},  {8, 8},  {12, 4},  {16, 8},  {16, 16},   {24, 8},
    {32, 8}, {48, 8}, {48, 16}, {56, 8}, {64, 8}, {64, 64}, {100, 4}, {256, 256},
};
static const size_t capacities[] = {1, 2, 64, 4096};
/* Slots or cells before their number wraps, and from zero. */
static const size_t starts[] = {0, SIZE_MAX - 1};

/* Writes message `number` over an element. */
static void fill(unsigned char *element, size_t size, size_t number) {
  for (size_t i = 0; i < size; ++i) {
    element[i] = (unsigned char)(number * 31 + i * 7 + (number >> 8));
  }
}

static void check(const unsigned char *element, size_t size, size_t number) {
  unsigned char expected[LONGEST];
  fill(expected, size, number);
  CHECK(memcmp(element, expected, size) == 0);
}

#define PASTE(a, b, c) a##b##c
#define NAME(kind, function) PASTE(gimmal_, kind, _##function)
/* A function of the kind at hand. */
#define CALL(function) NAME(KIND, function)

#define KIND ring
#define OBJECT gimmal_ring_t
#define SHAPE gimmal_shape_by_index
#define FN(name) name##_by_index
#include "api_of.h"
#undef KIND
#undef OBJECT
#undef SHAPE
#undef FN

#define KIND line_ring
#define OBJECT gimmal_line_ring_t
#define SHAPE gimmal_shape_by_line
#define FN(name) name##_by_line
#include "api_of.h"

int main(void) {
  for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); ++i) {
    for (size_t j = 0; j < sizeof(capacities) / sizeof(capacities[0]); ++j) {
      for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); ++k) {
        all_by_index(elements[i], capacities[j], starts[k]);
        all_by_line(elements[i], capacities[j], starts[k]);
      }
    }
  }
  /* By line any capacity will do. */
  for (size_t capacity = 1; capacity < 40; ++capacity) {
    all_by_line(elements[4], capacity, 0);
  }
  return 0;
}
