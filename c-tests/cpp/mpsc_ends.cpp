// Rings of many producers on one thread: every function of the handles and of the view, several capacities, at zero and
// below the wrap; and elements of all sorts, also without exceptions and RTTI.

#include "counted.hpp"
#include "heap_ring.hpp"
#include "payload.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace {

template <class T> class suite {
public:
  suite(std::size_t capacity, std::size_t place)
      : capacity_(capacity), ring_(capacity, place), view_(ring_.view()), tx_(view_.producer()) {}

  void run() {
    CHECK(view_ && view_.capacity() == capacity_ && view_.c_ring() != nullptr);
    claims();
    rx_ = view_.consumer();
    for (int lap = 0; lap < 5; ++lap) {
      singles();
      offers();
      batches();
      in_place();
      copies();
      stalls();
    }
    closing();
  }

private:
  T next() { return T(pushed_++); }

  void take(const T &value) { value.check(popped_++); }

  void fill() {
    for (std::size_t count = 0; count < capacity_; ++count) {
      CHECK(!tx_.full() && !view_.full() && tx_.size() == count);
      CHECK(tx_.try_push(next()) && !rx_.empty() && !view_.empty());
    }
    CHECK(tx_.full() && view_.full() && rx_.size() == capacity_ && view_.size() == capacity_);
    CHECK(!tx_.try_push(T(0)) && !tx_.try_emplace(0u) && tx_.size() == capacity_);
  }

  void empty() {
    while (auto value = rx_.try_pop()) {
      take(*value);
    }
    CHECK(rx_.empty() && view_.empty() && rx_.size() == 0 && popped_ == pushed_ && !rx_.stalled());
    T untouched(7);
    CHECK(!rx_.try_pop(untouched) && untouched.number() == T(7).number());
    CHECK(rx_.front() == nullptr && !rx_.pop() && !rx_.consume_one([](T &) { CHECK(false); }));
  }

  void claims() {
    auto rx = view_.consumer();
    CHECK(rx && !view_.consumer() && tx_ && tx_.has_consumer());
    auto moved = std::move(rx);
    CHECK(moved && !rx);
    moved.reset();
    CHECK(!moved && !tx_.has_consumer() && view_.consumer());
    auto tx = view_.producer();
    tx.reset();
    CHECK(!tx && tx_);
  }

  void singles() {
    fill();
    for (std::size_t i = 0; i < capacity_ / 2; ++i) {
      T *front = rx_.front();
      CHECK(front != nullptr && front == rx_.front());
      take(*front);
      CHECK(rx_.pop());
    }
    T value;
    if (rx_.try_pop(value)) {
      take(value);
    }
    empty();
  }

  void offers() {
    const std::size_t before = view_.dropped();
    fill();
    const T lost(1);
    CHECK(!tx_.offer(lost) && !tx_.offer(T(2)));
    CHECK(tx_.dropped() == before + 2 && rx_.dropped() == before + 2 && view_.dropped() == before + 2);
    empty();
    CHECK(tx_.offer(next()) && view_.dropped() == before + 2);
    empty();
  }

  void batches() {
    fill();
    T out[5];
    for (std::size_t left = capacity_; left > 0;) {
      const std::size_t count = rx_.pop_n(out, 5);
      CHECK(count == (left < 5 ? left : 5));
      for (std::size_t i = 0; i < count; ++i) {
        take(out[i]);
      }
      left -= count;
    }
    CHECK(rx_.pop_n(out, 5) == 0);
    empty();
  }

  void in_place() {
    fill();
    CHECK(rx_.consume_one([&](T &value) { take(value); }));
    CHECK(rx_.consume_all([&](T &value) { take(value); }) == capacity_ - 1);
    empty();
  }

  // However many producers take turns, their elements arrive in the order of their pushes.
  void copies() {
    auto second = tx_;
    auto third = view_.producer();
    for (std::uint64_t i = 0; i < 20; ++i) {
      CHECK(second.try_push(next()));
      if (i % 3 == 0) {
        third = second;
      }
      CHECK(third.offer(next()) || third.full());
      if (second.full()) {
        pushed_ = popped_ + second.size();
        empty();
      }
      CHECK(tx_.try_emplace(pushed_));
      ++pushed_;
      empty();
    }
  }

  void stalls() {
    constexpr gimmal_shape_t shape = heap_ring<T, GIMMAL_KIND_MPSC>::shape;
    gimmal_many_producer_t slow = gimmal_many_producer(ring_.control(), shape);
    CHECK(gimmal_many_claim(&slow, shape) == GIMMAL_OK);
    const std::uint64_t first = pushed_++;
    CHECK(rx_.stalled() == slow.place && rx_.empty() && rx_.size() == 1);
    for (std::size_t i = 1; i < capacity_; ++i) {
      CHECK(tx_.try_push(next()) && rx_.front() == nullptr && !rx_.pop());
    }
    CHECK(tx_.full() && rx_.stalled() == slow.place);
    ::new (gimmal_many_claimed(slow, shape)) T(first);
    gimmal_many_publish(&slow, slow, shape);
    CHECK(!rx_.stalled());
    empty();
  }

  void closing() {
    CHECK(tx_.try_push(next()) && !tx_.closed() && !view_.closed() && !rx_.closed());
    auto other = tx_;
    rx_.close();
    CHECK(tx_.closed() && rx_.closed() && view_.closed());
    CHECK(!tx_.try_push(T(0)) && !other.try_emplace(0u) && rx_.size() == 1);
    CHECK(!view_.producer().offer(T(0)));
    T value;
    CHECK(rx_.try_pop(value) && !rx_.try_pop(value));
    value.check(popped_);
    view_.close();
    tx_.close();
    CHECK(view_.closed() && rx_.size() == 0);
  }

  std::size_t capacity_;
  heap_ring<T, GIMMAL_KIND_MPSC> ring_;
  gimmal::mpsc_view<T> view_;
  gimmal::mpsc_producer<T> tx_;
  gimmal::mpsc_consumer<T> rx_;
  std::uint64_t pushed_ = 0;
  std::uint64_t popped_ = 0;
};

