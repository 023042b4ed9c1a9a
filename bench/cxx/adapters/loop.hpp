// Batches of a queue that has single operations only: a loop of them.
#pragma once

#include <cstddef>

namespace bench {

template <class M, class Push> std::size_t push_each(const M *from, std::size_t count, Push push) {
  std::size_t n = 0;
  while (n < count && push(from[n])) {
    ++n;
  }
  return n;
}

template <class M, class Pop> std::size_t pop_each(M *to, std::size_t count, Pop pop) {
  std::size_t n = 0;
  while (n < count && pop(to[n])) {
    ++n;
  }
  return n;
}

} // namespace bench
