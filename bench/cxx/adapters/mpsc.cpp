// gimmal's ring of many producers: inlined from its C++ header, constructed and consumed in place; and through the C
// API. It has no batches, so a batch is a loop.
#include "../many.hpp"
#include "loop.hpp"
#include "storage.hpp"

#include <gimmal.hpp>

namespace bench {

struct by_mpsc {
  using ring = gimmal_mpsc_t;
  static constexpr auto layout = gimmal_mpsc_layout;
  static constexpr auto init = gimmal_mpsc_init;
};

template <class M> struct mpsc_queue {
  storage<by_mpsc, M> memory;
  gimmal::mpsc_view<M> view;
  explicit mpsc_queue(std::size_t capacity) : memory(capacity), view(memory.ring()) {}

  struct producer {
    gimmal::mpsc_producer<M> end;
    bool push(std::uint64_t sequence) { return end.try_emplace(sequence); }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_each(from, count, [&](const M &message) { return end.try_push(message); });
    }
  };

  struct consumer {
    gimmal::mpsc_consumer<M> end;
    template <class Visit> bool take(Visit visit) { return end.consume_one(visit); }
    std::size_t pop_n(M *to, std::size_t count) { return end.pop_n(to, count); }
  };

  producer produce() { return {view.producer()}; }
  consumer consume() {
    auto end = view.consumer();
    if (!end) {
      std::abort();
    }
    return {std::move(end)};
  }
};

template <class M> struct mpsc_called {
  storage<by_mpsc, M> memory;
  explicit mpsc_called(std::size_t capacity) : memory(capacity) {}

  struct producer {
    gimmal_mpsc_t *ring;
    bool push(std::uint64_t sequence) {
      const M message(sequence);
      return gimmal_mpsc_push(ring, &message) == GIMMAL_OK;
    }
    std::size_t push_n(const M *from, std::size_t count) {
      return push_each(from, count, [&](const M &message) { return gimmal_mpsc_push(ring, &message) == GIMMAL_OK; });
    }
  };

  struct consumer {
    gimmal_mpsc_t *ring;
    template <class Visit> bool take(Visit visit) {
      M message;
      if (gimmal_mpsc_pop(ring, &message) != GIMMAL_OK) {
        return false;
      }
      visit(message);
      return true;
    }
    std::size_t pop_n(M *to, std::size_t count) {
      std::size_t popped = 0;
      return gimmal_mpsc_pop_n(ring, to, count, &popped) == GIMMAL_OK ? popped : 0;
    }
  };

  producer produce() { return {memory.ring()}; }
  consumer consume() { return {memory.ring()}; }
};

kernels mpsc_kernels() {
  static constexpr auto list = joined(every_benchmark<mpsc_queue>("mpsc-cpp", 0, all_sizes),
                                      every_benchmark<mpsc_called>("mpsc-c", 0, all_sizes),
                                      many_only<mpsc_queue>("mpsc-cpp", 0), many_only<mpsc_called>("mpsc-c", 0));
  return {list.data(), list.size()};
}

} // namespace bench