template <std::size_t Size> void all_places() {
  for (std::size_t capacity : {1u, 2u, 64u, 1024u}) {
    for (std::size_t place : {std::size_t{0}, SIZE_MAX, SIZE_MAX - 2, SIZE_MAX / 2 - 1}) {
      suite<payload<Size>>(capacity, place).run();
    }
  }
}

// ---- Rings that are their own storage ----

gimmal::mpsc<std::uint64_t, 65536> big;
gimmal::mpsc<std::unique_ptr<int>, 8> owners;
constexpr gimmal::mpsc<int, 4> constant;
static_assert(constant.capacity() == 4 && std::is_trivially_destructible_v<decltype(big)>);
static_assert(std::is_copy_constructible_v<gimmal::mpsc_producer<int>>);
static_assert(!std::is_copy_constructible_v<gimmal::mpsc_consumer<int>>);

void static_rings() {
  auto tx = big.producer();
  auto rx = big.consumer();
  CHECK(tx && rx && !big.consumer() && big.view().capacity() == 65536);
  CHECK(static_cast<void *>(big.c_ring()) == static_cast<void *>(&big));
  CHECK(gimmal::mpsc_view<std::uint64_t>(&big, sizeof big) && gimmal::mpsc_view<std::uint64_t>(big.c_ring()));
  CHECK(tx.try_push(5) && rx.try_pop().value() == 5);
  auto giver = owners.producer();
  CHECK(giver.try_push(std::make_unique<int>(1)) && giver.try_emplace(new int(2)));
  while (giver.try_push(std::make_unique<int>(3))) {
  }
}

// Moves without a throw, may throw when it is made, and knows how many there are.
struct fragile {
  static inline int alive = 0;
  [[maybe_unused]] static inline bool throws = false;

