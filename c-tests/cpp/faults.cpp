// The kinds of faults that users of other queues ran into, one function each. Run with the name of one.

#include "counted.hpp"
#include "heap_ring.hpp"
#include "payload.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

template <class T> using by_index = heap_ring<T, GIMMAL_KIND_INDEX>;
template <class T> using by_line = heap_ring<T, GIMMAL_KIND_LINE>;

// A consumer that pops without asking for the front must not lose its idea of what is there.
void pop_without_front() {
  const auto through = [](auto &tx, auto &rx) {
    CHECK(!rx.pop() && rx.front() == nullptr);
    for (std::uint64_t i = 0; i < 100; i += 2) {
      CHECK(tx.try_emplace(i) && tx.try_emplace(i + 1));
      CHECK(rx.pop());
      CHECK(rx.front() != nullptr && *rx.front() == i + 1);
      CHECK(rx.pop() && !rx.pop() && rx.front() == nullptr);
    }
  };
  by_index<std::uint64_t> ring(4);
  by_line<std::uint64_t> line(4);
  auto tx = ring.view().producer();
  auto rx = ring.view().consumer();
  through(tx, rx);
  auto line_tx = line.view().producer();
  auto line_rx = line.view().consumer();
  through(line_tx, line_rx);
  gimmal::spsc_queue<std::uint64_t> queue(4);
  queue.pop();
  queue.push(1u);
  queue.pop();
  queue.pop();
  CHECK(queue.front() == nullptr && queue.empty());
  queue.push(2u);
  CHECK(*queue.front() == 2);
}

// An allocator that has no memory, or has it misaligned.
template <class T, bool Misaligned> struct poor_allocator {
  using value_type = T;
  template <class U> struct rebind {
    using other = poor_allocator<U, Misaligned>;
  };

  poor_allocator() = default;
  template <class U> poor_allocator(const poor_allocator<U, Misaligned> &) {}

  T *allocate(std::size_t) {
    if (!Misaligned) {
      throw std::bad_alloc();
    }
    return static_cast<T *>(static_cast<void *>(storage + 8));
  }
  void deallocate(T *, std::size_t) {}

private:
  alignas(T) static inline unsigned char storage[64];
};

template <bool Misaligned> bool finds_no_memory() {
  try {
    gimmal::spsc_queue<int, poor_allocator<int, Misaligned>> queue(4);
  } catch (const std::bad_alloc &) {
    return true;
  }
  return false;
}

// Capacities that cannot be had are refused before any size wraps.
void impossible_capacity() {
  const auto refused = [](auto make, std::size_t capacity) {
    try {
      make(capacity);
    } catch (const std::length_error &) {
      return true;
    }
    return false;
  };
  const auto words = [](std::size_t capacity) { gimmal::spsc_queue<std::uint64_t> queue(capacity); };
  const auto pages = [](std::size_t capacity) { gimmal::spsc_queue<payload<4096>> queue(capacity); };
  for (const std::size_t capacity :
       {std::size_t{0}, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 9}) {
    CHECK(refused(words, capacity) && refused(pages, capacity));
  }
  CHECK(refused(pages, SIZE_MAX / 4096) && refused(pages, SIZE_MAX / 8192));
  CHECK(finds_no_memory<false>() && finds_no_memory<true>());
  struct nothing {};
  gimmal::spsc_queue<nothing> smallest(1);
  CHECK(smallest.try_push(nothing{}) && !smallest.try_push(nothing{}));

  gimmal_extent_t extent{};
  const auto status = [&](gimmal_shape_t shape, std::size_t capacity) {
    return gimmal_extent_of(shape, capacity, &extent);
  };
  const gimmal_shape_t index = gimmal_shape_by_index(8, 8);
  const gimmal_shape_t line = gimmal_shape_by_line(8, 8);
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{3}, SIZE_MAX}) {
    CHECK(status(index, capacity) == GIMMAL_BAD_CAPACITY);
  }
  CHECK(status(line, 0) == GIMMAL_BAD_CAPACITY && status(line, 1) == GIMMAL_OK && status(line, 3) == GIMMAL_OK);
  CHECK(status(index, SIZE_MAX / 2 + 1) == GIMMAL_OVERFLOW && status(index, SIZE_MAX / 4 + 1) == GIMMAL_OVERFLOW);
  CHECK(status(line, SIZE_MAX) == GIMMAL_OVERFLOW && status(line, SIZE_MAX / 2) == GIMMAL_OVERFLOW);
  CHECK(extent.size > 0 && extent.align >= 64);
}

