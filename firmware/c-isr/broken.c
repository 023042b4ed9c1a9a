/* The control: ends that publish before they write, and hand back before they read. What they lose must be seen. */

#include "ends.h"

gimmal_status_t ring_push(gimmal_ring_t *ring, const message_t *message) {
  const gimmal_shape_t direct = gimmal_shape_by_index(sizeof *message, _Alignof(message_t));
  gimmal_producer_end_t end = gimmal_producer_resume(&ring->control, direct);
  if (gimmal_refuses(&ring->control)) {
    return GIMMAL_CLOSED;
  }
  if (!gimmal_claim(&end, direct)) {
    return GIMMAL_FULL;
  }
  message_t *slot = gimmal_claimed(end, direct);
  gimmal_publish(&end, end, direct, 1);
  gimmal_producer_suspend(&end, direct);
  *slot = *message;
  return GIMMAL_OK;
}

gimmal_status_t ring_pop(gimmal_ring_t *ring, message_t *message) {
  const gimmal_shape_t direct = gimmal_shape_by_index(sizeof *message, _Alignof(message_t));
  gimmal_consumer_end_t end = gimmal_consumer_resume(&ring->control, direct);
  if (!gimmal_find(&end, direct)) {
    return GIMMAL_EMPTY;
  }
  const message_t *slot = gimmal_front(end, direct);
  gimmal_release(&end, end, direct, 1);
  gimmal_consumer_suspend(&end, direct);
  *message = *slot;
  return GIMMAL_OK;
}

gimmal_status_t mpsc_push(gimmal_mpsc_t *ring, const message_t *message) {
  const gimmal_shape_t shape = gimmal_shape_mpsc(sizeof *message, _Alignof(message_t));
  gimmal_many_producer_t end = gimmal_many_producer(&ring->control, shape);
  const gimmal_status_t status = gimmal_many_claim(&end, shape);
  if (status == GIMMAL_OK) {
    message_t *slot = gimmal_many_claimed(end, shape);
    gimmal_many_publish(&end, end, shape);
    *slot = *message;
  }
  return status;
}

gimmal_status_t mpsc_pop(gimmal_mpsc_t *ring, message_t *message) {
  const gimmal_shape_t shape = gimmal_shape_mpsc(sizeof *message, _Alignof(message_t));
  gimmal_many_consumer_t end = gimmal_many_consumer(&ring->control, shape);
  if (!gimmal_many_find(end, shape)) {
    return GIMMAL_EMPTY;
  }
  const message_t *slot = gimmal_many_front(end, shape);
  gimmal_many_release(&end, end, shape);
  *message = *slot;
  return GIMMAL_OK;
}
