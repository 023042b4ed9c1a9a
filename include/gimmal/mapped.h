/* Both ends of a ring in memory that other processes can write, inlined, for C11 and C++17.
 *
 * The twin of the Rust core's `raw::mapped`. An end keeps geometry, place and lap to itself, masks every address, and
 * reads nothing of the ring that it does not check: a count above K, a foreign lap, or two ends further apart than the
 * ring is long is GIMMAL_CORRUPT. Elements are copied by words, which another process may be writing. Whatever that
 * does, nothing outside of the ring is read or written.
 *
 * An end is made of what gimmal_shm_producer_ring() or gimmal_shm_consumer_ring() of gimmal_shm.h tells; from then on
 * it is the only one at its side.
 */

#ifndef GIMMAL_MAPPED_H
#define GIMMAL_MAPPED_H

#include "../gimmal_inline.h"

/* Words that lie over elements of any type. */
typedef size_t __attribute__((__may_alias__)) gimmal_any_word_t;
typedef uint32_t __attribute__((__may_alias__)) gimmal_any_half_t;
typedef uint8_t __attribute__((__may_alias__)) gimmal_any_byte_t;

/* Relaxed, here and in gimmal_copy_in: ordered by the end that found the element published, or publishes it. */
#define GIMMAL_COPY_OUT(type, to, from, at, size)                                                                      \
  for (; (size) - (at) >= sizeof(type); (at) += sizeof(type)) {                                                        \
    const type gimmal_word =                                                                                           \
        GIMMAL_LOAD(*(const type *)(const void *)((const unsigned char *)(from) + (at)), GIMMAL_RELAXED);              \
    __builtin_memcpy((unsigned char *)(to) + (at), &gimmal_word, sizeof(type));                                        \
  }
#define GIMMAL_COPY_IN(type, to, from, at, size)                                                                       \
  for (; (size) - (at) >= sizeof(type); (at) += sizeof(type)) {                                                        \
    type gimmal_word;                                                                                                  \
    __builtin_memcpy(&gimmal_word, (const unsigned char *)(from) + (at), sizeof(type));                                \
    GIMMAL_STORE(*(type *)(void *)((unsigned char *)(to) + (at)), gimmal_word, GIMMAL_RELAXED);                        \
  }

/* Copies an element out of the ring, in the largest steps that its alignment allows. */
GIMMAL_INLINE void gimmal_copy_out(void *to, const void *from, gimmal_shape_t shape) {
  size_t at = 0;
  if (shape.align >= sizeof(size_t)) {
    GIMMAL_COPY_OUT(gimmal_any_word_t, to, from, at, shape.size)
  }
  if (shape.align >= sizeof(uint32_t)) {
    GIMMAL_COPY_OUT(gimmal_any_half_t, to, from, at, shape.size)
  }
  GIMMAL_COPY_OUT(gimmal_any_byte_t, to, from, at, shape.size)
}

/* Copies an element into the ring. */
GIMMAL_INLINE void gimmal_copy_in(void *to, const void *from, gimmal_shape_t shape) {
  size_t at = 0;
  if (shape.align >= sizeof(size_t)) {
    GIMMAL_COPY_IN(gimmal_any_word_t, to, from, at, shape.size)
  }
  if (shape.align >= sizeof(uint32_t)) {
    GIMMAL_COPY_IN(gimmal_any_half_t, to, from, at, shape.size)
  }
  GIMMAL_COPY_IN(gimmal_any_byte_t, to, from, at, shape.size)
}

#undef GIMMAL_COPY_OUT
#undef GIMMAL_COPY_IN

/* ---- The producer's end ---- */

typedef struct gimmal_mapped_producer_t {
  gimmal_producer_end_t end;
  /* It has found what no end writes. */
  bool is_corrupt;
} gimmal_mapped_producer_t;

/* Stands at `place` of the ring at `control`, with 2^`log2_count` slots or cells of this shape. */
GIMMAL_INLINE gimmal_mapped_producer_t gimmal_mapped_producer(void *control, gimmal_shape_t shape, uint32_t log2_count,
                                                              size_t place) {
  const size_t mask = ((size_t)1 << log2_count) - 1;
  gimmal_mapped_producer_t producer;
  producer.end.control = (gimmal_control_t *)control;
  producer.end.tail = place;
  producer.end.stop = place;
  if (shape.kind == GIMMAL_KIND_LINE) {
    producer.end.mask = mask * GIMMAL_CELL;
    producer.end.reach = gimmal_min(GIMMAL_LOOK_AHEAD * GIMMAL_CELL, (producer.end.mask + GIMMAL_CELL) / 2);
    producer.end.cell = gimmal_cell(producer.end.control, shape, producer.end.mask, place);
  } else {
    producer.end.mask = mask;
    producer.end.reach = mask + 1;
    producer.end.cell = NULL;
  }
  producer.is_corrupt = false;
  return producer;
}

