// Rings that are their own storage, of all sorts of types; also without exceptions and RTTI.

#include "counted.hpp"
#include "gimmal.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace {

struct tick {
  std::uint64_t words[6];
};

// In .bss, and usable before main: nothing has to run for them.
gimmal::line_ring<std::uint64_t, 524288> big;
gimmal::ring<tick, 4096> exact;
gimmal::line_ring<std::unique_ptr<int>, 10> owners;

template <class Ring>
constexpr bool plain = std::is_trivially_destructible_v<Ring> && !std::is_copy_constructible_v<Ring>;
static_assert(plain<decltype(big)> && plain<decltype(exact)> && !plain<decltype(owners)>);
constexpr gimmal::ring<int, 4> constant_ring;
constexpr gimmal::line_ring<int, 4> constant_line_ring;
static_assert(constant_ring.capacity() == 4 && constant_line_ring.capacity() >= 4);

static_assert(gimmal::ring<tick, 4096>::capacity() == 4096);
#if SIZE_MAX == UINT64_MAX
static_assert(gimmal::line_ring<std::uint64_t, 1024>::capacity() == 255 * 7 + 1, "256 cells of 7");
static_assert(gimmal::line_ring<tick, 1024>::capacity() == 1024, "one a cell");
#endif
static_assert(gimmal::line_ring<std::uint64_t, 1>::capacity() == 1);

template <class Ring> void observers(Ring &ring) {
  using T = typename Ring::value_type;
  auto view = ring.view();
  CHECK(view && view.status() == GIMMAL_OK && ring.c_ring() == view.c_ring());
  CHECK(static_cast<void *>(ring.c_ring()) == static_cast<void *>(&ring));
  CHECK(view.empty() && !view.full() && view.size() == 0 && view.capacity() == Ring::capacity());
  CHECK(view.dropped() == 0 && !view.closed());
  auto tx = ring.producer();
  auto rx = ring.consumer();
  CHECK(tx && rx && !ring.producer() && !ring.consumer());
  CHECK(tx.try_push(T{}) && view.size() == 1 && rx.pop() && view.empty());
  if constexpr (std::is_trivially_copyable_v<T>) {
    // The same bytes, found by whoever does not know the capacity.
    const typename Ring::view_type found(static_cast<void *>(&ring), sizeof ring);
    CHECK(found && found.capacity() == Ring::capacity());
    CHECK(typename Ring::view_type(ring.c_ring()));
  }
}

template <class Ring> void leftovers() {
  {
    Ring ring;
    auto tx = ring.producer();
    int value = 0;
    while (tx.try_emplace(value)) {
      ++value;
    }
    auto rx = ring.consumer();
    CHECK(rx.try_pop().value().value == 0 && rx.front()->value == 1);
    CHECK(rx.pop() && rx.consume_one([](counted &c) { CHECK(c.value == 2); }));
    counted out(-2);
    CHECK(rx.try_pop(out) && out.value == 3);
    counted pair[2] = {counted(-3), counted(-4)};
    CHECK(rx.pop_n(pair, 2) == 2 && pair[0].value == 4 && pair[1].value == 5);
    const auto held = rx.read(1);
    CHECK(held[0].value == 6);
    rx.release(1);
    CHECK(tx.try_push(counted(value)) || tx.full());
    CHECK(!counted::alive.empty());
  }
  CHECK(counted::alive.empty() && "every element is destroyed once");
  Ring unused;
  (void)unused;
}

template <std::size_t Align> struct alignas(Align) wide {
  std::uint64_t value = 0;
};

template <std::size_t Align> void over_aligned() {
  gimmal::ring<wide<Align>, 2> by_index;
  gimmal::line_ring<wide<Align>, 2> by_line;
  const auto through = [](auto &ring) {
    auto tx = ring.producer();
    auto rx = ring.consumer();
    for (std::uint64_t i = 0; i < 9; ++i) {
      CHECK(tx.try_push(wide<Align>{i}));
      CHECK(reinterpret_cast<std::uintptr_t>(rx.front()) % Align == 0 && rx.front()->value == i);
      CHECK(rx.pop());
    }
  };
  through(by_index);
  through(by_line);
}

void strings() {
  gimmal::line_ring<std::string, 8> ring;
  auto tx = ring.producer();
  auto rx = ring.consumer();
  const std::string words[] = {"long enough to be on the heap", "b", "c"};
  CHECK(tx.push_n(words, 3) == 3 && tx.offer("d") && tx.try_emplace(std::size_t{3}, 'e'));
  std::string out[3];
  CHECK(rx.pop_n(out, 3) == 3 && out[0] == words[0] && out[2] == "c");
  CHECK(rx.consume_all([](std::string &s) { CHECK(s == "d" || s == "eee"); }) == 2);
}

} // namespace

int main() {
  observers(big);
  observers(exact);
  observers(owners);
  CHECK(owners.producer().try_push(std::make_unique<int>(4)));
  leftovers<gimmal::ring<counted, 16>>();
  leftovers<gimmal::line_ring<counted, 16>>();
  over_aligned<64>();
  over_aligned<128>();
  over_aligned<4096>();
  strings();
  std::puts("ok");
}
