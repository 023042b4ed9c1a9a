/* The ends of mixed.cpp in C. */

#include "mixed.h"

GIMMAL_RING_DECLARE(by_index, mixed_t);
GIMMAL_LINE_RING_DECLARE(by_line, mixed_t);

gimmal_status_t c_ring_push(gimmal_ring_t *ring, const mixed_t *message) { return by_index_push(ring, message); }

gimmal_status_t c_ring_pop(gimmal_ring_t *ring, mixed_t *message) { return by_index_pop(ring, message); }

gimmal_status_t c_line_ring_push(gimmal_line_ring_t *ring, const mixed_t *message) {
  return by_line_push(ring, message);
}

gimmal_status_t c_line_ring_pop(gimmal_line_ring_t *ring, mixed_t *message) { return by_line_pop(ring, message); }
