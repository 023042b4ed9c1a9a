// What `cargo xtask study code` counts: for each queue and size a loop that puts messages in and one that takes them out, and
// nothing else in them. Compiled and disassembled, never run.
#include "../message.hpp"

#include <gimmal.hpp>
#ifdef GIMMAL_BENCH_RIGTORP
#include <rigtorp/SPSCQueue.h>
#endif
#ifdef GIMMAL_BENCH_BOOST
#include <boost/lockfree/spsc_queue.hpp>
#endif
#ifdef GIMMAL_BENCH_MOODYCAMEL
#include <readerwriterqueue/readerwriterqueue.h>
#endif

namespace counted {

// The ends are claimed before the loops, as a user's are.
template <class M, class View> struct gimmal_ends {
  using queue = View;
  static auto producer(queue &ring) { return ring.producer(); }
  static auto consumer(queue &ring) { return ring.consumer(); }
  template <class Tx> static bool push(Tx &tx, std::uint64_t sequence) { return tx.try_emplace(sequence); }
  template <class Rx> static bool pop(Rx &rx, M &to) {
    return rx.consume_one([&](const M &front) { to = front; });
  }
};

template <class M> using line = gimmal_ends<M, gimmal::line_ring_view<M>>;
template <class M> using ring = gimmal_ends<M, gimmal::ring_view<M>>;

// A queue that is its own two ends.
template <class Queue> struct undivided {
  using queue = Queue;
  static Queue &producer(Queue &whole) { return whole; }
  static Queue &consumer(Queue &whole) { return whole; }
};

#ifdef GIMMAL_BENCH_RIGTORP
template <class M> struct rigtorp : undivided<::rigtorp::SPSCQueue<M>> {
  using queue = ::rigtorp::SPSCQueue<M>;
  static bool push(queue &tx, std::uint64_t sequence) { return tx.try_emplace(sequence); }
  static bool pop(queue &rx, M &to) {
    const M *front = rx.front();
    if (front == nullptr) {
      return false;
    }
    to = *front;
    rx.pop();
    return true;
  }
};
#endif

#ifdef GIMMAL_BENCH_BOOST
template <class M> struct boost : undivided<::boost::lockfree::spsc_queue<M>> {
  using queue = ::boost::lockfree::spsc_queue<M>;
  static bool push(queue &tx, std::uint64_t sequence) { return tx.push(M(sequence)); }
  static bool pop(queue &rx, M &to) {
    return rx.consume_one([&](const M &front) { to = front; });
  }
};
#endif

#ifdef GIMMAL_BENCH_MOODYCAMEL
template <class M> struct moodycamel : undivided<::moodycamel::ReaderWriterQueue<M>> {
  using queue = ::moodycamel::ReaderWriterQueue<M>;
  static bool push(queue &tx, std::uint64_t sequence) { return tx.try_emplace(sequence); }
  static bool pop(queue &rx, M &to) { return rx.try_dequeue(to); }
};
#endif

template <template <class> class Ends, std::size_t Bytes> using queue = typename Ends<bench::message<Bytes>>::queue;

template <class Ends> inline void push_all(typename Ends::queue &queue, std::size_t count) {
  auto &&tx = Ends::producer(queue);
  for (std::uint64_t sequence = 0; sequence < count; ++sequence) {
    while (!Ends::push(tx, sequence)) {
    }
  }
}

template <class Ends, class M> inline void pop_all(typename Ends::queue &queue, std::size_t count, M &to) {
  auto &&rx = Ends::consumer(queue);
  for (std::size_t n = 0; n < count; ++n) {
    while (!Ends::pop(rx, to)) {
    }
  }
}

} // namespace counted

// Two functions with names that can be found in a disassembly.
#define COUNTED(ends, bytes)                                                                                           \
  extern "C" void push_##ends##_##bytes(counted::queue<counted::ends, bytes> &queue, std::size_t count);               \
  extern "C" void pop_##ends##_##bytes(counted::queue<counted::ends, bytes> &queue, std::size_t count,                 \
                                       bench::message<bytes> &to);                                                     \
  void push_##ends##_##bytes(counted::queue<counted::ends, bytes> &queue, std::size_t count) {                         \
    counted::push_all<counted::ends<bench::message<bytes>>>(queue, count);                                             \
  }                                                                                                                    \
  void pop_##ends##_##bytes(counted::queue<counted::ends, bytes> &queue, std::size_t count,                            \
                            bench::message<bytes> &to) {                                                               \
    counted::pop_all<counted::ends<bench::message<bytes>>>(queue, count, to);                                          \
  }

COUNTED(line, 8)
COUNTED(line, 48)
COUNTED(ring, 8)
COUNTED(ring, 48)
#ifdef GIMMAL_BENCH_RIGTORP
COUNTED(rigtorp, 8)
COUNTED(rigtorp, 48)
#endif
#ifdef GIMMAL_BENCH_BOOST
COUNTED(boost, 8)
COUNTED(boost, 48)
#endif
#ifdef GIMMAL_BENCH_MOODYCAMEL
COUNTED(moodycamel, 8)
COUNTED(moodycamel, 48)
#endif
