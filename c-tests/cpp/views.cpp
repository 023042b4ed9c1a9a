// What attaching refuses, and why; nothing is changed by it.

#include "heap_ring.hpp"

#include <cstdio>
#include <cstring>

namespace {

struct alignas(8) element {
  unsigned char bytes[24];
};
struct alignas(4) same_size {
  unsigned char bytes[24];
};
struct alignas(8) larger {
  unsigned char bytes[32];
};

template <class T, std::uint8_t Kind> using view = gimmal::detail::basic_view<T, Kind>;

template <std::uint8_t Kind> class suite {
public:
  void run() {
    CHECK(attach() == GIMMAL_OK);
    CHECK((view<element, Kind>().status() == GIMMAL_NULL_POINTER));
    CHECK((view<element, Kind>(nullptr, 4096).status() == GIMMAL_NULL_POINTER));
    CHECK((view<element, Kind>(ring_.bytes() + 1, ring_.size() - 1).status() == GIMMAL_MISALIGNED));
    CHECK((view<element, Kind>(ring_.bytes(), ring_.size() - 1).status() == GIMMAL_TOO_SMALL));
    CHECK((view<element, Kind>(ring_.bytes(), sizeof(gimmal_control_t) - 1).status() == GIMMAL_TOO_SMALL));
    CHECK((view<element, Kind>(ring_.bytes(), 0).status() == GIMMAL_TOO_SMALL));
    constexpr std::uint8_t other = Kind == GIMMAL_KIND_LINE ? GIMMAL_KIND_MPSC : GIMMAL_KIND_LINE;
    CHECK((view<element, other>(ring_.bytes(), ring_.size()).status() == GIMMAL_WRONG_KIND));
    CHECK((view<same_size, Kind>(ring_.bytes(), ring_.size()).status() == GIMMAL_MISMATCH));
    CHECK((view<larger, Kind>(ring_.bytes(), ring_.size()).status() == GIMMAL_MISMATCH));
    fields();
    every_byte();
    empty_view();
  }

private:
  gimmal_status_t attach() { return view<element, Kind>(ring_.bytes(), ring_.size()).status(); }

  template <class Field> void spoil(Field &field, Field value, gimmal_status_t expected) {
    const Field before = field;
    field = value;
    CHECK(attach() == expected);
    field = before;
    CHECK(attach() == GIMMAL_OK);
  }

  void fields() {
    gimmal_control_t &c = *ring_.control();
    spoil(c.magic, 0u, GIMMAL_UNINITIALISED);
    spoil(c.magic, 1u, GIMMAL_CORRUPT);
    spoil(c.version, std::uint8_t{2}, GIMMAL_MISMATCH);
    spoil(c.word_size, std::uint8_t{2}, GIMMAL_MISMATCH);
    spoil(c.log2_line, std::uint8_t{5}, GIMMAL_MISMATCH);
    spoil(c.kind, std::uint8_t{4}, GIMMAL_WRONG_KIND);
    spoil(c.element_size, 0u, GIMMAL_MISMATCH);
    spoil(c.log2_align, std::uint8_t{200}, GIMMAL_MISMATCH);
    spoil(c.stride, 0u, GIMMAL_CORRUPT);
    spoil(c.stride, UINT32_MAX, GIMMAL_CORRUPT);
    spoil(c.slots_offset, 0u, GIMMAL_CORRUPT);
    spoil(c.slots_offset, UINT32_MAX, GIMMAL_CORRUPT);
    spoil(c.per_cell, std::uint8_t{0}, GIMMAL_CORRUPT);
    spoil(c.log2_count, std::uint8_t{4}, GIMMAL_TOO_SMALL);
    spoil(c.log2_count, std::uint8_t{62}, GIMMAL_CORRUPT);
    spoil(c.log2_count, std::uint8_t{64}, GIMMAL_CORRUPT);
    spoil(c.log2_count, std::uint8_t{255}, GIMMAL_CORRUPT);
  }

  // Whatever stands in the geometry, a ring that is accepted lies inside its memory.
  void every_byte() {
    for (std::size_t at = 0; at < offsetof(gimmal_control_t, producer_claimed); ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        const unsigned char before = ring_.bytes()[at];
        ring_.bytes()[at] = static_cast<unsigned char>(value);
        const view<element, Kind> found(ring_.bytes(), ring_.size());
        CHECK(!found || found.capacity() * sizeof(element) <= ring_.size());
        CHECK((found.status() == GIMMAL_OK) == bool(found));
        ring_.bytes()[at] = before;
      }
    }
  }

  void empty_view() {
    const view<element, Kind> nothing(nullptr, 0);
    CHECK(!nothing && !nothing.producer() && !nothing.consumer() && nothing.c_ring() == nullptr);
  }

  heap_ring<element, Kind> ring_{8};
};

} // namespace

int main() {
  suite<GIMMAL_KIND_INDEX>().run();
  suite<GIMMAL_KIND_LINE>().run();
  suite<GIMMAL_KIND_MPSC>().run();
  std::puts("ok");
}
