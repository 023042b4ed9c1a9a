// A pool of C++: every slot once, objects destroyed once, constructors that throw, the owner's list, slots that another
// thread gives back.

#include "gimmal.hpp"

#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "check.h"
#include "counted.hpp"

namespace {

struct message {
  std::uint64_t words[6];
};

message made(std::uint64_t number) { return {{number, ~number, number * 3, number * 5, number * 7, number * 11}}; }

void check(const message &m) {
  const message expected = made(m.words[0]);
  for (int n = 0; n < 6; ++n) {
    CHECK(m.words[n] == expected.words[n]);
  }
}

template <class T, std::size_t N, gimmal::spacing S> void every_slot_once() {
  static gimmal::pool<T, N, S> pool;
  using handle = typename gimmal::pool<T, N, S>::handle;
  static_assert(!std::is_copy_constructible_v<handle> && std::is_nothrow_move_constructible_v<handle>);
  static_assert(std::is_trivially_destructible_v<gimmal::pool<T, N, S>>);
  for (int round = 0; round < 3; ++round) {
    CHECK(pool.available() == N && pool.capacity() == N);
    std::vector<handle> held;
    std::set<const void *> places;
    for (std::size_t n = 0; n < N; ++n) {
      held.push_back(pool.emplace());
      CHECK(held.back());
      places.insert(held.back().get());
      const auto address = reinterpret_cast<std::uintptr_t>(held.back().get());
      CHECK(address % (S == gimmal::spacing::padded ? 64 : alignof(T)) == 0);
    }
    CHECK(places.size() == N && pool.available() == 0);
    CHECK(!pool.emplace());
    for (std::size_t n = 0; n < N; ++n) {
      held[(n * 5 + 3) % N].reset();
      held[n] = handle();
    }
  }
  CHECK(pool.available() == N);
}

void objects_are_destroyed_once() {
  static gimmal::pool<counted, 3> pool;
  {
    auto first = pool.emplace(1);
    auto second = pool.emplace(2);
    CHECK(counted::alive.size() == 2 && first->value == 1 && (*second).value == 2);
    first = std::move(second);
    CHECK(counted::alive.size() == 1 && first->value == 2 && !second && pool.available() == 2);
    counted *const raw = first.release();
    CHECK(!first && counted::alive.size() == 1);
    first = pool.adopt(raw);
    auto owner = pool.claim_owner();
    CHECK(owner && !pool.claim_owner());
    owner.give_back(std::move(first));
    CHECK(counted::alive.empty() && pool.available() == 3);
    auto third = owner.emplace(3);
    CHECK(third->value == 3 && pool.available() == 2);
  }
  CHECK(counted::alive.empty() && pool.available() == 3);
#if defined(__cpp_exceptions)
  counted::throws = true;
  for (int n = 0; n < 10; ++n) {
    bool thrown = false;
    try {
      auto none = pool.emplace(1);
    } catch (int) {
      thrown = true;
    }
    CHECK(thrown);
  }
  counted::throws = false;
  CHECK(pool.available() == 3);
#endif
}

void a_value_of_another_pool_goes_home() {
  static gimmal::pool<message, 2> here;
  static gimmal::pool<message, 2> there;
  auto owner = here.claim_owner();
  owner.give_back(there.emplace(made(1)));
  CHECK(here.available() == 2 && there.available() == 2);
}

void what_is_published_is_the_pool() {
  static gimmal::pool<message, 5> pool;
  const gimmal_pool_t *const c = pool.publish();
  CHECK(c->magic == GIMMAL_MAGIC && c->kind == GIMMAL_KIND_POOL && c->count == 5);
  CHECK(c->element_size == 48 && c->stride == 64 && 1u << c->log2_align == alignof(message));
  CHECK(c->slots_offset == (sizeof(gimmal_pool_t) + 5 * 4 + 63) / 64 * 64);
  auto object = pool.emplace(made(1));
  const auto *const base = reinterpret_cast<const unsigned char *>(c);
  CHECK(reinterpret_cast<const unsigned char *>(object.get()) == base + c->slots_offset);
}

template <class T> gimmal_status_t refusal(void *memory, std::size_t size) {
  const gimmal::pool_view<T> view(memory, size);
  CHECK(!view && view.c_pool() == nullptr && !view.claim_owner());
  return view.status();
}

void a_view_refuses_what_is_not_its_pool() {
  using pool_type = gimmal::pool<message, 5>;
  static pool_type pool;
  constexpr std::size_t size = sizeof(pool);
  CHECK(gimmal::pool_view<message>().status() == GIMMAL_NULL_POINTER);
  CHECK(refusal<message>(nullptr, size) == GIMMAL_NULL_POINTER);
  CHECK(refusal<message>(&pool, size) == GIMMAL_UNINITIALISED);
  gimmal_pool_t *const c = pool.publish();
  CHECK(refusal<message>(reinterpret_cast<unsigned char *>(&pool) + 8, size) == GIMMAL_MISALIGNED);
  CHECK(refusal<message>(&pool, sizeof(gimmal_pool_t) - 1) == GIMMAL_TOO_SMALL);
  CHECK(refusal<message>(&pool, size - 1) == GIMMAL_TOO_SMALL);
  CHECK(refusal<std::uint64_t>(&pool, size) == GIMMAL_MISMATCH);
  struct alignas(16) aligned {
    std::uint64_t words[6];
  };
  CHECK(refusal<aligned>(&pool, size) == GIMMAL_MISMATCH);
  static gimmal::ring<message, 64> ring;
  CHECK(refusal<message>(ring.c_ring(), sizeof(ring)) == GIMMAL_WRONG_KIND);
  CHECK(gimmal::ring_view<message>(&pool, size).status() == GIMMAL_WRONG_KIND);
  // One field of the geometry is not what it should be.
  const gimmal_pool_t whole = *c;
  const auto with = [&](auto gimmal_pool_t::*field, unsigned value) {
    c->*field = static_cast<std::remove_reference_t<decltype(c->*field)>>(value);
    const gimmal_status_t status = refusal<message>(&pool, size);
    *c = whole;
    return status;
  };
  CHECK(with(&gimmal_pool_t::magic, 1) == GIMMAL_CORRUPT);
  CHECK(with(&gimmal_pool_t::version, GIMMAL_LAYOUT_VERSION + 1) == GIMMAL_MISMATCH);
  CHECK(with(&gimmal_pool_t::word_size, 2) == GIMMAL_MISMATCH);
  CHECK(with(&gimmal_pool_t::log2_line, GIMMAL_LOG2_LINE + 1) == GIMMAL_MISMATCH);
  CHECK(with(&gimmal_pool_t::stride, 72) == GIMMAL_CORRUPT);
  CHECK(with(&gimmal_pool_t::stride, 48) == GIMMAL_CORRUPT);
  CHECK(with(&gimmal_pool_t::slots_offset, whole.slots_offset + 64) == GIMMAL_CORRUPT);
  CHECK(with(&gimmal_pool_t::count, 0) == GIMMAL_CORRUPT);
  CHECK(with(&gimmal_pool_t::count, 6) == GIMMAL_TOO_SMALL);
  CHECK(with(&gimmal_pool_t::count, UINT32_MAX) == GIMMAL_CORRUPT);
  // No slots, and offsets that agree with it.
  c->slots_offset = (sizeof(gimmal_pool_t) + 63) / 64 * 64;
  CHECK(with(&gimmal_pool_t::count, 0) == GIMMAL_CORRUPT);
  CHECK(gimmal::pool_view<message>(c) && gimmal::pool_view<message>(&pool, size).capacity() == 5);
}

// A view and the pool that it views, which know of each other's slots.
template <gimmal::spacing Spacing> void a_view_is_the_pool() {
  static gimmal::pool<message, 3, Spacing> pool;
  const gimmal::pool_view<message> view(pool.publish());
  CHECK(view && view.status() == GIMMAL_OK && view.capacity() == 3 && view.available() == 3);
  auto first = view.emplace(made(1));
  auto second = pool.emplace(made(2));
  auto third = view.emplace(made(3));
  CHECK(first && second && third && !view.emplace(made(4)) && view.available() == 0);
  // By number, either way; a number that comes back twice is told.
  const std::uint32_t one = first.release_index();
  const std::uint32_t two = second.release_index();
  CHECK(!first && !second && one != two && one < 3 && two < 3);
  second = pool.adopt_index(one);
  first = view.adopt_index(two);
  CHECK(first && second && first->words[0] == 2 && second->words[0] == 1);
  CHECK(!view.adopt_index(two) && !pool.adopt_index(one) && !view.adopt_index(3) && !pool.adopt_index(UINT32_MAX));
  // By address.
  third = view.adopt(third.release());
  check(*third);
  {
    auto owner = view.claim_owner();
    CHECK(owner && !pool.claim_owner());
    owner.give_back(std::move(third));
    owner.give_back(std::move(third));
    CHECK(view.available() == 1);
    second.reset();
    third = owner.emplace(made(5));
    auto fourth = owner.emplace(made(6));
    CHECK(third && fourth && !owner.emplace(made(7)));
  }
  CHECK(pool.claim_owner());
  first.reset();
  second.reset();
  third.reset();
  CHECK(view.available() == 3 && !view.adopt_index(0) && !view.adopt_index(1) && !view.adopt_index(2));
  std::set<std::uint32_t> numbers;
  for (int n = 0; n < 3; ++n) {
    numbers.insert(view.emplace(made(8)).release_index());
  }
  CHECK(numbers == std::set<std::uint32_t>({0, 1, 2}));
}

constexpr std::uint64_t messages = 20000;

// One thread takes, another gives back, a third takes and gives back on its own.
template <std::size_t N> void threads(bool owned) {
  static gimmal::pool<message, N> pool;
  static gimmal::ring<message *, 64> ring;
  std::atomic<bool> done{false};
  std::thread other([] {
    auto rx = ring.consumer();
    for (std::uint64_t next = 0; next < messages;) {
      if (message *const *const at = rx.front()) {
        auto object = pool.adopt(*at);
        rx.pop();
        CHECK(object->words[0] == next);
        check(*object);
        ++next;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::thread third([&done] {
    while (!done.load(std::memory_order_relaxed)) {
      if (auto object = pool.emplace(made(7))) {
        check(*object);
      }
      std::this_thread::yield();
    }
  });
  {
    auto tx = ring.producer();
    std::optional<typename gimmal::pool<message, N>::owner> owner;
    if (owned) {
      owner.emplace(pool.claim_owner());
      CHECK(*owner);
    }
    for (std::uint64_t next = 0; next < messages;) {
      auto object = owned ? owner->emplace(made(next)) : pool.emplace(made(next));
      if (!object) {
        std::this_thread::yield();
        continue;
      }
      message *const raw = object.release();
      while (!tx.try_push(raw)) {
        std::this_thread::yield();
      }
      ++next;
    }
  }
  other.join();
  done.store(true, std::memory_order_relaxed);
  third.join();
  CHECK(pool.available() == N);
}

} // namespace

int main() {
  every_slot_once<message, 1, gimmal::spacing::padded>();
  every_slot_once<message, 2, gimmal::spacing::dense>();
  every_slot_once<message, 64, gimmal::spacing::padded>();
  every_slot_once<std::uint8_t, 100, gimmal::spacing::dense>();
  every_slot_once<std::uint64_t, 4096, gimmal::spacing::padded>();
  objects_are_destroyed_once();
  a_value_of_another_pool_goes_home();
  what_is_published_is_the_pool();
  a_view_refuses_what_is_not_its_pool();
  a_view_is_the_pool<gimmal::spacing::padded>();
  a_view_is_the_pool<gimmal::spacing::dense>();
  threads<1>(true);
  threads<2>(false);
  threads<64>(true);
  threads<64>(false);
}
