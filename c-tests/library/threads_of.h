/* The two threads of one kind: KIND names it, OBJECT is its type, SHAPE() its geometry, FN() names its functions. */

static void *FN(produce)(void *argument) {
  OBJECT *ring = (OBJECT *)argument;
  uint64_t checksum = 0;
  uint64_t number = 0;
  CHECK(CALL(claim_producer)(ring) == GIMMAL_OK);
  while (number < MESSAGES) {
    message_t batch[BATCH];
    size_t pushed = 0;
    size_t count = MESSAGES - number < BATCH ? (size_t)(MESSAGES - number) : BATCH;
    gimmal_status_t status;
    for (size_t i = 0; i < count; ++i) {
      batch[i] = message(number + i);
    }
    if (number % 3 == 0) {
      status = CALL(push_n)(ring, batch, count, &pushed);
    } else {
      status = CALL(push)(ring, batch);
      pushed = status == GIMMAL_OK;
    }
    CHECK(status == GIMMAL_OK || status == GIMMAL_FULL);
    for (size_t i = 0; i < pushed; ++i) {
      checksum = sum(checksum, batch[i]);
    }
    number += pushed;
    if (status == GIMMAL_FULL) {
      sched_yield();
    }
  }
  CHECK(CALL(close)(ring) == GIMMAL_OK);
  CHECK(CALL(release_producer)(ring) == GIMMAL_OK);
  return (void *)(uintptr_t)checksum;
}

/* Takes messages until the ring is closed and empty, and returns their checksum. */
static uint64_t FN(consume)(OBJECT *ring) {
  uint64_t checksum = 0;
  uint64_t number = 0;
  CHECK(CALL(claim_consumer)(ring) == GIMMAL_OK);
  for (;;) {
    message_t batch[BATCH];
    size_t popped = 0;
    bool is_closed = false;
    gimmal_status_t status;
    /* Before the pop: who learns of the close, and then finds nothing, has had everything. */
    CHECK(CALL(is_closed)(ring, &is_closed) == GIMMAL_OK);
    if (number % 2 == 0) {
      status = CALL(pop_n)(ring, batch, BATCH, &popped);
    } else {
      status = CALL(pop)(ring, batch);
      popped = status == GIMMAL_OK;
    }
    CHECK(status == GIMMAL_OK || status == GIMMAL_EMPTY);
    for (size_t i = 0; i < popped; ++i) {
      const message_t expected = message(number + i);
      CHECK(memcmp(&batch[i], &expected, sizeof expected) == 0);
      checksum = sum(checksum, batch[i]);
    }
    number += popped;
    if (status == GIMMAL_EMPTY) {
      if (is_closed) {
        break;
      }
      sched_yield();
    }
  }
  CHECK(number == MESSAGES);
  CHECK(CALL(release_consumer)(ring) == GIMMAL_OK);
  return checksum;
}

static void FN(all)(size_t start) {
  OBJECT *ring = NULL;
  size_t size = 0;
  size_t align = 0;
  pthread_t producer;
  void *checksum = NULL;
  void *storage;
  CHECK(CALL(layout)(sizeof(message_t), 8, CAPACITY, &size, &align) == GIMMAL_OK);
  storage = aligned_alloc(align, size);
  CHECK(storage != NULL);
  CHECK(CALL(init)(storage, size, sizeof(message_t), 8, CAPACITY, &ring) == GIMMAL_OK);
  start_at((gimmal_control_t *)storage, SHAPE(sizeof(message_t), 8), start);
  CHECK(pthread_create(&producer, NULL, FN(produce), ring) == 0);
  const uint64_t received = FN(consume)(ring);
  CHECK(pthread_join(producer, &checksum) == 0);
  CHECK((uintptr_t)checksum == (uintptr_t)received);
  CHECK(CALL(deinit)(ring) == GIMMAL_OK);
  free(storage);
}
