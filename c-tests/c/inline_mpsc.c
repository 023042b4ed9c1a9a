/* Every macro and typed function for many producers, on one thread; compiled as C11 and as C++17. */

#include "gimmal_inline.h"

#include "check.h"
#include "start_at.h"

#include <string.h>

typedef struct message_t {
  uint64_t number;
  uint32_t parts[4];
} message_t;

GIMMAL_MPSC_DECLARE(message, message_t);
GIMMAL_MPSC_DEFINE(ring_1, message_t, 1);
GIMMAL_MPSC_DEFINE(ring_2, message_t, 2);
GIMMAL_MPSC_DEFINE(ring_64, message_t, 64);
GIMMAL_MPSC_DEFINE(ring_4096, message_t, 4096);

static const uint64_t scatter = 2654435761u;

static message_t make(uint64_t number) {
  message_t message;
  message.number = number;
  for (unsigned i = 0; i < 4; ++i) {
    message.parts[i] = (uint32_t)(number * scatter + i);
  }
  return message;
}

static void expect(message_t message, uint64_t number) {
  const message_t whole = make(number);
  CHECK(memcmp(&message, &whole, sizeof whole) == 0);
}

static gimmal_shape_t shape(void) { return gimmal_shape_mpsc(sizeof(message_t), GIMMAL_ALIGNOF(message_t)); }

/* Fills the ring and empties it, as often as it takes to go past the wrap. */
static void laps(gimmal_mpsc_t *ring, size_t capacity) {
  uint64_t pushed = 0;
  uint64_t popped = 0;
  message_t message = make(0);
  message_t some[8];
  CHECK(message_capacity(ring) == capacity);
  for (int lap = 0; lap < 5; ++lap) {
    const size_t dropped = message_dropped(ring);
    size_t cell = 77;
    CHECK(message_is_empty(ring) && message_len(ring) == 0);
    message = make(0);
    CHECK(message_pop(ring, &message) == GIMMAL_EMPTY && message_peek(ring, &message) == GIMMAL_EMPTY);
    expect(message, 0);
    CHECK(message_stalled(ring, &cell) == GIMMAL_EMPTY && cell == 77);
    for (size_t len = 0; len < capacity; ++len) {
      CHECK(!message_is_full(ring) && message_len(ring) == len);
      message = make(pushed++);
      CHECK((len % 2 == 0 ? message_push(ring, &message) : message_offer(ring, &message)) == GIMMAL_OK);
      CHECK(!message_is_empty(ring) && message_stalled(ring, &cell) == GIMMAL_EMPTY);
    }
    CHECK(message_is_full(ring) && message_len(ring) == capacity);
    CHECK(message_push(ring, &message) == GIMMAL_FULL && message_dropped(ring) == dropped);
    CHECK(message_offer(ring, &message) == GIMMAL_FULL && message_dropped(ring) == dropped + 1);
    for (size_t len = capacity - (size_t)lap % capacity; len > 0; --len) {
      CHECK(message_peek(ring, &message) == GIMMAL_OK);
      expect(message, popped);
      CHECK(message_pop(ring, &message) == GIMMAL_OK);
      expect(message, popped++);
    }
    for (size_t count = 0, taken = 0; message_pop_n(ring, some, count, &taken) == GIMMAL_OK; ++count) {
      CHECK(taken <= count);
      for (size_t i = 0; i < taken; ++i) {
        expect(some[i], popped++);
      }
      if (count == 7) {
        count = 0;
      }
    }
    CHECK(pushed == popped);
  }
}

/* A cell that was won and is not published holds up what lies behind it, and is named; so is the close. */
static void stalls(gimmal_mpsc_t *ring, size_t capacity, bool closes) {
  gimmal_many_producer_t slow = gimmal_many_producer(&ring->control, shape());
  const size_t place = ring->control.producer.tail;
  const size_t behind = capacity - 1;
  message_t message = make(1);
  size_t cell = 0;
  CHECK(gimmal_many_claim(&slow, shape()) == GIMMAL_OK && slow.place == place);
  CHECK(message_len(ring) == 1 && message_is_empty(ring));
  for (size_t i = 0; i < behind; ++i) {
    message = make(2 + i);
    CHECK(message_push(ring, &message) == GIMMAL_OK);
  }
  CHECK(message_is_full(ring) && message_len(ring) == capacity);
  CHECK(message_pop(ring, &message) == GIMMAL_EMPTY);
  CHECK(message_stalled(ring, &cell) == GIMMAL_OK && cell == place);
  if (closes) {
    message_close(ring);
    CHECK(message_push(ring, &message) == GIMMAL_CLOSED && !message_is_closed(ring));
    CHECK(message_len(ring) == capacity && message_is_full(ring));
  }
  *(message_t *)gimmal_many_claimed(slow, shape()) = make(1);
  gimmal_many_publish(&slow, slow, shape());
  CHECK(message_stalled(ring, &cell) == GIMMAL_EMPTY && message_is_closed(ring) == closes);
  for (size_t i = 0; i <= behind; ++i) {
    CHECK(message_pop(ring, &message) == GIMMAL_OK);
    expect(message, 1 + i);
  }
  CHECK(message_is_closed(ring) == closes && message_is_empty(ring) && message_len(ring) == 0);
}

