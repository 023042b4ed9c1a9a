// gimmal through its C API: every operation is a call into the library, which knows the element's size from the ring
// alone and copies the message.
#include "../register.hpp"
#include "storage.hpp"

namespace bench {

template <class Kind> struct called {
  template <class M> struct queue {
    storage<Kind, M> memory;
    explicit queue(std::size_t capacity) : memory(capacity) {}

    struct producer {
      typename Kind::ring *ring;
      bool push(std::uint64_t sequence) {
        const M message(sequence);
        return Kind::push(ring, &message) == GIMMAL_OK;
      }
      std::size_t push_n(const M *from, std::size_t count) {
        std::size_t pushed = 0;
        return Kind::push_n(ring, from, count, &pushed) == GIMMAL_OK ? pushed : 0;
      }
    };

    struct consumer {
      typename Kind::ring *ring;
      template <class Visit> bool take(Visit visit) {
        M message;
        if (Kind::pop(ring, &message) != GIMMAL_OK) {
          return false;
        }
        visit(message);
        return true;
      }
      std::size_t pop_n(M *to, std::size_t count) {
        std::size_t popped = 0;
        return Kind::pop_n(ring, to, count, &popped) == GIMMAL_OK ? popped : 0;
      }
    };

    producer produce() { return {memory.ring()}; }
    consumer consume() { return {memory.ring()}; }
  };
};

kernels c_api_kernels() {
  static constexpr auto list = joined(every_benchmark<called<by_line>::template queue>("line-c", 0, all_sizes),
                                      every_benchmark<called<by_index>::template queue>("ring-c", 0, all_sizes));
  return {list.data(), list.size()};
}

} // namespace bench
