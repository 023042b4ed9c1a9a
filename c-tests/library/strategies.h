/* What the tests of waiting use: a clock, a sleep and its wake, and every strategy. */

#ifndef GIMMAL_TEST_STRATEGIES_H
#define GIMMAL_TEST_STRATEGIES_H

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "gimmal_inline.h"

/* A semaphore that remembers one wake. */
typedef struct semaphore_t {
  pthread_mutex_t mutex;
  pthread_cond_t raised;
  int is_raised;
  int sleeps;
  /* It sleeps until it is woken, whatever the time. */
  int is_patient;
} semaphore_t;

static semaphore_t semaphore = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

static uint64_t now(void *context) {
  struct timespec time;
  (void)context;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void sleep_on(void *context, uint64_t nanoseconds) {
  semaphore_t *on = (semaphore_t *)context;
  struct timespec until;
  CHECK(nanoseconds <= 100000000u);
  CHECK(clock_gettime(CLOCK_REALTIME, &until) == 0);
  until.tv_nsec += (long)nanoseconds;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  CHECK(pthread_mutex_lock(&on->mutex) == 0);
  ++on->sleeps;
  while (!on->is_raised && (pthread_cond_timedwait(&on->raised, &on->mutex, &until) == 0 || on->is_patient)) {
  }
  on->is_raised = 0;
  CHECK(pthread_mutex_unlock(&on->mutex) == 0);
}

static void wake_from(void *context, uint32_t *bell) {
  semaphore_t *on = (semaphore_t *)context;
  CHECK(bell != NULL);
  CHECK(pthread_mutex_lock(&on->mutex) == 0);
  on->is_raised = 1;
  CHECK(pthread_cond_signal(&on->raised) == 0);
  CHECK(pthread_mutex_unlock(&on->mutex) == 0);
}

static gimmal_wait_options_t options(void) {
  gimmal_wait_options_t all;
  memset(&all, 0, sizeof all);
  all.clock = now;
  all.sleep = sleep_on;
  all.wake = wake_from;
  all.context = &semaphore;
  all.budget = 25;
  return all;
}

static const uint32_t strategies[] = {GIMMAL_WAIT_SPIN,    GIMMAL_WAIT_BACKOFF,     GIMMAL_WAIT_YIELD,
                                      GIMMAL_WAIT_PARK,    GIMMAL_WAIT_PARK_SHARED, GIMMAL_WAIT_CALLBACK,
                                      GIMMAL_WAIT_ADAPTIVE};
static const size_t strategy_count = sizeof strategies / sizeof strategies[0];

#endif /* GIMMAL_TEST_STRATEGIES_H */