/* By line: makes the cell of `tail` the producer's, if the consumer has handed it back. */
GIMMAL_INLINE bool gimmal_mapped_win(gimmal_mapped_producer_t *producer, gimmal_shape_t shape) {
  gimmal_producer_end_t *end = &producer->end;
  const size_t tail = end->tail;
  const size_t mask = end->mask;
  /* Pairs with the HAND_BACK store in gimmal_release: the consumer read the cell before this end writes it. */
  const size_t stamp = GIMMAL_RECEIVE(*gimmal_stamp_of(end->cell), GIMMAL_ORDER_REUSE, shape);
  if (stamp != gimmal_stamp(tail, mask)) {
    /* A full ring shows the lap before, all of it published. */
    if (GIMMAL_UNLIKELY(stamp != gimmal_stamp(tail - (mask + GIMMAL_CELL) + shape.per_cell, mask))) {
      producer->is_corrupt = true;
    }
    return false;
  }
  if (shape.per_cell > 1) {
    end->stop = gimmal_next_cell(tail);
  }
  /* Pairs with the acquire fence of a tap: one that has copied a part of what is written next finds that the cell was
   * free. */
  GIMMAL_THREAD_FENCE(GIMMAL_RELEASE);
  if (shape.per_cell > 1) {
    gimmal_prefetch_for_writing(gimmal_cell(end->control, shape, mask, tail + end->reach));
  }
  return true;
}

/* By index: looks how far the consumer has come; false if there is no room still. */
GIMMAL_INLINE bool gimmal_mapped_look_at_head(gimmal_mapped_producer_t *producer, gimmal_shape_t shape) {
  gimmal_producer_end_t *end = &producer->end;
  /* Pairs with the HAND_BACK store in gimmal_release: what the consumer read, it read before this end writes there. */
  const size_t stop = GIMMAL_RECEIVE(end->control->consumer.head, GIMMAL_ORDER_REUSE, shape) + end->reach;
  if (stop == end->tail) {
    return false;
  }
  if (GIMMAL_UNLIKELY(stop - end->tail > end->mask + 1)) {
    producer->is_corrupt = true;
    return false;
  }
  end->stop = stop;
  return true;
}

/* Whether there is a slot for the next element. */
GIMMAL_INLINE bool gimmal_mapped_claim(gimmal_mapped_producer_t *producer, gimmal_shape_t shape) {
  const gimmal_producer_end_t *end = &producer->end;
  if (shape.kind == GIMMAL_KIND_LINE) {
    return (shape.per_cell > 1 && !GIMMAL_UNLIKELY(end->tail == end->stop)) || gimmal_mapped_win(producer, shape);
  }
  if (GIMMAL_UNLIKELY(end->tail == end->stop) && !gimmal_mapped_look_at_head(producer, shape)) {
    return false;
  }
  /* Pairs with the acquire fence of a tap, as in gimmal_mapped_win. */
  GIMMAL_THREAD_FENCE(GIMMAL_RELEASE);
  return true;
}

/* Pushes a copy of an element. GIMMAL_FULL, GIMMAL_CLOSED, or GIMMAL_CORRUPT. */
GIMMAL_INLINE gimmal_status_t gimmal_mapped_push(gimmal_mapped_producer_t *producer, gimmal_shape_t shape,
                                                 const void *element) {
  gimmal_producer_end_t was;
  if (gimmal_refuses(producer->end.control)) {
    return GIMMAL_CLOSED;
  }
  if (!gimmal_mapped_claim(producer, shape)) {
    return GIMMAL_UNLIKELY(producer->is_corrupt) ? GIMMAL_CORRUPT : GIMMAL_FULL;
  }
  was = producer->end;
  gimmal_copy_in(gimmal_claimed(was, shape), element, shape);
  gimmal_publish(&producer->end, was, shape, 1);
  return GIMMAL_OK;
}

