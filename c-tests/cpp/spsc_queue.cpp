// The queue in place of rigtorp's and boost's; also without exceptions and RTTI.

#include "counted.hpp"
#include "gimmal.hpp"
#include "payload.hpp"

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

namespace {

// As many elements go in as were asked for, and no more, wherever in its cells the queue stands.
template <std::size_t Size> void exact_capacity(std::size_t capacity) {
  gimmal::spsc_queue<payload<Size>> queue(capacity);
  CHECK(queue.capacity() == capacity && queue.empty() && queue.size() == 0);
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (std::size_t lap = 0; lap < 30; ++lap) {
    for (std::size_t held = queue.size(); held < capacity; ++held) {
      CHECK(queue.write_available() == capacity - held && queue.size() == held && queue.read_available() == held);
      CHECK(queue.try_push(payload<Size>(pushed++)));
    }
    CHECK(!queue.try_push(payload<Size>(0)) && !queue.try_emplace(0u) && queue.write_available() == 0);
    const payload<Size> more(0);
    CHECK(queue.push(&more, 1) == 0 && queue.size() == capacity);
    for (std::size_t take = 1 + lap % capacity; take > 0; --take) {
      CHECK(queue.front() != nullptr);
      queue.front()->check(popped++);
      queue.pop();
    }
    CHECK(queue.size() == pushed - popped && queue.read_available() == pushed - popped);
  }
  CHECK(queue.consume_all([&](payload<Size> &value) { value.check(popped++); }) == capacity - (1 + 29 % capacity));
  CHECK(queue.empty() && queue.front() == nullptr && popped == pushed);
}

void verbs() {
  gimmal::spsc_queue<std::uint64_t> queue(100);
  const std::uint64_t in[120] = {5, 6, 7, 8, 9};
  CHECK(queue.push(in, 120) == 100 && queue.size() == 100);
  std::uint64_t out[120] = {};
  CHECK(queue.pop(out, 120) == 100 && out[0] == 5 && out[4] == 9);
  CHECK(queue.pop(out, 120) == 0 && queue.push(in, 0) == 0);
  queue.push(1u);
  const std::uint64_t two = 2;
  queue.push(two);
  queue.push(3u, gimmal::spin_pause{});
  queue.emplace(4u);
  queue.emplace<gimmal::spin_pause>(5u);
  CHECK(queue.size() == 5 && queue.try_pop() == std::uint64_t{1});
  std::uint64_t value = 0;
  CHECK(queue.try_pop(value) && value == 2);
  queue.pop(value, gimmal::spin{});
  CHECK(value == 3 && queue.consume_one([](std::uint64_t &v) { CHECK(v == 4); }));
  CHECK(*queue.front() == 5);
  queue.pop();
  CHECK(!queue.try_pop(value) && !queue.try_pop() && !queue.consume_one([](std::uint64_t &) { CHECK(false); }));
  queue.pop();
  CHECK(queue.empty());
}

void types() {
  {
    gimmal::spsc_queue<std::unique_ptr<int>> owners(3);
    CHECK(owners.try_push(std::make_unique<int>(1)) && owners.try_emplace(new int(2)));
    owners.push(std::make_unique<int>(3));
    auto kept = std::make_unique<int>(4);
    CHECK(!owners.try_push(std::move(kept)) && kept != nullptr);
    CHECK(**owners.front() == 1 && *owners.try_pop().value() == 1);
  }
  {
    gimmal::spsc_queue<counted> queue(10);
    for (int i = 0; i < 7; ++i) {
      queue.emplace(i);
    }
    counted out(-1);
    CHECK(queue.pop(&out, 1) == 1 && out.value == 0);
  }
  CHECK(counted::alive.empty());
  struct alignas(4096) page {
    int value;
  };
  gimmal::spsc_queue<page> pages(3);
  for (int i = 0; i < 7; ++i) {
    pages.push(page{i});
    CHECK(reinterpret_cast<std::uintptr_t>(pages.front()) % 4096 == 0 && pages.front()->value == i);
    pages.pop();
  }
}

struct yield {
  void operator()() const { std::this_thread::yield(); }
};

// Blocking calls meet in a queue of one element.
void two_threads() {
  gimmal::spsc_queue<payload<24>> queue(1);
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      if (i % 2 == 0) {
        queue.emplace<yield>(i);
      } else {
        queue.push(payload<24>(i), yield{});
      }
    }
  });
  payload<24> value;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    queue.pop(value, yield{});
    value.check(i);
  }
  producer.join();
}

// What the counts promise: as many can be pushed or taken at least.
void counts_hold() {
  gimmal::spsc_queue<std::uint64_t> queue(50);
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < 20000;) {
      const std::size_t room = queue.write_available();
      for (std::size_t n = 0; n < room && i < 20000; ++n) {
        CHECK(queue.try_push(i++));
      }
      std::this_thread::yield();
    }
  });
  for (std::uint64_t i = 0; i < 20000;) {
    const std::size_t size = queue.size();
    CHECK(size <= 50 && (size == 0 || queue.front() != nullptr));
    for (std::size_t ready = queue.read_available(); ready > 0; --ready) {
      CHECK(queue.try_pop() == i++);
    }
    std::this_thread::yield();
  }
  producer.join();
}

// An allocator with a state, which sees how much is taken and given back.
template <class T> struct counting_allocator {
  using value_type = T;
  std::size_t *bytes;

  explicit counting_allocator(std::size_t *counter) : bytes(counter) {}
  template <class U> counting_allocator(const counting_allocator<U> &other) : bytes(other.bytes) {}

  T *allocate(std::size_t n) {
    *bytes += n * sizeof(T);
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T *p, std::size_t n) {
    *bytes -= n * sizeof(T);
    std::allocator<T>().deallocate(p, n);
  }
};

void allocators() {
  std::size_t bytes = 0;
  {
    gimmal::spsc_queue<int, counting_allocator<int>> queue(1000, counting_allocator<int>(&bytes));
    CHECK(bytes >= 4000 && bytes <= 16000);
    queue.push(1);
  }
  CHECK(bytes == 0);
}

} // namespace

int main() {
  for (std::size_t capacity : {1u, 2u, 7u, 8u, 10u, 64u, 100u}) {
    exact_capacity<1>(capacity);
    exact_capacity<8>(capacity);
    exact_capacity<24>(capacity);
    exact_capacity<48>(capacity);
    exact_capacity<57>(capacity);
  }
  verbs();
  types();
  two_threads();
  counts_hold();
  allocators();
  std::puts("ok");
}
