// folly::ProducerConsumerQueue: constructed and read in place. It keeps one slot empty, so it is made one larger.
#include "../register.hpp"
#include "loop.hpp"

// A source tree that was not configured has no such file, and the queue needs nothing of it.
#if !__has_include(<folly/folly-config.h>)
#define FOLLY_NO_CONFIG 1
#endif
#include <folly/ProducerConsumerQueue.h>

namespace bench {

template <class M> struct folly_queue {
  using ring = folly::ProducerConsumerQueue<M>;
  ring queue;
  explicit folly_queue(std::size_t capacity) : queue(static_cast<std::uint32_t>(capacity + 1)) {}

  struct producer {
    ring &queue;
    bool push(std::uint64_t sequence) { return queue.write(sequence); }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_each(from, count, [&](const M &message) { return queue.write(message); });
    }
  };

  struct consumer {
    ring &queue;
    template <class Visit> bool take(Visit visit) {
      const M *front = queue.frontPtr();
      if (front == nullptr) {
        return false;
      }
      visit(*front);
      queue.popFront();
      return true;
    }
    std::size_t pop_n(M *to, std::size_t count) {
      return pop_each(to, count, [&](M &got) { return queue.read(got); });
    }
  };

  producer produce() { return {queue}; }
  consumer consume() { return {queue}; }
};

kernels folly_kernels() {
  static constexpr auto list = every_benchmark<folly_queue>("folly", 0, all_sizes);
  return {list.data(), list.size()};
}

} // namespace bench
