// The checked ends of gimmal/mapped.h: they speak with the unchecked ones, across the wrap of a word; whatever another
// process writes to the ring, they report what no end writes as corrupt, and touch nothing outside of it.

#include "gimmal/mapped.h"
#include "check.h"
#include "start_at.h"

#include <cstring>
#include <initializer_list>
#include <new>
#include <thread>

namespace {

template <std::size_t Size, std::size_t Align> struct alignas(Align) element {
  unsigned char bytes[Size];

  explicit element(std::uint64_t number = 0) {
    for (std::size_t i = 0; i < Size; ++i) {
      bytes[i] = static_cast<unsigned char>(number * 37 + i);
    }
  }
  bool operator==(const element &other) const { return std::memcmp(bytes, other.bytes, Size) == 0; }
};

template <class T, std::uint8_t Kind>
inline constexpr gimmal_shape_t shape_of = Kind == GIMMAL_KIND_LINE ? gimmal_shape_by_line(sizeof(T), alignof(T))
                                                                    : gimmal_shape_by_index(sizeof(T), alignof(T));

// A ring in memory that is exactly as long as it.
struct ring {
  gimmal_shape_t shape;
  gimmal_extent_t extent{0, 0, 0};
  unsigned char *memory = nullptr;

  ring(gimmal_shape_t of, std::size_t capacity, std::size_t place) : shape(of) {
    CHECK(gimmal_extent_of(shape, capacity, &extent) == GIMMAL_OK);
    memory = static_cast<unsigned char *>(::operator new(extent.size, std::align_val_t(extent.align)));
    CHECK(gimmal_lay_out(memory, extent.size, shape, capacity) == GIMMAL_OK);
    start_at(control(), shape, place);
  }
  ring(const ring &) = delete;
  ring &operator=(const ring &) = delete;
  ~ring() { ::operator delete(memory, std::align_val_t(extent.align)); }

  gimmal_control_t *control() const { return reinterpret_cast<gimmal_control_t *>(memory); }
  std::size_t mask() const { return gimmal_mask(control(), shape); }
  gimmal_mapped_producer_t producer() const {
    return gimmal_mapped_producer(memory, shape, extent.log2_count, control()->producer.tail);
  }
  gimmal_mapped_consumer_t consumer() const {
    return gimmal_mapped_consumer(memory, shape, extent.log2_count, control()->consumer.head);
  }
  // The stamp of the cell in which an end stands.
  std::size_t *stamp(std::size_t cursor) const {
    return gimmal_stamp_of(gimmal_cell(control(), shape, mask(), cursor));
  }
};

// Fills and empties the ring some laps long, each end checked or not.
template <class T, std::uint8_t Kind> void laps(const ring &r, bool is_producer_checked, bool is_consumer_checked) {
  constexpr gimmal_shape_t shape = shape_of<T, Kind>;
  gimmal_mapped_producer_t tx = r.producer();
  gimmal_mapped_consumer_t rx = r.consumer();
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (int lap = 0; lap < 5; ++lap) {
    for (;;) {
      const T value(pushed);
      const gimmal_status_t status = is_producer_checked ? gimmal_mapped_push(&tx, shape, &value)
                                                         : gimmal_control_push(r.control(), shape, &value);
      if (status == GIMMAL_FULL) {
        break;
      }
      CHECK(status == GIMMAL_OK);
      ++pushed;
    }
    CHECK(pushed - popped >= gimmal_capacity(r.control(), shape));
    while (popped < pushed) {
      T value;
      CHECK((is_consumer_checked ? gimmal_mapped_pop(&rx, shape, &value)
                                 : gimmal_control_pop(r.control(), shape, &value)) == GIMMAL_OK);
      CHECK(value == T(popped));
      ++popped;
    }
    T untouched(99);
    CHECK((is_consumer_checked ? gimmal_mapped_pop(&rx, shape, &untouched)
                               : gimmal_control_pop(r.control(), shape, &untouched)) == GIMMAL_EMPTY);
    CHECK(untouched == T(99));
  }
  gimmal_close(r.control());
  const T value(0);
  CHECK(gimmal_mapped_push(&tx, shape, &value) == GIMMAL_CLOSED);
}

// Words that lie near what an end expects, and any.
std::size_t strange(std::uint64_t &state, std::size_t near) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  const std::uint64_t bits = state >> 11;
  switch (bits % 4) {
  case 0:
    return near + static_cast<std::size_t>(bits / 4 % 1024) - 512;
  case 1:
    return near ^ (std::size_t{1} << (bits / 4 % (8 * sizeof(std::size_t))));
  case 2:
    return static_cast<std::size_t>(bits / 4 % 512);
  default:
    return static_cast<std::size_t>(state ^ state >> 29);
  }
}