  explicit fragile(int number) : value(number) {
#if defined(__cpp_exceptions)
    if (throws) {
      throw number;
    }
#endif
    ++alive;
  }
  fragile(fragile &&other) noexcept : value(other.value) { ++alive; }
  fragile(const fragile &other) noexcept(false) : fragile(other.value) {}
  fragile &operator=(fragile &&) noexcept = default;
  ~fragile() { --alive; }

  int value;
};

void constructors() {
  {
    gimmal::mpsc<fragile, 4> ring;
    auto tx = ring.producer();
    auto rx = ring.consumer();
    const fragile original(1);
    CHECK(tx.try_emplace(0) && tx.try_push(original) && tx.offer(fragile(2)));
    CHECK(fragile::alive == 4);
#if defined(__cpp_exceptions)
    fragile::throws = true;
    for (int i = 0; i < 9; ++i) {
      bool thrown = false;
      try {
        (void)(i % 2 == 0 ? tx.try_emplace(7) : tx.try_push(original));
      } catch (int) {
        thrown = true;
      }
      CHECK(thrown && ring.view().size() == 3 && !rx.stalled() && fragile::alive == 4);
    }
    fragile::throws = false;
#endif
    CHECK(tx.try_emplace(3) && !tx.try_emplace(4) && fragile::alive == 5);
    for (int i = 0; i < 2; ++i) {
      CHECK(rx.try_pop().value().value == i);
    }
    CHECK(tx.try_push(original) && fragile::alive == 4);
  }
  CHECK(fragile::alive == 0);
}

// An element whose assignment throws stays; one that is used while it throws is gone.
void throwing_consumers() {
#if defined(__cpp_exceptions)
  struct stubborn {
    int value;
    explicit stubborn(int number) noexcept : value(number) {}
    stubborn(stubborn &&other) noexcept : value(other.value) {}
    stubborn &operator=(stubborn &&) noexcept(false) { throw 1; }
  };
  gimmal::mpsc<stubborn, 4> ring;
  auto tx = ring.producer();
  auto rx = ring.consumer();
  CHECK(tx.try_emplace(1) && tx.try_emplace(2));
  stubborn out(0);
  try {
    (void)rx.try_pop(out);
    CHECK(false);
  } catch (int) {
  }
  CHECK(rx.size() == 2 && rx.front()->value == 1);
  try {
    rx.consume_one([](stubborn &) { throw 2; });
    CHECK(false);
  } catch (int) {
  }
  CHECK(rx.size() == 1 && rx.front()->value == 2);
#endif
}

template <std::size_t Align> struct alignas(Align) wide {
  std::uint64_t value = 0;
};

template <std::size_t Align> void over_aligned() {
  gimmal::mpsc<wide<Align>, 2> ring;
  auto tx = ring.producer();
  auto rx = ring.consumer();
  for (std::uint64_t i = 0; i < 9; ++i) {
    CHECK(tx.try_push(wide<Align>{i}));
    CHECK(reinterpret_cast<std::uintptr_t>(rx.front()) % Align == 0 && rx.front()->value == i);
    CHECK(rx.pop());
  }
}

void strings() {
  gimmal::mpsc<std::string, 8> ring;
  auto tx = ring.producer();
  auto rx = ring.consumer();
  const std::string word = "long enough to be on the heap";
  std::string given = word;
  CHECK(tx.try_push(word) && tx.offer("d") && tx.try_emplace(std::size_t{3}, 'e') && tx.try_push(std::move(given)));
  while (tx.try_push(word)) {
  }
  std::string kept = word;
  CHECK(!tx.try_push(std::move(kept)) && kept == word);
  CHECK(rx.try_pop().value() == word && rx.consume_all([](std::string &s) { CHECK(!s.empty()); }) == 7);
}

} // namespace

int main() {
  all_places<1>();
  all_places<8>();
  all_places<48>();
  all_places<57>();
  static_rings();
  constructors();
  throwing_consumers();
  over_aligned<64>();
  over_aligned<4096>();
  strings();
  std::puts("ok");
}
