/* gimmal_inline.h: both ends of a ring, inlined, for C11 and C++17.
 *
 * The twin of the Rust core's module `raw`, over the same bytes (docs/LAYOUT.md), and on this side the only home of
 * memory orderings. A C program uses the macros of gimmal/declare.h, which this header includes; a C++ program uses
 * gimmal.hpp; both are written with the ends below. Nothing here needs a library, allocates, blocks or enters the
 * kernel, and only <stddef.h>, <stdint.h> and <stdbool.h> are included. Of gimmal.h the types and constants are used:
 * its functions, gimmal_status_str() among them, are declared with these, and need libgimmal if they are called.
 *
 * A producer *claims* a slot, its caller writes it, and the producer *publishes* it. A consumer finds the *front* slot,
 * its caller reads it, and the consumer *releases* it. An end is a local value that keeps its place in registers. It is
 * entered by whoever claimed the end, or resumed from the control block by stateless callers, and suspended into it
 * again.
 */

#ifndef GIMMAL_INLINE_H
#define GIMMAL_INLINE_H

#include "gimmal.h"

/* log2 of the distance between the groups of a control block, 0 where they are packed. */
#if defined(GIMMAL_PACKED)
#define GIMMAL_LOG2_LINE 0
#elif GIMMAL_LINE == 128
#define GIMMAL_LOG2_LINE 7
#else
#define GIMMAL_LOG2_LINE 6
#endif

#include "gimmal/compiler.h"

#include "gimmal/edges.h"

#include "gimmal/shape.h"

/* Load and store at one side of an edge. On one core the processor orders them, and only the compiler is to be bound.
 */
#if defined(GIMMAL_MSVC_H)
#define GIMMAL_RECEIVE(object, order, shape) gimmal_receive(&(object), order, shape)
GIMMAL_INLINE size_t gimmal_receive(const size_t *word, int order, gimmal_shape_t shape) {
  const size_t received = GIMMAL_LOAD(*word, shape.single_core ? GIMMAL_RELAXED : order);
  if (shape.single_core) {
    GIMMAL_SIGNAL_FENCE(order);
  }
  return received;
}
#else
#define GIMMAL_RECEIVE(object, order, shape)                                                                           \
  (__extension__({                                                                                                     \
    __typeof__(object) gimmal_received;                                                                                \
    if ((shape).single_core) {                                                                                         \
      gimmal_received = GIMMAL_LOAD(object, GIMMAL_RELAXED);                                                           \
      GIMMAL_SIGNAL_FENCE(order);                                                                                      \
    } else {                                                                                                           \
      gimmal_received = GIMMAL_LOAD(object, order);                                                                    \
    }                                                                                                                  \
    gimmal_received;                                                                                                   \
  }))
#endif
#define GIMMAL_SEND(object, value, order, shape)                                                                       \
  do {                                                                                                                 \
    if ((shape).single_core) {                                                                                         \
      GIMMAL_SIGNAL_FENCE(order);                                                                                      \
      GIMMAL_STORE(object, value, GIMMAL_RELAXED);                                                                     \
    } else {                                                                                                           \
      GIMMAL_STORE(object, value, order);                                                                              \
    }                                                                                                                  \
  } while (0)

/* A ring's slots or cells, a power of two. */
GIMMAL_INLINE size_t gimmal_count(const gimmal_control_t *control) {
  return (size_t)1 << GIMMAL_LOAD(control->log2_count, GIMMAL_RELAXED);
}

/* The bits of an index or cursor that choose the slot or cell. */
GIMMAL_INLINE size_t gimmal_mask(const gimmal_control_t *control, gimmal_shape_t shape) {
  size_t mask = (shape.bare_count != 0 ? shape.bare_count : gimmal_count(control)) - 1;
  return shape.kind == GIMMAL_KIND_LINE ? mask * GIMMAL_CELL : mask;
}

/* ---- The two ends ---- */

/* By line, how many cells ahead the producer prefetches for writing; never more than half of the ring. Its own affair,
 * and no part of the layout. */
#define GIMMAL_LOOK_AHEAD ((size_t)2)

