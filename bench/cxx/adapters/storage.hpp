// Memory with one of gimmal's rings laid out in it.
#pragma once

#include <gimmal.h>

#include <cstddef>
#include <cstdlib>

namespace bench {

// One kind of ring by its functions in the C API.
struct by_line {
  using ring = gimmal_line_ring_t;
  static constexpr auto layout = gimmal_line_ring_layout;
  static constexpr auto init = gimmal_line_ring_init;
  static constexpr auto push = gimmal_line_ring_push;
  static constexpr auto push_n = gimmal_line_ring_push_n;
  static constexpr auto pop = gimmal_line_ring_pop;
  static constexpr auto pop_n = gimmal_line_ring_pop_n;
};

struct by_index {
  using ring = gimmal_ring_t;
  static constexpr auto layout = gimmal_ring_layout;
  static constexpr auto init = gimmal_ring_init;
  static constexpr auto push = gimmal_ring_push;
  static constexpr auto push_n = gimmal_ring_push_n;
  static constexpr auto pop = gimmal_ring_pop;
  static constexpr auto pop_n = gimmal_ring_pop_n;
};

template <class Kind, class M> class storage {
public:
  explicit storage(std::size_t capacity) {
    std::size_t align = 0;
    if (Kind::layout(sizeof(M), alignof(M), capacity, &size_, &align) != GIMMAL_OK) {
      std::abort();
    }
    memory_ = std::aligned_alloc(align, size_);
    if (memory_ == nullptr || Kind::init(memory_, size_, sizeof(M), alignof(M), capacity, &ring_) != GIMMAL_OK) {
      std::abort();
    }
  }
  ~storage() { std::free(memory_); }
  storage(const storage &) = delete;
  storage &operator=(const storage &) = delete;

  typename Kind::ring *ring() const { return ring_; }

private:
  void *memory_ = nullptr;
  std::size_t size_ = 0;
  typename Kind::ring *ring_ = nullptr;
};

} // namespace bench