// Indices and cursors wrap with the word.
void counter_wrap() {
  const auto through = [](auto &&ring) {
    auto tx = ring.view().producer();
    auto rx = ring.view().consumer();
    std::uint64_t popped = 0;
    for (std::uint64_t pushed = 0; pushed < 10000;) {
      while (tx.try_emplace(pushed)) {
        ++pushed;
      }
      CHECK(tx.full() && tx.size() == pushed - popped && rx.ready() == pushed - popped);
      while (rx.size() > pushed % 5) {
        rx.front()->check(popped++);
        CHECK(rx.pop());
      }
    }
  };
  for (std::size_t before = 0; before < 70; ++before) {
    through(by_index<payload<8>>(64, SIZE_MAX - before));
    through(by_line<payload<8>>(64, SIZE_MAX - before));
    through(by_line<payload<48>>(64, SIZE_MAX - before));
  }
}

// Looking without popping is as ordered as popping is: ThreadSanitizer watches.
void side_path_without_acquire() {
  const auto through = [](auto &&ring) {
    std::thread producer([&] {
      auto tx = ring.view().producer();
      for (std::uint64_t i = 0; i < 3000; i += tx.try_emplace(i)) {
        std::this_thread::yield();
      }
    });
    auto rx = ring.view().consumer();
    for (std::uint64_t i = 0; i < 3000;) {
      if (!rx.empty()) {
        const auto held = rx.read(3);
        held[held.size() - 1].check(i + held.size() - 1);
        CHECK(rx.front() != nullptr);
        rx.front()->check(i);
        i += rx.pop();
      }
    }
    producer.join();
  };
  through(by_index<payload<24>>(8));
  through(by_line<payload<24>>(8));
}

// What a constructor, an assignment or a caller's function throws leaves every element destroyed once, and the ring in
// order.
template <std::uint8_t Kind> void throws() {
  {
    gimmal::detail::basic_ring<counted, Kind, 8> ring;
    auto tx = ring.producer();
    auto rx = ring.consumer();
    const auto thrown = [](auto &&call) {
      counted::throws = true;
      bool caught = false;
      try {
        call();
      } catch (int) {
        caught = true;
      }
      counted::throws = false;
      return caught;
    };
    CHECK(thrown([&] { (void)tx.try_emplace(1); }) && rx.empty() && rx.front() == nullptr);
    for (int i = 1; i <= 5; ++i) {
      CHECK(tx.try_emplace(i));
    }
    CHECK(thrown([&] { (void)rx.try_pop(); }) && rx.front()->value == 1);
    counted out(0);
    CHECK(thrown([&] { (void)rx.try_pop(out); }) && rx.front()->value == 1);
    CHECK(thrown([&] { rx.pop_n(&out, 1); }) && rx.front()->value == 1);
    CHECK(thrown([&] { rx.consume_one([](counted &) { throw 1; }); }) && rx.front()->value == 2);
    CHECK(thrown([&] {
      rx.consume_all([](counted &c) {
        if (c.value == 3) {
          throw 1;
        }
      });
    }));
    CHECK(rx.front()->value == 4 && rx.ready() == 2);
  }
  CHECK(counted::alive.empty());
}

