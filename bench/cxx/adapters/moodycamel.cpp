// moodycamel::ReaderWriterQueue: a ring of linked blocks. Made for the capacity asked for, and used through the calls that
// refuse a message rather than allocate another block.
#include "../register.hpp"
#include "loop.hpp"

#include <readerwriterqueue/readerwriterqueue.h>

namespace bench {

template <class M> struct moodycamel_queue {
  using ring = moodycamel::ReaderWriterQueue<M>;
  ring queue;
  explicit moodycamel_queue(std::size_t capacity) : queue(capacity) {}

  struct producer {
    ring &queue;
    bool push(std::uint64_t sequence) { return queue.try_emplace(sequence); }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_each(from, count, [&](const M &message) { return queue.try_enqueue(message); });
    }
  };

  struct consumer {
    ring &queue;
    template <class Visit> bool take(Visit visit) {
      M got;
      if (!queue.try_dequeue(got)) {
        return false;
      }
      visit(got);
      return true;
    }
    std::size_t pop_n(M *to, std::size_t count) {
      return pop_each(to, count, [&](M &got) { return queue.try_dequeue(got); });
    }
  };

  producer produce() { return {queue}; }
  consumer consume() { return {queue}; }
};

kernels moodycamel_kernels() {
  static constexpr auto list =
      joined(every_benchmark<moodycamel_queue>("moodycamel", 0, all_sizes), as_long_as_the_run<moodycamel_queue>("moodycamel"));
  return {list.data(), list.size()};
}

} // namespace bench
