/* A pool by calls of the library: every slot once, every misuse that the library can tell, and slots that one thread
 * acquires and others release. */

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "check.h"
#include "gimmal.h"

#if !defined(__cplusplus)
#include <stdalign.h>
#endif

#define MOST 4096
#define ROUNDS 20000

alignas(4096) static unsigned char storage[1 << 20];
static unsigned char before[sizeof storage];

/* What a call may write: nothing, when it is refused. */
typedef struct outputs_t {
  size_t number;
  size_t other;
  uint32_t index;
  void *element;
  gimmal_pool_t *pool;
} outputs_t;
static outputs_t out;
static outputs_t out_before;

/* A row: the call is refused with this status, and has no effect. */
#define REFUSED(expected, call)                                                                                        \
  do {                                                                                                                 \
    memset(&out, 0x5A, sizeof out);                                                                                    \
    memcpy(&out_before, &out, sizeof out);                                                                             \
    memcpy(before, storage, sizeof storage);                                                                           \
    CHECK((call) == (expected));                                                                                       \
    CHECK(memcmp(storage, before, sizeof storage) == 0);                                                               \
    CHECK(memcmp(&out, &out_before, sizeof out) == 0);                                                                 \
  } while (0)

static gimmal_pool_t *fresh(size_t size, size_t align, size_t capacity, bool padded) {
  gimmal_pool_t *pool = NULL;
  memset(storage, 0xA5, sizeof storage);
  CHECK(gimmal_pool_init(storage, sizeof storage, size, align, capacity, padded, &pool) == GIMMAL_OK);
  CHECK((void *)pool == storage);
  return pool;
}

static size_t available(const gimmal_pool_t *pool) {
  size_t count = SIZE_MAX;
  CHECK(gimmal_pool_available(pool, &count) == GIMMAL_OK);
  return count;
}

/* Every slot is acquired once, lies where it should, and can be acquired again when all are released. */
/* What is the owner's to do is refused while there is none, and changes nothing. */
static void only_an_owner(gimmal_pool_t *pool) {
  uint32_t index = UINT32_MAX;
  void *element = NULL;
  size_t free_before = available(pool);
  REFUSED(GIMMAL_NOT_CLAIMED, gimmal_pool_acquire_owned(pool, &out.index, &out.element));
  REFUSED(GIMMAL_NOT_CLAIMED, gimmal_pool_release_owner(pool));
  CHECK(gimmal_pool_acquire(pool, &index, &element) == GIMMAL_OK);
  REFUSED(GIMMAL_NOT_CLAIMED, gimmal_pool_release_owned(pool, index));
  CHECK(gimmal_pool_release_index(pool, index) == GIMMAL_OK);
  CHECK(available(pool) == free_before);
}

