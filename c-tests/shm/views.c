/* Segments without a name, views that only watch, and ends that inlined code has: how they work, and what of them is
 * refused. The argument is a name that is free. */

#include <unistd.h>

#include "refused.h"

static void who_watches_is_refused_what_is_not_there(void) {
  gimmal_shm_options_t options = good();
  options.type_tag = 7;
  REFUSED(GIMMAL_NOT_FOUND, gimmal_shm_tap_open(&options, &out.tap));
  gimmal_shm_producer_t *tx = NULL;
  OK(gimmal_shm_producer_open(&options, &tx));
#define BAD_TAP(expected, change)                                                                                      \
  do {                                                                                                                 \
    gimmal_shm_options_t changed = options;                                                                            \
    changed.change;                                                                                                    \
    REFUSED(expected, gimmal_shm_tap_open(&changed, &out.tap));                                                        \
    CHECK(strlen(gimmal_shm_error()) > 0);                                                                             \
  } while (0)
  BAD_TAP(GIMMAL_NULL_POINTER, name = NULL);
  BAD_TAP(GIMMAL_BAD_NAME, name = "a/b");
  BAD_TAP(GIMMAL_WRONG_KIND, kind = GIMMAL_SHM_LANES);
  BAD_TAP(GIMMAL_MISMATCH, element_size = 16);
  BAD_TAP(GIMMAL_MISMATCH, element_align = 4);
  BAD_TAP(GIMMAL_MISMATCH, type_tag = 8);
  BAD_TAP(GIMMAL_BAD_OPTION, opening = GIMMAL_SHM_CREATE);
  BAD_TAP(GIMMAL_BAD_OPTION, opening = GIMMAL_SHM_REPLACE);
  BAD_TAP(GIMMAL_BAD_OPTION, opening = 5);
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_unlink(name, false));

  options = good();
  options.kind = GIMMAL_SHM_INDEX;
  options.capacity = 1;
  OK(gimmal_shm_producer_open(&options, &tx));
  REFUSED(GIMMAL_UNSUPPORTED, gimmal_shm_tap_open(&options, &out.tap));
  CHECK(strstr(gimmal_shm_error(), "capacity 1") != NULL);
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_unlink(name, false));
}

static void a_segment_without_a_name_is_found_by_its_descriptor_alone(void) {
  gimmal_shm_options_t options = good();
  options.name = NULL;
  REFUSED(GIMMAL_NULL_POINTER, gimmal_shm_producer_open(&options, &out.producer));
  options.opening = GIMMAL_SHM_PASSED;
  options.descriptor = -1;
  REFUSED(GIMMAL_BAD_OPTION, gimmal_shm_producer_open(&options, &out.producer));
  REFUSED(GIMMAL_BAD_OPTION, gimmal_shm_tap_open(&options, &out.tap));
  options.descriptor = 1000000;
  REFUSED(GIMMAL_SYSTEM, gimmal_shm_producer_open(&options, &out.producer));
  options.opening = GIMMAL_SHM_ANONYMOUS;
  REFUSED(GIMMAL_BAD_OPTION, gimmal_shm_tap_open(&options, &out.tap));
  gimmal_shm_options_t changed = options;
  changed.capacity = 0;
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_shm_producer_open(&changed, &out.producer));

  gimmal_shm_producer_t *tx = NULL;
  gimmal_shm_consumer_t *rx = NULL;
  gimmal_shm_tap_t *tap = NULL;
  OK(gimmal_shm_producer_open(&options, &tx));
  int32_t descriptor = -1;
  OK(gimmal_shm_producer_share(tx, &descriptor));
  options.opening = GIMMAL_SHM_PASSED;
  options.descriptor = descriptor;
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_open(&options, &out.producer));
  changed = options;
  changed.kind = GIMMAL_SHM_INDEX;
  REFUSED(GIMMAL_WRONG_KIND, gimmal_shm_consumer_open(&changed, &out.consumer));
  changed = options;
  changed.name = name;
  REFUSED(GIMMAL_BAD_OPTION, gimmal_shm_consumer_open(&changed, &out.consumer));
  options.capacity = 0;
  OK(gimmal_shm_consumer_open(&options, &rx));
  OK(gimmal_shm_tap_open(&options, &tap));
  /* The segment is the ends', not the descriptor's. */
  CHECK(close(descriptor) == 0);
  uint64_t element = 7;
  OK(gimmal_shm_producer_push(tx, &element));
  element = 0;
  OK(gimmal_shm_tap_next(tap, &element, NULL));
  CHECK(element == 7);
  element = 0;
  OK(gimmal_shm_consumer_pop(rx, &element));
  CHECK(element == 7);
  OK(gimmal_shm_consumer_share(rx, &descriptor));
  OK(gimmal_shm_tap_free(&tap));
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_consumer_free(&rx));
  options.descriptor = descriptor;
  OK(gimmal_shm_producer_open(&options, &tx));
  OK(gimmal_shm_producer_free(&tx));
  CHECK(close(descriptor) == 0);

  /* A file that somebody could truncate. */
  options = good();
  OK(gimmal_shm_producer_open(&options, &tx));
  OK(gimmal_shm_producer_share(tx, &descriptor));
  options.name = NULL;
  options.opening = GIMMAL_SHM_PASSED;
  options.descriptor = descriptor;
  REFUSED(GIMMAL_NOT_TRUSTED, gimmal_shm_consumer_open(&options, &out.consumer));
  CHECK(close(descriptor) == 0);
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_unlink(name, false));
}

