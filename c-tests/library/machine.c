/* Carries out the calls that standard input names on a ring, and prints what each of them said: the test holds that against a
 * queue that is known to be right. Arguments: kind, capacity, words in an element, the place to start at. */

#include "../support/check.h"
#include "../support/start_at.h"
#include "gimmal.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_WORDS = 24, MOST = 6000 };

static uint64_t elements[MOST * MOST_WORDS];
static size_t words;
/* The sequence number of the next element that goes in. */
static uint64_t next;

static void write_element(void *to, uint64_t sequence) {
  uint64_t value[MOST_WORDS];
  for (unsigned at = 0; at < words; ++at) {
    const uint64_t mixed = sequence * UINT64_C(0x9e3779b97f4a7c15);
    value[at] = (at == 0 ? sequence : (mixed << at | mixed >> (64 - at)) ^ at);
  }
  memcpy(to, value, words * sizeof(uint64_t));
}

/* The sequence number, of a whole element only. */
static void print_element(const void *from) {
  uint64_t value[MOST_WORDS];
  uint64_t whole[MOST_WORDS];
  memcpy(value, from, words * sizeof(uint64_t));
  write_element(whole, value[0]);
  CHECK(memcmp(value, whole, words * sizeof(uint64_t)) == 0);
  printf(" %" PRIu64, value[0]);
}

static void write_run(void *first, size_t count) {
  for (size_t at = 0; at < count; ++at) {
    write_element((unsigned char *)first + at * words * sizeof(uint64_t), next++);
  }
}