static void every_slot_once(size_t size, size_t align, size_t capacity, bool padded, bool owned) {
  gimmal_pool_t *pool = fresh(size, align, capacity, padded);
  static bool seen[MOST];
  static void *elements[MOST];
  size_t bytes = 0;
  size_t aligned = 0;
  CHECK(gimmal_pool_layout(size, align, capacity, padded, &bytes, &aligned) == GIMMAL_OK);
  CHECK(gimmal_pool_capacity(pool, &bytes) == GIMMAL_OK && bytes == capacity);
  if (owned) {
    CHECK(gimmal_pool_claim_owner(pool) == GIMMAL_OK);
    CHECK(gimmal_pool_claim_owner(pool) == GIMMAL_BUSY);
  }
  for (int round = 0; round < 3; ++round) {
    memset(seen, 0, sizeof seen);
    CHECK(available(pool) == capacity);
    for (size_t n = 0; n < capacity; ++n) {
      uint32_t index = UINT32_MAX;
      uint32_t found = UINT32_MAX;
      void *element = NULL;
      void *same = NULL;
      CHECK((owned ? gimmal_pool_acquire_owned : gimmal_pool_acquire)(pool, &index, &element) == GIMMAL_OK);
      CHECK(index < capacity && !seen[index]);
      seen[index] = true;
      elements[index] = element;
      CHECK((uintptr_t)element % (padded && align < 64 ? 64 : align) == 0);
      CHECK(gimmal_pool_element(pool, index, &same) == GIMMAL_OK && same == element);
      CHECK(gimmal_pool_index(pool, element, &found) == GIMMAL_OK && found == index);
      memset(element, (int)index, size);
    }
    CHECK(available(pool) == 0);
    REFUSED(GIMMAL_EXHAUSTED, gimmal_pool_acquire(pool, &out.index, &out.element));
    if (owned) {
      REFUSED(GIMMAL_EXHAUSTED, gimmal_pool_acquire_owned(pool, &out.index, &out.element));
    }
    for (size_t n = 0; n < capacity; ++n) {
      const size_t index = (n * 7 + 3) % capacity;
      if (!seen[index]) {
        continue;
      }
      const unsigned char *element = (const unsigned char *)elements[index];
      CHECK(element[0] == (unsigned char)index && element[size - 1] == (unsigned char)index);
      seen[index] = false;
      if (owned && n % 2 == 0) {
        CHECK(gimmal_pool_release_owned(pool, (uint32_t)index) == GIMMAL_OK);
        REFUSED(GIMMAL_NOT_OUT, gimmal_pool_release_owned(pool, (uint32_t)index));
      } else if (n % 3 == 0) {
        CHECK(gimmal_pool_release_index(pool, (uint32_t)index) == GIMMAL_OK);
        REFUSED(GIMMAL_NOT_OUT, gimmal_pool_release_index(pool, (uint32_t)index));
      } else {
        CHECK(gimmal_pool_release(pool, elements[index]) == GIMMAL_OK);
        REFUSED(GIMMAL_NOT_OUT, gimmal_pool_release(pool, elements[index]));
      }
    }
    for (size_t index = 0; index < capacity; ++index) {
      if (seen[index]) {
        CHECK(gimmal_pool_release(pool, elements[index]) == GIMMAL_OK);
      }
    }
  }
  if (owned) {
    CHECK(gimmal_pool_release_owner(pool) == GIMMAL_OK);
    CHECK(available(pool) == capacity);
    only_an_owner(pool);
    CHECK(gimmal_pool_claim_owner(pool) == GIMMAL_OK);
  }
}

static void shapes_that_cannot_be(void) {
  memset(storage, 0xA5, sizeof storage);
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_layout(8, 8, 8, true, NULL, &out.other));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_layout(8, 8, 8, true, &out.number, NULL));
  REFUSED(GIMMAL_BAD_ELEMENT, gimmal_pool_layout(0, 1, 8, true, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, gimmal_pool_layout(8, 3, 8, true, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_ELEMENT, gimmal_pool_layout(12, 8, 8, false, &out.number, &out.other));
  REFUSED(GIMMAL_BAD_CAPACITY, gimmal_pool_layout(8, 8, 0, true, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, gimmal_pool_layout(8, 8, SIZE_MAX, true, &out.number, &out.other));
  REFUSED(GIMMAL_OVERFLOW, gimmal_pool_layout(SIZE_MAX, 1, 8, true, &out.number, &out.other));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_init(NULL, sizeof storage, 8, 8, 8, true, &out.pool));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_init(storage, sizeof storage, 8, 8, 8, true, NULL));
  REFUSED(GIMMAL_MISALIGNED, gimmal_pool_init(storage + 8, sizeof storage - 8, 8, 8, 8, true, &out.pool));
  size_t size = 0;
  size_t align = 0;
  CHECK(gimmal_pool_layout(8, 8, 8, true, &size, &align) == GIMMAL_OK);
  REFUSED(GIMMAL_TOO_SMALL, gimmal_pool_init(storage, size - 1, 8, 8, 8, true, &out.pool));
}

