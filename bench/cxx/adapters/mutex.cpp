// The baseline: a bounded array behind a std::mutex. It polls the lock rather than sleep in it, since a thread that
// sleeps may wake on another processor and change what every other queue is measured on.
#include "../register.hpp"
#include "bounded.hpp"

#include <mutex>

namespace bench {

template <class M> struct mutex_queue {
  std::mutex mutex;
  bounded<M> slots;
  explicit mutex_queue(std::size_t capacity) : slots(capacity) {}

  struct producer {
    mutex_queue &queue;
    template <class Make> std::size_t push_up_to(std::size_t count, Make make) {
      const std::unique_lock<std::mutex> lock(queue.mutex, std::try_to_lock);
      return lock ? queue.slots.put(count, make) : 0;
    }
    bool push(std::uint64_t sequence) {
      return push_up_to(1, [&](std::size_t) { return M(sequence); }) != 0;
    }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_up_to(count, [&](std::size_t n) { return from[n]; });
    }
  };

  struct consumer {
    mutex_queue &queue;
    template <class Visit> std::size_t take_up_to(std::size_t count, Visit visit) {
      const std::unique_lock<std::mutex> lock(queue.mutex, std::try_to_lock);
      return lock ? queue.slots.get(count, visit) : 0;
    }
    template <class Visit> bool take(Visit visit) {
      return take_up_to(1, [&](std::size_t, const M &got) { visit(got); }) != 0;
    }
    std::size_t pop_n(M *to, std::size_t count) {
      return take_up_to(count, [&](std::size_t n, const M &got) { to[n] = got; });
    }
  };

  producer produce() { return {*this}; }
  consumer consume() { return {*this}; }
};

kernels mutex_kernels() {
  static constexpr auto list = every_benchmark<mutex_queue>("mutex", 0, all_sizes);
  return {list.data(), list.size()};
}

} // namespace bench
