/* The tests of one kind: KIND names it, OBJECT is its type, SHAPE() its geometry, FN() names its functions. */

/* A ring in memory of its own, which is full of old bytes at first. */
typedef struct FN(fixture_t) {
  OBJECT *ring;
  size_t element_size;
  size_t element_align;
  size_t capacity; /* as the ring states it */
  size_t sent;
  size_t received;
} FN(fixture_t);

static size_t FN(len)(const FN(fixture_t) * fixture) {
  size_t len = SIZE_MAX;
  bool is_empty = false;
  CHECK(CALL(len)(fixture->ring, &len) == GIMMAL_OK);
  CHECK(CALL(is_empty)(fixture->ring, &is_empty) == GIMMAL_OK);
  CHECK(is_empty == (len == 0));
  CHECK(len == fixture->sent - fixture->received);
  return len;
}

/* Pushes one element, in a way that changes from one to the next; false if the ring is full. */
static bool FN(push_one)(FN(fixture_t) * fixture) {
  unsigned char element[LONGEST];
  gimmal_spans_t spans;
  size_t pushed = SIZE_MAX;
  gimmal_status_t status;
  fill(element, fixture->element_size, fixture->sent);
  switch (fixture->sent % 4) {
  case 0:
    status = CALL(push)(fixture->ring, element);
    break;
  case 1:
    status = CALL(push_n)(fixture->ring, element, 1, &pushed);
    CHECK(status != GIMMAL_OK || pushed == 1);
    break;
  case 2:
    status = CALL(reserve)(fixture->ring, 1, &spans);
    if (status == GIMMAL_OK) {
      CHECK(spans.first_count == 1 && spans.second_count == 0);
      CHECK((uintptr_t)spans.first % fixture->element_align == 0);
      fill((unsigned char *)spans.first, fixture->element_size, fixture->sent);
      CHECK(CALL(commit)(fixture->ring, 1) == GIMMAL_OK);
    }
    break;
  default:
    status = CALL(offer)(fixture->ring, element);
    break;
  }
  CHECK(status == GIMMAL_OK || status == GIMMAL_FULL);
  fixture->sent += status == GIMMAL_OK;
  return status == GIMMAL_OK;
}

/* Pops one element likewise; false if the ring is empty. */
static bool FN(pop_one)(FN(fixture_t) * fixture) {
  unsigned char element[LONGEST];
  gimmal_spans_t spans;
  size_t popped = SIZE_MAX;
  gimmal_status_t status = CALL(peek)(fixture->ring, element);
  if (status == GIMMAL_OK) {
    check(element, fixture->element_size, fixture->received);
  }
  memset(element, 0, sizeof element);
  switch (fixture->received % 3) {
  case 0:
    status = CALL(pop)(fixture->ring, element);
    break;
  case 1:
    status = CALL(pop_n)(fixture->ring, element, 1, &popped);
    CHECK(status != GIMMAL_OK || popped == 1);
    break;
  default:
    status = CALL(read)(fixture->ring, 1, &spans);
    if (status == GIMMAL_OK) {
      CHECK(spans.first_count == 1 && spans.second_count == 0);
      memcpy(element, spans.first, fixture->element_size);
      CHECK(CALL(release)(fixture->ring, 1) == GIMMAL_OK);
    }
    break;
  }
  CHECK(status == GIMMAL_OK || status == GIMMAL_EMPTY);
  if (status == GIMMAL_OK) {
    check(element, fixture->element_size, fixture->received);
    fixture->received += 1;
  }
  return status == GIMMAL_OK;
}

static void FN(fill_and_drain)(FN(fixture_t) * fixture) {
  for (int lap = 0; lap < 3; ++lap) {
    size_t dropped = SIZE_MAX;
    size_t dropped_after = SIZE_MAX;
    bool is_full = true;
    const unsigned char element[LONGEST] = {0};
    CHECK(CALL(dropped)(fixture->ring, &dropped) == GIMMAL_OK);
    do {
      CHECK(CALL(is_full)(fixture->ring, &is_full) == GIMMAL_OK);
      CHECK(FN(push_one)(fixture) == !is_full);
    } while (!is_full);
    CHECK(FN(len)(fixture) >= fixture->capacity);
    CHECK(SHAPE(8, 8).kind == GIMMAL_KIND_LINE || FN(len)(fixture) == fixture->capacity);
    CHECK(CALL(offer)(fixture->ring, element) == GIMMAL_FULL);
    CHECK(CALL(dropped)(fixture->ring, &dropped_after) == GIMMAL_OK);
    CHECK(dropped_after == dropped + 1 + (fixture->sent % 4 == 3));
    while (FN(pop_one)(fixture)) {
    }
    CHECK(FN(len)(fixture) == 0);
    /* The next lap begins elsewhere, and so do its cells. */
    CHECK(FN(push_one)(fixture) && FN(pop_one)(fixture));
  }
}