// Another process writes anything anywhere, all the time: every call ends with one of its statuses. The sanitizer
// watches the memory.
template <class T, std::uint8_t Kind> void survives(std::uint64_t seed) {
  constexpr gimmal_shape_t shape = shape_of<T, Kind>;
  ring r(shape, 16, 0);
  gimmal_mapped_producer_t tx = r.producer();
  gimmal_mapped_consumer_t rx = r.consumer();
  std::uint64_t state = seed;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    switch (state >> 60) {
    case 0:
      r.control()->producer.tail = strange(state, rx.end.head);
      break;
    case 1:
      r.control()->consumer.head = strange(state, tx.end.tail);
      break;
    case 2:
      r.control()->log2_count = static_cast<std::uint8_t>(state >> 20);
      r.control()->stride = static_cast<std::uint32_t>(state >> 24);
      r.control()->slots_offset = static_cast<std::uint32_t>(state >> 28);
      r.control()->per_cell = static_cast<std::uint8_t>(state >> 32);
      break;
    case 3:
    case 4:
      if (shape.kind == GIMMAL_KIND_LINE) {
        *gimmal_stamp_of(rx.end.cell) = strange(state, gimmal_stamp(rx.end.head, rx.end.mask));
        *gimmal_stamp_of(tx.end.cell) = strange(state, gimmal_stamp(tx.end.tail, tx.end.mask));
      }
      break;
    default:
      break;
    }
    T value(7);
    const gimmal_status_t pushed = gimmal_mapped_push(&tx, shape, &value);
    CHECK(pushed == GIMMAL_OK || pushed == GIMMAL_FULL || pushed == GIMMAL_CORRUPT);
    const gimmal_status_t popped = gimmal_mapped_pop(&rx, shape, &value);
    CHECK(popped == GIMMAL_OK || popped == GIMMAL_EMPTY || popped == GIMMAL_CORRUPT);
    CHECK(gimmal_position(tx.end.tail) < shape.per_cell || shape.kind == GIMMAL_KIND_INDEX);
    CHECK(gimmal_position(rx.end.head) < shape.per_cell || shape.kind == GIMMAL_KIND_INDEX);
  }
}

// What no end writes is told apart from a full ring and from an empty one.
template <class T> void finds_by_index(std::size_t place) {
  constexpr gimmal_shape_t shape = shape_of<T, GIMMAL_KIND_INDEX>;
  T value(1);
  for (const std::size_t ahead : {std::size_t{17}, SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 32}) {
    ring r(shape, 16, place);
    gimmal_mapped_consumer_t rx = r.consumer();
    r.control()->producer.tail = place + ahead;
    CHECK(gimmal_mapped_pop(&rx, shape, &value) == GIMMAL_CORRUPT);
    CHECK(value == T(1));
  }
  for (const std::size_t ahead : {std::size_t{1}, std::size_t{17}, SIZE_MAX / 2}) {
    ring r(shape, 16, place);
    gimmal_mapped_producer_t tx = r.producer();
    r.control()->consumer.head = place + ahead;
    CHECK(gimmal_mapped_push(&tx, shape, &value) == GIMMAL_CORRUPT);
  }
}

template <class T> void finds_by_line(std::size_t place) {
  constexpr gimmal_shape_t shape = shape_of<T, GIMMAL_KIND_LINE>;
  const std::size_t lap = GIMMAL_CELL * 16;
  T value(1);
  for (const std::size_t off : {shape.per_cell + 1, std::size_t{255}, lap, 0 - lap, lap * 4096}) {
    ring r(shape, (16 - 1) * shape.per_cell + 1, place);
    CHECK(gimmal_count(r.control()) == 16);
    gimmal_mapped_consumer_t rx = r.consumer();
    *r.stamp(rx.end.head) += off;
    CHECK(gimmal_mapped_pop(&rx, shape, &value) == GIMMAL_CORRUPT);
    CHECK(value == T(1));
    ring other(shape, (16 - 1) * shape.per_cell + 1, place);
    gimmal_mapped_producer_t tx = other.producer();
    *other.stamp(tx.end.tail) += off;
    CHECK(gimmal_mapped_push(&tx, shape, &value) == GIMMAL_CORRUPT);
  }
}

template <class T, std::uint8_t Kind> void two_threads() {
  static constexpr gimmal_shape_t shape = shape_of<T, Kind>;
  const ring r(shape, 16, SIZE_MAX - 100);
  constexpr std::uint64_t count = 30000;
  gimmal_mapped_consumer_t rx = r.consumer();
  std::thread pushing([tx = r.producer()]() mutable {
    for (std::uint64_t i = 0; i < count;) {
      const T value(i);
      const gimmal_status_t status = gimmal_mapped_push(&tx, shape, &value);
      CHECK(status == GIMMAL_OK || status == GIMMAL_FULL);
      i += status == GIMMAL_OK;
      if (status != GIMMAL_OK) {
        std::this_thread::yield();
      }
    }
  });
  for (std::uint64_t i = 0; i < count;) {
    T value;
    const gimmal_status_t status = gimmal_mapped_pop(&rx, shape, &value);
    if (status == GIMMAL_EMPTY) {
      std::this_thread::yield();
      continue;
    }
    CHECK(status == GIMMAL_OK);
    CHECK(value == T(i++));
  }
  pushing.join();
}

template <class T, std::uint8_t Kind> void every_kind() {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
    for (const std::size_t place : {std::size_t{0}, SIZE_MAX - 2, SIZE_MAX / 256 - 2}) {
      for (int checked = 1; checked < 4; ++checked) {
        laps<T, Kind>(ring(shape_of<T, Kind>, capacity, place), (checked & 1) != 0, (checked & 2) != 0);
      }
    }
  }
  survives<T, Kind>(1);
  survives<T, Kind>(2);
  two_threads<T, Kind>();
}

template <class T> void everything() {
  every_kind<T, GIMMAL_KIND_INDEX>();
  every_kind<T, GIMMAL_KIND_LINE>();
  for (const std::size_t place : {std::size_t{0}, SIZE_MAX - 2}) {
    finds_by_index<T>(place);
    finds_by_line<T>(place);
  }
}

} // namespace

int main() {
  everything<element<1, 1>>();
  everything<element<6, 2>>();
  everything<element<12, 4>>();
  everything<element<8, 8>>();
  everything<element<16, 8>>();
  everything<element<48, 8>>();
  everything<element<192, 64>>();
  return 0;
}
