// boost::lockfree::spsc_queue: consumed in place, batches by its own bulk operations. In both of its forms, since
// neither is the faster one everywhere. Where the capacity is chosen at run time, it and the pointer to the elements
// lie on the line of the index that the consumer writes; where it is a constant, the first elements do.
#include "../register.hpp"

#include <boost/lockfree/policies.hpp>
#include <boost/lockfree/spsc_queue.hpp>

namespace bench {

template <class M, class Ring> struct boost_ends {
  struct producer {
    Ring &ring;
    bool push(std::uint64_t sequence) { return ring.push(M(sequence)); }
    std::size_t push_n(const M *from, std::size_t count) { return ring.push(from, count); }
  };

  struct consumer {
    Ring &ring;
    template <class Visit> bool take(Visit visit) { return ring.consume_one(visit); }
    std::size_t pop_n(M *to, std::size_t count) { return ring.pop(to, count); }
  };
};

template <class M> struct boost_queue : boost_ends<M, boost::lockfree::spsc_queue<M>> {
  boost::lockfree::spsc_queue<M> ring;
  explicit boost_queue(std::size_t capacity) : ring(capacity) {}
  typename boost_queue::producer produce() { return {ring}; }
  typename boost_queue::consumer consume() { return {ring}; }
};

template <std::size_t Capacity> struct boost_fixed {
  template <class M> using fixed_ring = boost::lockfree::spsc_queue<M, boost::lockfree::capacity<Capacity>>;

  template <class M> struct queue : boost_ends<M, fixed_ring<M>> {
    fixed_ring<M> ring;
    explicit queue(std::size_t) {}
    typename queue::producer produce() { return {ring}; }
    typename queue::consumer consume() { return {ring}; }
  };

  static constexpr auto list() { return every_benchmark<queue>("boost-fixed", Capacity, all_sizes); }
};

kernels boost_kernels() {
  static constexpr auto list = joined(every_benchmark<boost_queue>("boost", 0, all_sizes), as_long_as_the_run<boost_queue>("boost"),
                                      each_capacity<boost_fixed>());
  return {list.data(), list.size()};
}

} // namespace bench
