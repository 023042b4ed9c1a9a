// Two producers and a consumer, every thread yielding when it cannot progress; the twin of src/kernels/many.rs.
#pragma once

#include "register.hpp"

#include <atomic>
#include <thread>

namespace bench {

inline constexpr std::uint64_t many_producers = 2;

// One message at a time, as fast as they go. Each producer leads, the consumer follows and keeps the time. A message's
// number is its producer's, 32 bits up, and its own among that one's.
template <class M, class Queue, class> struct many_throughput {
  struct context : single<Queue> {
    using single<Queue>::single;
    alignas(line) std::atomic<std::uint64_t> joined{0};
  };

  static void lead(context &c, run &r) {
    auto tx = c.queue.produce();
    // A number and nothing else.
    const std::uint64_t first = c.joined.fetch_add(1, std::memory_order_relaxed) % many_producers << 32;
    const std::uint64_t end = first + r.messages;
    for (std::uint64_t sequence = first; sequence < end; ++sequence) {
      while (!tx.push(sequence)) {
        std::this_thread::yield();
      }
    }
  }

  static void follow(context &c, run &r) {
    auto rx = c.queue.consume();
    std::uint64_t next[many_producers];
    for (std::uint64_t producer = 0; producer < many_producers; ++producer) {
      next[producer] = producer << 32;
    }
    std::uint64_t left = many_producers * r.messages;
    std::uint64_t wrong = 0;
    const std::uint64_t before = now();
    while (left > 0) {
      const bool taken = rx.take(
          [&](const M &got) noexcept { wrong |= got.differs(next[(got.sequence() >> 32) % many_producers]++); });
      if (taken) {
        --left;
      } else {
        std::this_thread::yield();
      }
    }
    r.ticks = now() - before;
    r.wrong_followed = wrong;
  }
};

template <template <class> class Queue> constexpr auto many_only(const char *queue, std::uint32_t capacity) {
  return std::array<kernel, 2>{
      entry<many_throughput, message<8>, Queue<message<8>>>(queue, "mpsc_throughput", capacity),
      entry<many_throughput, message<48>, Queue<message<48>>>(queue, "mpsc_throughput", capacity)};
}

} // namespace bench
