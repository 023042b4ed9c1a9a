/* The ends of a ring of many producers: the protocol by line with one element a cell, and a compare-and-swap to claim
 * it. The twin of the Rust core's `raw::mpsc`. Part of gimmal_inline.h.
 *
 * `tail` and `head` hold numbers of cells; the top bit of `tail` is set when the ring is closed. A producer finds the
 * cell of `tail` free by its stamp, wins it by moving `tail` on, writes the element, and publishes it by the stamp: the
 * bounded queue of Vyukov (2010), with one consumer.
 *
 * Finding and winning are two calls, so that shared memory can declare between them who may have won a cell.
 */

#ifndef GIMMAL_MPSC_H
#define GIMMAL_MPSC_H

/* One of the producers. Any number of them exist at once, one for each thread. */
typedef struct gimmal_many_producer_t {
  gimmal_control_t *control;
  size_t mask; /* cells less 1 */
  /* The cell that was won; otherwise what `tail` once held. */
  size_t place;
} gimmal_many_producer_t;

/* The consumer. `head` equals the control block's. */
typedef struct gimmal_many_consumer_t {
  gimmal_control_t *control;
  size_t mask;
  size_t head;
} gimmal_many_consumer_t;

/* The bits of `tail` that hold a cell's number, which wraps within them. The bit above says that the ring is closed. */
#define GIMMAL_NUMBER (SIZE_MAX >> 1)
#define GIMMAL_SEALED (~GIMMAL_NUMBER)

/* The stamp of cell number `place` while it is free for a producer. One more tells that it is published. */
GIMMAL_CONSTANT size_t gimmal_many_free(size_t place, size_t mask) { return (place & ~mask) * GIMMAL_CELL; }

GIMMAL_INLINE size_t gimmal_many_offset(gimmal_shape_t shape, size_t mask, size_t place) {
  return shape.slots_offset + (place & mask) * shape.stride;
}

GIMMAL_INLINE unsigned char *gimmal_many_cell(gimmal_control_t *control, gimmal_shape_t shape, size_t mask,
                                              size_t place) {
  return (unsigned char *)control + gimmal_many_offset(shape, mask, place);
}

/* Relaxed: nothing is read or written on the strength of it. */
GIMMAL_INLINE size_t gimmal_many_stamp_at(const gimmal_control_t *control, gimmal_shape_t shape, size_t mask,
                                          size_t place) {
  const unsigned char *cell = (const unsigned char *)control + gimmal_many_offset(shape, mask, place);
  return GIMMAL_LOAD(*(const size_t *)(const void *)cell, GIMMAL_RELAXED);
}

/* The number of the next cell to claim, closed or not. Relaxed: nothing is read on the strength of it. */
GIMMAL_INLINE size_t gimmal_many_tail(const gimmal_control_t *control) {
  return GIMMAL_LOAD(control->producer.tail, GIMMAL_RELAXED) & GIMMAL_NUMBER;
}

/* ---- A producer ---- */

/* What `tail` holds. */
GIMMAL_INLINE size_t gimmal_many_follow(const gimmal_control_t *control) {
  /* Pairs with the claim in gimmal_many_win: who learns of a claim knows as much of the cells
   * as the claimer did, so that no stamp of laps ago can pass for the present one. */
  return GIMMAL_LOAD(control->producer.tail, GIMMAL_ORDER_FOLLOW);
}

GIMMAL_INLINE gimmal_many_producer_t gimmal_many_producer(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_many_producer_t end;
  end.control = control;
  end.mask = gimmal_mask(control, shape);
  end.place = gimmal_many_follow(control) & GIMMAL_NUMBER;
  return end;
}

/* Finds the next cell, if it is free. Somebody else may win it yet. GIMMAL_FULL, or GIMMAL_CLOSED. */
GIMMAL_INLINE gimmal_status_t gimmal_many_look(gimmal_many_producer_t *end, gimmal_shape_t shape) {
  for (;;) {
    unsigned char *cell = gimmal_many_cell(end->control, shape, end->mask, end->place);
    /* Pairs with the HAND_BACK store in gimmal_many_release: the consumer read the cell before it is written again. */
    const size_t stamp = GIMMAL_LOAD(*gimmal_stamp_of(cell), GIMMAL_ORDER_REUSE);
    size_t tail;
    if (stamp == gimmal_many_free(end->place, end->mask)) {
      return GIMMAL_OK;
    }
    tail = gimmal_many_follow(end->control);
    if (tail == end->place) {
      /* Nobody has claimed the cell since its stamp was looked at: that told of the lap before. */
      return GIMMAL_FULL;
    }
    if (tail > GIMMAL_NUMBER) {
      return GIMMAL_CLOSED;
    }
    end->place = tail;
  }
}