static void no_pool_is_refused(gimmal_pool_t *bad, gimmal_status_t status) {
  REFUSED(status, gimmal_pool_deinit(bad));
  REFUSED(status, gimmal_pool_acquire(bad, &out.index, &out.element));
  REFUSED(status, gimmal_pool_release(bad, storage));
  REFUSED(status, gimmal_pool_release_index(bad, 0));
  REFUSED(status, gimmal_pool_element(bad, 0, &out.element));
  REFUSED(status, gimmal_pool_index(bad, storage, &out.index));
  REFUSED(status, gimmal_pool_claim_owner(bad));
  REFUSED(status, gimmal_pool_release_owner(bad));
  REFUSED(status, gimmal_pool_acquire_owned(bad, &out.index, &out.element));
  REFUSED(status, gimmal_pool_release_owned(bad, 0));
  REFUSED(status, gimmal_pool_available(bad, &out.number));
  REFUSED(status, gimmal_pool_capacity(bad, &out.number));
}

static void misuse(void) {
  shapes_that_cannot_be();
  no_pool_is_refused(NULL, GIMMAL_NULL_POINTER);

  gimmal_pool_t *pool = fresh(48, 8, 8, true);
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_acquire(pool, NULL, &out.element));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_acquire(pool, &out.index, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_acquire_owned(pool, NULL, &out.element));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_release(pool, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_element(pool, 0, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_index(pool, NULL, &out.index));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_available(pool, NULL));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_capacity(pool, NULL));

  /* What is not out cannot be released, nor what is no slot. */
  void *slot = NULL;
  uint32_t index = 0;
  for (uint32_t free = 0; free < 8; ++free) {
    REFUSED(GIMMAL_NOT_OUT, gimmal_pool_release_index(pool, free));
  }
  CHECK(gimmal_pool_acquire(pool, &index, &slot) == GIMMAL_OK);
  unsigned char *bytes = (unsigned char *)slot;
  unsigned char elsewhere[64];
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release(pool, elsewhere));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release(pool, bytes + 1));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release(pool, bytes + 48));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release(pool, pool));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release(pool, storage + sizeof storage - 64));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_index(pool, bytes + 8, &out.index));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release_index(pool, 8));
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release_index(pool, UINT32_MAX));
  CHECK(gimmal_pool_claim_owner(pool) == GIMMAL_OK);
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_release_owned(pool, 8));
  CHECK(gimmal_pool_release_owner(pool) == GIMMAL_OK);
  REFUSED(GIMMAL_FOREIGN, gimmal_pool_element(pool, 8, &out.element));
  CHECK(gimmal_pool_release(pool, slot) == GIMMAL_OK);
  REFUSED(GIMMAL_NOT_OUT, gimmal_pool_release(pool, slot));
  REFUSED(GIMMAL_NOT_OUT, gimmal_pool_release_index(pool, index));

  /* What is attached to. */
  size_t size = 0;
  size_t align = 0;
  gimmal_pool_t *same = NULL;
  CHECK(gimmal_pool_layout(48, 8, 8, true, &size, &align) == GIMMAL_OK);
  CHECK(gimmal_pool_attach(storage, size, 48, 8, &same) == GIMMAL_OK && same == pool);
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_attach(NULL, size, 48, 8, &out.pool));
  REFUSED(GIMMAL_NULL_POINTER, gimmal_pool_attach(storage, size, 48, 8, NULL));
  REFUSED(GIMMAL_MISALIGNED, gimmal_pool_attach(storage + 4, size, 48, 8, &out.pool));
  REFUSED(GIMMAL_TOO_SMALL, gimmal_pool_attach(storage, size - 1, 48, 8, &out.pool));
  REFUSED(GIMMAL_TOO_SMALL, gimmal_pool_attach(storage, 4, 48, 8, &out.pool));
  REFUSED(GIMMAL_MISMATCH, gimmal_pool_attach(storage, size, 40, 8, &out.pool));
  REFUSED(GIMMAL_MISMATCH, gimmal_pool_attach(storage, size, 48, 4, &out.pool));
  gimmal_ring_t *ring = NULL;
  CHECK(gimmal_ring_attach(storage, sizeof storage, 48, 8, &ring) == GIMMAL_WRONG_KIND);
  pool->stride += 64;
  REFUSED(GIMMAL_CORRUPT, gimmal_pool_attach(storage, sizeof storage, 48, 8, &out.pool));
  pool->stride -= 64;
  pool->count += 8;
  REFUSED(GIMMAL_TOO_SMALL, gimmal_pool_attach(storage, size, 48, 8, &out.pool));
  pool->count = 0;
  REFUSED(GIMMAL_CORRUPT, gimmal_pool_attach(storage, size, 48, 8, &out.pool));
  pool->count = 8;

  CHECK(gimmal_pool_deinit(pool) == GIMMAL_OK);
  no_pool_is_refused(pool, GIMMAL_UNINITIALISED);
  REFUSED(GIMMAL_UNINITIALISED, gimmal_pool_attach(storage, size, 48, 8, &out.pool));
  CHECK(gimmal_ring_init(storage, sizeof storage, 48, 8, 8, &ring) == GIMMAL_OK);
  no_pool_is_refused(pool, GIMMAL_WRONG_KIND);
  pool->magic = 1;
  no_pool_is_refused(pool, GIMMAL_CORRUPT);
}

