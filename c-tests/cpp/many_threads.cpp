// Several producers, a consumer and an observer over one ring: no message lost, twice, or torn, each producer's in
// order, whatever verbs they use.

#include "heap_ring.hpp"
#include "payload.hpp"
#include "slower.hpp"

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

// A message is its producer's number times this, and its own number.
constexpr std::uint64_t each = 1 << 16;

template <class T> bool push(gimmal::mpsc_producer<T> &tx, std::uint64_t message) {
  switch (message % 3) {
  case 0:
    return tx.try_emplace(message);
  case 1:
    return !tx.full() && tx.try_push(T(message));
  default: {
    const T value(message);
    auto copy = tx;
    return copy.try_push(value);
  }
  }
}

template <class T> class sink {
public:
  sink(std::size_t producers) : next_(producers, 0) {}

  void take(const T &value) {
    const auto producer = static_cast<std::size_t>(value.number() / each);
    CHECK(producer < next_.size());
    value.check(producer * each + next_[producer]++);
    ++taken;
  }

  void expect(std::uint64_t messages) const {
    for (const std::uint64_t count : next_) {
      CHECK(count == messages);
    }
  }

  std::uint64_t taken = 0;

private:
  std::vector<std::uint64_t> next_;
};

template <class T> std::size_t pop_some(gimmal::mpsc_consumer<T> &rx, sink<T> &to) {
  const std::uint64_t before = to.taken;
  const auto take = [&](T &value) { to.take(value); };
  switch (before % 5) {
  case 0: {
    T values[7];
    const std::size_t count = rx.pop_n(values, 7);
    for (std::size_t i = 0; i < count; ++i) {
      to.take(values[i]);
    }
    break;
  }
  case 1:
    rx.consume_all(take);
    break;
  case 2:
    rx.consume_one(take);
    break;
  case 3:
    if (!rx.empty()) {
      CHECK(rx.front() != nullptr);
      to.take(*rx.front());
      CHECK(rx.pop());
    }
    break;
  default: {
    T value;
    if (rx.try_pop(value)) {
      to.take(value);
    }
  }
  }
  return static_cast<std::size_t>(to.taken - before);
}

// The last producer to finish closes the ring; the consumer stops when it is closed and empty.
template <class T> void pass(std::size_t producers, std::size_t capacity, std::size_t place, std::uint64_t messages) {
  heap_ring<T, GIMMAL_KIND_MPSC> ring(capacity, place);
  const gimmal::mpsc_view<T> view = ring.view();
  std::atomic<std::size_t> at_work{producers};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (std::size_t producer = 0; producer < producers; ++producer) {
    threads.emplace_back([&, producer, tx = view.producer()]() mutable {
      for (std::uint64_t n = 0; n < messages;) {
        if (push(tx, producer * each + n)) {
          ++n;
        } else {
          std::this_thread::yield();
        }
      }
      if (at_work.fetch_sub(1) == 1) {
        tx.close();
      }
    });
  }
  threads.emplace_back([&] {
    while (!done.load()) {
      CHECK(view.size() <= capacity && view.dropped() == 0);
      (void)view.full();
      (void)view.empty();
      (void)view.closed();
      std::this_thread::yield();
    }
  });
  auto rx = view.consumer();
  sink<T> to(producers);
  for (;;) {
    const bool closed = rx.closed();
    if (pop_some(rx, to) == 0) {
      if (closed) {
        break;
      }
      (void)rx.stalled();
      std::this_thread::yield();
    }
  }
  to.expect(messages);
  done = true;
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(view.empty() && !rx.stalled() && view.closed());
}

// Closed in mid-flight: what a producer was told is pushed is what the consumer finds.
template <class T> void close_early(std::size_t producers, std::size_t capacity, std::size_t place) {
  heap_ring<T, GIMMAL_KIND_MPSC> ring(capacity, place);
  const gimmal::mpsc_view<T> view = ring.view();
  std::atomic<std::uint64_t> pushed{0};
  std::vector<std::thread> threads;
  for (std::size_t producer = 0; producer < producers; ++producer) {
    threads.emplace_back([&, producer, tx = view.producer()]() mutable {
      std::uint64_t n = 0;
      while (n < each && !tx.closed()) {
        if (tx.try_emplace(producer * each + n)) {
          ++n;
        } else {
          std::this_thread::yield();
        }
      }
      pushed += n;
    });
  }
  auto rx = view.consumer();
  sink<T> to(producers);
  while (to.taken < 3 * capacity) {
    if (pop_some(rx, to) == 0) {
      std::this_thread::yield();
    }
  }
  rx.close();
  for (;;) {
    const bool closed = rx.closed();
    if (pop_some(rx, to) == 0) {
      if (closed) {
        break;
      }
      std::this_thread::yield();
    }
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(to.taken == pushed.load() && view.empty());
}

template <std::size_t Size> void all_rings() {
  for (const std::size_t capacity : {1u, 2u, 64u, 1024u}) {
    const std::uint64_t messages = (capacity < 64 ? 500 : 8000) / slower;
    for (const std::size_t place : {std::size_t{0}, SIZE_MAX - 1}) {
      pass<payload<Size>>(1, capacity, place, messages);
      pass<payload<Size>>(2, capacity, place, messages);
      pass<payload<Size>>(4, capacity, place, messages);
      close_early<payload<Size>>(3, capacity, place);
    }
  }
}

} // namespace

int main() {
  all_rings<8>();
  all_rings<48>();
  all_rings<100>();
  std::puts("ok");
}