void throw_in_the_middle() {
  throws<GIMMAL_KIND_INDEX>();
  throws<GIMMAL_KIND_LINE>();
  {
    gimmal::spsc_queue<counted> queue(8);
    counted::throws = true;
    bool caught = false;
    try {
      queue.emplace(1);
    } catch (int) {
      caught = true;
    }
    counted::throws = false;
    CHECK(caught && queue.empty());
    queue.emplace(2);
    CHECK(queue.front()->value == 2);
  }
  CHECK(counted::alive.empty());
}

// What is left in a queue is destroyed with it; what was reserved and not committed is not lost to the ring.
void leftover_elements() {
  {
    gimmal::spsc_queue<counted> queue(20);
    for (int i = 0; i < 15; ++i) {
      queue.emplace(i);
    }
    queue.pop();
  }
  CHECK(counted::alive.empty());
  const auto through = [](auto &&ring) {
    auto rx = ring.view().consumer();
    for (std::uint64_t i = 0; i < 300; ++i) {
      auto tx = ring.view().producer();
      (void)tx.reserve(1 + i % 3);
      const auto room = tx.reserve(3);
      CHECK(!room.empty());
      room[0] = i;
      tx.commit(1);
      (void)tx.reserve(2);
      CHECK(rx.try_pop() == i);
    }
  };
  through(by_index<std::uint64_t>(4));
  through(by_line<std::uint64_t>(4));
}

// A third party's count is never negative and never beyond what a ring can hold.
void count_seen_by_a_third_party() {
  const auto through = [](auto &&ring, std::size_t most) {
    std::atomic<bool> done{false};
    std::thread producer([&] {
      auto tx = ring.view().producer();
      for (std::uint64_t i = 0; i < 5000; i += tx.try_push(i)) {
        std::this_thread::yield();
      }
      done = true;
    });
    std::thread consumer([&] {
      auto rx = ring.view().consumer();
      for (std::uint64_t i = 0; i < 5000; i += rx.pop()) {
        std::this_thread::yield();
      }
    });
    while (!done) {
      CHECK(ring.view().size() <= most);
      std::this_thread::yield();
    }
    producer.join();
    consumer.join();
    // Whatever the two words are, torn or hostile.
    for (const std::size_t head : {std::size_t{0}, std::size_t{256}, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1}) {
      for (const std::size_t tail : {std::size_t{0}, std::size_t{6}, SIZE_MAX - 300, SIZE_MAX / 2}) {
        ring.control()->consumer.head = head;
        ring.control()->producer.tail = tail;
        CHECK(ring.view().size() <= most);
      }
    }
  };
  through(by_index<std::uint64_t>(8), 8);
  through(by_line<std::uint64_t>(8), 4 * 7);
  by_line<std::uint64_t> line(8);
  line.control()->consumer.head = 5;
  line.control()->producer.tail = 4;
  CHECK(line.view().size() == 0 && "a head seen before its tail");
  line.control()->consumer.head = GIMMAL_CELL;
  CHECK(line.view().size() == 0 && "and in the next cell");
}

// `tail` and `head` may be seen before the stamps that they follow: what can be pushed or taken at least is never too
// much.
void counts_ahead_of_stamps() {
  constexpr gimmal_shape_t shape = gimmal_shape_by_line(8, 8);
  by_line<std::uint64_t> ring(20);
  gimmal::detail::bounded_producer<std::uint64_t> tx(ring.control(), 20);
  auto rx = ring.view().consumer();
  for (std::uint64_t i = 0; i < 17; ++i) {
    CHECK(tx.try_emplace(i));
  }
  CHECK(rx.ready() == 17 && tx.room() == 3);
  for (std::size_t ahead = 17; ahead <= 28; ++ahead) {
    ring.control()->producer.tail = gimmal_advance(0, ahead, shape.per_cell);
    CHECK(rx.ready() <= 17 && rx.ready() > 0);
  }
  ring.control()->producer.tail = gimmal_advance(0, 17, shape.per_cell);
  for (std::size_t ahead = 0; ahead <= 17; ++ahead) {
    ring.control()->consumer.head = gimmal_advance(0, ahead, shape.per_cell);
    CHECK(tx.room() <= 28 - 17);
  }
}