/* The producer's. `tail` equals the control block's. */
typedef struct gimmal_producer_end_t {
  gimmal_control_t *control;
  /* By line: the cell of `tail`. */
  unsigned char *cell;
  size_t mask;
  /* By index: the slots. By line: how far ahead to prefetch, as a cursor. */
  size_t reach;
  size_t tail;
  /* The first place at which the consumer's progress must be looked at: by index a copy of `head`, plus the slots. Not
   * kept by line with one element a cell, where it is every place. */
  size_t stop;
} gimmal_producer_end_t;

/* The consumer's. `head` equals the control block's. */
typedef struct gimmal_consumer_end_t {
  gimmal_control_t *control;
  /* By line: the cell of `head`. */
  unsigned char *cell;
  size_t mask;
  size_t head;
  /* The place after the last element known of; by line in the cell of `head`. Not kept with one element a cell. */
  size_t seen;
} gimmal_consumer_end_t;

/* By index: where element `index` lies. */
GIMMAL_INLINE unsigned char *gimmal_slot(gimmal_control_t *control, gimmal_shape_t shape, size_t mask, size_t index) {
  return (unsigned char *)control + shape.slots_offset + (index & mask) * shape.size;
}

/* By line: where the cell of `cursor` begins in the ring. Written so that no shift is undone by another. */
GIMMAL_INLINE size_t gimmal_cell_offset(gimmal_shape_t shape, size_t mask, size_t cursor) {
  if (GIMMAL_CELL % shape.stride == 0) {
    return shape.slots_offset + (cursor & mask) / (GIMMAL_CELL / shape.stride);
  }
  return shape.slots_offset + (cursor & mask) / GIMMAL_CELL * shape.stride;
}

GIMMAL_INLINE unsigned char *gimmal_cell(gimmal_control_t *control, gimmal_shape_t shape, size_t mask, size_t cursor) {
  return (unsigned char *)control + gimmal_cell_offset(shape, mask, cursor);
}

GIMMAL_INLINE size_t *gimmal_stamp_of(unsigned char *cell) { return (size_t *)(void *)cell; }

/* By line: the element of `cursor` in its cell. With one element a cell the position is known to be 0. */
GIMMAL_INLINE unsigned char *gimmal_element(unsigned char *cell, gimmal_shape_t shape, size_t cursor) {
  return cell + shape.first + (shape.per_cell == 1 ? 0 : gimmal_position(cursor) * shape.size);
}

/* A hint that a line will be written. */
GIMMAL_INLINE void gimmal_prefetch_for_writing(const void *address) {
#if defined(GIMMAL_PREFETCH_FOR_WRITING)
  GIMMAL_PREFETCH_FOR_WRITING(address);
#else
  (void)address;
#endif
}

/* For a consumer that found nothing: lets no later look begin before this one has ended. A processor that runs ahead
 * has dozens of looks under way at a line when the producer takes it. Measured on x86-64 only. */
GIMMAL_INLINE void gimmal_poll_in_order(void) {
#if defined(GIMMAL_LOAD_FENCE)
  GIMMAL_LOAD_FENCE();
#endif
}

/* The same by line: the producer then takes the cell from one cache, and the hand-back finds it there. */
GIMMAL_INLINE void gimmal_poll_for_writing(const void *cell) {
#if defined(GIMMAL_LOAD_FENCE)
  gimmal_prefetch_for_writing(cell);
#else
  (void)cell;
#endif
  gimmal_poll_in_order();
}

#include "gimmal/swap.h"

#include "gimmal/mpsc.h"

/* Copies an element, of an alignment that the compiler cannot see from untyped pointers: without it some processors
 * need a call for four bytes. */
GIMMAL_INLINE void gimmal_copy_one(void *to, const void *from, gimmal_shape_t shape) {
  if (shape.align % 4 == 0) {
    GIMMAL_COPY(GIMMAL_ASSUME_ALIGNED(to, 4), GIMMAL_ASSUME_ALIGNED(from, 4), shape.size);
  } else if (shape.align % 2 == 0) {
    GIMMAL_COPY(GIMMAL_ASSUME_ALIGNED(to, 2), GIMMAL_ASSUME_ALIGNED(from, 2), shape.size);
  } else {
    GIMMAL_COPY(to, from, shape.size);
  }
}

/* ---- The producer's end ---- */

