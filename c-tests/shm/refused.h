/* What the programs share that try what a segment's functions refuse. */

#ifndef GIMMAL_TEST_SHM_REFUSED_H
#define GIMMAL_TEST_SHM_REFUSED_H

#include <string.h>

#include "check.h"
#include "gimmal_shm.h"

/* What a call may write: nothing, when it is refused. */
typedef struct outputs_t {
  gimmal_shm_producer_t *producer;
  gimmal_shm_consumer_t *consumer;
  gimmal_shm_inspection_t inspection;
  gimmal_shm_tap_t *tap;
  gimmal_shm_ring_t ring;
  uint64_t element;
  uint64_t epoch;
  size_t number;
  uint32_t state;
  int32_t descriptor;
  uint32_t *own;
  uint32_t *other;
} outputs_t;
static outputs_t out;
static unsigned char before[sizeof out];

static inline void check_refused(gimmal_status_t status, gimmal_status_t expected, const char *call, int line) {
  if (status != expected) {
    fprintf(stderr, "%s:%d: %s reports \"%s\" (%s), not \"%s\"\n", __FILE__, line, call, gimmal_status_str(status),
            gimmal_shm_error(), gimmal_status_str(expected));
    exit(1);
  }
  if (memcmp(&out, before, sizeof out) != 0) {
    fprintf(stderr, "%s:%d: %s was refused and wrote something\n", __FILE__, line, call);
    exit(1);
  }
}

/* A row: the call is refused with this status, and has no effect. */
#define REFUSED(expected, call)                                                                                        \
  do {                                                                                                                 \
    memset(&out, 0x5A, sizeof out);                                                                                    \
    memcpy(before, &out, sizeof out);                                                                                  \
    check_refused((call), (expected), #call, __LINE__);                                                                \
  } while (0)

#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    const gimmal_status_t done = (call);                                                                               \
    if (done != GIMMAL_OK) {                                                                                           \
      fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, gimmal_status_str(done), gimmal_shm_error()); \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* A name that is free: the program's argument. */
static const char *name;

static inline gimmal_shm_options_t good(void) {
  gimmal_shm_options_t options;
  memset(&options, 0, sizeof options);
  options.name = name;
  options.kind = GIMMAL_SHM_LINE;
  options.element_size = sizeof(uint64_t);
  options.element_align = sizeof(uint64_t);
  options.capacity = 8;
  return options;
}

#endif /* GIMMAL_TEST_SHM_REFUSED_H */
