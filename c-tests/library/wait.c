/* Waiting: every strategy waits, times out and ends with the close; sleepers are woken; misuse is refused. */

#include <sched.h>

#include "strategies.h"

GIMMAL_LINE_RING_DEFINE(numbers, uint64_t, 2);
GIMMAL_LINE_RING_DECLARE(number, uint64_t);
GIMMAL_RING_DEFINE(others, uint64_t, 2);
GIMMAL_RING_DECLARE(other, uint64_t);

static void misuse_is_refused(void) {
  gimmal_line_ring_t *ring = numbers_ring();
  gimmal_wait_options_t all = options();
  gimmal_wait_t wait;
  uint64_t value = 7;
  memset(&wait, 0, sizeof wait);

  CHECK(gimmal_wait_init(NULL, GIMMAL_WAIT_SPIN, &all) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_wait_init(&wait, 0, &all) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_ADAPTIVE + 1, &all) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_wait_init(&wait, UINT32_MAX, NULL) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_CALLBACK, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_ADAPTIVE, NULL) == GIMMAL_NULL_POINTER);
  all.sleep = NULL;
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_CALLBACK, &all) == GIMMAL_NULL_POINTER);
  all = options();
  all.wake = NULL;
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_CALLBACK, &all) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_ADAPTIVE, &all) == GIMMAL_NULL_POINTER);
  all = options();
  all.budget = 0;
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_ADAPTIVE, &all) == GIMMAL_BAD_STRATEGY);
  all.budget = 101;
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_ADAPTIVE, &all) == GIMMAL_BAD_STRATEGY);
  CHECK(wait.strategy == 0);

  /* A strategy that was not initialised is refused before anything is done. */
  CHECK(gimmal_line_ring_pop_wait(ring, &value, &wait, 0) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_line_ring_push_wait(ring, &value, &wait, 0) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_line_ring_push_notify(ring, &value, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_line_ring_pop_notify(ring, &value, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_line_ring_close_notify(ring, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_line_ring_declare_wait(ring, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(number_len(ring) == 0 && !number_is_closed(ring) && value == 7);

  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_YIELD, NULL) == GIMMAL_OK);
  CHECK(gimmal_line_ring_pop_wait(NULL, &value, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_pop_wait(ring, NULL, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_pop_wait(ring, &value, NULL, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_push_wait(NULL, &value, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_push_wait(ring, NULL, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_push_wait(ring, &value, NULL, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_push_notify(ring, &value, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_push_notify(ring, NULL, &wait) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_pop_notify(ring, &value, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_close_notify(ring, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_declare_wait(ring, NULL) == GIMMAL_NULL_POINTER);
  /* A timed wait needs a clock; none is needed to try once. */
  CHECK(gimmal_line_ring_pop_wait(ring, &value, &wait, 1000) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_line_ring_pop_wait(ring, &value, &wait, 0) == GIMMAL_TIMED_OUT);
  CHECK(gimmal_ring_pop_wait((gimmal_ring_t *)(void *)ring, &value, &wait, 0) == GIMMAL_WRONG_KIND);
  CHECK(number_len(ring) == 0 && !number_is_closed(ring) && value == 7);
}

/* Alone: waits that find something, and waits that time out. */
static void a_strategy_behaves(uint32_t strategy) {
  static unsigned char memory[4096] __attribute__((aligned(128)));
  gimmal_wait_options_t all = options();
  gimmal_wait_t wait;
  gimmal_ring_t *ring = NULL;
  uint64_t value;
  CHECK(gimmal_wait_init(&wait, strategy, &all) == GIMMAL_OK);
  CHECK(gimmal_ring_init(memory, sizeof memory, sizeof value, sizeof value, 2, &ring) == GIMMAL_OK);
  CHECK(gimmal_ring_declare_wait(ring, &wait) == GIMMAL_OK);
  CHECK(gimmal_ring_pop_wait(ring, &value, &wait, 100000) == GIMMAL_TIMED_OUT);
  for (uint64_t number = 1; number <= 2; ++number) {
    CHECK(gimmal_ring_push_wait(ring, &number, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK);
  }
  value = 3;
  CHECK(gimmal_ring_push_wait(ring, &value, &wait, 100000) == GIMMAL_TIMED_OUT);
  CHECK(gimmal_ring_push_notify(ring, &value, &wait) == GIMMAL_FULL);
  CHECK(gimmal_ring_pop_notify(ring, &value, &wait) == GIMMAL_OK && value == 1);
  value = 3;
  CHECK(gimmal_ring_push_notify(ring, &value, &wait) == GIMMAL_OK);
  CHECK(gimmal_ring_close_notify(ring, &wait) == GIMMAL_OK);
  CHECK(gimmal_ring_push_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_CLOSED);
  for (uint64_t number = 2; number <= 3; ++number) {
    CHECK(gimmal_ring_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK && value == number);
  }
  CHECK(gimmal_ring_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_CLOSED);
  CHECK(gimmal_ring_pop_notify(ring, &value, &wait) == GIMMAL_EMPTY);
}

#define MESSAGES ((uint64_t)2000)

typedef struct job_t {
  gimmal_ring_t *ring;
  uint32_t strategy;
} job_t;

static void *consume(void *argument) {
  const job_t *job = (const job_t *)argument;
  gimmal_wait_options_t all = options();
  gimmal_wait_t wait;
  uint64_t value = 0;
  CHECK(gimmal_wait_init(&wait, job->strategy, &all) == GIMMAL_OK);
  CHECK(gimmal_ring_declare_wait(job->ring, &wait) == GIMMAL_OK);
  for (uint64_t next = 0; next < MESSAGES; ++next) {
    CHECK(gimmal_ring_pop_wait(job->ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK && value == next);
  }
  CHECK(gimmal_ring_pop_wait(job->ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_CLOSED);
  return NULL;
}

/* Inline pushes wake a consumer that waits in the library. */
static void two_threads(uint32_t strategy) {
  static unsigned char memory[4096] __attribute__((aligned(128)));
  gimmal_wait_options_t all = options();
  gimmal_wait_t wait;
  job_t job = {NULL, strategy};
  pthread_t thread;
  CHECK(gimmal_ring_init(memory, sizeof memory, sizeof(uint64_t), sizeof(uint64_t), 8, &job.ring) == GIMMAL_OK);
  CHECK(gimmal_wait_init(&wait, strategy, &all) == GIMMAL_OK);
  CHECK(pthread_create(&thread, NULL, consume, &job) == 0);
  for (uint64_t value = 0; value < MESSAGES; ++value) {
    while (other_push_notify(job.ring, &value, &wait) == GIMMAL_FULL) {
      CHECK(sched_yield() == 0);
    }
  }
  other_close_notify(job.ring, &wait);
  CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
  misuse_is_refused();
  for (size_t i = 0; i < strategy_count; ++i) {
    a_strategy_behaves(strategies[i]);
  }
  two_threads(GIMMAL_WAIT_YIELD);
  two_threads(GIMMAL_WAIT_PARK);
  two_threads(GIMMAL_WAIT_PARK_SHARED);
  two_threads(GIMMAL_WAIT_CALLBACK);
  two_threads(GIMMAL_WAIT_ADAPTIVE);
  CHECK(semaphore.sleeps > 0);
  CHECK(others_size() > 0 && others_ring() != NULL);
  return 0;
}