/* By index: looks how far the consumer has come; false if the ring is full still. */
GIMMAL_INLINE bool gimmal_ring_look_at_head(gimmal_producer_end_t *end, gimmal_shape_t shape) {
  const size_t tail = end->tail;
  /* Pairs with the HAND_BACK store in gimmal_release: what the consumer read, it read before this end writes there. */
  const size_t stop = GIMMAL_RECEIVE(end->control->consumer.head, GIMMAL_ORDER_REUSE, shape) + end->reach;
  /* Polling a full ring stores nothing: a store waits in the store buffer before the next message's. */
  if (stop == tail) {
    return false;
  }
  end->stop = stop;
  return true;
}

GIMMAL_INLINE gimmal_producer_end_t gimmal_producer_at_tail(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_producer_end_t end;
  end.control = control;
  end.mask = gimmal_mask(control, shape);
  /* Relaxed: only a producer stores it, and claiming orders producers. */
  end.tail = GIMMAL_LOAD(control->producer.tail, GIMMAL_RELAXED);
  end.stop = end.tail;
  if (shape.kind == GIMMAL_KIND_LINE) {
    end.reach = gimmal_min(GIMMAL_LOOK_AHEAD * GIMMAL_CELL, (end.mask + GIMMAL_CELL) / 2);
    end.cell = gimmal_cell(control, shape, end.mask, end.tail);
  } else {
    end.reach = end.mask + 1;
    end.cell = NULL;
  }
  return end;
}

/* Stands where the last producer left off. The caller has claimed the end, or there is no other producer. */
GIMMAL_INLINE gimmal_producer_end_t gimmal_producer_enter(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_producer_end_t end = gimmal_producer_at_tail(control, shape);
  if (shape.kind == GIMMAL_KIND_INDEX) {
    gimmal_ring_look_at_head(&end, shape);
  }
  return end;
}

/* As gimmal_producer_enter, and takes over what a suspended end knew. A bare one knows nothing. */
GIMMAL_INLINE gimmal_producer_end_t gimmal_producer_resume(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_producer_end_t end = gimmal_producer_at_tail(control, shape);
  if (shape.bare_count != 0) {
    gimmal_ring_look_at_head(&end, shape);
    return end;
  }
  end.stop = GIMMAL_LOAD(control->producer.stop, GIMMAL_RELAXED);
  if (shape.kind == GIMMAL_KIND_INDEX) {
    end.stop += end.reach;
  }
  return end;
}

/* Leaves what the end knows in the control block, for gimmal_producer_resume. */
GIMMAL_INLINE void gimmal_producer_suspend(const gimmal_producer_end_t *end, gimmal_shape_t shape) {
  size_t stop = end->stop;
  if (shape.bare_count != 0) {
    return;
  }
  if (shape.kind == GIMMAL_KIND_INDEX) {
    stop -= end->reach;
  } else if (shape.per_cell == 1) {
    stop = end->tail;
  }
  /* Relaxed: only a producer reads it. */
  GIMMAL_STORE(end->control->producer.stop, stop, GIMMAL_RELAXED);
}

/* By line: makes the cell of `tail` the producer's, if the consumer has handed it back. */
GIMMAL_INLINE bool gimmal_line_win(gimmal_producer_end_t *end, gimmal_shape_t shape) {
  const size_t tail = end->tail;
  const size_t mask = end->mask;
  /* Pairs with the HAND_BACK store in gimmal_release: the consumer read the cell before this end writes it. */
  const size_t stamp = GIMMAL_RECEIVE(*gimmal_stamp_of(end->cell), GIMMAL_ORDER_REUSE, shape);
  if (stamp != gimmal_stamp(tail, mask)) {
    return false;
  }
  if (shape.per_cell > 1) {
    end->stop = gimmal_next_cell(tail);
    gimmal_prefetch_for_writing(gimmal_cell(end->control, shape, mask, tail + end->reach));
  }
  return true;
}

/* Whether there is a slot for the next element. Asking again changes nothing. */
GIMMAL_INLINE bool gimmal_claim(gimmal_producer_end_t *end, gimmal_shape_t shape) {
  const size_t tail = end->tail;
  if (shape.kind == GIMMAL_KIND_LINE) {
    /* One element a cell: every element enters a cell. */
    return (shape.per_cell > 1 && !GIMMAL_UNLIKELY(tail == end->stop)) || gimmal_line_win(end, shape);
  }
  return !GIMMAL_UNLIKELY(tail == end->stop) || (shape.bare_count == 0 && gimmal_ring_look_at_head(end, shape));
}

