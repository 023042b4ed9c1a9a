// moodycamel::ConcurrentQueue, by tokens. It has no bound: what has no room is allocated, so that no producer ever
// waits. `try_enqueue`, which does not allocate, can refuse for ever: a producer keeps the blocks that it has had, and
// those of the pool may all have gone to the other one. So a bound is kept from outside, from the size that the queue
// estimates: a producer takes its share of the room at once, that it need not ask for each message.
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

template <class M> struct bounded_concurrent_queue : concurrent_queue<M> {
  using unbounded = concurrent_queue<M>;
  std::size_t capacity;
  explicit bounded_concurrent_queue(std::size_t bound) : unbounded(bound), capacity(bound) {}

  struct producer {
    typename unbounded::producer inner;
    std::size_t capacity;
    std::size_t room = 0;
    bool push(std::uint64_t sequence) {
      if (room == 0) {
        const std::size_t used = inner.ring.size_approx();
        room = used < capacity ? (capacity - used) / many_producers : 0;
        if (room == 0) {
          return false;
        }
      }
      --room;
      return inner.push(sequence);
    }
  };

  producer produce() { return {unbounded::produce(), capacity}; }
};

kernels concurrentqueue_kernels() {
  static constexpr auto list = joined(many_only<concurrent_queue>("concurrentqueue", 0),
                                      many_only<bounded_concurrent_queue>("concurrentqueue-bounded", 0));
  return {list.data(), list.size()};
}

} // namespace bench
