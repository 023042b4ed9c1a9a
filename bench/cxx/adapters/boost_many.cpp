// boost::lockfree::queue. With a capacity that is known when it is compiled it links its nodes by indices, of 16 bits;
// above them it is told the capacity, and refuses where it would have to allocate.
#include "../many.hpp"

#include <boost/lockfree/queue.hpp>

namespace bench {

template <class Queue, bool (Queue::*Push)(const typename Queue::value_type &)> struct boost_many_ends {
  using message_type = typename Queue::value_type;

  struct producer {
    Queue &ring;
    bool push(std::uint64_t sequence) { return (ring.*Push)(message_type(sequence)); }
  };

  struct consumer {
    Queue &ring;
    template <class Visit> bool take(Visit visit) { return ring.consume_one(visit); }
  };
};

template <std::size_t Capacity> struct boost_many_fixed {
  template <class M> using ring_type = boost::lockfree::queue<M, boost::lockfree::capacity<Capacity>>;

  template <class M> struct queue : boost_many_ends<ring_type<M>, &ring_type<M>::push> {
    ring_type<M> ring;
    explicit queue(std::size_t) {}
    typename queue::producer produce() { return {ring}; }
    typename queue::consumer consume() { return {ring}; }
  };
};

template <class M>
struct boost_many : boost_many_ends<boost::lockfree::queue<M>, &boost::lockfree::queue<M>::bounded_push> {
  boost::lockfree::queue<M> ring;
  explicit boost_many(std::size_t capacity) : ring(capacity) {}
  typename boost_many::producer produce() { return {ring}; }
  typename boost_many::consumer consume() { return {ring}; }
};

kernels boost_many_kernels() {
  static constexpr auto list = joined(many_only<boost_many_fixed<64>::template queue>("boost-queue", 64),
                                      many_only<boost_many_fixed<1024>::template queue>("boost-queue", 1024),
                                      many_only<boost_many>("boost-queue", 65536));
  return {list.data(), list.size()};
}

} // namespace bench