// Whatever a stamp says, an end stays within its cell.
void hostile_stamp() {
  const auto through = [](auto &&ring) {
    auto &stamp = *gimmal_stamp_of(ring.bytes() + ring.shape.slots_offset);
    for (const std::size_t hostile : {std::size_t{0xff}, SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 20}) {
      start_at(ring.control(), ring.shape, 0);
      auto rx = ring.view().consumer();
      stamp = hostile;
      CHECK(rx.read(1000).size() <= ring.shape.per_cell);
      if (ring.shape.per_cell > 1) {
        CHECK(rx.pop() && rx.read(1000).size() < ring.shape.per_cell);
      }
      (void)rx.ready();
      (void)ring.view().size();
      for (int i = 0; i < 100 && rx.front() != nullptr; ++i) {
        CHECK(reinterpret_cast<unsigned char *>(rx.front()) < ring.bytes() + ring.size());
        rx.pop();
      }
      auto tx = ring.view().producer();
      CHECK(tx.reserve(4).size() <= ring.shape.per_cell);
    }
  };
  through(by_line<payload<8>>(8));
  through(by_line<payload<48>>(8));
}

// Elements of any alignment are aligned in rings of any origin; a base that is not is refused.
template <std::size_t Align> struct alignas(Align) wide {
  std::uint64_t value = 0;
};

template <std::size_t Align> void aligned() {
  const auto through = [](auto &&ring) {
    auto tx = ring.view().producer();
    auto rx = ring.view().consumer();
    for (std::uint64_t i = 0; i < 20; ++i) {
      CHECK(tx.try_push(wide<Align>{i}));
      CHECK(reinterpret_cast<std::uintptr_t>(rx.front()) % Align == 0 && rx.front()->value == i);
      CHECK(rx.pop());
    }
  };
  through(by_index<wide<Align>>(4));
  through(by_line<wide<Align>>(4));
  constexpr std::size_t align = Align > alignof(gimmal_control_t) ? Align : alignof(gimmal_control_t);
  alignas(align) static unsigned char storage[64 * 4096];
  const auto lay_out = [](std::size_t at) {
    return gimmal_lay_out(storage + at, sizeof storage - at, gimmal_shape_by_line(sizeof(wide<Align>), Align), 4);
  };
  for (std::size_t at = 1; at < align; at *= 2) {
    CHECK(lay_out(at) == GIMMAL_MISALIGNED);
  }
  CHECK(lay_out(0) == GIMMAL_OK && lay_out(align) == GIMMAL_OK);
}

void over_aligned_element() {
  aligned<8>();
  aligned<64>();
  aligned<128>();
  aligned<4096>();
}

// Wherever a ring lies, no two of these share a pair of lines: the producer's words, the consumer's, what both only
// read, and the elements.
void false_sharing() {
  using control = gimmal_control_t;
  constexpr std::size_t pair = GIMMAL_LINE;
  static_assert(alignof(control) >= pair && sizeof(gimmal::spsc_queue<int>) >= 3 * 128);
  static_assert(alignof(gimmal::spsc_queue<int>) == 128);
  CHECK(offsetof(control, magic) / pair != offsetof(control, producer) / pair);
  CHECK(offsetof(control, producer) / pair != offsetof(control, consumer) / pair);
  CHECK((offsetof(control, consumer) + sizeof(gimmal_consumer_t) - 1) / pair < sizeof(control) / pair);
  by_line<std::uint64_t> line(64);
  auto tx = line.view().producer();
  const auto distance = [&](auto *element) {
    return static_cast<std::size_t>(reinterpret_cast<unsigned char *>(element) - line.bytes());
  };
  for (std::uint64_t i = 0; i < 64; ++i) {
    const auto room = tx.reserve(1);
    const std::size_t at = distance(&room[0]);
    CHECK(at >= sizeof(control) && at % 64 >= sizeof(std::size_t) && "beside the stamp, in one line");
    tx.commit(1);
  }
}

