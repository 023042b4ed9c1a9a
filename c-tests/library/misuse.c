/* Every misuse that the library can tell gives its status, and changes neither the ring nor an output. */

#include <string.h>

#include "check.h"
#include "gimmal.h"

#if !defined(__cplusplus)
#include <stdalign.h>
#endif

#define ELEMENT_SIZE 8
#define ELEMENT_ALIGN 8
#define CAPACITY 8
#define TOP_BIT (SIZE_MAX / 2 + 1)

alignas(4096) static unsigned char storage[4096];

/* What a call may write: nothing, when it is refused. */
typedef struct outputs_t {
  size_t number;
  size_t other;
  bool flag;
  gimmal_spans_t spans;
  uint64_t element;
  gimmal_ring_t *ring;
  gimmal_line_ring_t *line_ring;
  gimmal_mpsc_t *mpsc;
} outputs_t;
static outputs_t out;

static unsigned char storage_before[sizeof storage];
static unsigned char out_before[sizeof out];

static void remember(void) {
  memset(&out, 0x5A, sizeof out);
  out.flag = true;
  memcpy(storage_before, storage, sizeof storage);
  memcpy(out_before, &out, sizeof out);
}

static void check_refused(gimmal_status_t status, gimmal_status_t expected, const char *call, int line) {
  if (status != expected) {
    fprintf(stderr, "%s:%d: %s reports \"%s\", not \"%s\"\n", __FILE__, line, call, gimmal_status_str(status),
            gimmal_status_str(expected));
    exit(1);
  }
  if (memcmp(storage, storage_before, sizeof storage) != 0 || memcmp(&out, out_before, sizeof out) != 0) {
    fprintf(stderr, "%s:%d: %s was refused and changed something\n", __FILE__, line, call);
    exit(1);
  }
}

/* A row: the call is refused with this status, and has no effect. */
#define REFUSED(expected, call)                                                                                        \
  do {                                                                                                                 \
    remember();                                                                                                        \
    check_refused((call), (expected), #call, __LINE__);                                                                \
  } while (0)

#define PASTE(a, b, c) a##b##c
#define NAME(kind, function) PASTE(gimmal_, kind, _##function)
/* A function of the kind at hand. */
#define CALL(function) NAME(KIND, function)

#define KIND ring
#define OTHER line_ring
#define OBJECT gimmal_ring_t
#define FN(name) name##_by_index
#include "misuse_rows.h"
#undef KIND
#undef OTHER
#undef OBJECT
#undef FN

#define KIND line_ring
#define OTHER ring
#define OBJECT gimmal_line_ring_t
#define FN(name) name##_by_line
#include "misuse_rows.h"
#undef KIND
#undef OTHER
#undef OBJECT
#undef FN

#define KIND mpsc
#define OTHER line_ring
#define OBJECT gimmal_mpsc_t
#define FN(name) name##_of_many
#define MANY
#include "misuse_rows.h"

/* A producer that was stopped between its claim and its commit, as a C program can do by hand. */
static void a_cell_that_is_stalled(void) {
  const uint64_t element = 5;
  gimmal_mpsc_t *ring = fresh_of_many();
  out.number = 9;
  out.flag = true;
  ring->control.producer.tail = 1;
  CHECK(gimmal_mpsc_push(ring, &element) == GIMMAL_OK);
  CHECK(gimmal_mpsc_stalled(ring, &out.number) == GIMMAL_OK && out.number == 0);
  REFUSED(GIMMAL_EMPTY, gimmal_mpsc_pop(ring, &out.element));
  CHECK(gimmal_mpsc_close(ring) == GIMMAL_OK);
  CHECK(gimmal_mpsc_is_closed(ring, &out.flag) == GIMMAL_OK && !out.flag);
  REFUSED(GIMMAL_CLOSED, gimmal_mpsc_push(ring, &element));
}

int main(void) {
  all_by_index();
  all_by_line();
  all_of_many();
  a_cell_that_is_stalled();

  /* A capacity must be a power of two, but by line for one producer. */
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_ring_layout(8, 8, 3, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_ring_layout(8, 8, SIZE_MAX, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_ring_init(storage, sizeof storage, 8, 8, 3, &out.ring));
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_mpsc_layout(8, 8, 3, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, gimmal_line_ring_layout(8, 8, SIZE_MAX, &out.number, &out.other));
  CHECK(gimmal_line_ring_layout(8, 8, 3, &out.number, &out.other) == GIMMAL_OK);
  return 0;
}
