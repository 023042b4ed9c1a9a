// Runs of elements in a ring. Part of gimmal.hpp.

#ifndef GIMMAL_SPAN_HPP
#define GIMMAL_SPAN_HPP

#include <cstddef>
#include <cstdint>

#include "../gimmal_inline.h"

namespace gimmal {
inline namespace v1 {

// Elements that lie side by side.
template <class T> class span {
public:
  // None, or so many from there on.
  constexpr span() noexcept = default;
  constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

  // Where they begin, how many there are, and each of them.
  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

// Elements in the order in which they pass through a ring. `second` is empty unless the ring wraps between the two,
// which happens by index only.
template <class T> struct spans {
  // Those that come first, and those that come after the wrap.
  span<T> first;
  span<T> second;

  // Of both together.
  constexpr std::size_t size() const noexcept { return first.size() + second.size(); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr explicit operator bool() const noexcept { return !empty(); }
  constexpr T &operator[](std::size_t i) const noexcept {
    return i < first.size() ? first[i] : second[i - first.size()];
  }
};

// What a producer reserved, and why it is nothing if it is nothing: GIMMAL_FULL, GIMMAL_CLOSED or GIMMAL_TOO_LARGE.
template <class T> struct grant : spans<T> {
  // GIMMAL_OK, or why there is nothing.
  gimmal_status_t status = GIMMAL_OK;
};

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_SPAN_HPP
