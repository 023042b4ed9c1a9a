/* One end of a segment, as a process, by the library's calls: see end.h. */

#include "end.h"

static gimmal_wait_t park;

static gimmal_shm_options_t options_of(const char *name, const char *kind) {
  gimmal_shm_options_t options = {0};
  options.name = name;
  options.kind = kind_of(kind);
  options.element_size = sizeof(message_t);
  options.element_align = _Alignof(message_t);
  options.capacity = END_CAPACITY;
  options.producers = is_many(options.kind) ? END_PRODUCERS : 1;
  options.type_tag = END_TAG;
  return options;
}

static int push(const gimmal_shm_options_t *options, uint64_t from, uint64_t count, const char *then) {
  gimmal_shm_producer_t *producer = NULL;
  opened(gimmal_shm_producer_open(options, &producer));
  for (uint64_t id = from; id < from + count; ++id) {
    const message_t message = message_of(id);
    MUST(gimmal_shm_producer_push_wait(producer, &message, &park, END_PATIENCE));
    MUST(gimmal_shm_producer_notify(producer, &park));
  }
  say("pushed", count, 0);
  if (strcmp(then, "close") == 0) {
    MUST(gimmal_shm_producer_close(producer));
  } else {
    listen();
  }
  MUST(gimmal_shm_producer_free(&producer));
  return 0;
}

static int pop(const gimmal_shm_options_t *options, uint64_t limit) {
  gimmal_shm_consumer_t *consumer = NULL;
  opened(gimmal_shm_consumer_open(options, &consumer));
  MUST(gimmal_shm_consumer_declare(consumer, &park));
  say("ready", 0, 0);
  log_t log = {0};
  for (;;) {
    message_t message;
    const gimmal_status_t status = gimmal_shm_consumer_pop_wait(consumer, &message, &park, END_PATIENCE);
    if (heard(&log, status, &message)) {
      break;
    }
    MUST(gimmal_shm_consumer_notify(consumer, &park));
    if (log.count == limit) {
      say("popped", log.first, log.count);
      listen();
    }
  }
  MUST(gimmal_shm_consumer_free(&consumer));
  return 0;
}

int main(int argc, char **argv) {
  alarm(END_SECONDS);
  CHECK(argc >= 5);
  const gimmal_shm_options_t options = options_of(argv[2], argv[3]);
  MUST(gimmal_wait_init(&park, GIMMAL_WAIT_PARK_SHARED, NULL));
  if (strcmp(argv[1], "push") == 0) {
    CHECK(argc == 7);
    return push(&options, strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10), argv[6]);
  }
  return pop(&options, strtoull(argv[4], NULL, 10));
}
