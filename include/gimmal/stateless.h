/* Operations that find an end's state in the control block and leave it there. Part of gimmal_inline.h.
 *
 * They do what the functions of gimmal.h do, inlined, for elements whose size is a constant. The caller is the only
 * party at the end in question. Pointers are not checked. A call that fails changes nothing and writes no output.
 */

#ifndef GIMMAL_STATELESS_H
#define GIMMAL_STATELESS_H

/* ---- Producer ---- */

GIMMAL_INLINE gimmal_status_t gimmal_control_push(gimmal_control_t *control, gimmal_shape_t shape,
                                                  const void *element) {
  gimmal_producer_end_t end = gimmal_producer_resume(control, shape);
  if (gimmal_producer_refuses(control, shape)) {
    return GIMMAL_CLOSED;
  }
  if (!gimmal_claim(&end, shape)) {
    return GIMMAL_FULL;
  }
  gimmal_copy_one(gimmal_claimed(end, shape), element, shape);
  gimmal_publish(&end, end, shape, 1);
  gimmal_producer_suspend(&end, shape);
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_offer(gimmal_control_t *control, gimmal_shape_t shape,
                                                   const void *element) {
  gimmal_status_t status = gimmal_control_push(control, shape, element);
  if (GIMMAL_UNLIKELY(status != GIMMAL_OK)) {
    gimmal_count_dropped(control);
  }
  return status;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_push_n(gimmal_control_t *control, gimmal_shape_t shape,
                                                    const void *elements, size_t count, size_t *pushed) {
  gimmal_producer_end_t end = gimmal_producer_resume(control, shape);
  size_t done;
  if (gimmal_producer_refuses(control, shape)) {
    return GIMMAL_CLOSED;
  }
  done = gimmal_push_n(&end, shape, elements, count);
  if (done == 0 && count != 0) {
    return GIMMAL_FULL;
  }
  gimmal_producer_suspend(&end, shape);
  *pushed = done;
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_reserve(gimmal_control_t *control, gimmal_shape_t shape, size_t count,
                                                     gimmal_spans_t *spans) {
  gimmal_producer_end_t end = gimmal_producer_resume(control, shape);
  gimmal_spans_t room;
  if (gimmal_producer_refuses(control, shape)) {
    return GIMMAL_CLOSED;
  }
  if (count > gimmal_capacity(control, shape)) {
    return GIMMAL_TOO_LARGE;
  }
  room = gimmal_claim_spans(&end, shape, count);
  if (room.first_count == 0 && count != 0) {
    return GIMMAL_FULL;
  }
  gimmal_producer_suspend(&end, shape);
  *spans = room;
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_commit(gimmal_control_t *control, gimmal_shape_t shape, size_t count) {
  gimmal_producer_end_t end = gimmal_producer_resume(control, shape);
  gimmal_spans_t room;
  if (gimmal_producer_refuses(control, shape)) {
    return GIMMAL_CLOSED;
  }
  if (count == 0) {
    return GIMMAL_OK;
  }
  room = gimmal_claim_spans(&end, shape, count);
  if (room.first_count + room.second_count < count) {
    return GIMMAL_TOO_LARGE;
  }
  gimmal_publish(&end, end, shape, count);
  gimmal_producer_suspend(&end, shape);
  return GIMMAL_OK;
}

/* ---- Consumer ---- */

GIMMAL_INLINE gimmal_status_t gimmal_control_pop(gimmal_control_t *control, gimmal_shape_t shape, void *element) {
  gimmal_consumer_end_t end = gimmal_consumer_resume(control, shape);
  if (!gimmal_find(&end, shape)) {
    return GIMMAL_EMPTY;
  }
  gimmal_copy_one(element, gimmal_front(end, shape), shape);
  gimmal_release(&end, end, shape, 1);
  gimmal_consumer_suspend(&end, shape);
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_peek(gimmal_control_t *control, gimmal_shape_t shape, void *element) {
  gimmal_consumer_end_t end = gimmal_consumer_resume(control, shape);
  if (!gimmal_find(&end, shape)) {
    return GIMMAL_EMPTY;
  }
  gimmal_copy_one(element, gimmal_front(end, shape), shape);
  gimmal_consumer_suspend(&end, shape);
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_pop_n(gimmal_control_t *control, gimmal_shape_t shape, void *elements,
                                                   size_t count, size_t *popped) {
  gimmal_consumer_end_t end = gimmal_consumer_resume(control, shape);
  size_t done = gimmal_pop_n(&end, shape, elements, count);
  if (done == 0 && count != 0) {
    return GIMMAL_EMPTY;
  }
  gimmal_consumer_suspend(&end, shape);
  *popped = done;
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_read(gimmal_control_t *control, gimmal_shape_t shape, size_t count,
                                                  gimmal_spans_t *spans) {
  gimmal_consumer_end_t end = gimmal_consumer_resume(control, shape);
  gimmal_spans_t held = gimmal_front_spans(&end, shape, count);
  if (held.first_count == 0 && count != 0) {
    return GIMMAL_EMPTY;
  }
  gimmal_consumer_suspend(&end, shape);
  *spans = held;
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_release(gimmal_control_t *control, gimmal_shape_t shape, size_t count) {
  gimmal_consumer_end_t end = gimmal_consumer_resume(control, shape);
  gimmal_spans_t held;
  if (count == 0) {
    return GIMMAL_OK;
  }
  held = gimmal_front_spans(&end, shape, count);
  if (held.first_count + held.second_count < count) {
    return GIMMAL_TOO_LARGE;
  }
  gimmal_release(&end, end, shape, count);
  gimmal_consumer_suspend(&end, shape);
  return GIMMAL_OK;
}

/* ---- Claiming an end ---- */

GIMMAL_INLINE gimmal_status_t gimmal_control_claim_producer(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_producer_end_t end;
  if (!gimmal_claim_end(&control->producer_claimed)) {
    return GIMMAL_BUSY;
  }
  end = gimmal_producer_enter(control, shape);
  gimmal_producer_suspend(&end, shape);
  return GIMMAL_OK;
}

GIMMAL_INLINE gimmal_status_t gimmal_control_claim_consumer(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_consumer_end_t end;
  if (!gimmal_claim_end(&control->consumer_claimed)) {
    return GIMMAL_BUSY;
  }
  end = gimmal_consumer_enter(control, shape);
  gimmal_consumer_suspend(&end, shape);
  return GIMMAL_OK;
}

#endif /* GIMMAL_STATELESS_H */
