// Passes messages from one thread to another through a ring of the C++ headers.

#include "gimmal.hpp"
#include <cstdio>
#include <thread>

#undef NDEBUG
#include <cassert>

struct message {
  std::uint64_t id;
  std::uint64_t twice;
};

static gimmal::line_ring<message, 64> ring;

int main() {
  constexpr std::uint64_t count = 100000;
  std::thread sender([tx = ring.producer()]() mutable {
    assert(tx);
    for (std::uint64_t id = 0; id < count; ++id) {
      while (!tx.try_push(message{id, 2 * id})) {
        std::this_thread::yield();
      }
    }
  });
  auto rx = ring.consumer();
  assert(rx);
  for (std::uint64_t id = 0; id < count;) {
    if (const message *received = rx.front()) {
      assert(received->id == id && received->twice == 2 * id);
      rx.pop();
      ++id;
    } else {
      std::this_thread::yield();
    }
  }
  sender.join();
  std::printf("%d messages by C++\n", static_cast<int>(count));
}
