/* Starts an empty ring at any place, so that tests reach the wrap of a word. For C and C++. */

#ifndef GIMMAL_TEST_START_AT_H
#define GIMMAL_TEST_START_AT_H

#include "gimmal_inline.h"

/* By index `place` counts elements, otherwise cells; it wraps. No end is held, and the ring is empty. */
static inline void start_at(gimmal_control_t *control, gimmal_shape_t shape, size_t place) {
  if (shape.kind == GIMMAL_KIND_LINE) {
    const size_t mask = gimmal_mask(control, shape);
    /* Every cell is stamped as the consumer left it a lap before. */
    for (size_t cells = gimmal_count(control); cells > 0; --cells) {
      const size_t cursor = (place + cells - 1) * GIMMAL_CELL;
      *gimmal_stamp_of(gimmal_cell(control, shape, mask, cursor)) = gimmal_stamp(cursor, mask);
    }
    place *= GIMMAL_CELL;
  }
  if (shape.kind == GIMMAL_KIND_MPSC) {
    const size_t mask = gimmal_mask(control, shape);
    place &= GIMMAL_NUMBER;
    for (size_t cells = gimmal_count(control); cells > 0; --cells) {
      const size_t number = place + cells - 1;
      *gimmal_stamp_of(gimmal_many_cell(control, shape, mask, number)) = gimmal_many_free(number, mask);
    }
    control->producer.tail = place;
    control->consumer.head = place;
    return;
  }
  control->producer.tail = place;
  control->producer.stop = place;
  control->consumer.head = place;
  control->consumer.seen = place;
}

#endif /* GIMMAL_TEST_START_AT_H */
