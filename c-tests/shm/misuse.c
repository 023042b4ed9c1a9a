/* Every misuse of a segment that the library can tell gives its status and a sentence, and changes no output. The
 * argument is a name that is free. */

#include "refused.h"

/* Options that differ from good ones in one thing are refused at both ends. */
#define BAD_OPTION(expected, change)                                                                                   \
  do {                                                                                                                 \
    gimmal_shm_options_t changed = good();                                                                             \
    changed.change;                                                                                                    \
    REFUSED(expected, gimmal_shm_producer_open(&changed, &out.producer));                                              \
    CHECK(strlen(gimmal_shm_error()) > 0);                                                                             \
    REFUSED(expected, gimmal_shm_consumer_open(&changed, &out.consumer));                                              \
  } while (0)

static char too_long[242];

static void impossible_options_are_refused(void) {
  memset(too_long, 'a', sizeof too_long - 1);
  BAD_OPTION(GIMMAL_NULL_POINTER, name = NULL);
  BAD_OPTION(GIMMAL_BAD_NAME, name = "");
  BAD_OPTION(GIMMAL_BAD_NAME, name = "../etc/passwd");
  BAD_OPTION(GIMMAL_BAD_NAME, name = "\xff");
  BAD_OPTION(GIMMAL_BAD_NAME, name = too_long);
  BAD_OPTION(GIMMAL_WRONG_KIND, kind = 0);
  BAD_OPTION(GIMMAL_WRONG_KIND, kind = 4);
  BAD_OPTION(GIMMAL_WRONG_KIND, kind = UINT32_MAX);
  BAD_OPTION(GIMMAL_BAD_OPTION, opening = 5);
  BAD_OPTION(GIMMAL_BAD_OPTION, opening = GIMMAL_SHM_ANONYMOUS);
  BAD_OPTION(GIMMAL_BAD_OPTION, opening = GIMMAL_SHM_PASSED);
  BAD_OPTION(GIMMAL_BAD_OPTION, producers = 2);
  BAD_OPTION(GIMMAL_BAD_OPTION, mode = 01000);
  BAD_OPTION(GIMMAL_BAD_OPTION, flags = 8);
  BAD_OPTION(GIMMAL_BAD_ELEMENT, element_size = 0);
  BAD_OPTION(GIMMAL_BAD_ELEMENT, element_size = 12);
  BAD_OPTION(GIMMAL_BAD_ELEMENT, element_size = SIZE_MAX);
  BAD_OPTION(GIMMAL_BAD_ELEMENT, element_align = 0);
  BAD_OPTION(GIMMAL_BAD_ELEMENT, element_align = 3);
  BAD_OPTION(GIMMAL_OVERFLOW, capacity = SIZE_MAX);
  BAD_OPTION(GIMMAL_NOT_FOUND, capacity = 0);
  /* More than one difference. */
  gimmal_shm_options_t options = good();
  options.kind = GIMMAL_SHM_INDEX;
  options.capacity = 7;
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_shm_producer_open(&options, &out.producer));
  options = good();
  options.kind = GIMMAL_SHM_MPSC;
  REFUSED(GIMMAL_BAD_OPTION, gimmal_shm_producer_open(&options, &out.producer));
  options.producers = 1025;
  REFUSED(GIMMAL_BAD_OPTION, gimmal_shm_producer_open(&options, &out.producer));
  options = good();
  options.capacity = 0;
  options.opening = GIMMAL_SHM_CREATE;
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_shm_producer_open(&options, &out.producer));
  options.opening = GIMMAL_SHM_REPLACE;
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_shm_producer_open(&options, &out.producer));
  options = good();
  options.capacity = (size_t)1 << 40;
  REFUSED(GIMMAL_NO_SPACE, gimmal_shm_producer_open(&options, &out.producer));
  CHECK(strstr(gimmal_shm_error(), "free") != NULL);
  /* Nothing of all this has made a segment. */
  REFUSED(GIMMAL_NOT_FOUND, gimmal_shm_inspect(name, &out.inspection));
  REFUSED(GIMMAL_NOT_FOUND, gimmal_shm_unlink(name, false));
}

