// Two threads over one ring, each of which goes from C to C++ and back after a few messages, in the middle of cells.

#include "mixed.h"
#include "heap_ring.hpp"

#include <cstdio>
#include <thread>

namespace {

gimmal_status_t c_push(gimmal_ring_t *ring, const mixed_t *message) { return c_ring_push(ring, message); }
gimmal_status_t c_push(gimmal_line_ring_t *ring, const mixed_t *message) { return c_line_ring_push(ring, message); }
gimmal_status_t c_pop(gimmal_ring_t *ring, mixed_t *message) { return c_ring_pop(ring, message); }
gimmal_status_t c_pop(gimmal_line_ring_t *ring, mixed_t *message) { return c_line_ring_pop(ring, message); }

mixed_t make(std::uint64_t number) {
  const auto part = static_cast<std::uint32_t>(number * 2654435761u);
  return {number, {part, ~part}};
}

// Lengths of stretches in one language, never the same for both ends.
struct stretches {
  std::uint64_t state;

  std::uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % 11;
  }
};

template <class F> void until(F &&done) {
  while (!done()) {
    std::this_thread::yield();
  }
}

template <std::uint8_t Kind> void pass(std::size_t capacity, std::size_t place, std::uint64_t messages) {
  heap_ring<mixed_t, Kind> ring(capacity, place);
  std::thread producer([&] {
    stretches lengths{1};
    for (std::uint64_t sent = 0; sent < messages;) {
      for (std::uint64_t n = lengths.next(); n > 0 && sent < messages; --n, ++sent) {
        const mixed_t message = make(sent);
        until([&] { return c_push(ring.view().c_ring(), &message) == GIMMAL_OK; });
      }
      auto tx = ring.view().producer();
      CHECK(tx);
      for (std::uint64_t n = lengths.next(); n > 0 && sent < messages; --n, ++sent) {
        until([&] { return tx.try_push(make(sent)); });
      }
    }
  });
  stretches lengths{2};
  const auto expect = [](const mixed_t &message, std::uint64_t number) {
    const mixed_t whole = make(number);
    CHECK(message.number == number && message.parts[0] == whole.parts[0] && message.parts[1] == whole.parts[1]);
  };
  for (std::uint64_t taken = 0; taken < messages;) {
    mixed_t message{};
    for (std::uint64_t n = lengths.next(); n > 0 && taken < messages; --n, ++taken) {
      until([&] { return c_pop(ring.view().c_ring(), &message) == GIMMAL_OK; });
      expect(message, taken);
    }
    auto rx = ring.view().consumer();
    CHECK(rx);
    for (std::uint64_t n = lengths.next(); n > 0 && taken < messages; --n, ++taken) {
      until([&] { return rx.try_pop(message); });
      expect(message, taken);
    }
  }
  producer.join();
  CHECK(ring.view().empty());
}

} // namespace

int main() {
  for (const std::size_t capacity : {1u, 2u, 64u, 4096u}) {
    for (const std::size_t place : {std::size_t{0}, SIZE_MAX - 1}) {
      pass<GIMMAL_KIND_INDEX>(capacity, place, capacity < 64 ? 2000 : 20000);
      pass<GIMMAL_KIND_LINE>(capacity, place, capacity < 64 ? 2000 : 20000);
    }
  }
  std::puts("ok");
}
