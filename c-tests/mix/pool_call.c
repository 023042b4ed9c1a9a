/* A pool by calls of the library. */

#include "pool.h"

static gimmal_status_t find(void *memory, size_t size, gimmal_pool_t **pool) {
  return gimmal_pool_attach(memory, size, sizeof(pool_message_t), alignof(pool_message_t), pool);
}

static gimmal_status_t lay_out(void *memory, size_t size) {
  gimmal_pool_t *pool = NULL;
  return gimmal_pool_init(memory, size, sizeof(pool_message_t), alignof(pool_message_t), POOL_SLOTS, true, &pool);
}

static gimmal_status_t acquire(void *memory, size_t size, uint64_t number, uint32_t *index) {
  gimmal_pool_t *pool = NULL;
  void *element = NULL;
  gimmal_status_t status = find(memory, size, &pool);
  if (status == GIMMAL_OK) {
    status = gimmal_pool_acquire(pool, index, &element);
  }
  if (status == GIMMAL_OK) {
    *(pool_message_t *)element = pool_message(number);
  }
  return status;
}

static gimmal_status_t release(void *memory, size_t size, uint32_t index, uint64_t *number) {
  gimmal_pool_t *pool = NULL;
  pool_message_t message;
  void *element = NULL;
  gimmal_status_t status = find(memory, size, &pool);
  if (status == GIMMAL_OK) {
    status = gimmal_pool_element(pool, index, &element);
  }
  if (status != GIMMAL_OK) {
    return status;
  }
  message = *(pool_message_t *)element;
  /* By address and by number in turn. */
  status = message.words[0] % 2 == 0 ? gimmal_pool_release(pool, element) : gimmal_pool_release_index(pool, index);
  if (status != GIMMAL_OK) {
    return status;
  }
  *number = message.words[0];
  return pool_message_is_whole(&message) ? GIMMAL_OK : GIMMAL_CORRUPT;
}

static gimmal_status_t churn(void *memory, size_t size, size_t *slots) {
  gimmal_pool_t *pool = NULL;
  uint32_t held[POOL_SLOTS];
  size_t count = 0;
  void *element = NULL;
  gimmal_status_t status = find(memory, size, &pool);
  if (status == GIMMAL_OK) {
    status = gimmal_pool_claim_owner(pool);
  }
  if (status != GIMMAL_OK) {
    return status;
  }
  while (gimmal_pool_acquire_owned(pool, &held[count], &element) == GIMMAL_OK) {
    *(pool_message_t *)element = pool_message(count);
    if (++count == POOL_SLOTS) {
      break;
    }
  }
  for (size_t n = 0; n < count && status == GIMMAL_OK; ++n) {
    status = n % 2 == 0 ? gimmal_pool_release_owned(pool, held[n]) : gimmal_pool_release_index(pool, held[n]);
  }
  *slots = count;
  return status != GIMMAL_OK ? status : gimmal_pool_release_owner(pool);
}

extern const pool_party_t POOL_TABLE(call);
const pool_party_t POOL_TABLE(call) = {lay_out, acquire, release, churn};