/* Wins the cell that was found; GIMMAL_FULL if somebody else did meanwhile, and GIMMAL_CLOSED. */
GIMMAL_INLINE gimmal_status_t gimmal_many_win(gimmal_many_producer_t *end) {
  size_t tail = end->place;
  const size_t next = (tail + 1) & GIMMAL_NUMBER;
  /* Pairs with the same of other producers, and with the load in gimmal_many_follow. */
  if (GIMMAL_UNLIKELY(
          !GIMMAL_SWAP(&end->control->producer.tail, &tail, next, GIMMAL_ORDER_RELAY, GIMMAL_ORDER_FOLLOW))) {
    if (tail > GIMMAL_NUMBER) {
      return GIMMAL_CLOSED;
    }
    end->place = tail;
    return GIMMAL_FULL;
  }
  return GIMMAL_OK;
}

/* Wins the next cell, which must then be published. GIMMAL_FULL, or GIMMAL_CLOSED. It goes round again only when
 * another producer has won a cell. */
GIMMAL_INLINE gimmal_status_t gimmal_many_claim(gimmal_many_producer_t *end, gimmal_shape_t shape) {
  for (;;) {
    gimmal_status_t status = gimmal_many_look(end, shape);
    if (status != GIMMAL_OK) {
      return status;
    }
    status = gimmal_many_win(end);
    if (status != GIMMAL_FULL) {
      return status;
    }
  }
}

/* The slot in the cell that was won. */
GIMMAL_INLINE void *gimmal_many_claimed(gimmal_many_producer_t end, gimmal_shape_t shape) {
  return gimmal_many_cell(end.control, shape, end.mask, end.place) + shape.first;
}

/* Publishes the element in the cell that was won. `was` is the end when it was won, in registers, where no element can
 * overwrite it. */
GIMMAL_INLINE void gimmal_many_publish(gimmal_many_producer_t *end, gimmal_many_producer_t was, gimmal_shape_t shape) {
  unsigned char *cell = gimmal_many_cell(was.control, shape, was.mask, was.place);
  /* Pairs with the OBSERVE load in gimmal_many_is_published: the element was written before it can be seen. */
  GIMMAL_STORE(*gimmal_stamp_of(cell), gimmal_many_free(was.place, was.mask) + 1, GIMMAL_ORDER_PUBLISH);
  end->place = (was.place + 1) & GIMMAL_NUMBER;
}

/* ---- The consumer ---- */

/* Stands where the last consumer left off. The caller has claimed the end, or there is no other consumer. */
GIMMAL_INLINE gimmal_many_consumer_t gimmal_many_consumer(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_many_consumer_t end;
  end.control = control;
  end.mask = gimmal_mask(control, shape);
  /* Relaxed: only a consumer stores it, and claiming orders consumers. */
  end.head = GIMMAL_LOAD(control->consumer.head, GIMMAL_RELAXED);
  return end;
}

/* Whether the oldest element is published. */
GIMMAL_INLINE bool gimmal_many_is_published(gimmal_many_consumer_t end, gimmal_shape_t shape) {
  unsigned char *cell = gimmal_many_cell(end.control, shape, end.mask, end.head);
  /* Pairs with the PUBLISH store in gimmal_many_publish: seeing the stamp is seeing the element. */
  return GIMMAL_LOAD(*gimmal_stamp_of(cell), GIMMAL_ORDER_OBSERVE) == gimmal_many_free(end.head, end.mask) + 1;
}

/* The same for a consumer that waits for it. */
GIMMAL_INLINE bool gimmal_many_find(gimmal_many_consumer_t end, gimmal_shape_t shape) {
  if (gimmal_many_is_published(end, shape)) {
    return true;
  }
  gimmal_poll_for_writing(gimmal_many_cell(end.control, shape, end.mask, end.head));
  return false;
}

/* The oldest element, which was found. */
GIMMAL_INLINE void *gimmal_many_front(gimmal_many_consumer_t end, gimmal_shape_t shape) {
  return gimmal_many_cell(end.control, shape, end.mask, end.head) + shape.first;
}