static void an_end_given_to_inlined_code_moves_nothing_by_calls(uint32_t kind) {
  gimmal_shm_options_t options = good();
  options.kind = kind;
  gimmal_shm_producer_t *tx = NULL;
  gimmal_shm_consumer_t *rx = NULL;
  gimmal_shm_ring_t ring;
  gimmal_wait_t spin;
  OK(gimmal_wait_init(&spin, GIMMAL_WAIT_SPIN, NULL));
  OK(gimmal_shm_producer_open(&options, &tx));
  OK(gimmal_shm_consumer_open(&options, &rx));
  const uint64_t one = 1;
  OK(gimmal_shm_producer_push(tx, &one));
  OK(gimmal_shm_producer_ring(tx, &ring));
  OK(gimmal_shm_consumer_ring(rx, &ring));
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_ring(tx, &out.ring));
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_push(tx, &one));
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_offer(tx, &one));
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_push_notify(tx, &one, &spin));
  REFUSED(GIMMAL_BUSY, gimmal_shm_producer_push_wait(tx, &one, &spin, GIMMAL_WAIT_FOREVER));
  REFUSED(GIMMAL_BUSY, gimmal_shm_consumer_ring(rx, &out.ring));
  REFUSED(GIMMAL_BUSY, gimmal_shm_consumer_pop(rx, &out.element));
  REFUSED(GIMMAL_BUSY, gimmal_shm_consumer_pop_notify(rx, &out.element, &spin));
  REFUSED(GIMMAL_BUSY, gimmal_shm_consumer_pop_wait(rx, &out.element, &spin, GIMMAL_WAIT_FOREVER));
  /* What asks works on. */
  size_t count = 0;
  OK(gimmal_shm_producer_len(tx, &count));
  CHECK(count == 1);
  OK(gimmal_shm_consumer_len(rx, &count));
  CHECK(count == 1);
  OK(gimmal_shm_producer_dropped(tx, &count));
  CHECK(count == 0);
  OK(gimmal_shm_consumer_dropped(rx, &count));
  CHECK(count == 0);
  OK(gimmal_shm_producer_free(&tx));
  OK(gimmal_shm_consumer_free(&rx));
  OK(gimmal_shm_unlink(name, false));
}

/* A tap sees every element of a producer that does not outrun it, and counts those that it missed. */
static void a_tap_sees_what_passes(uint32_t kind) {
  gimmal_shm_options_t options = good();
  options.kind = kind;
  options.producers = kind == GIMMAL_SHM_MPSC || kind == GIMMAL_SHM_LANES ? 2 : 0;
  gimmal_shm_producer_t *tx[2] = {NULL, NULL};
  gimmal_shm_consumer_t *rx = NULL;
  gimmal_shm_tap_t *tap = NULL;
  OK(gimmal_shm_producer_open(&options, &tx[0]));
  OK(gimmal_shm_consumer_open(&options, &rx));
  OK(gimmal_shm_tap_open(&options, &tap));
  size_t ring = 9;
  size_t missed = 9;
  uint64_t element = 0;
  CHECK(gimmal_shm_tap_next(tap, &element, &ring) == GIMMAL_EMPTY && ring == 9);
  for (uint64_t id = 0; id < 100; ++id) {
    OK(gimmal_shm_producer_push(tx[0], &id));
    OK(gimmal_shm_tap_next(tap, &element, &ring));
    CHECK(element == id && ring == 0);
    OK(gimmal_shm_consumer_pop(rx, &element));
    CHECK(element == id);
  }
  OK(gimmal_shm_tap_missed(tap, &missed));
  CHECK(missed == 0);
  if (kind == GIMMAL_SHM_LANES) {
    const uint64_t other = 500;
    OK(gimmal_shm_producer_open(&options, &tx[1]));
    OK(gimmal_shm_producer_push(tx[1], &other));
    OK(gimmal_shm_tap_next(tap, &element, &ring));
    CHECK(element == other && ring == 1);
    OK(gimmal_shm_consumer_pop(rx, &element));
    OK(gimmal_shm_producer_free(&tx[1]));
  }
  for (uint64_t id = 1000; id < 1100; ++id) {
    OK(gimmal_shm_producer_push(tx[0], &id));
    OK(gimmal_shm_consumer_pop(rx, &element));
  }
  size_t seen = 0;
  while (gimmal_shm_tap_next(tap, &element, &ring) == GIMMAL_OK) {
    ++seen;
    CHECK(element >= 1000 && element < 1100);
  }
  OK(gimmal_shm_tap_missed(tap, &missed));
  CHECK(missed > 0 && missed + seen == 100);
  OK(gimmal_shm_tap_status(tap));
  OK(gimmal_shm_unlink(name, true));
  REFUSED(GIMMAL_SUPERSEDED, gimmal_shm_tap_status(tap));
  OK(gimmal_shm_tap_free(&tap));
  OK(gimmal_shm_producer_free(&tx[0]));
  OK(gimmal_shm_consumer_free(&rx));
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  name = argv[1];
  who_watches_is_refused_what_is_not_there();
  a_segment_without_a_name_is_found_by_its_descriptor_alone();
  an_end_given_to_inlined_code_moves_nothing_by_calls(GIMMAL_SHM_LINE);
  an_end_given_to_inlined_code_moves_nothing_by_calls(GIMMAL_SHM_INDEX);
  a_tap_sees_what_passes(GIMMAL_SHM_LINE);
  a_tap_sees_what_passes(GIMMAL_SHM_INDEX);
  a_tap_sees_what_passes(GIMMAL_SHM_MPSC);
  a_tap_sees_what_passes(GIMMAL_SHM_LANES);
  return 0;
}
