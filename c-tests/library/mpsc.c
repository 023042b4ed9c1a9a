/* Every function of the ring of many producers at work: element sizes, capacities, places just before a number wraps, and threads. */

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "start_at.h"

/* The longest element of these tests. */
#define LONGEST 256
#define PRODUCERS 3
#define MESSAGES 4000

typedef struct element_t {
  size_t size;
  size_t align;
} element_t;

static const element_t elements[] = {
    {1, 1},  {2, 2},  {3, 1},  {4, 4},  {8, 8},   {16, 8},  {16, 16},
    {32, 8}, {48, 8}, {56, 8}, {64, 8}, {64, 64}, {100, 4}, {256, 256},
};
static const size_t capacities[] = {1, 2, 64, 4096};
static const size_t starts[] = {0, SIZE_MAX / 2 - 1};

/* Writes message `number` over an element. */
static void fill(unsigned char *element, size_t size, size_t number) {
  for (size_t i = 0; i < size; ++i) {
    element[i] = (unsigned char)(number * 31 + i * 7 + (number >> 8));
  }
}

static void check(const unsigned char *element, size_t size, size_t number) {
  unsigned char expected[LONGEST];
  fill(expected, size, number);
  CHECK(memcmp(element, expected, size) == 0);
}

/* A ring in memory of its own, which held old bytes. */
static gimmal_mpsc_t *make(element_t element, size_t capacity, size_t start) {
  size_t size = 0;
  size_t align = 0;
  void *storage;
  gimmal_mpsc_t *ring = NULL;
  gimmal_mpsc_t *found = NULL;
  CHECK(gimmal_mpsc_layout(element.size, element.align, capacity, &size, &align) == GIMMAL_OK);
  storage = aligned_alloc(align, size);
  CHECK(storage != NULL);
  memset(storage, 0xA5, size);
  CHECK(gimmal_mpsc_init(storage, size, element.size, element.align, capacity, &ring) == GIMMAL_OK);
  CHECK(gimmal_mpsc_attach(storage, size, element.size, element.align, &found) == GIMMAL_OK && found == ring);
  start_at(&ring->control, gimmal_shape_mpsc(element.size, element.align), start);
  CHECK(gimmal_mpsc_claim_consumer(ring) == GIMMAL_OK);
  return ring;
}

static void holds(const gimmal_mpsc_t *ring, size_t expected, size_t capacity) {
  size_t number = SIZE_MAX;
  bool flag = false;
  CHECK(gimmal_mpsc_capacity(ring, &number) == GIMMAL_OK && number == capacity);
  CHECK(gimmal_mpsc_len(ring, &number) == GIMMAL_OK && number == expected);
  CHECK(gimmal_mpsc_is_empty(ring, &flag) == GIMMAL_OK && flag == (expected == 0));
  CHECK(gimmal_mpsc_is_full(ring, &flag) == GIMMAL_OK && flag == (expected == capacity));
  CHECK(gimmal_mpsc_stalled(ring, &number) == GIMMAL_EMPTY);
}

