// boost::lockfree::spsc_queue: consumed in place, batches by its own bulk operations. Its capacity is a constant: a
// capacity chosen at run time lies, with the pointer to the elements, on the line of the index that the consumer writes.
#include "../register.hpp"

#include <boost/lockfree/policies.hpp>
#include <boost/lockfree/spsc_queue.hpp>

namespace bench {

template <std::size_t Capacity> struct boost_of {
  template <class M> struct queue {
    using ring = boost::lockfree::spsc_queue<M, boost::lockfree::capacity<Capacity>>;
    ring inner;
    explicit queue(std::size_t) {}

    struct producer {
      ring &inner;
      bool push(std::uint64_t sequence) { return inner.push(M(sequence)); }
      std::size_t push_n(const M *from, std::size_t count) { return inner.push(from, count); }
    };

    struct consumer {
      ring &inner;
      template <class Visit> bool take(Visit visit) { return inner.consume_one(visit); }
      std::size_t pop_n(M *to, std::size_t count) { return inner.pop(to, count); }
    };

    producer produce() { return {inner}; }
    consumer consume() { return {inner}; }
  };
};

template <std::size_t Capacity> constexpr auto boost_with() {
  return every_benchmark<boost_of<Capacity>::template queue>("boost", Capacity, all_sizes);
}

kernels boost_kernels() {
  static constexpr auto list = joined(boost_with<64>(), boost_with<1024>(), boost_with<65536>());
  return {list.data(), list.size()};
}

} // namespace bench