/* ---- The consumer's end ---- */

typedef struct gimmal_mapped_consumer_t {
  gimmal_consumer_end_t end;
  /* It has found what no end writes. */
  bool is_corrupt;
} gimmal_mapped_consumer_t;

/* Stands at `place` of the ring at `control`, with 2^`log2_count` slots or cells of this shape. */
GIMMAL_INLINE gimmal_mapped_consumer_t gimmal_mapped_consumer(void *control, gimmal_shape_t shape, uint32_t log2_count,
                                                              size_t place) {
  const size_t mask = ((size_t)1 << log2_count) - 1;
  gimmal_mapped_consumer_t consumer;
  consumer.end.control = (gimmal_control_t *)control;
  consumer.end.head = place;
  consumer.end.seen = place;
  if (shape.kind == GIMMAL_KIND_LINE) {
    consumer.end.mask = mask * GIMMAL_CELL;
    consumer.end.cell = gimmal_cell(consumer.end.control, shape, consumer.end.mask, place);
  } else {
    consumer.end.mask = mask;
    consumer.end.cell = NULL;
  }
  consumer.is_corrupt = false;
  return consumer;
}

/* By line: learns how far the cell of `head` is published; false if nothing is left there. */
GIMMAL_INLINE bool gimmal_mapped_look(gimmal_mapped_consumer_t *consumer, gimmal_shape_t shape) {
  gimmal_consumer_end_t *end = &consumer->end;
  const size_t head = end->head;
  /* Pairs with the PUBLISH store in gimmal_publish: seeing the count is seeing the elements. */
  const size_t stamp = GIMMAL_RECEIVE(*gimmal_stamp_of(end->cell), GIMMAL_ORDER_OBSERVE, shape);
  const size_t seen = gimmal_published(stamp, head, end->mask);
  if (seen == head) {
    gimmal_poll_for_writing(end->cell);
    return false;
  }
  if (GIMMAL_UNLIKELY(seen - head > shape.per_cell - (shape.per_cell == 1 ? 0 : gimmal_position(head)))) {
    consumer->is_corrupt = true;
    return false;
  }
  end->seen = seen;
  return true;
}

/* By index: looks how far the producer has come; false if there is nothing still. */
GIMMAL_INLINE bool gimmal_mapped_look_at_tail(gimmal_mapped_consumer_t *consumer, gimmal_shape_t shape) {
  gimmal_consumer_end_t *end = &consumer->end;
  /* Pairs with the PUBLISH store in gimmal_publish: seeing the index is seeing the elements below it. */
  const size_t seen = GIMMAL_RECEIVE(end->control->producer.tail, GIMMAL_ORDER_OBSERVE, shape);
  if (seen == end->head) {
    gimmal_poll_in_order();
    return false;
  }
  if (GIMMAL_UNLIKELY(seen - end->head > end->mask + 1)) {
    consumer->is_corrupt = true;
    return false;
  }
  end->seen = seen;
  return true;
}

/* Whether there is an element. */
GIMMAL_INLINE bool gimmal_mapped_find(gimmal_mapped_consumer_t *consumer, gimmal_shape_t shape) {
  const gimmal_consumer_end_t *end = &consumer->end;
  if (shape.kind == GIMMAL_KIND_LINE) {
    return (shape.per_cell > 1 && !GIMMAL_UNLIKELY(end->head == end->seen)) || gimmal_mapped_look(consumer, shape);
  }
  return !GIMMAL_UNLIKELY(end->head == end->seen) || gimmal_mapped_look_at_tail(consumer, shape);
}

/* Takes the oldest element. GIMMAL_EMPTY, closed or not, or GIMMAL_CORRUPT. */
GIMMAL_INLINE gimmal_status_t gimmal_mapped_pop(gimmal_mapped_consumer_t *consumer, gimmal_shape_t shape,
                                                void *element) {
  gimmal_consumer_end_t was;
  if (!gimmal_mapped_find(consumer, shape)) {
    return GIMMAL_UNLIKELY(consumer->is_corrupt) ? GIMMAL_CORRUPT : GIMMAL_EMPTY;
  }
  was = consumer->end;
  gimmal_copy_out(element, gimmal_front(was, shape), shape);
  gimmal_release(&consumer->end, was, shape, 1);
  return GIMMAL_OK;
}

#endif /* GIMMAL_MAPPED_H */