/* Slots pass through a ring from the thread that acquires to those that release; others acquire and release on their
 * own. */
static gimmal_pool_t *shared;
alignas(128) static unsigned char ring_storage[1 << 14];
static gimmal_ring_t *passing;

static void *release_all(void *unused) {
  (void)unused;
  for (uint64_t next = 0; next < ROUNDS;) {
    uint32_t index = 0;
    if (gimmal_ring_pop(passing, &index) != GIMMAL_OK) {
      sched_yield();
      continue;
    }
    void *element = NULL;
    CHECK(gimmal_pool_element(shared, index, &element) == GIMMAL_OK);
    uint64_t words[2];
    memcpy(words, element, sizeof words);
    CHECK(words[0] == next && words[1] == ~next);
    CHECK((next % 2 ? gimmal_pool_release(shared, element) : gimmal_pool_release_index(shared, index)) == GIMMAL_OK);
    ++next;
  }
  return NULL;
}

static void *acquire_and_release(void *unused) {
  for (uint64_t n = 0; n < ROUNDS; ++n) {
    uint32_t index = 0;
    void *element = NULL;
    if (gimmal_pool_acquire(shared, &index, &element) != GIMMAL_OK) {
      sched_yield();
      continue;
    }
    memcpy(element, &n, sizeof n);
    CHECK(gimmal_pool_release_index(shared, index) == GIMMAL_OK);
  }
  return unused;
}

static void threads(size_t capacity, bool owned) {
  shared = fresh(16, 8, capacity, true);
  shared->shared.first |= SIZE_MAX - (SIZE_MAX >> 9);
  CHECK(gimmal_ring_init(ring_storage, sizeof ring_storage, 4, 4, 64, &passing) == GIMMAL_OK);
  if (owned) {
    CHECK(gimmal_pool_claim_owner(shared) == GIMMAL_OK);
  }
  pthread_t others[2];
  CHECK(pthread_create(&others[0], NULL, release_all, NULL) == 0);
  CHECK(pthread_create(&others[1], NULL, acquire_and_release, NULL) == 0);
  for (uint64_t next = 0; next < ROUNDS; ++next) {
    uint32_t index = 0;
    void *element = NULL;
    while ((owned ? gimmal_pool_acquire_owned : gimmal_pool_acquire)(shared, &index, &element) != GIMMAL_OK) {
      sched_yield();
    }
    const uint64_t words[2] = {next, ~next};
    memcpy(element, words, sizeof words);
    while (gimmal_ring_push(passing, &index) != GIMMAL_OK) {
      sched_yield();
    }
  }
  CHECK(pthread_join(others[0], NULL) == 0);
  CHECK(pthread_join(others[1], NULL) == 0);
  CHECK(available(shared) == capacity);
}

int main(void) {
  static const size_t sizes[][2] = {{1, 1}, {8, 8}, {12, 4}, {48, 8}, {64, 64}, {200, 8}, {256, 256}};
  static const size_t capacities[] = {1, 2, 3, 64};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    for (size_t c = 0; c < sizeof capacities / sizeof capacities[0]; ++c) {
      for (int form = 0; form < 4; ++form) {
        every_slot_once(sizes[s][0], sizes[s][1], capacities[c], form % 2 == 0, form / 2 == 0);
      }
    }
  }
  misuse();
  threads(1, false);
  threads(2, true);
  threads(64, false);
  threads(64, true);
  return 0;
}
