// gimmal's C++ ring by line, whose producer rings the consumer's bell at every push. The consumer polls: the bell is never armed.
#include "../register.hpp"
#include "storage.hpp"

#include <gimmal.hpp>

namespace bench {

template <class M, bool Declared> struct notifying {
  using view_type = gimmal::line_ring_view<M>;
  storage<by_line, M> memory;
  view_type view;
  explicit notifying(std::size_t capacity) : memory(capacity), view(memory.ring()) {}

  struct producer {
    typename view_type::producer_type end;
    gimmal::wait::park park;
    bool push(std::uint64_t sequence) {
      if (!end.try_emplace(sequence)) {
        return false;
      }
      gimmal::wait::notify_consumer(end, park);
      return true;
    }
  };

  struct consumer {
    typename view_type::consumer_type end;
    template <class Visit> bool take(Visit visit) { return end.consume_one(visit); }
  };

  producer produce() { return {view.producer(), gimmal::wait::park()}; }
  consumer consume() {
    consumer made{view.consumer()};
    if (!made.end) {
      std::abort();
    }
    gimmal::wait::park park(gimmal::wait::scope::process, Declared);
    gimmal::wait::declare(made.end, park);
    return made;
  }
};

template <class M> using declared = notifying<M, true>;
template <class M> using fenced = notifying<M, false>;

kernels notify_kernels() {
  static constexpr std::array<kernel, 2> list{
      entry<throughput, message<8>, declared<message<8>>>("lab-notify-cpp", "throughput"),
      entry<throughput, message<8>, fenced<message<8>>>("lab-fence-cpp", "throughput")};
  return {list.data(), list.size()};
}

} // namespace bench
