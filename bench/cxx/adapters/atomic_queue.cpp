// atomic_queue, for one producer and one consumer. It has two forms: where a message is a word, the slot itself says
// whether it is empty, by a value that no message has; larger messages have a byte of state each. And it has two ways of
// use: try_push and try_pop, which look whether there is room, and the optimistic push and pop, which wait in the slot.
#include "../register.hpp"
#include "loop.hpp"

#include <atomic_queue/atomic_queue.h>

#include <type_traits>

namespace bench {

inline constexpr bool spread = true;   // neighbours lie on different lines
inline constexpr bool fast = true;     // a pause in the loop that waits for a slot
inline constexpr bool ordered = false; // no total order beyond that of the one producer
inline constexpr bool one_to_one = true;

// No message of a run has this number.
inline constexpr std::uint64_t nil = ~std::uint64_t{0};

template <class M, unsigned Capacity> struct stated {
  using ring = atomic_queue::AtomicQueue2<M, Capacity, spread, fast, ordered, one_to_one>;
  using element = M;
  static const M &to(const M &message) { return message; }
  static const M &from(const M &element) { return element; }
};

template <unsigned Capacity> struct words {
  using ring = atomic_queue::AtomicQueue<std::uint64_t, Capacity, nil, spread, fast, ordered, one_to_one>;
  using element = std::uint64_t;
  static std::uint64_t to(const message<8> &message) { return message.sequence(); }
  static message<8> from(std::uint64_t element) { return message<8>(element); }
};

template <class M, unsigned Capacity>
using form = std::conditional_t<sizeof(M) == sizeof(std::uint64_t), words<Capacity>, stated<M, Capacity>>;

template <std::size_t Capacity> struct atomic_tried {
  template <class M> struct queue {
    using form = bench::form<M, Capacity>;
    typename form::ring ring;
    explicit queue(std::size_t) {}

    struct producer {
      typename form::ring &ring;
      bool push(std::uint64_t sequence) { return ring.try_push(form::to(M(sequence))); }
      std::size_t push_n(const M *from, std::size_t count) {
        return push_each(from, count, [&](const M &message) { return ring.try_push(form::to(message)); });
      }
    };

    struct consumer {
      typename form::ring &ring;
      template <class Visit> bool take(Visit visit) {
        typename form::element got;
        if (!ring.try_pop(got)) {
          return false;
        }
        visit(form::from(got));
        return true;
      }
      std::size_t pop_n(M *to, std::size_t count) {
        return pop_each(to, count, [&](M &place) { return take([&](const M &got) { place = got; }); });
      }
    };

    producer produce() { return {ring}; }
    consumer consume() { return {ring}; }
  };

  static constexpr auto list() { return every_benchmark<queue>("atomic_queue", Capacity, all_sizes); }
};

template <std::size_t Capacity> struct atomic_optimist {
  template <class M> struct queue {
    using form = bench::form<M, Capacity>;
    typename form::ring ring;
    explicit queue(std::size_t) {}

    struct producer {
      typename form::ring &ring;
      bool push(std::uint64_t sequence) {
        ring.push(form::to(M(sequence)));
        return true;
      }
      std::size_t push_n(const M *from, std::size_t count) {
        for (std::size_t n = 0; n < count; ++n) {
          ring.push(form::to(from[n]));
        }
        return count;
      }
    };

    struct consumer {
      typename form::ring &ring;
      template <class Visit> bool take(Visit visit) {
        visit(form::from(ring.pop()));
        return true;
      }
      std::size_t pop_n(M *to, std::size_t count) {
        for (std::size_t n = 0; n < count; ++n) {
          to[n] = form::from(ring.pop());
        }
        return count;
      }
    };

    producer produce() { return {ring}; }
    consumer consume() { return {ring}; }
  };

  static constexpr auto list() { return all_but_pop_empty<queue>("atomic_queue-optimist", Capacity, all_sizes); }
};

kernels atomic_queue_kernels() {
  static constexpr auto list = joined(each_capacity<atomic_tried>(), each_capacity<atomic_optimist>());
  return {list.data(), list.size()};
}

} // namespace bench