// More than there is room for is not published, and more than is there is not given back: nothing changes.
void count_beyond_the_spans() {
  const auto through = [](auto &&ring, std::size_t most) {
    auto tx = ring.view().producer();
    auto rx = ring.view().consumer();
    std::vector<unsigned char> before;
    const auto changes = [&](auto &&call) {
      before.assign(ring.bytes(), ring.bytes() + ring.size());
      const bool done = call();
      return done || std::memcmp(before.data(), ring.bytes(), ring.size()) != 0;
    };
    for (std::uint64_t pushed = 0; pushed < 100; ++pushed) {
      CHECK(!changes([&] { return tx.commit(50); }) && tx.size() == 0);
      CHECK(!changes([&] { return tx.commit(SIZE_MAX); }) && tx.size() == 0);
      const auto room = tx.reserve(most);
      CHECK(!changes([&] { return tx.commit(room.size() + 1); }) && rx.empty());
      room[0] = pushed;
      CHECK(tx.commit(0) && rx.empty() && tx.commit(1) && tx.size() == 1);
      CHECK(!changes([&] { return rx.release(2); }) && !changes([&] { return rx.release(SIZE_MAX); }));
      CHECK(rx.size() == 1 && rx.read(1)[0] == pushed);
      CHECK(rx.release(0) && rx.size() == 1 && rx.release(1) && rx.empty());
      CHECK(!changes([&] { return rx.release(1); }) && rx.size() == 0);
    }
    while (tx.try_push(0)) {
    }
    const std::size_t full = tx.size();
    CHECK(!changes([&] { return tx.commit(1); }) && tx.size() == full);
  };
  for (const std::size_t place : {std::size_t{0}, SIZE_MAX - 5}) {
    through(by_index<std::uint64_t>(8, place), 8);
    through(by_line<std::uint64_t>(8, place), 7);
  }
  {
    gimmal::detail::basic_ring<counted, GIMMAL_KIND_INDEX, 8> ring;
    CHECK(ring.producer().try_emplace(1));
    auto rx = ring.consumer();
    CHECK(!rx.release(2) && rx.front()->value == 1 && rx.release(1) && counted::alive.empty());
  }
}

// A producer that dies with a slot claimed leaves a ring in order, also a full one.
void dead_producer() {
  const auto through = [](auto &&ring) {
    std::uint64_t pushed = 0;
    std::uint64_t popped = 0;
    for (int life = 0; life < 200; ++life) {
      auto rx = ring.view().consumer();
      {
        auto tx = ring.view().producer();
        CHECK(tx);
        for (int i = 0; i < life % 11 && tx.try_push(pushed); ++i) {
          ++pushed;
        }
        const auto room = tx.reserve(1);
        if (!room.empty()) {
          room[0] = 0xdead;
        }
      }
      for (int i = 0; i < (life + 3) % 11 && rx.front() != nullptr; ++i) {
        CHECK(rx.try_pop() == popped++);
      }
    }
    CHECK(pushed > 800 && pushed - popped == ring.view().size());
  };
  through(by_index<std::uint64_t>(16));
  through(by_line<std::uint64_t>(16));
  through(by_line<std::uint64_t>(16, SIZE_MAX - 20));
}

// A producer that leaves without closing has left everything where the consumer sees it: ThreadSanitizer watches.
void producer_that_leaves() {
  const auto through = [](auto &&ring) {
    for (int life = 0; life < 50; ++life) {
      std::uint64_t beside = 0;
      auto rx = ring.view().consumer();
      auto tx = ring.view().producer();
      CHECK(tx && rx.has_producer());
      std::thread producer([&beside, tx = std::move(tx)]() mutable {
        for (std::uint64_t i = 0; i < 40; i += tx.try_push(i)) {
          std::this_thread::yield();
        }
        beside = 40;
        tx.reset();
      });
      std::uint64_t next = 0;
      for (bool last = false; !last;) {
        last = !rx.has_producer();
        while (const auto value = rx.try_pop()) {
          CHECK(*value == next++);
        }
        std::this_thread::yield();
      }
      CHECK(next == 40 && beside == 40);
      producer.join();
    }
  };
  through(by_index<std::uint64_t>(8));
  through(by_line<std::uint64_t>(8));
}

