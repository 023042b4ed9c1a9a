/* The two ends of a ring as each language has them, behind one table of functions, so that one test can mix them all.
 */

#ifndef MIX_H
#define MIX_H

#include "gimmal.h"

#if !defined(__cplusplus)
#include <stdalign.h>
#endif

/* Room for a handle of any language. */
typedef struct mix_state_t {
  alignas(16) unsigned char bytes[128];
} mix_state_t;

/* One language's ends of rings of one kind and element. `lay_out` makes an empty ring for MIX_CAPACITY elements. A
 * producer is claimed into `state`, used, and released; so is a consumer. The functions report what those of gimmal.h
 * do. Those that a kind does not have are NULL. */
typedef struct mix_end_t {
  size_t element_size;
  size_t element_align;
  gimmal_status_t (*lay_out)(void *memory, size_t size);
  gimmal_status_t (*claim_producer)(mix_state_t *state, void *memory, size_t size);
  gimmal_status_t (*push)(mix_state_t *state, const void *element);
  gimmal_status_t (*push_n)(mix_state_t *state, const void *elements, size_t count, size_t *pushed);
  gimmal_status_t (*reserve)(mix_state_t *state, size_t count, gimmal_spans_t *spans);
  gimmal_status_t (*commit)(mix_state_t *state, size_t count);
  void (*release_producer)(mix_state_t *state);
  gimmal_status_t (*claim_consumer)(mix_state_t *state, void *memory, size_t size);
  gimmal_status_t (*pop)(mix_state_t *state, void *element);
  gimmal_status_t (*peek)(mix_state_t *state, void *element);
  gimmal_status_t (*pop_n)(mix_state_t *state, void *elements, size_t count, size_t *popped);
  gimmal_status_t (*read)(mix_state_t *state, size_t count, gimmal_spans_t *spans);
  gimmal_status_t (*release)(mix_state_t *state, size_t count);
  void (*release_consumer)(mix_state_t *state);
} mix_end_t;

typedef struct mix_4_t {
  uint32_t words[1];
} mix_4_t;
typedef struct mix_8_t {
  uint64_t words[1];
} mix_8_t;
typedef struct mix_16_t {
  alignas(16) uint64_t words[2];
} mix_16_t;
typedef struct mix_24_t {
  uint64_t words[3];
} mix_24_t;
typedef struct mix_48_t {
  uint64_t words[6];
} mix_48_t;
typedef struct mix_64_t {
  uint64_t words[8];
} mix_64_t;
typedef struct mix_100_t {
  uint32_t words[25];
} mix_100_t;

#define MIX_CAPACITY 16

/* The elements, in the order of every table: cells hold 14, 7, 3, 2, 1, 1 and 1 of them. */
#define MIX_ELEMENTS(X) X(4) X(8) X(16) X(24) X(48) X(64) X(100)
#define MIX_COUNT 7

/* The name of a table: by language, by the compiler that MIX_COMPILER names, by kind. */
#define MIX_TABLE_NAMED(language, compiler, kind) mix_##language##_##compiler##_##kind
#define MIX_TABLE_OF(language, compiler, kind) MIX_TABLE_NAMED(language, compiler, kind)
#define MIX_TABLE(language, kind) MIX_TABLE_OF(language, MIX_COMPILER, kind)

#endif
