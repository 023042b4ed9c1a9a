// atomic_queue for many producers and consumers: words in its form whose slots say by a value that no message has whether
// they are empty, larger messages in its form with a state beside each slot. Neither tells one lap from the next: where a
// producer is stopped between claiming a slot and filling it, and the consumer waits at that slot, a producer a lap
// later may fill it first. Then messages come out of order.
#include "../many.hpp"

#include <atomic_queue/atomic_queue.h>

#include <type_traits>

namespace bench {

template <std::size_t Capacity> struct atomic_many {
  template <class M> struct queue {
    static constexpr bool spread = true;   // neighbours lie on different lines
    static constexpr bool fast = true;     // a pause in the loop that waits for a slot
    static constexpr bool ordered = false; // no total order beyond that of each producer
    static constexpr bool one_to_one = false;
    static constexpr std::uint64_t nil = ~std::uint64_t{0};
    static constexpr unsigned slots{Capacity};
    static constexpr bool is_word = sizeof(M) == sizeof(std::uint64_t);
    using element = std::conditional_t<is_word, std::uint64_t, M>;
    using inner = std::conditional_t<is_word, atomic_queue::AtomicQueue<std::uint64_t, slots, nil, spread, fast, ordered, one_to_one>,
                                     atomic_queue::AtomicQueue2<M, slots, spread, fast, ordered, one_to_one>>;

    inner ring;
    explicit queue(std::size_t) {}

    struct producer {
      inner &ring;
      bool push(std::uint64_t sequence) { return ring.try_push(element(sequence)); }
    };

    struct consumer {
      inner &ring;
      template <class Visit> bool take(Visit visit) {
        element got;
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

  static constexpr auto list() { return many_only<queue>("atomic_queue-many", Capacity); }
};

kernels atomic_queue_many_kernels() {
  static constexpr auto list = joined(atomic_many<64>::list(), atomic_many<1024>::list(), atomic_many<65536>::list());
  return {list.data(), list.size()};
}

} // namespace bench
