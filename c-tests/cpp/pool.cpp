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
  CHECK(c->element_size == 48 && c->stride == 64 && c->log2_align == 3);
  CHECK(c->slots_offset == (sizeof(gimmal_pool_t) + 5 * 4 + 63) / 64 * 64);
  auto object = pool.emplace(made(1));
  const auto *const base = reinterpret_cast<const unsigned char *>(c);
  CHECK(reinterpret_cast<const unsigned char *>(object.get()) == base + c->slots_offset);
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
  threads<1>(true);
  threads<2>(false);
  threads<64>(true);
  threads<64>(false);
}