/* Gives the cell of the oldest element back, which has been read. */
GIMMAL_INLINE void gimmal_many_release(gimmal_many_consumer_t *end, gimmal_many_consumer_t was, gimmal_shape_t shape) {
  unsigned char *cell = gimmal_many_cell(was.control, shape, was.mask, was.head);
  /* Pairs with the REUSE load in gimmal_many_look: the element was read before its cell can be written. */
  const size_t head = (was.head + 1) & GIMMAL_NUMBER;
  GIMMAL_STORE(*gimmal_stamp_of(cell), gimmal_many_free(was.head + was.mask + 1, was.mask), GIMMAL_ORDER_HAND_BACK);
  end->head = head;
  /* Relaxed: for counts and for recovery; after the cell is handed back. */
  GIMMAL_STORE(was.control->consumer.head, head, GIMMAL_RELAXED);
}

/* ---- What anyone may ask ---- */

/* Cells from `head` to `tail`, claimed ones among them, 0 to all. */
GIMMAL_INLINE size_t gimmal_many_between(size_t head, size_t tail, size_t mask) {
  const size_t cells = (tail - head) & GIMMAL_NUMBER;
  return cells > GIMMAL_NUMBER / 2 ? 0 : gimmal_min(cells, mask + 1);
}

/* Whether a push would be refused for want of room: a snapshot. */
GIMMAL_INLINE bool gimmal_many_is_full(const gimmal_control_t *control, gimmal_shape_t shape) {
  const size_t mask = gimmal_mask(control, shape);
  const size_t tail = gimmal_many_tail(control);
  /* Of the lap before: behind in the order of stamps. A stamp ahead tells that `tail` has moved on. */
  return gimmal_many_stamp_at(control, shape, mask, tail) - gimmal_many_free(tail, mask) > SIZE_MAX / 2;
}

/* Whether a pop would find nothing: a snapshot. */
GIMMAL_INLINE bool gimmal_many_is_empty(const gimmal_control_t *control, gimmal_shape_t shape) {
  const size_t mask = gimmal_mask(control, shape);
  const size_t head = GIMMAL_LOAD(control->consumer.head, GIMMAL_RELAXED);
  return gimmal_many_stamp_at(control, shape, mask, head) != gimmal_many_free(head, mask) + 1;
}

/* Whether a producer has claimed the oldest cell and not published it yet. If so, gives the cell's number. For the
 * consumer: to others it is a snapshot. */
GIMMAL_INLINE bool gimmal_many_stalled(const gimmal_control_t *control, gimmal_shape_t shape, size_t *number) {
  const size_t mask = gimmal_mask(control, shape);
  const size_t head = GIMMAL_LOAD(control->consumer.head, GIMMAL_RELAXED);
  /* Who sees the cell claimed sees what its claimer did before. */
  const size_t tail = gimmal_many_follow(control) & GIMMAL_NUMBER;
  if (tail == head || gimmal_many_stamp_at(control, shape, mask, head) != gimmal_many_free(head, mask)) {
    return false;
  }
  *number = head;
  return true;
}

/* Refuses every later claim, then tells of it. */
GIMMAL_INLINE void gimmal_many_close(gimmal_control_t *control) {
  gimmal_set_bits(&control->producer.tail, GIMMAL_SEALED);
  /* Pairs with the load in gimmal_many_is_closed, as in gimmal_close. */
  GIMMAL_STORE(control->closed, (uint8_t)1, GIMMAL_ORDER_CLOSE);
}

/* Whether the ring is closed and no push is under way: every claimed cell is published or handed back. */
GIMMAL_INLINE bool gimmal_many_is_closed(const gimmal_control_t *control, gimmal_shape_t shape) {
  const size_t mask = gimmal_mask(control, shape);
  size_t tail;
  size_t left;
  /* Pairs with the store in gimmal_many_close: `tail` has its last value. */
  if (GIMMAL_LOAD(control->closed, GIMMAL_ORDER_SEE_CLOSED) == 0) {
    return false;
  }
  tail = gimmal_many_tail(control);
  for (left = gimmal_many_between(GIMMAL_LOAD(control->consumer.head, GIMMAL_RELAXED), tail, mask); left > 0; --left) {
    const size_t place = tail - left;
    const unsigned char *cell = (const unsigned char *)control + gimmal_many_offset(shape, mask, place);
    /* Pairs with the PUBLISH store in gimmal_many_publish: who has seen the stamp here will find the element. */
    if (GIMMAL_LOAD(*(const size_t *)(const void *)cell, GIMMAL_ORDER_OBSERVE) == gimmal_many_free(place, mask)) {
      return false;
    }
  }
  return true;
}

#endif /* GIMMAL_MPSC_H */
