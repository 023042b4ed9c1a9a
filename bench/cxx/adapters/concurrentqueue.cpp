// moodycamel::ConcurrentQueue, by tokens. It has no bound: what has no room is allocated, so that no producer ever
// waits. `try_enqueue`, which does not allocate, can refuse for ever: a producer keeps the blocks that it has had, and
// those of the pool may all have gone to the other one.
#include "../many.hpp"

#include <concurrentqueue/concurrentqueue.h>

namespace bench {

template <class M> struct concurrent_queue {
  using inner = moodycamel::ConcurrentQueue<M>;
  inner ring;
  explicit concurrent_queue(std::size_t capacity) : ring(capacity, many_producers, 0) {}

  struct producer {
    inner &ring;
    moodycamel::ProducerToken token;
    bool push(std::uint64_t sequence) { return ring.enqueue(token, M(sequence)); }
  };

  struct consumer {
    inner &ring;
    moodycamel::ConsumerToken token;
    template <class Visit> bool take(Visit visit) {
      M got;
      if (!ring.try_dequeue(token, got)) {
        return false;
      }
      visit(got);
      return true;
    }
  };

  producer produce() { return {ring, moodycamel::ProducerToken(ring)}; }
  consumer consume() { return {ring, moodycamel::ConsumerToken(ring)}; }
};

kernels concurrentqueue_kernels() {
  static constexpr auto list = many_only<concurrent_queue>("concurrentqueue", 0);
  return {list.data(), list.size()};
}

} // namespace bench
