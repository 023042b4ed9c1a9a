/* What the processes in C and C++ share: one end of a segment, told by its arguments what to do.
 *
 *   push NAME KIND FROM COUNT close|hold   pushes messages; then closes the segment, or waits to be told to end, or
 * killed pop NAME KIND LIMIT                    pops until the segment is closed; after LIMIT messages, if that is not
 * 0, waits to be told to go on
 *
 * It says a line for each thing that the test waits for: a word and two numbers.
 */

#ifndef GIMMAL_TEST_SHM_END_H
#define GIMMAL_TEST_SHM_END_H

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "gimmal_shm.h"

/* As in tests/shm/role.rs. */
#define END_CAPACITY 1024
#define END_PRODUCERS 3
#define END_TAG 0x6761
/* Nanoseconds after which a wait has failed, and seconds after which the process has. */
#define END_PATIENCE 50000000000U
#define END_SECONDS 60

typedef struct message_t {
  uint64_t id; /* upper half: whose it is */
  uint64_t check;
} message_t;

static inline message_t message_of(uint64_t id) {
  message_t message;
  message.id = id;
  message.check = id * 0x9E3779B97F4A7C15U;
  return message;
}

#define MUST(call)                                                                                                     \
  do {                                                                                                                 \
    const gimmal_status_t must = (call);                                                                               \
    if (must != GIMMAL_OK) {                                                                                           \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, gimmal_status_str(must));                          \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline void opened(gimmal_status_t status) {
  if (status != GIMMAL_OK) {
    fprintf(stderr, "not opened: %s: %s\n", gimmal_status_str(status), gimmal_shm_error());
    exit(1);
  }
}

static inline uint32_t kind_of(const char *name) {
  return strcmp(name, "line") == 0    ? GIMMAL_SHM_LINE
         : strcmp(name, "index") == 0 ? GIMMAL_SHM_INDEX
         : strcmp(name, "mpsc") == 0  ? GIMMAL_SHM_MPSC
                                      : GIMMAL_SHM_LANES;
}

static inline int is_many(uint32_t kind) { return kind == GIMMAL_SHM_MPSC || kind == GIMMAL_SHM_LANES; }

static inline void say(const char *word, uint64_t one, uint64_t other) {
  printf("%s %llu %llu\n", word, (unsigned long long)one, (unsigned long long)other);
  fflush(stdout);
}

static inline void listen(void) {
  char line[16];
  if (fgets(line, sizeof line, stdin) == NULL) {
    exit(0);
  }
}

/* What a consumer has seen. */
typedef struct log_t {
  uint64_t count;
  uint64_t first;
  uint64_t next[END_PRODUCERS + 1];
} log_t;

/* What a wait brought; whether it was the last. Messages are whole, and each producer's come one after the other. */
static inline int heard(log_t *log, gimmal_status_t status, const message_t *message) {
  if (status == GIMMAL_CLOSED) {
    say("closed", log->first, log->count);
    return 1;
  }
  if (status == GIMMAL_PEER_DIED) {
    say("died", log->first, log->count);
    return 0;
  }
  MUST(status);
  CHECK(message->check == message_of(message->id).check);
  uint64_t *next = &log->next[message->id >> 32];
  CHECK(log->count == 0 || *next == 0 || *next == message->id);
  *next = message->id + 1;
  if (log->count++ == 0) {
    log->first = message->id;
  }
  return 0;
}

#endif /* GIMMAL_TEST_SHM_END_H */