/* The slot that was claimed. */
GIMMAL_INLINE void *gimmal_claimed(gimmal_producer_end_t end, gimmal_shape_t shape) {
  if (shape.kind == GIMMAL_KIND_LINE) {
    return gimmal_element(end.cell, shape, end.tail);
  }
  return gimmal_slot(end.control, shape, end.mask, end.tail);
}

/* Publishes `count` claimed elements, which have been written; by line they lie in one cell, and `count` is not 0.
 * `was` is the end as it was before they were claimed, in registers, where no element can overwrite it. */
GIMMAL_INLINE void gimmal_publish(gimmal_producer_end_t *end, gimmal_producer_end_t was, gimmal_shape_t shape,
                                  size_t count) {
  size_t tail = was.tail + count;
  if (shape.kind == GIMMAL_KIND_LINE) {
    /* Pairs with the OBSERVE load in gimmal_line_look: the elements were written before they can be seen. */
    GIMMAL_SEND(*gimmal_stamp_of(was.cell), gimmal_stamp(tail, was.mask), GIMMAL_ORDER_PUBLISH, shape);
    if (shape.per_cell == 1 || gimmal_position(tail) == shape.per_cell) {
      tail += GIMMAL_CELL - shape.per_cell;
      end->cell = gimmal_cell(was.control, shape, was.mask, tail);
    }
    end->tail = tail;
    /* Relaxed: for counts and for recovery; after the stamp, so that it is never ahead of it. */
    GIMMAL_STORE(was.control->producer.tail, tail, GIMMAL_RELAXED);
  } else {
    end->tail = tail;
    /* Pairs with the OBSERVE load in gimmal_ring_look_at_tail: the elements were written before they can be seen. */
    GIMMAL_SEND(was.control->producer.tail, tail, GIMMAL_ORDER_PUBLISH, shape);
  }
}

GIMMAL_INLINE gimmal_spans_t gimmal_one_span(void *first, size_t count) {
  gimmal_spans_t spans = {NULL, 0, NULL, 0};
  spans.first = first;
  spans.first_count = count;
  return spans;
}

GIMMAL_INLINE gimmal_spans_t gimmal_ring_spans(gimmal_control_t *control, gimmal_shape_t shape, size_t mask,
                                               size_t index, size_t count) {
  const size_t to_end = mask + 1 - (index & mask);
  gimmal_spans_t spans = gimmal_one_span(gimmal_slot(control, shape, mask, index), count);
  if (to_end == 0) {
    GIMMAL_UNREACHABLE(); /* Spares users a warning from deep within. */
  }
  if (GIMMAL_UNLIKELY(count > to_end)) {
    spans.first_count = to_end;
    spans.second = gimmal_slot(control, shape, mask, 0);
    spans.second_count = count - to_end;
  }
  return spans;
}

/* Room for up to `want` elements: by index in two runs, by line in the rest of the cell. None when the ring is full. */
GIMMAL_INLINE gimmal_spans_t gimmal_claim_spans(gimmal_producer_end_t *end, gimmal_shape_t shape, size_t want) {
  if (shape.kind == GIMMAL_KIND_LINE) {
    size_t rest = gimmal_claim(end, shape) ? shape.per_cell - gimmal_position(end->tail) : 0;
    return gimmal_one_span(gimmal_claimed(*end, shape), gimmal_min(want, rest));
  }
  /* An older copy of `head` must not make a batch shorter than it could be. */
  if (end->stop - end->tail < want) {
    gimmal_ring_look_at_head(end, shape);
  }
  return gimmal_ring_spans(end->control, shape, end->mask, end->tail, gimmal_min(want, end->stop - end->tail));
}

/* ---- The consumer's end ---- */

/* By index: looks how far the producer has come; false if the ring is empty still. */
GIMMAL_INLINE bool gimmal_ring_look_at_tail(gimmal_consumer_end_t *end, gimmal_shape_t shape) {
  const size_t head = end->head;
  /* Pairs with the PUBLISH store in gimmal_publish: seeing the index is seeing the elements below it. */
  const size_t seen = GIMMAL_RECEIVE(end->control->producer.tail, GIMMAL_ORDER_OBSERVE, shape);
  /* Polling an empty ring stores nothing, as in gimmal_ring_look_at_head. */
  if (seen == head) {
    gimmal_poll_in_order();
    return false;
  }
  end->seen = seen;
  return true;
}

