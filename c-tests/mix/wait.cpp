// A C++ end that sleeps, or wakes a sleeper, at a ring whose other end is in Rust.

#include "gimmal.hpp"

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define NAME(name) NAMED(name, MIX_COMPILER)

using view = gimmal::line_ring_view<std::uint64_t>;

// Pops until the ring is closed, asleep in between, and returns the sum; 0 if an element is out of order.
extern "C" std::uint64_t NAME(wait_consume_)(void *ring, std::size_t size, bool shared) noexcept {
  const view seen(ring, size);
  auto rx = seen.consumer();
  if (!rx) {
    return 0;
  }
  gimmal::wait::park park(shared ? gimmal::wait::scope::machine : gimmal::wait::scope::process);
  gimmal::wait::declare(rx, park);
  std::uint64_t value = 0;
  std::uint64_t next = 1;
  std::uint64_t sum = 0;
  while (gimmal::wait::pop(rx, value, park) == GIMMAL_OK) {
    if (value != next++) {
      return 0;
    }
    gimmal::wait::notify_producer(rx, park);
    sum += value;
  }
  return sum;
}

// Pushes 1 to `count`, asleep while the ring is full, waking the consumer, and closes. Whether all went in.
extern "C" bool NAME(wait_produce_)(void *ring, std::size_t size, std::uint64_t count, bool shared) noexcept {
  const view seen(ring, size);
  auto tx = seen.producer();
  if (!tx) {
    return false;
  }
  gimmal::wait::park park(shared ? gimmal::wait::scope::machine : gimmal::wait::scope::process);
  for (std::uint64_t value = 1; value <= count; ++value) {
    if (gimmal::wait::push(tx, value, park) != GIMMAL_OK) {
      return false;
    }
    gimmal::wait::notify_consumer(tx, park);
  }
  gimmal::wait::close_notify(tx, park);
  return true;
}
