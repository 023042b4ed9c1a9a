// rigtorp::SPSCQueue, by its name alone: for the tests of that project, run on gimmal::spsc_queue.
#pragma once

// What their test uses and their header brings.
#include <atomic>
#include <memory>

#include "gimmal.hpp"

namespace rigtorp {

#if defined(MIGRATION_ZERO_IS_ONE)
// The one deviation taken away, so that what comes after it runs too: a capacity of 0 means 1.
template <class T, class Alloc = std::allocator<T>> struct SPSCQueue : gimmal::spsc_queue<T, Alloc> {
  explicit SPSCQueue(std::size_t capacity) : gimmal::spsc_queue<T, Alloc>(capacity == 0 ? 1 : capacity) {}
};
#else
template <class T, class Alloc = std::allocator<T>> using SPSCQueue = gimmal::spsc_queue<T, Alloc>;
#endif

} // namespace rigtorp