GIMMAL_INLINE gimmal_consumer_end_t gimmal_consumer_at_head(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_consumer_end_t end;
  end.control = control;
  end.mask = gimmal_mask(control, shape);
  /* Relaxed: only a consumer stores it, and claiming orders consumers. */
  end.head = GIMMAL_LOAD(control->consumer.head, GIMMAL_RELAXED);
  end.seen = end.head;
  end.cell = shape.kind == GIMMAL_KIND_LINE ? gimmal_cell(control, shape, end.mask, end.head) : NULL;
  return end;
}

/* Stands where the last consumer left off. The caller has claimed the end, or there is no other consumer. */
GIMMAL_INLINE gimmal_consumer_end_t gimmal_consumer_enter(gimmal_control_t *control, gimmal_shape_t shape) {
  return gimmal_consumer_at_head(control, shape);
}

/* As gimmal_consumer_enter, and takes over what a suspended end knew. A bare one knows nothing. */
GIMMAL_INLINE gimmal_consumer_end_t gimmal_consumer_resume(gimmal_control_t *control, gimmal_shape_t shape) {
  gimmal_consumer_end_t end = gimmal_consumer_at_head(control, shape);
  if (shape.bare_count != 0) {
    gimmal_ring_look_at_tail(&end, shape);
    return end;
  }
  end.seen = GIMMAL_LOAD(control->consumer.seen, GIMMAL_RELAXED);
  return end;
}

/* Leaves what the end knows in the control block, for gimmal_consumer_resume. */
GIMMAL_INLINE void gimmal_consumer_suspend(const gimmal_consumer_end_t *end, gimmal_shape_t shape) {
  bool forget = shape.kind == GIMMAL_KIND_LINE && shape.per_cell == 1;
  if (shape.bare_count != 0) {
    return;
  }
  /* Relaxed: only a consumer reads it. */
  GIMMAL_STORE(end->control->consumer.seen, forget ? end->head : end->seen, GIMMAL_RELAXED);
}

/* By line: learns how far the cell of `head` is published; false if nothing is left there. */
GIMMAL_INLINE bool gimmal_line_look(gimmal_consumer_end_t *end, gimmal_shape_t shape) {
  const size_t head = end->head;
  const size_t mask = end->mask;
  /* Pairs with the PUBLISH store in gimmal_publish: seeing the count is seeing the elements. */
  const size_t stamp = GIMMAL_RECEIVE(*gimmal_stamp_of(end->cell), GIMMAL_ORDER_OBSERVE, shape);
  /* Polling an empty ring stores nothing, as in gimmal_ring_look_at_head. */
  if (stamp == gimmal_stamp(head, mask)) {
    gimmal_poll_for_writing(end->cell);
    return false;
  }
  if (shape.per_cell > 1) {
    end->seen = gimmal_published(stamp, head, mask);
  }
  return true;
}

/* Whether there is an element. */
GIMMAL_INLINE bool gimmal_find(gimmal_consumer_end_t *end, gimmal_shape_t shape) {
  const size_t head = end->head;
  if (shape.kind == GIMMAL_KIND_LINE) {
    return (shape.per_cell > 1 && !GIMMAL_UNLIKELY(head == end->seen)) || gimmal_line_look(end, shape);
  }
  return !GIMMAL_UNLIKELY(head == end->seen) || (shape.bare_count == 0 && gimmal_ring_look_at_tail(end, shape));
}

/* The oldest element, which was found. */
GIMMAL_INLINE void *gimmal_front(gimmal_consumer_end_t end, gimmal_shape_t shape) {
  if (shape.kind == GIMMAL_KIND_LINE) {
    return gimmal_element(end.cell, shape, end.head);
  }
  return gimmal_slot(end.control, shape, end.mask, end.head);
}

/* Gives back the slots of the `count` oldest elements, which have been read; by line they lie in one cell, and `count`
 * is not 0. `was` is the end as it was before they were found. */
