// gimmal's C++ rings, inlined from their header: constructed and consumed in place.
#include "../register.hpp"
#include "storage.hpp"

#include <gimmal.hpp>

#include <algorithm>

namespace bench {

template <class M, class Kind, class View> struct gimmal_queue {
  storage<Kind, M> memory;
  View view;
  explicit gimmal_queue(std::size_t capacity) : memory(capacity), view(memory.ring()) {}

  struct producer {
    typename View::producer_type end;
    bool push(std::uint64_t sequence) { return end.try_emplace(sequence); }
    std::size_t push_n(const M *from, std::size_t count) { return end.push_n(from, count); }
    std::size_t fill(std::size_t count, std::uint64_t sequence) {
      // More than the ring holds would be refused at every try.
      const auto room = end.reserve(std::min(count, end.capacity()));
      for (M &slot : room.first) {
        slot = M(sequence++);
      }
      for (M &slot : room.second) {
        slot = M(sequence++);
      }
      end.commit(room.size());
      return room.size();
    }
  };

  struct consumer {
    typename View::consumer_type end;
    template <class Visit> bool take(Visit visit) { return end.consume_one(visit); }
    std::size_t pop_n(M *to, std::size_t count) { return end.pop_n(to, count); }
    std::size_t visit(std::size_t count, std::uint64_t sequence, std::uint64_t &wrong) {
      const auto held = end.read(count);
      for (const M &message : held.first) {
        wrong |= message.differs(sequence++);
      }
      for (const M &message : held.second) {
        wrong |= message.differs(sequence++);
      }
      end.release(held.size());
      return held.size();
    }
  };

  producer produce() { return {claimed(view.producer())}; }
  consumer consume() { return {claimed(view.consumer())}; }

private:
  template <class End> static End claimed(End end) {
    if (!end) {
      std::abort();
    }
    return end;
  }
};

template <class M> using line_queue = gimmal_queue<M, by_line, gimmal::line_ring_view<M>>;
template <class M> using ring_queue = gimmal_queue<M, by_index, gimmal::ring_view<M>>;

kernels gimmal_kernels() {
  static constexpr auto list =
      joined(every_benchmark<line_queue>("line-cpp", 0, all_sizes),
             every_benchmark<ring_queue>("ring-cpp", 0, all_sizes), bulk_only<ring_queue>("ring-cpp-span", all_sizes),
             as_long_as_the_run<line_queue>("line-cpp"), as_long_as_the_run<ring_queue>("ring-cpp"));
  return {list.data(), list.size()};
}

} // namespace bench
