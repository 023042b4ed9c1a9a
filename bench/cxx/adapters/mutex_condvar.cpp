// What most programs begin with: a bounded array behind a std::mutex, and a std::condition_variable for each end to sleep
// in while it has nothing to do.
#include "../register.hpp"
#include "bounded.hpp"

#include <condition_variable>
#include <mutex>

namespace bench {

template <class M> struct mutex_condvar_queue {
  std::mutex mutex;
  std::condition_variable room;
  std::condition_variable filled;
  bounded<M> slots;
  explicit mutex_condvar_queue(std::size_t capacity) : slots(capacity) {}

  struct producer {
    mutex_condvar_queue &queue;
    template <class Make> std::size_t push_up_to(std::size_t count, Make make) {
      std::unique_lock<std::mutex> lock(queue.mutex);
      queue.room.wait(lock, [&] { return !queue.slots.is_full(); });
      const std::size_t pushed = queue.slots.put(count, make);
      lock.unlock();
      queue.filled.notify_one();
      return pushed;
    }
    bool push(std::uint64_t sequence) {
      return push_up_to(1, [&](std::size_t) { return M(sequence); }) != 0;
    }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_up_to(count, [&](std::size_t n) { return from[n]; });
    }
  };

  struct consumer {
    mutex_condvar_queue &queue;
    template <class Visit> std::size_t take_up_to(std::size_t count, Visit visit) {
      std::unique_lock<std::mutex> lock(queue.mutex);
      queue.filled.wait(lock, [&] { return !queue.slots.is_empty(); });
      const std::size_t taken = queue.slots.get(count, visit);
      lock.unlock();
      queue.room.notify_one();
      return taken;
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

kernels mutex_condvar_kernels() {
  static constexpr auto list = all_but_pop_empty<mutex_condvar_queue>("mutex-condvar", 0, all_sizes);
  return {list.data(), list.size()};
}

} // namespace bench