GIMMAL_INLINE void gimmal_release(gimmal_consumer_end_t *end, gimmal_consumer_end_t was, gimmal_shape_t shape,
                                  size_t count) {
  size_t head = was.head + count;
  if (shape.kind == GIMMAL_KIND_LINE) {
    if (shape.per_cell == 1 || gimmal_position(head) == shape.per_cell) {
      /* Pairs with the REUSE load in gimmal_line_win: the elements were read before the cell can be written. */
      GIMMAL_SEND(*gimmal_stamp_of(was.cell), gimmal_handed_back(was.head, was.mask), GIMMAL_ORDER_HAND_BACK, shape);
      head += GIMMAL_CELL - shape.per_cell;
      end->cell = gimmal_cell(was.control, shape, was.mask, head);
      if (shape.per_cell > 1) {
        end->seen = head;
      }
    }
    end->head = head;
    /* Relaxed: for counts and for recovery; after the cell is handed back. */
    GIMMAL_STORE(was.control->consumer.head, head, GIMMAL_RELAXED);
  } else {
    end->head = head;
    /* Pairs with the REUSE load in gimmal_ring_look_at_head: the slots were read before they can be written. */
    GIMMAL_SEND(was.control->consumer.head, head, GIMMAL_ORDER_HAND_BACK, shape);
  }
}

/* Up to `want` of the oldest elements: by index in two runs, by line in the rest of the cell. None when the ring is
 * empty. */
GIMMAL_INLINE gimmal_spans_t gimmal_front_spans(gimmal_consumer_end_t *end, gimmal_shape_t shape, size_t want) {
  if (shape.kind == GIMMAL_KIND_LINE) {
    size_t held;
    if (shape.per_cell == 1) {
      held = gimmal_line_look(end, shape) ? 1 : 0;
    } else {
      /* More of the cell may have been published since the last look. */
      if (end->seen - end->head < want) {
        gimmal_line_look(end, shape);
      }
      held = gimmal_min(end->seen - end->head, shape.per_cell - gimmal_position(end->head));
    }
    return gimmal_one_span(gimmal_element(end->cell, shape, end->head), gimmal_min(want, held));
  }
  /* An older copy of `tail` must not make a batch shorter than it could be. */
  if (end->seen - end->head < want) {
    gimmal_ring_look_at_tail(end, shape);
  }
  return gimmal_ring_spans(end->control, shape, end->mask, end->head, gimmal_min(want, end->seen - end->head));
}

/* ---- What anyone may ask ---- */

/* The elements that the ring holds for certain. */
GIMMAL_INLINE size_t gimmal_capacity(const gimmal_control_t *control, gimmal_shape_t shape) {
  size_t count = gimmal_count(control);
  return shape.kind == GIMMAL_KIND_LINE ? (count - 1) * shape.per_cell + 1 : count;
}

/* The most elements that may be in the ring: by line more than it holds for certain. */
GIMMAL_INLINE size_t gimmal_most(size_t mask, gimmal_shape_t shape) {
  return shape.kind == GIMMAL_KIND_LINE ? (mask / GIMMAL_CELL + 1) * shape.per_cell : mask + 1;
}

/* Elements from `head` to `tail`, 0 to what may be in the ring. */
GIMMAL_INLINE size_t gimmal_len_between(size_t head, size_t tail, size_t mask, gimmal_shape_t shape) {
  size_t len = shape.kind == GIMMAL_KIND_LINE ? gimmal_elements_between(head, tail, shape.per_cell) : tail - head;
  if (shape.kind == GIMMAL_KIND_MPSC) {
    return gimmal_many_between(head, tail, mask);
  }
  return gimmal_min(len, gimmal_most(mask, shape));
}

/* Where the ends are; relaxed: for counts, from which nothing is read. */
GIMMAL_INLINE size_t gimmal_tail(const gimmal_control_t *control) {
  return GIMMAL_LOAD(control->producer.tail, GIMMAL_RELAXED);
}

GIMMAL_INLINE size_t gimmal_head(const gimmal_control_t *control) {
  return GIMMAL_LOAD(control->consumer.head, GIMMAL_RELAXED);
}

/* Elements in the ring: a snapshot. Head first: the two may be of different moments, and the difference is clamped. */
GIMMAL_INLINE size_t gimmal_len(const gimmal_control_t *control, gimmal_shape_t shape) {
  /* In this order, so that `tail` is no older than `head`; nothing is read on the strength of either. */
  size_t head = GIMMAL_LOAD(control->consumer.head, GIMMAL_ORDER_REUSE);
  size_t tail = gimmal_tail(control);
  return gimmal_len_between(head, tail, gimmal_mask(control, shape), shape);
}

