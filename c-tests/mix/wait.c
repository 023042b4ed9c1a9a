/* Ends in C that sleep: waits are calls of the library, pushes and notifications calls and inline code in turn. */

#include "wait.h"

#include "gimmal_inline.h"

GIMMAL_RING_DECLARE(word_ring, uint64_t);
GIMMAL_LINE_RING_DECLARE(word_line_ring, uint64_t);
GIMMAL_MPSC_DECLARE(word_mpsc, uint64_t);

static bool parks(gimmal_wait_t *wait, bool shared) {
  return gimmal_wait_init(wait, shared ? GIMMAL_WAIT_PARK_SHARED : GIMMAL_WAIT_PARK, NULL) == GIMMAL_OK;
}

/* Of a ring of many producers nobody claims the producer's end. */
static gimmal_status_t word_mpsc_claim_producer(gimmal_mpsc_t *ring) {
  (void)ring;
  return GIMMAL_OK;
}
static void word_mpsc_release_producer(gimmal_mpsc_t *ring) { (void)ring; }

#define WAIT_ENDS(kind)                                                                                                \
  static uint64_t kind##_consume(void *memory, size_t size, bool shared) {                                             \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    gimmal_wait_t wait;                                                                                                \
    uint64_t next[WAIT_PRODUCERS] = {0};                                                                               \
    uint64_t value = 0;                                                                                                \
    uint64_t taken = 0;                                                                                                \
    if (!parks(&wait, shared) || word_##kind##_attach(memory, size, &ring) != GIMMAL_OK ||                             \
        word_##kind##_claim_consumer(ring) != GIMMAL_OK || gimmal_##kind##_declare_wait(ring, &wait) != GIMMAL_OK) {   \
      return 0;                                                                                                        \
    }                                                                                                                  \
    while (gimmal_##kind##_pop_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK) {                          \
      if ((uint32_t)value != next[value >> 32]++) {                                                                    \
        return 0;                                                                                                      \
      }                                                                                                                \
      gimmal_notify(&gimmal_control_of(ring)->producer_bell, &wait);                                                   \
      ++taken;                                                                                                         \
    }                                                                                                                  \
    word_##kind##_release_consumer(ring);                                                                              \
    return taken;                                                                                                      \
  }                                                                                                                    \
  static bool kind##_produce(void *memory, size_t size, uint64_t producer, uint64_t count, bool shared, bool closes) { \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    gimmal_wait_t wait;                                                                                                \
    if (!parks(&wait, shared) || word_##kind##_attach(memory, size, &ring) != GIMMAL_OK ||                             \
        word_##kind##_claim_producer(ring) != GIMMAL_OK) {                                                             \
      return false;                                                                                                    \
    }                                                                                                                  \
    for (uint64_t n = 0; n < count; ++n) {                                                                             \
      const uint64_t value = producer << 32 | n;                                                                       \
      gimmal_status_t status = n % 2 == 0 ? word_##kind##_push_notify(ring, &value, &wait)                             \
                                          : gimmal_##kind##_push_notify(ring, &value, &wait);                          \
      if (status == GIMMAL_FULL) {                                                                                     \
        status = gimmal_##kind##_push_wait(ring, &value, &wait, GIMMAL_WAIT_FOREVER);                                  \
        gimmal_notify(&gimmal_control_of(ring)->consumer_bell, &wait);                                                 \
      }                                                                                                                \
      if (status != GIMMAL_OK) {                                                                                       \
        return false;                                                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
    if (closes) {                                                                                                      \
      word_##kind##_close_notify(ring, &wait);                                                                         \
    }                                                                                                                  \
    word_##kind##_release_producer(ring);                                                                              \
    return true;                                                                                                       \
  }

WAIT_KINDS(WAIT_ENDS)

#define WAIT_ROW(kind) {kind##_consume, kind##_produce},

extern const wait_ends_t WAIT_TABLE(c)[WAIT_KIND_COUNT];
const wait_ends_t WAIT_TABLE(c)[WAIT_KIND_COUNT] = {WAIT_KINDS(WAIT_ROW)};
