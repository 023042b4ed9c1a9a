/* The ends as calls of the library. */

#include "mix.h"

/* The ring that a claim found. */
typedef struct called_t {
  void *ring;
} called_t;

static called_t *called(mix_state_t *state) { return (called_t *)(void *)state; }

/* The functions of one kind; only the claims depend on the element. */
#define CALL_KIND(kind)                                                                                                \
  static gimmal_##kind##_t *kind##_of(mix_state_t *state) { return (gimmal_##kind##_t *)called(state)->ring; }         \
  static gimmal_status_t kind##_claim(mix_state_t *state, void *memory, size_t size, size_t element_size,              \
                                      size_t element_align, gimmal_status_t (*claim)(gimmal_##kind##_t * ring)) {      \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    gimmal_status_t status = gimmal_##kind##_attach(memory, size, element_size, element_align, &ring);                 \
    if (status != GIMMAL_OK) {                                                                                         \
      return status;                                                                                                   \
    }                                                                                                                  \
    called(state)->ring = ring;                                                                                        \
    return claim(ring);                                                                                                \
  }                                                                                                                    \
  static gimmal_status_t kind##_push(mix_state_t *state, const void *element) {                                        \
    return gimmal_##kind##_push(kind##_of(state), element);                                                            \
  }                                                                                                                    \
  static gimmal_status_t kind##_pop(mix_state_t *state, void *element) {                                               \
    return gimmal_##kind##_pop(kind##_of(state), element);                                                             \
  }                                                                                                                    \
  static gimmal_status_t kind##_peek(mix_state_t *state, void *element) {                                              \
    return gimmal_##kind##_peek(kind##_of(state), element);                                                            \
  }                                                                                                                    \
  static gimmal_status_t kind##_pop_n(mix_state_t *state, void *elements, size_t count, size_t *popped) {              \
    return gimmal_##kind##_pop_n(kind##_of(state), elements, count, popped);                                           \
  }                                                                                                                    \
  static void kind##_release_consumer(mix_state_t *state) { gimmal_##kind##_release_consumer(kind##_of(state)); }

/* Those that only rings of one producer have. */
#define CALL_BATCHES(kind)                                                                                             \
  static gimmal_status_t kind##_push_n(mix_state_t *state, const void *elements, size_t count, size_t *pushed) {       \
    return gimmal_##kind##_push_n(kind##_of(state), elements, count, pushed);                                          \
  }                                                                                                                    \
  static gimmal_status_t kind##_reserve(mix_state_t *state, size_t count, gimmal_spans_t *spans) {                     \
    return gimmal_##kind##_reserve(kind##_of(state), count, spans);                                                    \
  }                                                                                                                    \
  static gimmal_status_t kind##_commit(mix_state_t *state, size_t count) {                                             \
    return gimmal_##kind##_commit(kind##_of(state), count);                                                            \
  }                                                                                                                    \
  static void kind##_release_producer(mix_state_t *state) { gimmal_##kind##_release_producer(kind##_of(state)); }      \
  static gimmal_status_t kind##_read(mix_state_t *state, size_t count, gimmal_spans_t *spans) {                        \
    return gimmal_##kind##_read(kind##_of(state), count, spans);                                                       \
  }                                                                                                                    \
  static gimmal_status_t kind##_release(mix_state_t *state, size_t count) {                                            \
    return gimmal_##kind##_release(kind##_of(state), count);                                                           \
  }

CALL_KIND(ring)
CALL_BATCHES(ring)
CALL_KIND(line_ring)
CALL_BATCHES(line_ring)
CALL_KIND(mpsc)

/* Producers of a ring of many claim nothing. */
static gimmal_status_t mpsc_join(gimmal_mpsc_t *ring) {
  (void)ring;
  return GIMMAL_OK;
}
static void mpsc_release_producer(mix_state_t *state) { (void)state; }

#define CALL_CLAIMS(kind, size, claim_producer)                                                                        \
  static gimmal_status_t kind##_lay_out_##size(void *memory, size_t bytes) {                                           \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    return gimmal_##kind##_init(memory, bytes, sizeof(mix_##size##_t), alignof(mix_##size##_t), MIX_CAPACITY, &ring);  \
  }                                                                                                                    \
  static gimmal_status_t kind##_claim_producer_##size(mix_state_t *state, void *memory, size_t bytes) {                \
    return kind##_claim(state, memory, bytes, sizeof(mix_##size##_t), alignof(mix_##size##_t), claim_producer);        \
  }                                                                                                                    \
  static gimmal_status_t kind##_claim_consumer_##size(mix_state_t *state, void *memory, size_t bytes) {                \
    return kind##_claim(state, memory, bytes, sizeof(mix_##size##_t), alignof(mix_##size##_t),                         \
                        gimmal_##kind##_claim_consumer);                                                               \
  }
#define CALL_RING_CLAIMS(size) CALL_CLAIMS(ring, size, gimmal_ring_claim_producer)
#define CALL_LINE_RING_CLAIMS(size) CALL_CLAIMS(line_ring, size, gimmal_line_ring_claim_producer)
#define CALL_MPSC_CLAIMS(size) CALL_CLAIMS(mpsc, size, mpsc_join)

MIX_ELEMENTS(CALL_RING_CLAIMS)
MIX_ELEMENTS(CALL_LINE_RING_CLAIMS)
MIX_ELEMENTS(CALL_MPSC_CLAIMS)

#define CALL_END(kind, size)                                                                                           \
  {sizeof(mix_##size##_t),                                                                                             \
   alignof(mix_##size##_t),                                                                                            \
   kind##_lay_out_##size,                                                                                              \
   kind##_claim_producer_##size,                                                                                       \
   kind##_push,                                                                                                        \
   kind##_push_n,                                                                                                      \
   kind##_reserve,                                                                                                     \
   kind##_commit,                                                                                                      \
   kind##_release_producer,                                                                                            \
   kind##_claim_consumer_##size,                                                                                       \
   kind##_pop,                                                                                                         \
   kind##_peek,                                                                                                        \
   kind##_pop_n,                                                                                                       \
   kind##_read,                                                                                                        \
   kind##_release,                                                                                                     \
   kind##_release_consumer},
#define CALL_MPSC_END(size)                                                                                            \
  {sizeof(mix_##size##_t),                                                                                             \
   alignof(mix_##size##_t),                                                                                            \
   mpsc_lay_out_##size,                                                                                                \
   mpsc_claim_producer_##size,                                                                                         \
   mpsc_push,                                                                                                          \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   mpsc_release_producer,                                                                                              \
   mpsc_claim_consumer_##size,                                                                                         \
   mpsc_pop,                                                                                                           \
   mpsc_peek,                                                                                                          \
   mpsc_pop_n,                                                                                                         \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   mpsc_release_consumer},
#define CALL_RING_END(size) CALL_END(ring, size)
#define CALL_LINE_RING_END(size) CALL_END(line_ring, size)

extern const mix_end_t MIX_TABLE(call, ring)[MIX_COUNT];
extern const mix_end_t MIX_TABLE(call, line_ring)[MIX_COUNT];
const mix_end_t MIX_TABLE(call, ring)[MIX_COUNT] = {MIX_ELEMENTS(CALL_RING_END)};
const mix_end_t MIX_TABLE(call, line_ring)[MIX_COUNT] = {MIX_ELEMENTS(CALL_LINE_RING_END)};
extern const mix_end_t MIX_TABLE(call, mpsc)[MIX_COUNT];
const mix_end_t MIX_TABLE(call, mpsc)[MIX_COUNT] = {MIX_ELEMENTS(CALL_MPSC_END)};
