/* What the C and the C++ side of mixed.cpp agree on. */

#ifndef GIMMAL_TEST_MIXED_H
#define GIMMAL_TEST_MIXED_H

#include "gimmal_inline.h"

typedef struct mixed_t {
  uint64_t number;
  uint32_t parts[2];
} mixed_t;

#if defined(__cplusplus)
extern "C" {
#endif

gimmal_status_t c_ring_push(gimmal_ring_t *ring, const mixed_t *message);
gimmal_status_t c_ring_pop(gimmal_ring_t *ring, mixed_t *message);
gimmal_status_t c_line_ring_push(gimmal_line_ring_t *ring, const mixed_t *message);
gimmal_status_t c_line_ring_pop(gimmal_line_ring_t *ring, mixed_t *message);

#if defined(__cplusplus)
}
#endif

#endif /* GIMMAL_TEST_MIXED_H */