/* One element after another, so that each end crosses every slot or cell. */
static void FN(one_by_one)(FN(fixture_t) * fixture) {
  for (size_t i = 0; i < 3 * fixture->capacity && i < 600; ++i) {
    CHECK(FN(push_one)(fixture) && FN(len)(fixture) == 1);
    CHECK(FN(pop_one)(fixture) && FN(len)(fixture) == 0);
  }
}

/* Batches that the ring takes and gives whole or in part. */
static void FN(batches)(FN(fixture_t) * fixture) {
  const size_t size = fixture->element_size;
  unsigned char buffer[BATCH * LONGEST];
  for (int round = 0; round < 60; ++round) {
    size_t pushed = SIZE_MAX;
    size_t popped = SIZE_MAX;
    gimmal_status_t status;
    for (size_t i = 0; i < BATCH; ++i) {
      fill(buffer + i * size, size, fixture->sent + i);
    }
    status = CALL(push_n)(fixture->ring, buffer, BATCH, &pushed);
    CHECK(status == (pushed == SIZE_MAX ? GIMMAL_FULL : GIMMAL_OK));
    if (status == GIMMAL_OK) {
      CHECK(pushed > 0 && pushed <= BATCH);
      CHECK(pushed == BATCH || fixture->sent + pushed - fixture->received >= fixture->capacity);
      fixture->sent += pushed;
    }
    memset(buffer, 0, sizeof buffer);
    status = CALL(pop_n)(fixture->ring, buffer, 1 + (size_t)round % BATCH, &popped);
    CHECK(status == GIMMAL_OK && popped > 0 && popped <= 1 + (size_t)round % BATCH);
    CHECK(popped == 1 + (size_t)round % BATCH || fixture->received + popped == fixture->sent);
    for (size_t i = 0; i < popped; ++i) {
      check(buffer + i * size, size, fixture->received + i);
    }
    fixture->received += popped;
    FN(len)(fixture);
  }
  while (FN(pop_one)(fixture)) {
  }
}

static unsigned char *FN(nth)(const FN(fixture_t) * fixture, gimmal_spans_t spans, size_t n) {
  return n < spans.first_count ? (unsigned char *)spans.first + n * fixture->element_size
                               : (unsigned char *)spans.second + (n - spans.first_count) * fixture->element_size;
}

/* Room reserved and filled in place, all of it or not, and elements read in place. */
static void FN(in_place)(FN(fixture_t) * fixture) {
  for (size_t round = 0; round < 60; ++round) {
    const size_t want = 1 + round % (fixture->capacity < BATCH ? fixture->capacity : BATCH);
    gimmal_spans_t room;
    gimmal_spans_t again;
    gimmal_spans_t held;
    size_t count;
    if (CALL(reserve)(fixture->ring, want, &room) == GIMMAL_OK) {
      count = room.first_count + room.second_count;
      CHECK(room.first_count > 0 && count <= want);
      CHECK(room.second_count == 0 || SHAPE(8, 8).kind == GIMMAL_KIND_INDEX);
      CHECK(CALL(reserve)(fixture->ring, want, &again) == GIMMAL_OK);
      CHECK(again.first == room.first && again.first_count + again.second_count >= count);
      for (size_t i = 0; i < count; ++i) {
        fill(FN(nth)(fixture, room, i), fixture->element_size, fixture->sent + i);
      }
      count -= round % 3 == 0;
      CHECK(CALL(commit)(fixture->ring, count) == GIMMAL_OK);
      fixture->sent += count;
    }
    FN(len)(fixture);
    if (CALL(read)(fixture->ring, want, &held) == GIMMAL_OK) {
      count = held.first_count + held.second_count;
      CHECK(held.first_count > 0 && count <= want);
      for (size_t i = 0; i < count; ++i) {
        check(FN(nth)(fixture, held, i), fixture->element_size, fixture->received + i);
      }
      count -= round % 4 == 0;
      CHECK(CALL(release)(fixture->ring, count) == GIMMAL_OK);
      fixture->received += count;
    }
    FN(len)(fixture);
  }
  while (FN(pop_one)(fixture)) {
  }
}

