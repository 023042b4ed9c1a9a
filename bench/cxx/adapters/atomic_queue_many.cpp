// atomic_queue for many producers and consumers, in its form for words: the slot itself says whether it is empty, by a
// value that no message has. Its form for larger elements is left out: once, with 48 bytes, what came was not what was
// sent, and why is not known.
#include "../many.hpp"

#include <atomic_queue/atomic_queue.h>

namespace bench {

template <std::size_t Capacity> struct atomic_many {
  template <class M> struct queue {
    static constexpr bool spread = true;   // neighbours lie on different lines
    static constexpr bool fast = true;     // a pause in the loop that waits for a slot
    static constexpr bool ordered = false; // no total order beyond that of each producer
    static constexpr bool one_to_one = false;
    static constexpr std::uint64_t nil = ~std::uint64_t{0};
    using inner =
        atomic_queue::AtomicQueue<std::uint64_t, unsigned{Capacity}, nil, spread, fast, ordered, one_to_one>;

    inner ring;
    explicit queue(std::size_t) {}

    struct producer {
      inner &ring;
      bool push(std::uint64_t sequence) { return ring.try_push(sequence); }
    };

    struct consumer {
      inner &ring;
      template <class Visit> bool take(Visit visit) {
        std::uint64_t got;
        if (!ring.try_pop(got)) {
          return false;
        }
        visit(M(got));
        return true;
      }
    };

    producer produce() { return {ring}; }
    consumer consume() { return {ring}; }
  };

  static constexpr auto list() { return many_words_only<queue>("atomic_queue-many", Capacity); }
};

kernels atomic_queue_many_kernels() {
  static constexpr auto list = joined(atomic_many<64>::list(), atomic_many<1024>::list(), atomic_many<65536>::list());
  return {list.data(), list.size()};
}

} // namespace bench
