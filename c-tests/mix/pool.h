/* A pool as each language has it, behind one table of functions, so that one test can mix them all. Slots go from one
 * party to the other by number. */

#ifndef MIX_POOL_H
#define MIX_POOL_H

#include "gimmal.h"

#if defined(__cplusplus)
#include <cstring>
#else
#include <stdalign.h>
#include <string.h>
#endif

#define POOL_SLOTS 5

typedef struct pool_message_t {
  uint64_t words[6];
} pool_message_t;

/* One language's ways of using a pool of POOL_SLOTS slots, each on lines of its own, for such messages. `acquire` takes
 * a slot and writes message `number` there, `release` gives a slot back and tells what number its message had; they
 * report what those of gimmal.h do, and GIMMAL_CORRUPT for a message that is torn. `churn` becomes the owner, takes all
 * that it can, gives every other slot to its list and the others to anyone, and tells how many it had. */
typedef struct pool_party_t {
  gimmal_status_t (*lay_out)(void *memory, size_t size);
  gimmal_status_t (*acquire)(void *memory, size_t size, uint64_t number, uint32_t *index);
  gimmal_status_t (*release)(void *memory, size_t size, uint32_t index, uint64_t *number);
  gimmal_status_t (*churn)(void *memory, size_t size, size_t *slots);
} pool_party_t;

static inline pool_message_t pool_message(uint64_t number) {
  pool_message_t message;
  for (unsigned word = 0; word < 6; ++word) {
    message.words[word] = number ^ (0x9e3779b97f4a7c15u * word);
  }
  return message;
}

/* Whether it is whole. */
static inline bool pool_message_is_whole(const pool_message_t *message) {
  const pool_message_t expected = pool_message(message->words[0]);
  return memcmp(message, &expected, sizeof expected) == 0;
}

#define POOL_TABLE_NAMED(language, compiler) mix_pool_##language##_##compiler
#define POOL_TABLE_OF(language, compiler) POOL_TABLE_NAMED(language, compiler)
#define POOL_TABLE(language) POOL_TABLE_OF(language, MIX_COMPILER)

#endif
