// A pool by the handles of gimmal.hpp.

#include "pool.h"

#include "gimmal.hpp"

#include <new>

namespace {

using view = gimmal::pool_view<pool_message_t>;

gimmal_status_t lay_out(void *memory, std::size_t size) {
  using pool = gimmal::pool<pool_message_t, POOL_SLOTS>;
  return size < sizeof(pool) ? GIMMAL_TOO_SMALL : view((::new (memory) pool)->publish()).status();
}

gimmal_status_t acquire(void *memory, std::size_t size, std::uint64_t number, std::uint32_t *index) {
  const view pool(memory, size);
  if (!pool) {
    return pool.status();
  }
  auto message = pool.emplace(pool_message(number));
  if (!message) {
    return GIMMAL_EXHAUSTED;
  }
  *index = message.release_index();
  return GIMMAL_OK;
}

gimmal_status_t release(void *memory, std::size_t size, std::uint32_t index, std::uint64_t *number) {
  const view pool(memory, size);
  if (!pool) {
    return pool.status();
  }
  const auto message = pool.adopt_index(index);
  if (!message) {
    return index < pool.capacity() ? GIMMAL_NOT_OUT : GIMMAL_FOREIGN;
  }
  *number = message->words[0];
  return pool_message_is_whole(message.get()) ? GIMMAL_OK : GIMMAL_CORRUPT;
}

gimmal_status_t churn(void *memory, std::size_t size, std::size_t *slots) {
  const view pool(memory, size);
  if (!pool) {
    return pool.status();
  }
  auto owner = pool.claim_owner();
  if (!owner) {
    return GIMMAL_BUSY;
  }
  view::handle held[POOL_SLOTS];
  std::size_t count = 0;
  while (count < POOL_SLOTS && (held[count] = owner.emplace(pool_message(count)))) {
    ++count;
  }
  for (std::size_t n = 0; n < count; n += 2) {
    owner.give_back(std::move(held[n]));
  }
  *slots = count;
  return GIMMAL_OK;
}

} // namespace

extern "C" {
extern const pool_party_t POOL_TABLE(view);
const pool_party_t POOL_TABLE(view) = {lay_out, acquire, release, churn};
}
