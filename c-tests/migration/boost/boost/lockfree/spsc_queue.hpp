// boost::lockfree::spsc_queue by its name and its calls: for the tests of that project, run on gimmal::spsc_queue. Each call
// is what docs/MIGRATING.md says of it.
#pragma once

#include <algorithm>
#include <iterator>

// What their tests use and their header brings.
#include <boost/lockfree/policies.hpp>
#include <boost/utility.hpp>

#include "gimmal.hpp"

namespace boost {
namespace lockfree {

// The capacity among the options, if it is there.
template <class... Options> struct migration_capacity {
  static constexpr std::size_t value = 0;
};
template <std::size_t N, class... Rest> struct migration_capacity<capacity<N>, Rest...> {
  static constexpr std::size_t value = N;
};
template <class First, class... Rest> struct migration_capacity<First, Rest...> : migration_capacity<Rest...> {};

template <class T, class... Options> class spsc_queue {
public:
  using value_type = T;
  using size_type = std::size_t;

  spsc_queue() : queue_(migration_capacity<Options...>::value) {}
  explicit spsc_queue(size_type capacity) : queue_(capacity) {}

  bool is_lock_free() const { return true; }

  bool push(const T &value) { return queue_.try_push(value); }
  size_type push(const T *values, size_type count) { return queue_.push(values, count); }
  template <size_type N> size_type push(const T (&values)[N]) { return queue_.push(values, N); }
  template <class Iterator> Iterator push(Iterator first, Iterator last) {
    while (first != last && queue_.try_push(*first)) {
      ++first;
    }
    return first;
  }
  size_type write_available() const { return queue_.write_available(); }

  bool pop() {
    return queue_.consume_one([](T &) {});
  }
  template <class U> std::enable_if_t<std::is_convertible_v<T, U>, bool> pop(U &value) {
    return queue_.consume_one([&](T &front) { value = std::move(front); });
  }
  size_type pop(T *values, size_type count) { return queue_.pop(values, count); }
  template <size_type N> size_type pop(T (&values)[N]) { return queue_.pop(values, N); }
  template <class Output> std::enable_if_t<!std::is_convertible_v<T, Output>, size_type> pop(Output to) {
    return queue_.consume_all([&](T &front) { *to++ = std::move(front); });
  }
  template <class F> bool consume_one(F &&use) { return queue_.consume_one(use); }
  template <class F> size_type consume_all(F &&use) { return queue_.consume_all(use); }
  T &front() { return *queue_.front(); }
  size_type read_available() const { return queue_.read_available(); }
  void reset() {
    queue_.consume_all([](T &) {});
  }

  bool empty() const { return queue_.empty(); }

private:
  gimmal::spsc_queue<T> queue_;
};

} // namespace lockfree
} // namespace boost
