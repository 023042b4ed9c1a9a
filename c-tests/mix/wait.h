/* An end of a ring in some language that sleeps in the kernel while it waits, and wakes the other end; one test mixes
 * them all.
 */

#ifndef MIX_WAIT_H
#define MIX_WAIT_H

#include "gimmal.h"

/* A message is its producer's number in the upper half, and the producer's count in the lower. */
#define WAIT_PRODUCERS 4

/* One language's ends of rings of one kind. */
typedef struct wait_ends_t {
  /* Takes messages until the ring is closed and empty, and tells how many; 0 if a producer's came out of order. */
  uint64_t (*consume)(void *ring, size_t size, bool shared);
  /* Pushes a producer's `count` messages, waiting for room, and closes the ring if asked to. Whether all went in. */
  bool (*produce)(void *ring, size_t size, uint64_t producer, uint64_t count, bool shared, bool closes);
} wait_ends_t;

/* A table has the kinds in this order. */
#define WAIT_KINDS(X) X(ring) X(line_ring) X(mpsc)
#define WAIT_KIND_COUNT 3

#define WAIT_TABLE_NAMED(language, compiler) wait_##language##_##compiler
#define WAIT_TABLE_OF(language, compiler) WAIT_TABLE_NAMED(language, compiler)
#define WAIT_TABLE(language) WAIT_TABLE_OF(language, MIX_COMPILER)

#endif
