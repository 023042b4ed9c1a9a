// A bounded array for one thread at a time: what the two baselines keep behind their lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

template <class M> class bounded {
public:
  explicit bounded(std::size_t capacity) : slots_(capacity) {}

  bool is_empty() const { return length_ == 0; }
  bool is_full() const { return length_ == slots_.size(); }

  // Puts up to `count` messages, the n-th of them `make(n)`, and says how many.
  template <class Make> std::size_t put(std::size_t count, Make make) {
    const std::size_t room = std::min(count, slots_.size() - length_);
    for (std::size_t n = 0; n < room; ++n) {
      slots_[wrapped(head_ + length_ + n)] = make(n);
    }
    length_ += room;
    return room;
  }

  // Shows up to `count` messages to `visit(n, message)`, drops them, and says how many.
  template <class Visit> std::size_t get(std::size_t count, Visit visit) {
    const std::size_t there = std::min(count, length_);
    for (std::size_t n = 0; n < there; ++n) {
      visit(n, slots_[wrapped(head_ + n)]);
    }
    head_ = wrapped(head_ + there);
    length_ -= there;
    return there;
  }

private:
  std::size_t wrapped(std::size_t index) const { return index < slots_.size() ? index : index - slots_.size(); }

  std::vector<M> slots_;
  std::size_t head_ = 0;
  std::size_t length_ = 0;
};

} // namespace bench
