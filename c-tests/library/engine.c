/* The risk pipeline, on one thread: every function, and misuse. */

#define GIMMAL_ENGINE 1
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "gimmal.h"

enum { CAPACITY = 4 };

static _Alignas(128) unsigned char storage[8192];

struct seen {
  size_t count;
  gimmal_risk_event_t event;
  uint64_t enqueued;
  gimmal_risk_result_t result;
};

static void note(void *context, const gimmal_risk_event_t *event, uint64_t enqueued,
                 const gimmal_risk_result_t *result) {
  struct seen *seen = (struct seen *)context;
  ++seen->count;
  seen->event = *event;
  seen->enqueued = enqueued;
  seen->result = *result;
}

static gimmal_risk_event_t event(uint64_t id, int64_t price, int64_t quantity) {
  gimmal_risk_event_t made;
  memset(&made, 0, sizeof made);
  made.id = id;
  made.price = price;
  made.quantity = quantity;
  return made;
}

static gimmal_engine_t *fresh(void) {
  gimmal_engine_t *engine = NULL;
  memset(storage, 0xa5, sizeof storage);
  CHECK(gimmal_engine_init(storage, sizeof storage, CAPACITY, &engine) == GIMMAL_OK);
  CHECK((void *)engine == (void *)storage);
  return engine;
}

static void expect_counts(gimmal_engine_t *engine, size_t submitted, size_t refused, size_t evaluated) {
  gimmal_engine_counters_t counters;
  CHECK(gimmal_engine_counters(engine, &counters) == GIMMAL_OK);
  CHECK(counters.submitted == submitted);
  CHECK(counters.refused == refused);
  CHECK(counters.evaluated == evaluated);
}

static void events_are_scored_in_order_and_counted(void) {
  gimmal_engine_t *engine = fresh();
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  CHECK(gimmal_engine_step(engine, note, &seen) == GIMMAL_EMPTY);
  for (uint64_t id = 0; id < CAPACITY; ++id) {
    const gimmal_risk_event_t made = event(id, GIMMAL_PRICE_SCALE / 2, 20000 * GIMMAL_QUANTITY_SCALE);
    CHECK(gimmal_engine_submit(engine, &made, 100 + id) == GIMMAL_OK);
  }
  const gimmal_risk_event_t late = event(9, 1, 1);
  CHECK(gimmal_engine_submit(engine, &late, 0) == GIMMAL_FULL);
  CHECK(gimmal_engine_step(engine, note, &seen) == GIMMAL_OK);
  CHECK(seen.count == 1 && seen.event.id == 0 && seen.enqueued == 100);
  CHECK(seen.result.id == 0 && seen.result.score == 950 && seen.result.tier == GIMMAL_TIER_CRITICAL);
  expect_counts(engine, CAPACITY, 1, 1);
  CHECK(gimmal_engine_stop(engine) == GIMMAL_OK);
  CHECK(gimmal_engine_submit(engine, &late, 0) == GIMMAL_CLOSED);
  CHECK(gimmal_engine_run(engine, note, &seen) == GIMMAL_OK);
  CHECK(seen.count == CAPACITY && seen.event.id == CAPACITY - 1);
  CHECK(gimmal_engine_step(engine, note, &seen) == GIMMAL_CLOSED);
  expect_counts(engine, CAPACITY, 2, CAPACITY);
}

static void an_event_is_scored_without_an_engine(void) {
  gimmal_risk_result_t result;
  const gimmal_risk_event_t cheap = event(3, 5 * GIMMAL_PRICE_SCALE, 1);
  CHECK(gimmal_engine_evaluate(&cheap, &result) == GIMMAL_OK);
  CHECK(result.id == 3 && result.score == 310 && result.tier == GIMMAL_TIER_MEDIUM);
  const gimmal_risk_event_t nothing = event(4, -1, INT64_MAX);
  CHECK(gimmal_engine_evaluate(&nothing, &result) == GIMMAL_OK);
  CHECK(result.id == 4 && result.score == 0 && result.tier == GIMMAL_TIER_LOW);
}

