/* The ends as the functions of gimmal_inline.h. */

#include "mix.h"

#include "gimmal_inline.h"

/* The ring that a claim found. */
typedef struct inlined_t {
  void *ring;
} inlined_t;

static inlined_t *inlined(mix_state_t *state) { return (inlined_t *)(void *)state; }

/* The functions of one kind and element. */
#define INLINE_FUNCTIONS(kind, size)                                                                                   \
  static gimmal_##kind##_t *kind##_##size##_of(mix_state_t *state) {                                                   \
    return (gimmal_##kind##_t *)inlined(state)->ring;                                                                  \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_lay_out(void *memory, size_t bytes) {                                         \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    return mix_##kind##_##size##_init(memory, bytes, MIX_CAPACITY, &ring);                                             \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_push(mix_state_t *state, const void *element) {                               \
    return mix_##kind##_##size##_push(kind##_##size##_of(state), (const mix_##size##_t *)element);                     \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_claim_consumer_at(mix_state_t *state, void *memory, size_t bytes) {           \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    gimmal_status_t status = mix_##kind##_##size##_attach(memory, bytes, &ring);                                       \
    inlined(state)->ring = ring;                                                                                       \
    return status != GIMMAL_OK ? status : mix_##kind##_##size##_claim_consumer(ring);                                  \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_pop(mix_state_t *state, void *element) {                                      \
    return mix_##kind##_##size##_pop(kind##_##size##_of(state), (mix_##size##_t *)element);                            \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_peek(mix_state_t *state, void *element) {                                     \
    return mix_##kind##_##size##_peek(kind##_##size##_of(state), (mix_##size##_t *)element);                           \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_pop_n(mix_state_t *state, void *elements, size_t count, size_t *popped) {     \
    return mix_##kind##_##size##_pop_n(kind##_##size##_of(state), (mix_##size##_t *)elements, count, popped);          \
  }                                                                                                                    \
  static void kind##_##size##_release_consumer(mix_state_t *state) {                                                   \
    mix_##kind##_##size##_release_consumer(kind##_##size##_of(state));                                                 \
  }

/* Those that only rings of one producer have. */
#define INLINE_BATCHES(kind, size)                                                                                     \
  static gimmal_status_t kind##_##size##_claim_producer_at(mix_state_t *state, void *memory, size_t bytes) {           \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    gimmal_status_t status = mix_##kind##_##size##_attach(memory, bytes, &ring);                                       \
    inlined(state)->ring = ring;                                                                                       \
    return status != GIMMAL_OK ? status : mix_##kind##_##size##_claim_producer(ring);                                  \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_push_n(mix_state_t *state, const void *elements, size_t count,                \
                                                size_t *pushed) {                                                      \
    return mix_##kind##_##size##_push_n(kind##_##size##_of(state), (const mix_##size##_t *)elements, count, pushed);   \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_reserve(mix_state_t *state, size_t count, gimmal_spans_t *spans) {            \
    return mix_##kind##_##size##_reserve(kind##_##size##_of(state), count, spans);                                     \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_commit(mix_state_t *state, size_t count) {                                    \
    return mix_##kind##_##size##_commit(kind##_##size##_of(state), count);                                             \
  }                                                                                                                    \
  static void kind##_##size##_release_producer(mix_state_t *state) {                                                   \
    mix_##kind##_##size##_release_producer(kind##_##size##_of(state));                                                 \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_read(mix_state_t *state, size_t count, gimmal_spans_t *spans) {               \
    return mix_##kind##_##size##_read(kind##_##size##_of(state), count, spans);                                        \
  }                                                                                                                    \
  static gimmal_status_t kind##_##size##_release(mix_state_t *state, size_t count) {                                   \
    return mix_##kind##_##size##_release(kind##_##size##_of(state), count);                                            \
  }

/* Producers of a ring of many claim nothing. */
#define INLINE_JOIN(size)                                                                                              \
  static gimmal_status_t mpsc_##size##_claim_producer_at(mix_state_t *state, void *memory, size_t bytes) {             \
    gimmal_mpsc_t *ring = NULL;                                                                                        \
    gimmal_status_t status = mix_mpsc_##size##_attach(memory, bytes, &ring);                                           \
    inlined(state)->ring = ring;                                                                                       \
    return status;                                                                                                     \
  }

static void mpsc_release_producer(mix_state_t *state) { (void)state; }

#define INLINE_ELEMENT(size)                                                                                           \
  GIMMAL_RING_DECLARE(mix_ring_##size, mix_##size##_t);                                                                \
  GIMMAL_LINE_RING_DECLARE(mix_line_ring_##size, mix_##size##_t);                                                      \
  GIMMAL_MPSC_DECLARE(mix_mpsc_##size, mix_##size##_t);                                                                \
  INLINE_FUNCTIONS(ring, size)                                                                                         \
  INLINE_BATCHES(ring, size)                                                                                           \
  INLINE_FUNCTIONS(line_ring, size)                                                                                    \
  INLINE_BATCHES(line_ring, size)                                                                                      \
  INLINE_FUNCTIONS(mpsc, size)                                                                                         \
  INLINE_JOIN(size)

MIX_ELEMENTS(INLINE_ELEMENT)

#define INLINE_END(kind, size)                                                                                         \
  {sizeof(mix_##size##_t),                                                                                             \
   alignof(mix_##size##_t),                                                                                            \
   kind##_##size##_lay_out,                                                                                            \
   kind##_##size##_claim_producer_at,                                                                                  \
   kind##_##size##_push,                                                                                               \
   kind##_##size##_push_n,                                                                                             \
   kind##_##size##_reserve,                                                                                            \
   kind##_##size##_commit,                                                                                             \
   kind##_##size##_release_producer,                                                                                   \
   kind##_##size##_claim_consumer_at,                                                                                  \
   kind##_##size##_pop,                                                                                                \
   kind##_##size##_peek,                                                                                               \
   kind##_##size##_pop_n,                                                                                              \
   kind##_##size##_read,                                                                                               \
   kind##_##size##_release,                                                                                            \
   kind##_##size##_release_consumer},
#define INLINE_MPSC_END(size)                                                                                          \
  {sizeof(mix_##size##_t),                                                                                             \
   alignof(mix_##size##_t),                                                                                            \
   mpsc_##size##_lay_out,                                                                                              \
   mpsc_##size##_claim_producer_at,                                                                                    \
   mpsc_##size##_push,                                                                                                 \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   mpsc_release_producer,                                                                                              \
   mpsc_##size##_claim_consumer_at,                                                                                    \
   mpsc_##size##_pop,                                                                                                  \
   mpsc_##size##_peek,                                                                                                 \
   mpsc_##size##_pop_n,                                                                                                \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   mpsc_##size##_release_consumer},
#define INLINE_RING_END(size) INLINE_END(ring, size)
#define INLINE_LINE_RING_END(size) INLINE_END(line_ring, size)

extern const mix_end_t MIX_TABLE(inline, ring)[MIX_COUNT];
extern const mix_end_t MIX_TABLE(inline, line_ring)[MIX_COUNT];
const mix_end_t MIX_TABLE(inline, ring)[MIX_COUNT] = {MIX_ELEMENTS(INLINE_RING_END)};
const mix_end_t MIX_TABLE(inline, line_ring)[MIX_COUNT] = {MIX_ELEMENTS(INLINE_LINE_RING_END)};
extern const mix_end_t MIX_TABLE(inline, mpsc)[MIX_COUNT];
const mix_end_t MIX_TABLE(inline, mpsc)[MIX_COUNT] = {MIX_ELEMENTS(INLINE_MPSC_END)};