/* Batches of nothing are no errors, and do nothing. */
static void FN(nothing)(const FN(fixture_t) * fixture) {
  gimmal_spans_t spans = {NULL, 1, NULL, 1};
  size_t number = SIZE_MAX;
  CHECK(CALL(push_n)(fixture->ring, NULL, 0, &number) == GIMMAL_OK && number == 0);
  number = SIZE_MAX;
  CHECK(CALL(pop_n)(fixture->ring, NULL, 0, &number) == GIMMAL_OK && number == 0);
  CHECK(CALL(reserve)(fixture->ring, 0, &spans) == GIMMAL_OK && spans.first_count + spans.second_count == 0);
  CHECK(CALL(commit)(fixture->ring, 0) == GIMMAL_OK);
  spans.first_count = 1;
  CHECK(CALL(read)(fixture->ring, 0, &spans) == GIMMAL_OK && spans.first_count + spans.second_count == 0);
  CHECK(CALL(release)(fixture->ring, 0) == GIMMAL_OK);
  FN(len)(fixture);
}

/* An end may be claimed by one party after another, at any place of a cell. */
static void FN(claims)(FN(fixture_t) * fixture) {
  for (int i = 0; i < 20; ++i) {
    CHECK(CALL(claim_producer)(fixture->ring) == GIMMAL_OK);
    CHECK(FN(push_one)(fixture));
    CHECK(CALL(release_producer)(fixture->ring) == GIMMAL_OK);
    CHECK(CALL(claim_consumer)(fixture->ring) == GIMMAL_OK);
    CHECK(FN(pop_one)(fixture));
    CHECK(CALL(release_consumer)(fixture->ring) == GIMMAL_OK);
  }
}

/* A closed ring still delivers what it holds. */
static void FN(closing)(FN(fixture_t) * fixture) {
  bool is_closed = true;
  unsigned char element[LONGEST];
  CHECK(CALL(is_closed)(fixture->ring, &is_closed) == GIMMAL_OK && !is_closed);
  CHECK(FN(push_one)(fixture));
  CHECK(CALL(close)(fixture->ring) == GIMMAL_OK);
  CHECK(CALL(is_closed)(fixture->ring, &is_closed) == GIMMAL_OK && is_closed);
  CHECK(CALL(push)(fixture->ring, element) == GIMMAL_CLOSED);
  CHECK(FN(len)(fixture) == 1 && FN(pop_one)(fixture));
  CHECK(CALL(pop)(fixture->ring, element) == GIMMAL_EMPTY);
}

static void FN(all)(element_t element, size_t capacity, size_t start) {
  FN(fixture_t) fixture = {NULL, element.size, element.align, 0, 0, 0};
  OBJECT *attached = NULL;
  unsigned char *storage;
  size_t size = 0;
  size_t align = 0;
  CHECK(CALL(layout)(element.size, element.align, capacity, &size, &align) == GIMMAL_OK);
  CHECK(align >= alignof(gimmal_control_t) && align >= element.align && size % align == 0);
  storage = (unsigned char *)aligned_alloc(align, size);
  CHECK(storage != NULL);
  memset(storage, 0xA5, size);

  /* Twice over the same storage: the second time it holds an old ring. */
  for (int time = 0; time < 2; ++time) {
    CHECK(CALL(init)(storage, size, element.size, element.align, capacity, &fixture.ring) == GIMMAL_OK);
    CHECK((void *)fixture.ring == storage);
    CHECK(CALL(attach)(storage, size, element.size, element.align, &attached) == GIMMAL_OK);
    CHECK(attached == fixture.ring);
    CHECK(CALL(capacity)(fixture.ring, &fixture.capacity) == GIMMAL_OK);
    CHECK(SHAPE(8, 8).kind == GIMMAL_KIND_LINE ? fixture.capacity >= capacity : fixture.capacity == capacity);
    start_at((gimmal_control_t *)(void *)storage, SHAPE(element.size, element.align), start);
    fixture.sent = 0;
    fixture.received = 0;

    CHECK(FN(len)(&fixture) == 0);
    FN(nothing)(&fixture);
    FN(one_by_one)(&fixture);
    FN(fill_and_drain)(&fixture);
    FN(batches)(&fixture);
    FN(in_place)(&fixture);
    FN(claims)(&fixture);
    FN(closing)(&fixture);
    CHECK(time == 0 || CALL(deinit)(fixture.ring) == GIMMAL_OK);
  }
  CHECK(CALL(attach)(storage, size, element.size, element.align, &attached) == GIMMAL_UNINITIALISED);
  free(storage);
}