/* By line: the stamp of the cell of `cursor`. Relaxed: nothing is read or written on the strength of it. */
GIMMAL_INLINE size_t gimmal_stamp_at(const gimmal_control_t *control, gimmal_shape_t shape, size_t mask,
                                     size_t cursor) {
  const unsigned char *cell = (const unsigned char *)control + gimmal_cell_offset(shape, mask, cursor);
  return GIMMAL_LOAD(*(const size_t *)(const void *)cell, GIMMAL_RELAXED);
}

/* Whether a push would be refused for want of room: a snapshot. If the producer sees room here, it can push. */
GIMMAL_INLINE bool gimmal_is_full(const gimmal_control_t *control, gimmal_shape_t shape) {
  size_t mask = gimmal_mask(control, shape);
  if (shape.kind == GIMMAL_KIND_MPSC) {
    return gimmal_many_is_full(control, shape);
  }
  if (shape.kind == GIMMAL_KIND_LINE) {
    size_t tail = gimmal_tail(control);
    return gimmal_position(tail) == 0 && gimmal_stamp_at(control, shape, mask, tail) != gimmal_stamp(tail, mask);
  }
  return gimmal_len(control, shape) > mask;
}

/* Whether a pop would find nothing: a snapshot. If the consumer sees elements here, it can take one. */
GIMMAL_INLINE bool gimmal_is_empty(const gimmal_control_t *control, gimmal_shape_t shape) {
  if (shape.kind == GIMMAL_KIND_MPSC) {
    return gimmal_many_is_empty(control, shape);
  }
  if (shape.kind == GIMMAL_KIND_LINE) {
    size_t mask = gimmal_mask(control, shape);
    size_t head = gimmal_head(control);
    return gimmal_published(gimmal_stamp_at(control, shape, mask, head), head, mask) == head;
  }
  return gimmal_len(control, shape) == 0;
}

/* Elements refused by offers, wrapping. */
GIMMAL_INLINE size_t gimmal_dropped(const gimmal_control_t *control) {
  return GIMMAL_LOAD(control->producer.dropped, GIMMAL_RELAXED);
}

/* Counts an element that the producer refused. */
GIMMAL_INLINE void gimmal_count_dropped(gimmal_control_t *control) {
  /* Relaxed, and no exchange: only the producer stores it. */
  GIMMAL_STORE(control->producer.dropped, gimmal_dropped(control) + 1, GIMMAL_RELAXED);
}

/* ---- Closing, claiming, publishing the geometry ---- */

GIMMAL_INLINE void gimmal_close(gimmal_control_t *control) {
  /* Pairs with the load in gimmal_is_closed: what was pushed before is seen by whoever sees the close. */
  GIMMAL_STORE(control->closed, (uint8_t)1, GIMMAL_ORDER_CLOSE);
}

GIMMAL_INLINE bool gimmal_is_closed(const gimmal_control_t *control) {
  /* Pairs with the store in gimmal_close. */
  return GIMMAL_LOAD(control->closed, GIMMAL_ORDER_SEE_CLOSED) != 0;
}

/* Whether the producer must refuse. */
GIMMAL_INLINE bool gimmal_refuses(const gimmal_control_t *control) {
  /* Relaxed: a producer that sees the close reads nothing that the closer wrote. */
  return GIMMAL_UNLIKELY(GIMMAL_LOAD(control->closed, GIMMAL_RELAXED) != 0);
}

/* The same; a bare producer does not look. */
GIMMAL_INLINE bool gimmal_producer_refuses(const gimmal_control_t *control, gimmal_shape_t shape) {
  return shape.bare_count == 0 && gimmal_refuses(control);
}

/* Takes an end, whose byte is `claimed`; false if it is taken. Where the processor has no exchange, the caller vouches
 * that nobody else claims the same end at the same time. */