static void print_run(const void *first, size_t count) {
  for (size_t at = 0; at < count; ++at) {
    print_element((const unsigned char *)first + at * words * sizeof(uint64_t));
  }
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* What any ring can do. */
#define MACHINE(kind, shape_of)                                                                                        \
  static gimmal_##kind##_t *kind##_made(size_t capacity, size_t place) {                                               \
    gimmal_##kind##_t *ring = NULL;                                                                                    \
    size_t size = 0, align = 0;                                                                                        \
    CHECK(gimmal_##kind##_layout(words * sizeof(uint64_t), 8, capacity, &size, &align) == GIMMAL_OK);                  \
    void *storage = aligned_alloc(align, (size + align - 1) / align * align);                                          \
    CHECK(gimmal_##kind##_init(storage, size, words * sizeof(uint64_t), 8, capacity, &ring) == GIMMAL_OK);             \
    start_at(&ring->control, shape_of(words * sizeof(uint64_t), 8), place);                                            \
    return ring;                                                                                                       \
  }                                                                                                                    \
  static bool kind##_does(gimmal_##kind##_t *ring, char call, size_t count) {                                          \
    size_t done = 0;                                                                                                   \
    switch (call) {                                                                                                    \
    case 'p':                                                                                                          \
    case 'o': {                                                                                                        \
      write_element(elements, next);                                                                                   \
      const gimmal_status_t status =                                                                                   \
          call == 'p' ? gimmal_##kind##_push(ring, elements) : gimmal_##kind##_offer(ring, elements);                  \
      next += status == GIMMAL_OK;                                                                                     \
      printf("%" PRIu32, status);                                                                                      \
      return true;                                                                                                     \
    }                                                                                                                  \
    case 'g':                                                                                                          \
    case 'k': {                                                                                                        \
      const gimmal_status_t status =                                                                                   \
          call == 'g' ? gimmal_##kind##_pop(ring, elements) : gimmal_##kind##_peek(ring, elements);                    \
      printf("%" PRIu32, status);                                                                                      \
      print_run(elements, status == GIMMAL_OK);                                                                        \
      return true;                                                                                                     \
    }                                                                                                                  \
    case 'G':                                                                                                          \
      printf("%" PRIu32, gimmal_##kind##_pop_n(ring, elements, count, &done));                                         \
      print_run(elements, done);                                                                                       \
      return true;                                                                                                     \
    case 'c':                                                                                                          \
      printf("%" PRIu32, gimmal_##kind##_close(ring));                                                                 \
      return true;                                                                                                     \
    case 'x':                                                                                                          \
      printf("%" PRIu32, gimmal_##kind##_release_consumer(ring));                                                      \
      CHECK(gimmal_##kind##_claim_consumer(ring) == GIMMAL_OK);                                                        \
      CHECK(gimmal_##kind##_claim_consumer(ring) == GIMMAL_BUSY);                                                      \
      return true;                                                                                                     \
    default:                                                                                                           \
      return false;                                                                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  static void kind##_is(gimmal_##kind##_t *ring) {                                                                     \
    size_t len = 0, dropped = 0;                                                                                       \
    bool full = false, empty = false, closed = false;                                                                  \
    CHECK(gimmal_##kind##_len(ring, &len) == GIMMAL_OK && gimmal_##kind##_dropped(ring, &dropped) == GIMMAL_OK);       \
    CHECK(gimmal_##kind##_is_full(ring, &full) == GIMMAL_OK && gimmal_##kind##_is_empty(ring, &empty) == GIMMAL_OK);   \
    CHECK(gimmal_##kind##_is_closed(ring, &closed) == GIMMAL_OK);                                                      \
    printf(" | %zu %d %d %zu %d\n", len, full, empty, dropped, closed);                                                \
  }

/* What only a ring of one producer can do. */
#define BATCHES(kind)                                                                                                  \
  static bool kind##_does_more(gimmal_##kind##_t *ring, char call, size_t count, size_t part) {                        \
    gimmal_spans_t spans = {NULL, 0, NULL, 0};                                                                         \
    size_t done = 0;                                                                                                   \
    switch (call) {                                                                                                    \
    case 'P': {                                                                                                        \
      const uint64_t from = next;                                                                                      \
      write_run(elements, count);                                                                                      \
      printf("%" PRIu32, gimmal_##kind##_push_n(ring, elements, count, &done));                                        \
      printf(" %zu", done);                                                                                            \
      next = from + done;                                                                                              \
      return true;                                                                                                     \
    }                                                                                                                  \
    case 'F': {                                                                                                        \
      const gimmal_status_t status = gimmal_##kind##_reserve(ring, count, &spans);                                     \
      printf("%" PRIu32, status);                                                                                      \
      if (status == GIMMAL_OK) {                                                                                       \
        const size_t first = least(part, spans.first_count);                                                           \
        const size_t second = least(part - first, spans.second_count);                                                 \
        write_run(spans.first, first);                                                                                 \
        write_run(spans.second, second);                                                                               \
        printf(" %zu", spans.first_count + spans.second_count);                                                        \
        printf(" %" PRIu32, gimmal_##kind##_commit(ring, first + second));                                             \
      }                                                                                                                \
      return true;                                                                                                     \
    }                                                                                                                  \
    case 'R': {                                                                                                        \
      const gimmal_status_t status = gimmal_##kind##_read(ring, count, &spans);                                        \
      printf("%" PRIu32, status);                                                                                      \
      if (status == GIMMAL_OK) {                                                                                       \
        print_run(spans.first, spans.first_count);                                                                     \
        print_run(spans.second, spans.second_count);                                                                   \
        printf(" %" PRIu32, gimmal_##kind##_release(ring, least(part, spans.first_count + spans.second_count)));       \
      }                                                                                                                \
      return true;                                                                                                     \
    }                                                                                                                  \
    case 'y':                                                                                                          \
      printf("%" PRIu32, gimmal_##kind##_release_producer(ring));                                                      \
      CHECK(gimmal_##kind##_claim_producer(ring) == GIMMAL_OK);                                                        \
      CHECK(gimmal_##kind##_claim_producer(ring) == GIMMAL_BUSY);                                                      \
      return true;                                                                                                     \
    default:                                                                                                           \
      return false;                                                                                                    \
    }                                                                                                                  \
  }

MACHINE(ring, gimmal_shape_by_index)
MACHINE(line_ring, gimmal_shape_by_line)
MACHINE(mpsc, gimmal_shape_mpsc)
BATCHES(ring)
BATCHES(line_ring)

static bool mpsc_does_more(gimmal_mpsc_t *ring, char call, size_t count, size_t part) {
  (void)ring, (void)call, (void)count, (void)part;
  return false;
}

#define RUN(kind)                                                                                                      \
  do {                                                                                                                 \
    gimmal_##kind##_t *ring = kind##_made(capacity, place);                                                            \
    CHECK(gimmal_##kind##_claim_consumer(ring) == GIMMAL_OK);                                                          \
    while (scanf(" %c %zu %zu", &call, &count, &part) == 3) {                                                          \
      CHECK(count <= MOST);                                                                                            \
      CHECK(kind##_does(ring, call, count) || kind##_does_more(ring, call, count, part));                              \
      kind##_is(ring);                                                                                                 \
    }                                                                                                                  \
    CHECK(gimmal_##kind##_deinit(ring) == GIMMAL_OK);                                                                  \
    free(ring);                                                                                                        \
  } while (0)

int main(int argc, char **argv) {
  char call = 0;
  size_t count = 0, part = 0;
  CHECK(argc == 5);
  const size_t capacity = (size_t)strtoull(argv[2], NULL, 10);
  const size_t place = (size_t)strtoull(argv[4], NULL, 10);
  words = (size_t)strtoull(argv[3], NULL, 10);
  if (strcmp(argv[1], "ring") == 0) {
    RUN(ring);
  } else if (strcmp(argv[1], "line_ring") == 0) {
    RUN(line_ring);
  } else {
    CHECK(strcmp(argv[1], "mpsc") == 0);
    RUN(mpsc);
  }
  return 0;
}
