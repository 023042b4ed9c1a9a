/* Waiting at a ring of many producers: every strategy waits, times out and ends with the close; each of several
 * producers wakes the sleeper; misuse is refused. */

#include <sched.h>
#include <unistd.h>

#include "start_at.h"
#include "strategies.h"

GIMMAL_MPSC_DECLARE(number, uint64_t);

static unsigned char memory[8192] __attribute__((aligned(128)));
static const size_t starts[] = {0, SIZE_MAX / 2 - 1};

static gimmal_mpsc_t *make(size_t capacity, size_t start) {
  gimmal_mpsc_t *ring = NULL;
  void *const control = memory;
  CHECK(gimmal_mpsc_init(memory, sizeof memory, sizeof(uint64_t), sizeof(uint64_t), capacity, &ring) == GIMMAL_OK);
  start_at((gimmal_control_t *)control, gimmal_shape_mpsc(sizeof(uint64_t), sizeof(uint64_t)), start);
  return ring;
}

static void misuse_is_refused(void) {
  gimmal_mpsc_t *ring = make(2, 0);
  gimmal_wait_t wait;
  uint64_t value = 7;
  memset(&wait, 0, sizeof wait);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 0) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_mpsc_push_wait(ring, &value, &wait, 0) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_mpsc_push_notify(ring, &value, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_mpsc_pop_notify(ring, &value, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_mpsc_close_notify(ring, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_mpsc_declare_wait(ring, &wait) == GIMMAL_BAD_STRATEGY);
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_YIELD, NULL) == GIMMAL_OK);
  CHECK(gimmal_mpsc_pop_wait(NULL, &value, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_pop_wait(ring, NULL, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, NULL, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_push_wait(NULL, &value, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_push_wait(ring, NULL, &wait, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_push_wait(ring, &value, NULL, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_push_notify(ring, &value, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_push_notify(ring, NULL, &wait) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_pop_notify(ring, &value, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_pop_notify(ring, NULL, &wait) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_close_notify(ring, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_declare_wait(ring, NULL) == GIMMAL_NULL_POINTER);
  /* A timed wait needs a clock; none is needed to try once. */
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 1000) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 0) == GIMMAL_TIMED_OUT);
  CHECK(gimmal_line_ring_pop_wait((gimmal_line_ring_t *)(void *)ring, &value, &wait, 0) == GIMMAL_WRONG_KIND);
  CHECK(number_len(ring) == 0 && !number_is_closed(ring) && value == 7);
}

/* Alone: waits that find something, and waits that time out. */
static void a_strategy_behaves(uint32_t strategy, size_t start) {
  gimmal_wait_options_t all = options();
  gimmal_mpsc_t *ring = make(2, start);
  gimmal_wait_t wait;
  uint64_t value;
  CHECK(gimmal_wait_init(&wait, strategy, &all) == GIMMAL_OK);
  CHECK(gimmal_mpsc_declare_wait(ring, &wait) == GIMMAL_OK);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 100000) == GIMMAL_TIMED_OUT);
  for (uint64_t number = 1; number <= 2; ++number) {
    CHECK(gimmal_mpsc_push_wait(ring, &number, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK);
  }
  value = 3;
  CHECK(gimmal_mpsc_push_wait(ring, &value, &wait, 100000) == GIMMAL_TIMED_OUT);
  CHECK(gimmal_mpsc_push_notify(ring, &value, &wait) == GIMMAL_FULL);
  CHECK(gimmal_mpsc_pop_notify(ring, &value, &wait) == GIMMAL_OK && value == 1);
  value = 3;
  CHECK(gimmal_mpsc_push_notify(ring, &value, &wait) == GIMMAL_OK);
  CHECK(gimmal_mpsc_close_notify(ring, &wait) == GIMMAL_OK);
  CHECK(gimmal_mpsc_push_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_CLOSED);
  for (uint64_t number = 2; number <= 3; ++number) {
    CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK && value == number);
  }
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_CLOSED);
  CHECK(gimmal_mpsc_pop_notify(ring, &value, &wait) == GIMMAL_EMPTY);
}

/* A close while a push is under way: the consumer waits for that, and no producer does. */
static void a_close_amid_a_push(void) {
  const gimmal_shape_t shape = gimmal_shape_mpsc(sizeof(uint64_t), sizeof(uint64_t));
  gimmal_mpsc_t *ring = make(2, 0);
  gimmal_many_producer_t slow = gimmal_many_producer(gimmal_control_of(ring), shape);
  gimmal_wait_t wait;
  uint64_t value = 1;
  CHECK(gimmal_wait_init(&wait, GIMMAL_WAIT_SPIN, NULL) == GIMMAL_OK);
  CHECK(gimmal_many_claim(&slow, shape) == GIMMAL_OK);
  CHECK(gimmal_mpsc_close_notify(ring, &wait) == GIMMAL_OK);
  CHECK(gimmal_mpsc_push_wait(ring, &value, &wait, 0) == GIMMAL_CLOSED);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 0) == GIMMAL_TIMED_OUT);
  memcpy(gimmal_many_claimed(slow, shape), &value, sizeof value);
  gimmal_many_publish(&slow, slow, shape);
  value = 0;
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 0) == GIMMAL_OK && value == 1);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, 0) == GIMMAL_CLOSED);
}

