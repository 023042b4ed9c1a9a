// A ring on the heap, of a kind and a type known when it is compiled, with any capacity and starting anywhere.

#ifndef GIMMAL_TEST_HEAP_RING_HPP
#define GIMMAL_TEST_HEAP_RING_HPP

#include <new>

#include "check.h"
#include "gimmal.hpp"
#include "start_at.h"

template <class T, std::uint8_t Kind> class heap_ring {
public:
  static constexpr gimmal_shape_t shape = gimmal::detail::shape<T, Kind>;
  using view_type = gimmal::detail::basic_view<T, Kind>;

  explicit heap_ring(std::size_t capacity, std::size_t place = 0) {
    gimmal_extent_t extent{};
    CHECK(gimmal_extent_of(shape, capacity, &extent) == GIMMAL_OK);
    size_ = extent.size;
    align_ = std::align_val_t{extent.align};
    memory_ = ::operator new(size_, align_);
    CHECK(gimmal_lay_out(memory_, size_, shape, capacity) == GIMMAL_OK);
    start_at(control(), shape, place);
  }

  heap_ring(const heap_ring &) = delete;
  heap_ring &operator=(const heap_ring &) = delete;

  ~heap_ring() { ::operator delete(memory_, align_); }

  gimmal_control_t *control() const { return static_cast<gimmal_control_t *>(memory_); }

  unsigned char *bytes() const { return static_cast<unsigned char *>(memory_); }

  std::size_t size() const { return size_; }

  view_type view() const { return view_type(memory_, size_); }

private:
  std::size_t size_;
  std::align_val_t align_;
  void *memory_;
};

#endif // GIMMAL_TEST_HEAP_RING_HPP