/* A producer that looked before others pushed does not win what they won, and follows them. */
static void late(gimmal_mpsc_t *ring) {
  gimmal_many_producer_t end = gimmal_many_producer(&ring->control, shape());
  message_t message = make(3);
  size_t place;
  CHECK(gimmal_many_look(&end, shape()) == GIMMAL_OK);
  place = end.place;
  CHECK(message_push(ring, &message) == GIMMAL_OK);
  CHECK(gimmal_many_win(&end) == GIMMAL_FULL && end.place == ((place + 1) & GIMMAL_NUMBER));
  CHECK(message_pop(ring, &message) == GIMMAL_OK && message_is_empty(ring));
  expect(message, 3);
}

static void run(gimmal_mpsc_t *ring, size_t capacity, bool closes) {
  const size_t dropped = message_dropped(ring);
  message_t message = make(1);
  gimmal_mpsc_t *attached = NULL;
  CHECK(message_attach(ring, SIZE_MAX, &attached) == GIMMAL_OK && attached == ring);
  CHECK(message_claim_consumer(ring) == GIMMAL_OK && message_claim_consumer(ring) == GIMMAL_BUSY);
  laps(ring, capacity);
  late(ring);
  stalls(ring, capacity, false);
  message_release_consumer(ring);
  CHECK(message_claim_consumer(ring) == GIMMAL_OK);
  message_release_consumer(ring);
  CHECK(message_dropped(ring) == dropped + 5);
  if (closes) {
    gimmal_many_producer_t looked = gimmal_many_producer(&ring->control, shape());
    CHECK(gimmal_many_look(&looked, shape()) == GIMMAL_OK);
    stalls(ring, capacity, true);
    CHECK(gimmal_many_claim(&looked, shape()) == GIMMAL_CLOSED);
    CHECK(message_offer(ring, &message) == GIMMAL_CLOSED && message_dropped(ring) == dropped + 6);
    message_close(ring);
    CHECK(message_is_closed(ring) && message_pop(ring, &message) == GIMMAL_EMPTY);
  }
}

static void storage(size_t place) {
  GIMMAL_ALIGNAS(128) static unsigned char memory[8192];
  gimmal_mpsc_t *ring = NULL;
  memset(memory, 0xa5, sizeof memory);
  CHECK(message_attach(memory, sizeof memory, &ring) == GIMMAL_CORRUPT);
  CHECK(message_init(NULL, sizeof memory, 64, &ring) == GIMMAL_NULL_POINTER);
  CHECK(message_init(memory + 8, sizeof memory - 8, 64, &ring) == GIMMAL_MISALIGNED);
  CHECK(message_init(memory, 512, 64, &ring) == GIMMAL_TOO_SMALL);
  CHECK(message_init(memory, sizeof memory, 0, &ring) == GIMMAL_BAD_CAPACITY);
  CHECK(message_init(memory, sizeof memory, 48, &ring) == GIMMAL_BAD_CAPACITY);
  CHECK(message_init(memory, sizeof memory, SIZE_MAX / 512, &ring) == GIMMAL_BAD_CAPACITY);
  CHECK(message_init(memory, sizeof memory, SIZE_MAX / 512 + 1, &ring) == GIMMAL_OVERFLOW && ring == NULL);
  CHECK(message_init(memory, sizeof memory, 64, &ring) == GIMMAL_OK && (void *)ring == (void *)memory);
  start_at(&ring->control, shape(), place);
  run(ring, 64, true);
  CHECK(message_init(memory, sizeof memory, 16, &ring) == GIMMAL_OK && !message_is_closed(ring));
  run(ring, 16, false);
}

int main(void) {
  gimmal_extent_t extent = {0, 0, 0};
  gimmal_mpsc_t *attached = NULL;
  CHECK(((gimmal_control_t *)&ring_64_storage)->magic == 0);
  CHECK(ring_64_ring() == ring_64_ring() && ring_64_ring()->control.magic == GIMMAL_MAGIC);
  CHECK(ring_64_ring()->control.per_cell == 1 && ring_64_ring()->control.kind == GIMMAL_KIND_MPSC);
  CHECK(gimmal_extent_of(shape(), 64, &extent) == GIMMAL_OK && ring_64_size() == extent.size);
  CHECK(message_attach(ring_64_ring(), ring_64_size() - 1, &attached) == GIMMAL_TOO_SMALL && attached == NULL);
  CHECK(message_attach(ring_64_ring(), ring_64_size(), &attached) == GIMMAL_OK && attached == ring_64_ring());
  run(ring_1_ring(), 1, false);
  run(ring_2_ring(), 2, true);
  run(ring_4096_ring(), 4096, true);
  run(ring_64_ring(), 64, false);
  for (size_t before = 0; before < 70; ++before) {
    start_at(&ring_64_ring()->control, shape(), SIZE_MAX - before);
    run(ring_64_ring(), 64, false);
    start_at(&ring_1_ring()->control, shape(), SIZE_MAX - before);
    run(ring_1_ring(), 1, false);
  }
  storage(0);
  storage(SIZE_MAX);
  storage(SIZE_MAX - 40);
  puts("ok");
  return 0;
}
