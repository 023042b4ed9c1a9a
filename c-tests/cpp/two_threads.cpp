// Two threads and an observer over one ring: no message lost, twice, or torn, whatever verbs the ends use.

#include "heap_ring.hpp"
#include "payload.hpp"
#include "slower.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

constexpr std::size_t batch = 13;

template <class Producer, class T> std::size_t push_some(Producer &tx, std::uint64_t sequence, std::uint64_t end) {
  const std::size_t most = static_cast<std::size_t>(end - sequence < batch ? end - sequence : batch);
  switch (sequence % 5) {
  case 0: {
    T values[batch];
    for (std::size_t i = 0; i < most; ++i) {
      values[i] = T(sequence + i);
    }
    return tx.push_n(values, most);
  }
  case 1: {
    const auto room = tx.reserve(most < tx.capacity() ? most : tx.capacity());
    for (std::size_t i = 0; i < room.size(); ++i) {
      room[i] = T(sequence + i);
    }
    tx.commit(room.size());
    return room.size();
  }
  case 2:
    return tx.try_emplace(sequence);
  default:
    return !tx.full() && tx.try_push(T(sequence));
  }
}

template <class Consumer, class T> std::size_t pop_some(Consumer &rx, std::uint64_t sequence) {
  const auto take = [&](T &value) { value.check(sequence++); };
  switch (sequence % 6) {
  case 0: {
    T values[batch];
    const std::size_t count = rx.pop_n(values, batch);
    for (std::size_t i = 0; i < count; ++i) {
      values[i].check(sequence + i);
    }
    return count;
  }
  case 1: {
    const auto held = rx.read(batch);
    for (std::size_t i = 0; i < held.size(); ++i) {
      held[i].check(sequence + i);
    }
    rx.release(held.size());
    return held.size();
  }
  case 2:
    return rx.consume_all(take);
  case 3: {
    const std::size_t ready = rx.ready();
    for (std::size_t i = 0; i < ready; ++i) {
      CHECK(rx.consume_one(take));
    }
    return ready;
  }
  case 4:
    if (rx.empty()) {
      return 0;
    }
    CHECK(rx.front() != nullptr);
    rx.front()->check(sequence);
    return rx.pop();
  default: {
    T value;
    if (!rx.try_pop(value)) {
      return 0;
    }
    value.check(sequence);
    return 1;
  }
  }
}

template <class T, std::uint8_t Kind> void pass(std::size_t capacity, std::size_t place, std::uint64_t messages) {
  heap_ring<T, Kind> ring(capacity, place);
  const auto view = ring.view();
  std::atomic<bool> done{false};
  std::thread producer([&] {
    auto tx = view.producer();
    CHECK(tx);
    for (std::uint64_t sequence = 0; sequence < messages;) {
      const std::size_t pushed = push_some<decltype(tx), T>(tx, sequence, messages);
      sequence += pushed;
      if (pushed == 0) {
        std::this_thread::yield();
      }
    }
    tx.close();
  });
  std::thread observer([&] {
    while (!done.load()) {
      CHECK(view.size() <= view.capacity() + 64);
      CHECK(view.dropped() == 0);
      (void)view.full();
      (void)view.empty();
      std::this_thread::yield();
    }
  });
  auto rx = view.consumer();
  std::uint64_t sequence = 0;
  for (;;) {
    const bool closed = rx.closed();
    const std::size_t popped = pop_some<decltype(rx), T>(rx, sequence);
    sequence += popped;
    if (popped == 0) {
      // Closed, and found empty after that: everything has been seen.
      if (closed) {
        break;
      }
      std::this_thread::yield();
    }
  }
  CHECK(sequence == messages);
  producer.join();
  done = true;
  observer.join();
}

template <std::size_t Size> void all_rings() {
  for (std::size_t capacity : {1u, 2u, 64u, 4096u}) {
    const std::uint64_t messages = (capacity < 64 ? 1000 : 20000) / slower;
    for (std::size_t place : {std::size_t{0}, SIZE_MAX - 1}) {
      pass<payload<Size>, GIMMAL_KIND_INDEX>(capacity, place, messages);
      pass<payload<Size>, GIMMAL_KIND_LINE>(capacity, place, messages);
    }
  }
}

} // namespace

int main() {
  all_rings<1>();
  all_rings<4>();
  all_rings<7>();
  all_rings<8>();
  all_rings<24>();
  all_rings<48>();
  all_rings<56>();
  all_rings<57>();
  all_rings<100>();
  all_rings<256>();
  std::puts("ok");
}