#define PRODUCERS 3
#define MESSAGES ((uint64_t)2000)

typedef struct job_t {
  gimmal_mpsc_t *ring;
  uint32_t strategy;
  uint64_t producer;
} job_t;

/* Every other message goes through a call, the others inline. */
static void *produce(void *argument) {
  const job_t *job = (const job_t *)argument;
  gimmal_wait_options_t all = options();
  gimmal_wait_t wait;
  CHECK(gimmal_wait_init(&wait, job->strategy, &all) == GIMMAL_OK);
  for (uint64_t count = 0; count < MESSAGES; ++count) {
    const uint64_t value = job->producer * MESSAGES + count;
    while ((count % 2 != 0 ? number_push_notify(job->ring, &value, &wait)
                           : gimmal_mpsc_push_notify(job->ring, &value, &wait)) == GIMMAL_FULL) {
      CHECK(sched_yield() == 0);
    }
    /* The consumer finds the ring empty now and then. */
    if (count % 3 == job->producer) {
      CHECK(sched_yield() == 0);
    }
  }
  return NULL;
}

static void *close_at_last(void *argument) {
  const job_t *job = (const job_t *)argument;
  gimmal_wait_options_t all = options();
  gimmal_wait_t wait;
  CHECK(gimmal_wait_init(&wait, job->strategy, &all) == GIMMAL_OK);
  while (!number_is_empty(job->ring)) {
    CHECK(sched_yield() == 0);
  }
  number_close_notify(job->ring, &wait);
  return NULL;
}

static void producers_wake_the_consumer(uint32_t strategy, size_t capacity, size_t start) {
  gimmal_wait_options_t all = options();
  gimmal_mpsc_t *ring = make(capacity, start);
  gimmal_wait_t wait;
  pthread_t threads[PRODUCERS];
  pthread_t closer;
  job_t jobs[PRODUCERS];
  uint64_t next[PRODUCERS] = {0};
  uint64_t value = 0;
  CHECK(gimmal_wait_init(&wait, strategy, &all) == GIMMAL_OK);
  CHECK(gimmal_mpsc_declare_wait(ring, &wait) == GIMMAL_OK);
  for (size_t n = 0; n < PRODUCERS; ++n) {
    jobs[n].ring = ring;
    jobs[n].strategy = strategy;
    jobs[n].producer = n;
    CHECK(pthread_create(&threads[n], NULL, produce, &jobs[n]) == 0);
  }
  for (uint64_t taken = 0; taken < PRODUCERS * MESSAGES; ++taken) {
    CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK);
    CHECK(value % MESSAGES == next[value / MESSAGES]++);
  }
  for (size_t n = 0; n < PRODUCERS; ++n) {
    CHECK(pthread_join(threads[n], NULL) == 0);
  }
  CHECK(pthread_create(&closer, NULL, close_at_last, &jobs[0]) == 0);
  CHECK(gimmal_mpsc_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_CLOSED);
  CHECK(pthread_join(closer, NULL) == 0);
}

int main(void) {
  /* A wake that is lost would have the test wait for ever, since its callback does not mind the time. */
  CHECK(alarm(600) == 0);
  misuse_is_refused();
  a_close_amid_a_push();
  for (size_t s = 0; s < 2; ++s) {
    for (size_t i = 0; i < strategy_count; ++i) {
      a_strategy_behaves(strategies[i], starts[s]);
    }
    semaphore.is_patient = 1;
    producers_wake_the_consumer(GIMMAL_WAIT_YIELD, 2, starts[s]);
    producers_wake_the_consumer(GIMMAL_WAIT_PARK, 1, starts[s]);
    producers_wake_the_consumer(GIMMAL_WAIT_PARK, 64, starts[s]);
    producers_wake_the_consumer(GIMMAL_WAIT_PARK_SHARED, 4, starts[s]);
    producers_wake_the_consumer(GIMMAL_WAIT_CALLBACK, 1, starts[s]);
    producers_wake_the_consumer(GIMMAL_WAIT_CALLBACK, 64, starts[s]);
    producers_wake_the_consumer(GIMMAL_WAIT_ADAPTIVE, 4, starts[s]);
    semaphore.is_patient = 0;
  }
  CHECK(semaphore.sleeps > 0);
  return 0;
}
