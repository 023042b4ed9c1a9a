/* Copying batches of elements through an end. Part of gimmal_inline.h. */

#ifndef GIMMAL_BATCH_H
#define GIMMAL_BATCH_H

/* Copies elements that lie side by side. By line there is at most a cell of them, and mostly a whole one. */
GIMMAL_INLINE void gimmal_copy(void *to, const void *from, gimmal_shape_t shape, size_t count) {
  if (shape.kind == GIMMAL_KIND_INDEX) {
    size_t bytes = count * shape.size;
    /* What gcc knows to be short it copies by `rep movs`, which takes longer than the library's memcpy. */
    GIMMAL_HIDE(bytes);
    GIMMAL_COPY(to, from, bytes);
  } else if (count == shape.per_cell) {
    GIMMAL_COPY(to, from, shape.per_cell * shape.size);
  } else {
    for (size_t at = 0; at < count * shape.size; at += shape.size) {
      GIMMAL_COPY((unsigned char *)to + at, (const unsigned char *)from + at, shape.size);
    }
  }
}

/* Pushes copies of as many of `count` elements as there is room for, and tells how many. */
GIMMAL_INLINE size_t gimmal_push_n(gimmal_producer_end_t *end, gimmal_shape_t shape, const void *elements,
                                   size_t count) {
  const unsigned char *from = (const unsigned char *)elements;
  size_t pushed = 0;
  while (pushed < count) {
    gimmal_spans_t spans = gimmal_claim_spans(end, shape, count - pushed);
    if (spans.first_count == 0) {
      break;
    }
    gimmal_copy(spans.first, from, shape, spans.first_count);
    if (GIMMAL_UNLIKELY(spans.second_count != 0)) {
      gimmal_copy(spans.second, from + spans.first_count * shape.size, shape, spans.second_count);
    }
    gimmal_publish(end, *end, shape, spans.first_count + spans.second_count);
    pushed += spans.first_count + spans.second_count;
    if (shape.kind == GIMMAL_KIND_INDEX) {
      break;
    }
    from += spans.first_count * shape.size;
  }
  return pushed;
}

/* Takes up to `count` of the oldest elements, and tells how many. */
GIMMAL_INLINE size_t gimmal_pop_n(gimmal_consumer_end_t *end, gimmal_shape_t shape, void *elements, size_t count) {
  unsigned char *to = (unsigned char *)elements;
  size_t popped = 0;
  while (popped < count) {
    gimmal_spans_t spans = gimmal_front_spans(end, shape, count - popped);
    if (spans.first_count == 0) {
      break;
    }
    if (shape.kind == GIMMAL_KIND_LINE && spans.first_count == shape.per_cell) {
      /* Not by the count that was found: the next cell's address must not wait for this cell's stamp. */
      GIMMAL_COPY(to, spans.first, shape.per_cell * shape.size);
      gimmal_release(end, *end, shape, shape.per_cell);
      popped += shape.per_cell;
      to += shape.per_cell * shape.size;
      continue;
    }
    gimmal_copy(to, spans.first, shape, spans.first_count);
    if (GIMMAL_UNLIKELY(spans.second_count != 0)) {
      gimmal_copy(to + spans.first_count * shape.size, spans.second, shape, spans.second_count);
    }
    gimmal_release(end, *end, shape, spans.first_count + spans.second_count);
    popped += spans.first_count + spans.second_count;
    if (shape.kind == GIMMAL_KIND_INDEX) {
      break;
    }
    to += spans.first_count * shape.size;
  }
  return popped;
}

#endif /* GIMMAL_BATCH_H */