static void warming_up_is_seen_by_nobody(void) {
  gimmal_engine_t *engine = fresh();
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  CHECK(gimmal_engine_warm_up(engine, 1000) == GIMMAL_OK);
  CHECK(gimmal_engine_step(engine, note, &seen) == GIMMAL_EMPTY);
  CHECK(seen.count == 0);
  expect_counts(engine, 0, 0, 0);
  CHECK(gimmal_engine_stop(engine) == GIMMAL_OK);
  CHECK(gimmal_engine_warm_up(engine, 1) == GIMMAL_CLOSED);
}

static void what_the_system_refuses_is_told(void) {
  CHECK(gimmal_engine_pin_thread(100000) == GIMMAL_NOT_ALLOWED);
  CHECK(gimmal_engine_raise_thread(100) == GIMMAL_NOT_ALLOWED);
  gimmal_engine_t *engine = fresh();
  const gimmal_status_t locked = gimmal_engine_lock_memory(engine, sizeof storage);
  CHECK(locked == GIMMAL_OK || locked == GIMMAL_NOT_ALLOWED);
}

static void misuse_is_refused_and_changes_nothing(void) {
  size_t size = 1;
  size_t align = 1;
  CHECK(gimmal_engine_layout(0, &size, &align) == GIMMAL_BAD_CAPACITY);
  CHECK(gimmal_engine_layout(SIZE_MAX, &size, &align) != GIMMAL_OK);
  CHECK(gimmal_engine_layout(CAPACITY, NULL, &align) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_layout(CAPACITY, &size, NULL) == GIMMAL_NULL_POINTER);
  CHECK(size == 1 && align == 1);
  CHECK(gimmal_engine_layout(CAPACITY, &size, &align) == GIMMAL_OK);
  CHECK(size <= sizeof storage && 128 % align == 0);

  gimmal_engine_t *engine = NULL;
  CHECK(gimmal_engine_init(NULL, size, CAPACITY, &engine) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_init(storage, size, CAPACITY, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_init(storage + 1, size, CAPACITY, &engine) == GIMMAL_MISALIGNED);
  CHECK(gimmal_engine_init(storage, size - 1, CAPACITY, &engine) == GIMMAL_TOO_SMALL);
  CHECK(gimmal_engine_init(storage, 1, CAPACITY, &engine) == GIMMAL_TOO_SMALL);
  CHECK(gimmal_engine_init(storage, size, 0, &engine) == GIMMAL_BAD_CAPACITY);
  CHECK(engine == NULL);

  engine = fresh();
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  const gimmal_risk_event_t made = event(1, 1, 1);
  gimmal_risk_result_t result;
  gimmal_engine_counters_t counters;
  CHECK(gimmal_engine_submit(NULL, &made, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_submit(engine, NULL, 0) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_submit(engine, &made, 0) == GIMMAL_OK);
  CHECK(gimmal_engine_step(NULL, note, &seen) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_step(engine, NULL, &seen) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_run(NULL, note, &seen) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_run(engine, NULL, &seen) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_stop(NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_counters(NULL, &counters) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_counters(engine, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_evaluate(NULL, &result) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_evaluate(&made, NULL) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_warm_up(NULL, 1) == GIMMAL_NULL_POINTER);
  CHECK(gimmal_engine_lock_memory(NULL, 64) == GIMMAL_NULL_POINTER);
  expect_counts(engine, 1, 0, 0);
  CHECK(gimmal_engine_step(engine, note, &seen) == GIMMAL_OK);
  CHECK(seen.count == 1 && seen.event.id == 1);

  memset(storage, 0, sizeof storage);
  CHECK(gimmal_engine_submit(engine, &made, 0) == GIMMAL_UNINITIALISED);
  CHECK(gimmal_engine_step(engine, note, &seen) == GIMMAL_UNINITIALISED);
  CHECK(gimmal_engine_run(engine, note, &seen) == GIMMAL_UNINITIALISED);
  CHECK(gimmal_engine_stop(engine) == GIMMAL_UNINITIALISED);
  expect_counts(engine, 0, 0, 0);
}

int main(void) {
  alarm(60); /* ends a run that does not */
  events_are_scored_in_order_and_counted();
  an_event_is_scored_without_an_engine();
  warming_up_is_seen_by_nobody();
  what_the_system_refuses_is_told();
  misuse_is_refused_and_changes_nothing();
  return 0;
}