// An end by handle and an end by stateless calls leave the same bytes behind, at every step.
template <class T, std::uint8_t Kind> void same_bytes(std::size_t capacity, std::size_t place) {
  constexpr gimmal_shape_t shape = heap_ring<T, Kind>::shape;
  heap_ring<T, Kind> handles(capacity, place);
  heap_ring<T, Kind> calls(capacity, place);
  std::memset(handles.bytes() + shape.slots_offset, 0, handles.size() - shape.slots_offset);
  std::memset(calls.bytes() + shape.slots_offset, 0, calls.size() - shape.slots_offset);
  start_at(handles.control(), shape, place);
  start_at(calls.control(), shape, place);
  std::uint64_t pushed = 0;
  std::uint64_t state = 12345;
  for (int step = 0; step < 2000; ++step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::size_t count = static_cast<std::size_t>(state >> 33) % 9;
    T batch[9];
    for (T &value : batch) {
      value = T(pushed++);
    }
    T out[2][9];
    std::size_t done[2] = {0, 0};
    if (state >> 63 != 0) {
      done[0] = handles.view().producer().push_n(batch, count);
      CHECK(gimmal_control_claim_producer(calls.control(), shape) == GIMMAL_OK);
      (void)gimmal_control_push_n(calls.control(), shape, batch, count, &done[1]);
      gimmal_give_up_end(&calls.control()->producer_claimed);
    } else {
      done[0] = handles.view().consumer().pop_n(out[0], count);
      CHECK(gimmal_control_claim_consumer(calls.control(), shape) == GIMMAL_OK);
      (void)gimmal_control_pop_n(calls.control(), shape, out[1], count, &done[1]);
      gimmal_give_up_end(&calls.control()->consumer_claimed);
      CHECK(std::memcmp(out[0], out[1], done[0] * sizeof(T)) == 0);
    }
    CHECK(done[0] == done[1]);
    CHECK(std::memcmp(handles.bytes(), calls.bytes(), calls.size()) == 0);
  }
}

void ports_that_diverge() {
  for (const std::size_t place : {std::size_t{0}, SIZE_MAX - 3}) {
    same_bytes<payload<8>, GIMMAL_KIND_INDEX>(16, place);
    same_bytes<payload<8>, GIMMAL_KIND_LINE>(16, place);
    same_bytes<payload<48>, GIMMAL_KIND_LINE>(16, place);
    same_bytes<payload<1>, GIMMAL_KIND_LINE>(1, place);
  }
}

struct {
  const char *name;
  void (*run)();
} const faults[] = {
    {"pop_without_front", pop_without_front},
    {"impossible_capacity", impossible_capacity},
    {"counter_wrap", counter_wrap},
    {"side_path_without_acquire", side_path_without_acquire},
    {"throw_in_the_middle", throw_in_the_middle},
    {"leftover_elements", leftover_elements},
    {"count_seen_by_a_third_party", count_seen_by_a_third_party},
    {"counts_ahead_of_stamps", counts_ahead_of_stamps},
    {"hostile_stamp", hostile_stamp},
    {"over_aligned_element", over_aligned_element},
    {"false_sharing", false_sharing},
    {"count_beyond_the_spans", count_beyond_the_spans},
    {"dead_producer", dead_producer},
    {"producer_that_leaves", producer_that_leaves},
    {"ports_that_diverge", ports_that_diverge},
};

} // namespace

int main(int argc, char **argv) {
  for (const auto &fault : faults) {
    if (argc == 2 && std::strcmp(argv[1], fault.name) == 0) {
      fault.run();
      std::puts("ok");
      return 0;
    }
  }
  std::fputs("name one of the faults\n", stderr);
  return 2;
}