static void null_pointers_are_refused(void) {
  const gimmal_shm_options_t options = good();
  gimmal_shm_producer_t *tx = NULL;
  gimmal_shm_consumer_t *rx = NULL;
  gimmal_wait_t park;
  OK(gimmal_wait_init(&park, GIMMAL_WAIT_PARK_SHARED, NULL));
  const uint64_t one = 1;

  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_open(NULL, &out.producer));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_open(&options, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_open(NULL, &out.consumer));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_open(&options, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_inspect(NULL, &out.inspection));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_inspect(name, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_unlink(NULL, true));

  OK(gimmal_shm_producer_open(&options, &tx));
  OK(gimmal_shm_consumer_open(&options, &rx));

  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push(NULL, &one));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push(tx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_offer(NULL, &one));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_offer(tx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push_notify(NULL, &one, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push_notify(tx, NULL, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push_notify(tx, &one, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push_wait(NULL, &one, &park, 0));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push_wait(tx, NULL, &park, 0));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_push_wait(tx, &one, NULL, 0));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_notify(NULL, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_notify(tx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_place(NULL, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_place(tx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop(NULL, &out.element));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop(rx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop_notify(NULL, &out.element, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop_notify(rx, NULL, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop_notify(rx, &out.element, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop_wait(NULL, &out.element, &park, 0));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop_wait(rx, NULL, &park, 0));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_pop_wait(rx, &out.element, NULL, 0));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_notify(NULL, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_notify(rx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_declare(NULL, &park));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_declare(rx, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_skip_dead(NULL, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_consumer_skip_dead(rx, NULL));

  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_open(NULL, &out.tap));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_open(&options, NULL));
  gimmal_shm_tap_t *tap = NULL;
  OK(gimmal_shm_tap_open(&options, &tap));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_next(NULL, &out.element, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_next(tap, NULL, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_missed(NULL, &out.number));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_missed(tap, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_status(NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_tap_free(NULL));
  OK(gimmal_shm_tap_free(&tap));
  OK(gimmal_shm_tap_free(&tap));
  CHECK(tap == NULL);

#define AT_EITHER_END(end, handle)                                                                                     \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_peer(NULL, &out.state));                                             \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_peer(handle, NULL));                                                 \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_status(NULL));                                                       \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_beat(NULL));                                                         \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_len(NULL, &out.number));                                             \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_len(handle, NULL));                                                  \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_capacity(NULL, &out.number));                                        \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_capacity(handle, NULL));                                             \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_dropped(NULL, &out.number));                                         \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_dropped(handle, NULL));                                              \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_epoch(NULL, &out.epoch));                                            \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_epoch(handle, NULL));                                                \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_bells(NULL, &out.own, &out.other));                                  \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_bells(handle, NULL, &out.other));                                    \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_bells(handle, &out.own, NULL));                                      \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_ring(NULL, &out.ring));                                              \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_ring(handle, NULL));                                                 \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_share(NULL, &out.descriptor));                                       \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_share(handle, NULL));                                                \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_close(NULL));                                                        \
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_##end##_free(NULL))

  AT_EITHER_END(producer, tx);
  AT_EITHER_END(consumer, rx);

  /* Nothing of all this pushed, dropped or closed. */
  gimmal_shm_inspection_t seen;
  OK(gimmal_shm_inspect(name, &seen));
  CHECK(seen.len == 0 && seen.dropped == 0 && !seen.closed);

  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_producer_free(&tx));
  CHECK(tx == NULL);
  OK(gimmal_shm_consumer_free(&rx));
  OK(gimmal_shm_unlink(name, false));
}

static uint64_t clock_of_nothing(void *context) {
  (void)context;
  return 0;
}

static void strategies_that_no_other_process_can_wake_are_refused(void) {
  const gimmal_shm_options_t options = good();
  gimmal_shm_producer_t *tx = NULL;
  gimmal_shm_consumer_t *rx = NULL;
  OK(gimmal_shm_producer_open(&options, &tx));
  OK(gimmal_shm_consumer_open(&options, &rx));
  const uint64_t one = 1;
  gimmal_wait_options_t adaptive;
  memset(&adaptive, 0, sizeof adaptive);
  adaptive.clock = clock_of_nothing;
  adaptive.budget = 10;
  gimmal_wait_t bad[3];
  memset(bad, 0, sizeof bad);
  OK(gimmal_wait_init(&bad[1], GIMMAL_WAIT_PARK, NULL));
  OK(gimmal_wait_init(&bad[2], GIMMAL_WAIT_ADAPTIVE, &adaptive));
  for (size_t i = 0; i < 3; ++i) {
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_producer_push_notify(tx, &one, &bad[i]));
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_producer_push_wait(tx, &one, &bad[i], 0));
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_producer_notify(tx, &bad[i]));
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_consumer_pop_notify(rx, &out.element, &bad[i]));
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_consumer_pop_wait(rx, &out.element, &bad[i], 0));
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_consumer_notify(rx, &bad[i]));
    REFUSED(GIMMAL_BAD_STRATEGY, gimmal_shm_consumer_declare(rx, &bad[i]));
  }
  size_t len = 1;
  OK(gimmal_shm_consumer_len(rx, &len));
  CHECK(len == 0);
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_consumer_free(&rx));
  OK(gimmal_shm_unlink(name, false));
}

