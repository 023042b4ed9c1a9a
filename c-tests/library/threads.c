/* A producer and a consumer on two threads, each by calls of the library: nothing is lost, doubled, torn or out of
 * order. */

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "check.h"
#include "start_at.h"

#define MESSAGES 100000
#define CAPACITY 64
#define BATCH 9

/* A number, and what follows from it. */
typedef struct message_t {
  uint64_t words[3];
} message_t;

static message_t message(uint64_t number) {
  message_t made = {{number, number * 0x9E3779B97F4A7C15u, ~number}};
  return made;
}

static uint64_t sum(uint64_t before, message_t made) {
  return before * 31 + made.words[0] + made.words[1] + made.words[2];
}

#define PASTE(a, b, c) a##b##c
#define NAME(kind, function) PASTE(gimmal_, kind, _##function)
/* A function of the kind at hand. */
#define CALL(function) NAME(KIND, function)

#define KIND ring
#define OBJECT gimmal_ring_t
#define SHAPE gimmal_shape_by_index
#define FN(name) name##_by_index
#include "threads_of.h"
#undef KIND
#undef OBJECT
#undef SHAPE
#undef FN

#define KIND line_ring
#define OBJECT gimmal_line_ring_t
#define SHAPE gimmal_shape_by_line
#define FN(name) name##_by_line
#include "threads_of.h"

int main(void) {
  all_by_index(0);
  all_by_index(SIZE_MAX - 1000);
  all_by_line(0);
  all_by_line(SIZE_MAX - 1000);
  return 0;
}
