/* The suite of inline_ends.c, over one kind of ring: KIND is its name there, OBJECT its type. */

#define ME(name) JOIN(KIND, name)
#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define JOIN_EXPANDED(a, b) a##b

static void ME(_singles)(OBJECT *ring, uint64_t *pushed, uint64_t *popped) {
  message_t message = make(0);
  size_t len = 0;
  const size_t dropped = ME(_message_dropped)(ring);
  CHECK(ME(_message_is_empty)(ring) && ME(_message_pop)(ring, &message) == GIMMAL_EMPTY);
  CHECK(ME(_message_peek)(ring, &message) == GIMMAL_EMPTY);
  expect(message, 0);
  while (!ME(_message_is_full)(ring)) {
    message = make((*pushed)++);
    CHECK((*pushed % 2 == 0 ? ME(_message_push)(ring, &message) : ME(_message_offer)(ring, &message)) == GIMMAL_OK);
    CHECK(ME(_message_len)(ring) == ++len && !ME(_message_is_empty)(ring));
  }
  CHECK(len >= ME(_message_capacity)(ring));
  CHECK(ME(_message_push)(ring, &message) == GIMMAL_FULL && ME(_message_dropped)(ring) == dropped);
  CHECK(ME(_message_offer)(ring, &message) == GIMMAL_FULL && ME(_message_dropped)(ring) == dropped + 1);
  for (; len > 0; --len) {
    CHECK(ME(_message_len)(ring) == len && ME(_message_peek)(ring, &message) == GIMMAL_OK);
    expect(message, *popped);
    CHECK(ME(_message_pop)(ring, &message) == GIMMAL_OK);
    expect(message, (*popped)++);
  }
  CHECK(ME(_message_is_empty)(ring));
}

static void ME(_batches)(OBJECT *ring, uint64_t *pushed, uint64_t *popped) {
  static message_t batch[8200];
  const size_t most = ME(_message_capacity)(ring) + 3;
  for (size_t length = 1; length <= most; length = length < 20 ? length + 1 : length * 2) {
    size_t in = 999999;
    size_t out = 999999;
    for (size_t i = 0; i < length; ++i) {
      batch[i] = make(*pushed + i);
    }
    CHECK(ME(_message_push_n)(ring, batch, length, &in) == GIMMAL_OK && in > 0 && in <= length);
    CHECK(in == length || ME(_message_push_n)(ring, batch, 1, &out) == GIMMAL_FULL);
    CHECK(out == 999999 && ME(_message_len)(ring) == in);
    *pushed += in;
    memset(batch, 0, sizeof batch);
    CHECK(ME(_message_pop_n)(ring, batch, length, &out) == GIMMAL_OK && out == in);
    for (size_t i = 0; i < in; ++i) {
      expect(batch[i], (*popped)++);
    }
    CHECK(ME(_message_pop_n)(ring, batch, 1, &out) == GIMMAL_EMPTY && out == in);
    CHECK(ME(_message_pop_n)(ring, batch, 0, &out) == GIMMAL_OK && out == 0);
    CHECK(ME(_message_push_n)(ring, batch, 0, &in) == GIMMAL_OK && in == 0);
  }
}

static void ME(_spans)(OBJECT *ring, uint64_t *pushed, uint64_t *popped) {
  gimmal_spans_t spans = {NULL, 77, NULL, 0};
  const size_t capacity = ME(_message_capacity)(ring);
  CHECK(ME(_message_reserve)(ring, capacity + 1, &spans) == GIMMAL_TOO_LARGE && spans.first_count == 77);
  CHECK(ME(_message_read)(ring, 1, &spans) == GIMMAL_EMPTY && spans.first_count == 77);
  CHECK(ME(_message_release)(ring, 1) == GIMMAL_TOO_LARGE && ME(_message_release)(ring, 0) == GIMMAL_OK);
  CHECK(ME(_message_commit)(ring, 0) == GIMMAL_OK);
  CHECK(ME(_message_commit)(ring, capacity + 64) == GIMMAL_TOO_LARGE && ME(_message_is_empty)(ring));
  for (size_t want = 1; want <= capacity; want = want < 20 ? want + 1 : want * 2) {
    void *first;
    size_t count;
    CHECK(ME(_message_reserve)(ring, want, &spans) == GIMMAL_OK);
    first = spans.first;
    CHECK(ME(_message_reserve)(ring, want, &spans) == GIMMAL_OK && spans.first == first);
    count = spans.first_count + spans.second_count;
    CHECK(count >= 1 && count <= want && ME(_message_is_empty)(ring));
    for (size_t i = 0; i < count; ++i) {
      const size_t second = i - spans.first_count;
      *(i < spans.first_count ? (message_t *)spans.first + i : (message_t *)spans.second + second) = make((*pushed)++);
    }
    CHECK(ME(_message_commit)(ring, count) == GIMMAL_OK && ME(_message_len)(ring) == count);
    CHECK(ME(_message_read)(ring, want, &spans) == GIMMAL_OK);
    CHECK(spans.first_count + spans.second_count == count);
    expect(*(message_t *)spans.first, *popped);
    CHECK(ME(_message_release)(ring, count) == GIMMAL_OK);
    *popped += count;
  }
}

