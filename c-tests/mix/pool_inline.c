/* A pool by the functions of gimmal_inline.h. */

#include "pool.h"

#include "gimmal_inline.h"

static gimmal_status_t find(void *memory, size_t size, gimmal_pool_t **pool) {
  *pool = (gimmal_pool_t *)memory;
  return gimmal_pool_check(memory, size, sizeof(pool_message_t), alignof(pool_message_t));
}

static gimmal_status_t lay_out(void *memory, size_t size) {
  const size_t slots = (sizeof(gimmal_pool_t) + POOL_SLOTS * sizeof(uint32_t) + 63) / 64 * 64;
  memset(memory, 0, size);
  gimmal_pool_publish((gimmal_pool_t *)memory, sizeof(pool_message_t), alignof(pool_message_t), 64, slots, POOL_SLOTS);
  return GIMMAL_OK;
}

static gimmal_status_t acquire(void *memory, size_t size, uint64_t number, uint32_t *index) {
  gimmal_pool_t *pool = NULL;
  size_t taken;
  const gimmal_status_t status = find(memory, size, &pool);
  if (status != GIMMAL_OK) {
    return status;
  }
  taken = gimmal_pool_take(pool, POOL_SLOTS);
  if (taken == GIMMAL_NO_SLOT) {
    return GIMMAL_EXHAUSTED;
  }
  *(pool_message_t *)gimmal_pool_slot(pool, taken) = pool_message(number);
  gimmal_pool_hand_out(pool, taken);
  *index = (uint32_t)taken;
  return GIMMAL_OK;
}

static gimmal_status_t release(void *memory, size_t size, uint32_t index, uint64_t *number) {
  gimmal_pool_t *pool = NULL;
  pool_message_t message;
  const gimmal_status_t status = find(memory, size, &pool);
  if (status != GIMMAL_OK) {
    return status;
  }
  if (index >= POOL_SLOTS) {
    return GIMMAL_FOREIGN;
  }
  if (!gimmal_pool_take_back(pool, POOL_SLOTS, index)) {
    return GIMMAL_NOT_OUT;
  }
  message = *(pool_message_t *)gimmal_pool_slot(pool, index);
  gimmal_pool_put(pool, POOL_SLOTS, index);
  *number = message.words[0];
  return pool_message_is_whole(&message) ? GIMMAL_OK : GIMMAL_CORRUPT;
}

static gimmal_status_t churn(void *memory, size_t size, size_t *slots) {
  gimmal_pool_t *pool = NULL;
  size_t held[POOL_SLOTS];
  size_t count = 0;
  const gimmal_status_t status = find(memory, size, &pool);
  if (status != GIMMAL_OK) {
    return status;
  }
  if (!gimmal_claim_end(&pool->owner_claimed)) {
    return GIMMAL_BUSY;
  }
  while (count < POOL_SLOTS && (held[count] = gimmal_pool_take_owned(pool, POOL_SLOTS)) != GIMMAL_NO_SLOT) {
    *(pool_message_t *)gimmal_pool_slot(pool, held[count]) = pool_message(count);
    ++count;
  }
  for (size_t n = 0; n < count; ++n) {
    if (n % 2 == 0) {
      gimmal_pool_put_owned(pool, POOL_SLOTS, held[n]);
    } else {
      gimmal_pool_put(pool, POOL_SLOTS, held[n]);
    }
  }
  gimmal_pool_disown(pool, POOL_SLOTS);
  *slots = count;
  return GIMMAL_OK;
}

extern const pool_party_t POOL_TABLE(inline);
const pool_party_t POOL_TABLE(inline) = {lay_out, acquire, release, churn};