GIMMAL_INLINE bool gimmal_claim_end(uint8_t *claimed) {
#if defined(GIMMAL_EXCHANGE)
  /* Pairs with the store in gimmal_give_up_end: this party goes on where the last one left off. */
  return GIMMAL_EXCHANGE(*claimed, (uint8_t)1, GIMMAL_ORDER_CLAIM) == 0;
#else
  /* Pairs as above. */
  if (GIMMAL_LOAD(*claimed, GIMMAL_ORDER_CLAIM) != 0) {
    return false;
  }
  GIMMAL_STORE(*claimed, (uint8_t)1, GIMMAL_RELAXED);
  return true;
#endif
}

GIMMAL_INLINE void gimmal_give_up_end(uint8_t *claimed) {
  /* Pairs with the exchange in gimmal_claim_end and the load in gimmal_is_claimed. */
  GIMMAL_STORE(*claimed, (uint8_t)0, GIMMAL_ORDER_GIVE_UP);
}

/* Whether somebody holds the end whose byte is `claimed`. */
GIMMAL_INLINE bool gimmal_is_claimed(const uint8_t *claimed) {
  /* Pairs with the store in gimmal_give_up_end: whoever sees an end given up sees all that was done there. */
  return GIMMAL_LOAD(*claimed, GIMMAL_ORDER_CLAIM) != 0;
}

/* The magic number, or 0 while the geometry is not published. */
GIMMAL_INLINE uint32_t gimmal_magic(const gimmal_control_t *control) {
  /* Pairs with the store in gimmal_publish_geometry: whoever sees it sees the geometry. */
  return GIMMAL_LOAD(control->magic, GIMMAL_ORDER_LEARN);
}

/* One field of the geometry; relaxed: ordered by the magic number. */
GIMMAL_INLINE uint8_t gimmal_stated_byte(const uint8_t *field) { return GIMMAL_LOAD(*field, GIMMAL_RELAXED); }

GIMMAL_INLINE uint32_t gimmal_stated_half(const uint32_t *field) { return GIMMAL_LOAD(*field, GIMMAL_RELAXED); }

/* Of a power of two; of another number, rounded down. */
GIMMAL_CONSTANT uint8_t gimmal_log2(size_t power) {
#if defined(GIMMAL_MSVC_H)
  uint8_t log2 = 0;
  for (; power > 1; power /= 2) {
    ++log2;
  }
  return log2;
#else
  return (uint8_t)(sizeof(unsigned long long) * 8 - 1 - (size_t)__builtin_clzll(power));
#endif
}

/* Stores the geometry of a ring with 2^`log2_count` slots or cells. Two parties that do so store identical values. */
GIMMAL_COLD void gimmal_publish_geometry(gimmal_control_t *control, gimmal_shape_t shape, uint8_t log2_count) {
  /* Relaxed: ordered by the magic number. */
  GIMMAL_STORE(control->version, (uint8_t)GIMMAL_LAYOUT_VERSION, GIMMAL_RELAXED);
  GIMMAL_STORE(control->kind, shape.kind, GIMMAL_RELAXED);
  GIMMAL_STORE(control->word_size, (uint8_t)sizeof(size_t), GIMMAL_RELAXED);
  GIMMAL_STORE(control->log2_line, (uint8_t)GIMMAL_LOG2_LINE, GIMMAL_RELAXED);
  GIMMAL_STORE(control->element_size, (uint32_t)shape.size, GIMMAL_RELAXED);
  GIMMAL_STORE(control->stride, (uint32_t)shape.stride, GIMMAL_RELAXED);
  GIMMAL_STORE(control->slots_offset, (uint32_t)shape.slots_offset, GIMMAL_RELAXED);
  GIMMAL_STORE(control->log2_align, gimmal_log2(shape.align), GIMMAL_RELAXED);
  GIMMAL_STORE(control->log2_count, log2_count, GIMMAL_RELAXED);
  GIMMAL_STORE(control->per_cell, (uint8_t)shape.per_cell, GIMMAL_RELAXED);
  /* Pairs with the load in gimmal_magic. */
  GIMMAL_STORE(control->magic, (uint32_t)GIMMAL_MAGIC, GIMMAL_ORDER_STATE);
}

#include "gimmal/bell.h"

#include "gimmal/storage.h"

#include "gimmal/batch.h"

#include "gimmal/stateless.h"

#include "gimmal/declare.h"

#include "gimmal/mpsc_declare.h"

#include "gimmal/pool.h"

#endif /* GIMMAL_INLINE_H */
