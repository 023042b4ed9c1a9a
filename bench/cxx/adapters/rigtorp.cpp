// rigtorp::SPSCQueue: constructed and read in place. It has no bulk operations, so a batch is a loop.
#include "../register.hpp"
#include "loop.hpp"

#include <rigtorp/SPSCQueue.h>

namespace bench {

template <class M> struct rigtorp_queue {
  rigtorp::SPSCQueue<M> queue;
  explicit rigtorp_queue(std::size_t capacity) : queue(capacity) {}

  struct producer {
    rigtorp::SPSCQueue<M> &queue;
    bool push(std::uint64_t sequence) { return queue.try_emplace(sequence); }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_each(from, count, [&](const M &message) { return queue.try_push(message); });
    }
  };

  struct consumer {
    rigtorp::SPSCQueue<M> &queue;
    template <class Visit> bool take(Visit visit) {
      const M *front = queue.front();
      if (front == nullptr) {
        return false;
      }
      visit(*front);
      queue.pop();
      return true;
    }
    std::size_t pop_n(M *to, std::size_t count) {
      return pop_each(to, count, [&](M &place) { return take([&](const M &got) { place = got; }); });
    }
  };

  producer produce() { return {queue}; }
  consumer consume() { return {queue}; }
};

kernels rigtorp_kernels() {
  static constexpr auto list =
      joined(every_benchmark<rigtorp_queue>("rigtorp", 0, all_sizes), as_long_as_the_run<rigtorp_queue>("rigtorp"));
  return {list.data(), list.size()};
}

} // namespace bench