static void ME(_run)(OBJECT *ring, size_t asked, bool closes) {
  uint64_t pushed = 0;
  uint64_t popped = 0;
  message_t message = make(1);
  size_t count = 3;
  gimmal_spans_t spans;
  OBJECT *attached = NULL;
  CHECK(ME(_message_attach)(ring, SIZE_MAX, &attached) == GIMMAL_OK && attached == ring);
  CHECK(ME(_message_capacity)(ring) >= asked);
  CHECK(ME(_message_claim_producer)(ring) == GIMMAL_OK && ME(_message_claim_consumer)(ring) == GIMMAL_OK);
  CHECK(ME(_message_claim_producer)(ring) == GIMMAL_BUSY && ME(_message_claim_consumer)(ring) == GIMMAL_BUSY);
  for (int lap = 0; lap < 4; ++lap) {
    ME(_singles)(ring, &pushed, &popped);
    ME(_batches)(ring, &pushed, &popped);
    ME(_spans)(ring, &pushed, &popped);
    ME(_message_release_producer)(ring);
    ME(_message_release_consumer)(ring);
    CHECK(ME(_message_claim_producer)(ring) == GIMMAL_OK && ME(_message_claim_consumer)(ring) == GIMMAL_OK);
  }
  ME(_message_release_producer)(ring);
  ME(_message_release_consumer)(ring);
  if (closes) {
    const size_t dropped = ME(_message_dropped)(ring);
    CHECK(ME(_message_push)(ring, &message) == GIMMAL_OK && !ME(_message_is_closed)(ring));
    ME(_message_close)(ring);
    CHECK(ME(_message_is_closed)(ring) && ME(_message_push)(ring, &message) == GIMMAL_CLOSED);
    CHECK(ME(_message_offer)(ring, &message) == GIMMAL_CLOSED && ME(_message_dropped)(ring) == dropped + 1);
    CHECK(ME(_message_push_n)(ring, &message, 1, &count) == GIMMAL_CLOSED && count == 3);
    CHECK(ME(_message_reserve)(ring, 1, &spans) == GIMMAL_CLOSED);
    CHECK(ME(_message_commit)(ring, 1) == GIMMAL_CLOSED);
    CHECK(ME(_message_pop)(ring, &message) == GIMMAL_OK);
    CHECK(ME(_message_pop)(ring, &message) == GIMMAL_EMPTY);
  }
}

static void ME(_storage)(gimmal_shape_t shape, size_t place) {
  GIMMAL_ALIGNAS(128) static unsigned char storage[65536];
  OBJECT *ring = NULL;
  memset(storage, 0xa5, sizeof storage);
  CHECK(ME(_message_attach)(storage, sizeof storage, &ring) == GIMMAL_CORRUPT);
  CHECK(ME(_message_init)(NULL, sizeof storage, 64, &ring) == GIMMAL_NULL_POINTER);
  CHECK(ME(_message_init)(storage + 8, sizeof storage - 8, 64, &ring) == GIMMAL_MISALIGNED);
  CHECK(ME(_message_init)(storage, 512, 64, &ring) == GIMMAL_TOO_SMALL);
  CHECK(ME(_message_init)(storage, sizeof storage, 0, &ring) == GIMMAL_BAD_CAPACITY);
  CHECK(ME(_message_init)(storage, sizeof storage, SIZE_MAX / 2 + 1, &ring) == GIMMAL_OVERFLOW && ring == NULL);
  CHECK(ME(_message_init)(storage, sizeof storage, 64, &ring) == GIMMAL_OK && (void *)ring == (void *)storage);
  start_at(&ring->control, shape, place);
  ME(_run)(ring, 64, true);
  CHECK(ME(_message_init)(storage, sizeof storage, 16, &ring) == GIMMAL_OK && !ME(_message_is_closed)(ring));
  ME(_run)(ring, 16, false);
}

static void ME(_sizes)(gimmal_shape_t shape) {
  gimmal_extent_t extent = {0, 0, 0};
  OBJECT *attached = NULL;
  CHECK(gimmal_extent_of(shape, 1, &extent) == GIMMAL_OK && ME(_1_size)() == extent.size);
  CHECK(gimmal_extent_of(shape, 64, &extent) == GIMMAL_OK && ME(_64_size)() == extent.size);
  CHECK(gimmal_extent_of(shape, 4096, &extent) == GIMMAL_OK && ME(_4096_size)() == extent.size);
  CHECK(ME(_message_attach)(ME(_64_ring)(), ME(_64_size)() - 1, &attached) == GIMMAL_TOO_SMALL && attached == NULL);
  CHECK(ME(_message_attach)(ME(_64_ring)(), ME(_64_size)(), &attached) == GIMMAL_OK && attached == ME(_64_ring)());
}

static void ME(_suite)(gimmal_shape_t shape) {
  CHECK(((gimmal_control_t *)&ME(_64_storage))->magic == 0);
  CHECK(ME(_64_ring)() == ME(_64_ring)() && ME(_64_ring)()->control.magic == GIMMAL_MAGIC);
  CHECK(ME(_64_ring)()->control.stride == shape.stride && ME(_64_ring)()->control.kind == shape.kind);
  ME(_sizes)(shape);
  ME(_run)(ME(_1_ring)(), 1, false);
  ME(_run)(ME(_2_ring)(), 2, false);
  ME(_run)(ME(_64_ring)(), 64, false);
  start_at(&ME(_64_ring)()->control, shape, SIZE_MAX - 1);
  ME(_run)(ME(_64_ring)(), 64, true);
  ME(_run)(ME(_4096_ring)(), 4096, true);
  ME(_storage)(shape, 0);
  ME(_storage)(shape, SIZE_MAX);
}

#undef JOIN_EXPANDED
#undef JOIN
#undef ME
