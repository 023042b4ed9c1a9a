// One edge of the protocols between two threads, and a plain value that it must order: for ThreadSanitizer. As it is,
// each is clean. Built with the edge's ordering weakened it must be reported.

#include "heap_ring.hpp"

#include <cstdio>
#include <cstring>
#include <thread>

static const int rounds = 2000;

// What the edge orders.
static int plain;

static const gimmal_shape_t by_index = heap_ring<int, GIMMAL_KIND_INDEX>::shape;
static const gimmal_shape_t by_many = heap_ring<int, GIMMAL_KIND_MPSC>::shape;

// EDGE names one of these.

// An end claimed and given up by turns.
void claim() {
  std::uint8_t claimed = 0;
  const auto turns = [&] {
    for (int turn = 0; turn < rounds; ++turn) {
      while (!gimmal_claim_end(&claimed)) {
        std::this_thread::yield();
      }
      ++plain;
      gimmal_give_up_end(&claimed);
    }
  };
  std::thread other(turns);
  turns();
  other.join();
  CHECK(plain == 2 * rounds);
}

// An end seen to be given up.
void gone() {
  std::uint8_t claimed = 1;
  std::thread other([&] {
    plain = 1;
    gimmal_give_up_end(&claimed);
  });
  while (gimmal_is_claimed(&claimed)) {
    std::this_thread::yield();
  }
  CHECK(plain == 1);
  other.join();
}

void closed() {
  heap_ring<int, GIMMAL_KIND_INDEX> ring(4);
  std::thread other([&] {
    plain = 1;
    gimmal_close(ring.control());
  });
  while (!gimmal_is_closed(ring.control())) {
    std::this_thread::yield();
  }
  CHECK(plain == 1);
  other.join();
}

void many_closed() {
  heap_ring<int, GIMMAL_KIND_MPSC> ring(4);
  std::thread other([&] {
    plain = 1;
    gimmal_many_close(ring.control());
  });
  while (!gimmal_many_is_closed(ring.control(), by_many)) {
    std::this_thread::yield();
  }
  CHECK(plain == 1);
  other.join();
}

void stated() {
  heap_ring<int, GIMMAL_KIND_INDEX> ring(4);
  gimmal_control_t *control = ring.control();
  control->magic = 0;
  std::thread other([&] {
    plain = 1;
    gimmal_publish_geometry(control, by_index, 2);
  });
  while (gimmal_magic(control) == 0) {
    std::this_thread::yield();
  }
  CHECK(plain == 1);
  other.join();
}

// A claim that another producer learns of before it looks at a cell.
void followed() {
  heap_ring<int, GIMMAL_KIND_MPSC> ring(4);
  std::thread other([&] {
    gimmal_many_producer_t end = gimmal_many_producer(ring.control(), by_many);
    plain = 1;
    CHECK(gimmal_many_win(&end) == GIMMAL_OK);
  });
  while (gimmal_many_follow(ring.control()) == 0) {
    std::this_thread::yield();
  }
  CHECK(plain == 1);
  other.join();
}

// A claim that another producer's own claim goes on from: its place was guessed, so nothing but the swap orders.
void relayed() {
  heap_ring<int, GIMMAL_KIND_MPSC> ring(4);
  gimmal_many_producer_t second = gimmal_many_producer(ring.control(), by_many);
  std::thread other([&] {
    gimmal_many_producer_t first = gimmal_many_producer(ring.control(), by_many);
    plain = 1;
    CHECK(gimmal_many_win(&first) == GIMMAL_OK);
  });
  second.place = 1;
  // Each swap that fails takes the place from what it finds.
  while (gimmal_many_win(&second) != GIMMAL_OK) {
    second.place = 1;
    std::this_thread::yield();
  }
  CHECK(plain == 1);
  other.join();
}

// A pool's only slot, put back and taken by turns: by one thread slot by slot, by the other whole stack by whole stack.
void pooled() {
  const std::size_t count = 1;
  alignas(128) static unsigned char memory[512];
  std::memset(memory, 0, sizeof memory);
  auto *pool = reinterpret_cast<gimmal_pool_t *>(memory);
  std::thread other([&] {
    for (int turn = 0; turn < rounds; ++turn) {
      std::size_t slot = gimmal_pool_take(pool, count);
      while (slot == GIMMAL_NO_SLOT) {
        std::this_thread::yield();
        slot = gimmal_pool_take(pool, count);
      }
      ++plain;
      gimmal_pool_put(pool, count, slot);
    }
  });
  for (int turn = 0; turn < rounds; ++turn) {
    std::size_t slot = gimmal_pool_adopt(pool, count);
    while (slot == count) {
      std::this_thread::yield();
      slot = gimmal_pool_adopt(pool, count);
    }
    ++plain;
    gimmal_pool_put(pool, count, slot);
  }
  other.join();
  CHECK(plain == 2 * rounds);
}

int main() {
  EDGE();
  std::puts("clean");
}