static void what_is_not_what_was_asked_for_is_refused(void) {
  gimmal_shm_options_t options = good();
  options.type_tag = 7;
  gimmal_shm_producer_t *tx = NULL;
  OK(gimmal_shm_producer_open(&options, &tx));

  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_open(&options, &out.producer));
  CHECK(strstr(gimmal_shm_error(), "pid") != NULL);
  REFUSED(GIMMAL_BUSY, gimmal_shm_unlink(name, false));
  BAD_OPTION(GIMMAL_EXISTS, opening = GIMMAL_SHM_CREATE);
  BAD_OPTION(GIMMAL_WRONG_KIND, kind = GIMMAL_SHM_INDEX);
  BAD_OPTION(GIMMAL_MISMATCH, element_size = 16);
  BAD_OPTION(GIMMAL_MISMATCH, element_align = 4);
  BAD_OPTION(GIMMAL_MISMATCH, capacity = 1000);
  BAD_OPTION(GIMMAL_MISMATCH, type_tag = 8);
  options.opening = GIMMAL_SHM_REPLACE;
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_open(&options, &out.producer));

  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_unlink(name, false));
}

static void a_segment_works_and_ends(uint32_t kind) {
  gimmal_shm_options_t options = good();
  options.kind = kind;
  options.producers = kind == GIMMAL_SHM_MPSC || kind == GIMMAL_SHM_LANES ? 2 : 0;
  options.flags = GIMMAL_SHM_TOUCH;
  gimmal_shm_producer_t *tx = NULL;
  gimmal_shm_consumer_t *rx = NULL;
  gimmal_wait_t spin;
  OK(gimmal_wait_init(&spin, GIMMAL_WAIT_SPIN, NULL));
  OK(gimmal_shm_consumer_open(&options, &rx));
  uint32_t state = 9;
  OK(gimmal_shm_consumer_peer(rx, &state));
  CHECK(state == GIMMAL_SHM_ABSENT);
  REFUSED(GIMMAL_EMPTY, gimmal_shm_consumer_pop(rx, &out.element));
  REFUSED(GIMMAL_TIMED_OUT, gimmal_shm_consumer_pop_wait(rx, &out.element, &spin, 1000));

  /* Without a capacity it attaches to what there is. */
  options.capacity = 0;
  OK(gimmal_shm_producer_open(&options, &tx));
  OK(gimmal_shm_consumer_peer(rx, &state));
  CHECK(state == GIMMAL_SHM_ALIVE);

  size_t capacity = 0;
  OK(gimmal_shm_producer_capacity(tx, &capacity));
  CHECK(capacity == 8);
  uint64_t pushed = 0;
  while (gimmal_shm_producer_push(tx, &pushed) == GIMMAL_OK) {
    ++pushed;
  }
  CHECK(pushed >= capacity && pushed < 2 * capacity);
  REFUSED(GIMMAL_FULL, gimmal_shm_producer_push(tx, &pushed));
  REFUSED(GIMMAL_FULL, gimmal_shm_producer_offer(tx, &pushed));
  REFUSED(GIMMAL_TIMED_OUT, gimmal_shm_producer_push_wait(tx, &pushed, &spin, 1000));

  gimmal_shm_inspection_t seen;
  OK(gimmal_shm_inspect(name, &seen));
  CHECK(seen.kind == kind && seen.element_size == 8 && seen.element_align == 8 && seen.capacity == capacity);
  CHECK(seen.len == pushed && seen.dropped == 1 && seen.epoch == 1 && !seen.closed && seen.skipped == 0);
  CHECK(seen.producer.state == GIMMAL_SHM_ALIVE && seen.producer.pid != 0 && seen.producer.claims == 1);
  CHECK(seen.consumer.state == GIMMAL_SHM_ALIVE && seen.consumer.pid == seen.producer.pid);
  CHECK(seen.consumer.beat_age != UINT64_MAX);
  size_t count = 0;
  OK(gimmal_shm_consumer_dropped(rx, &count));
  CHECK(count == 1);
  OK(gimmal_shm_producer_dropped(tx, &count));
  CHECK(count == 1);
  OK(gimmal_shm_producer_len(tx, &count));
  CHECK(count == pushed);

  OK(gimmal_shm_producer_close(tx));
  REFUSED(GIMMAL_CLOSED, gimmal_shm_producer_push(tx, &pushed));
  REFUSED(GIMMAL_CLOSED, gimmal_shm_producer_offer(tx, &pushed));
  REFUSED(GIMMAL_CLOSED, gimmal_shm_producer_status(tx));
  uint64_t element = 0;
  for (uint64_t next = 0; next < pushed; ++next) {
    OK(gimmal_shm_consumer_pop(rx, &element));
    CHECK(element == next);
  }
  REFUSED(GIMMAL_CLOSED, gimmal_shm_consumer_pop(rx, &out.element));
  REFUSED(GIMMAL_CLOSED, gimmal_shm_consumer_pop_wait(rx, &out.element, &spin, GIMMAL_WAIT_FOREVER));

  /* In its place another; the ends of the old one learn of it. */
  OK(gimmal_shm_unlink(name, true));
  REFUSED(GIMMAL_SUPERSEDED, gimmal_shm_producer_push(tx, &pushed));
  REFUSED(GIMMAL_SUPERSEDED, gimmal_shm_consumer_pop(rx, &out.element));
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_consumer_free(&rx));
  REFUSED(GIMMAL_NOT_FOUND, gimmal_shm_unlink(name, true));
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  name = argv[1];
  CHECK(strcmp(gimmal_shm_error(), "") == 0);
  impossible_options_are_refused();
  null_pointers_are_refused();
  strategies_that_no_other_process_can_wake_are_refused();
  what_is_not_what_was_asked_for_is_refused();
  a_segment_works_and_ends(GIMMAL_SHM_LINE);
  a_segment_works_and_ends(GIMMAL_SHM_INDEX);
  a_segment_works_and_ends(GIMMAL_SHM_MPSC);
  a_segment_works_and_ends(GIMMAL_SHM_LANES);
  return 0;
}