static void every_function(element_t element, size_t capacity, size_t start) {
  gimmal_mpsc_t *ring = make(element, capacity, start);
  unsigned char *batch = (unsigned char *)malloc(element.size * (capacity + 1));
  unsigned char message[LONGEST];
  size_t sent = 0;
  size_t received = 0;
  size_t count = 0;
  bool closed = true;
  CHECK(batch != NULL);
  for (size_t lap = 0; lap < 3; ++lap) {
    holds(ring, 0, capacity);
    CHECK(gimmal_mpsc_pop_n(ring, NULL, 0, &count) == GIMMAL_OK && count == 0);
    for (size_t i = 0; i < capacity; ++i, ++sent) {
      fill(message, element.size, sent);
      CHECK((i % 2 == 0 ? gimmal_mpsc_push : gimmal_mpsc_offer)(ring, message) == GIMMAL_OK);
    }
    holds(ring, capacity, capacity);
    CHECK(gimmal_mpsc_push(ring, message) == GIMMAL_FULL);
    CHECK(gimmal_mpsc_offer(ring, message) == GIMMAL_FULL);
    CHECK(gimmal_mpsc_dropped(ring, &count) == GIMMAL_OK && count == lap + 1);
    CHECK(gimmal_mpsc_peek(ring, message) == GIMMAL_OK);
    check(message, element.size, received);
    CHECK(gimmal_mpsc_pop(ring, message) == GIMMAL_OK);
    check(message, element.size, received++);
    if (capacity > 1) {
      CHECK(gimmal_mpsc_pop_n(ring, batch, capacity + 1, &count) == GIMMAL_OK && count == capacity - 1);
      for (size_t i = 0; i < count; ++i, ++received) {
        check(batch + i * element.size, element.size, received);
      }
    }
    /* The next lap begins at another cell. */
    fill(message, element.size, sent++);
    CHECK(gimmal_mpsc_push(ring, message) == GIMMAL_OK);
    CHECK(gimmal_mpsc_pop(ring, message) == GIMMAL_OK);
    check(message, element.size, received++);
    CHECK(gimmal_mpsc_pop(ring, message) == GIMMAL_EMPTY);
  }
  fill(message, element.size, sent);
  CHECK(gimmal_mpsc_push(ring, message) == GIMMAL_OK);
  CHECK(gimmal_mpsc_is_closed(ring, &closed) == GIMMAL_OK && !closed);
  CHECK(gimmal_mpsc_close(ring) == GIMMAL_OK);
  CHECK(gimmal_mpsc_is_closed(ring, &closed) == GIMMAL_OK && closed);
  CHECK(gimmal_mpsc_push(ring, message) == GIMMAL_CLOSED);
  CHECK(gimmal_mpsc_pop(ring, message) == GIMMAL_OK);
  check(message, element.size, received);
  CHECK(gimmal_mpsc_release_consumer(ring) == GIMMAL_OK);
  CHECK(gimmal_mpsc_deinit(ring) == GIMMAL_OK);
  free(batch);
  free(ring);
}

typedef struct message_t {
  size_t producer;
  size_t count;
  size_t check;
} message_t;

static gimmal_mpsc_t *shared;

static void *produce(void *argument) {
  const size_t producer = *(const size_t *)argument;
  for (size_t count = 0; count < MESSAGES;) {
    const message_t message = {producer, count, producer ^ ~count};
    const gimmal_status_t status = gimmal_mpsc_push(shared, &message);
    CHECK(status == GIMMAL_OK || status == GIMMAL_FULL);
    count += status == GIMMAL_OK;
    if (status == GIMMAL_FULL) {
      sched_yield();
    }
  }
  return NULL;
}

static void *wait_and_close(void *argument) {
  pthread_t *producers = (pthread_t *)argument;
  for (size_t i = 0; i < PRODUCERS; ++i) {
    CHECK(pthread_join(producers[i], NULL) == 0);
  }
  CHECK(gimmal_mpsc_close(shared) == GIMMAL_OK);
  return NULL;
}

static void threads_lose_nothing(size_t capacity) {
  const element_t element = {sizeof(message_t), sizeof(size_t)};
  static size_t numbers[PRODUCERS];
  size_t next[PRODUCERS] = {0};
  pthread_t producers[PRODUCERS];
  pthread_t closer;
  bool closed = false;
  shared = make(element, capacity, SIZE_MAX / 2 - 100);
  for (size_t i = 0; i < PRODUCERS; ++i) {
    numbers[i] = i;
    CHECK(pthread_create(&producers[i], NULL, produce, &numbers[i]) == 0);
  }
  CHECK(pthread_create(&closer, NULL, wait_and_close, producers) == 0);
  while (!closed) {
    message_t message;
    CHECK(gimmal_mpsc_is_closed(shared, &closed) == GIMMAL_OK);
    while (gimmal_mpsc_pop(shared, &message) == GIMMAL_OK) {
      CHECK(message.producer < PRODUCERS && message.check == (message.producer ^ ~message.count));
      CHECK(message.count == next[message.producer]++);
    }
    sched_yield();
  }
  CHECK(pthread_join(closer, NULL) == 0);
  for (size_t i = 0; i < PRODUCERS; ++i) {
    CHECK(next[i] == MESSAGES);
  }
  free(shared);
}

int main(void) {
  for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); ++i) {
    for (size_t j = 0; j < sizeof(capacities) / sizeof(capacities[0]); ++j) {
      for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); ++k) {
        every_function(elements[i], capacities[j], starts[k]);
      }
    }
  }
  threads_lose_nothing(2);
  threads_lose_nothing(64);
  return 0;
}
