// The consumer of a ring of many producers. Part of gimmal.hpp.

#ifndef GIMMAL_MPSC_CONSUMER_HPP
#define GIMMAL_MPSC_CONSUMER_HPP

#include <memory>
#include <optional>

#include "mpsc_producer.hpp"

namespace gimmal {
inline namespace v1 {

// A claim on the consumer's end of a ring of many producers, made by the `consumer()` of the ring or of a view, and
// given back when it is destroyed. It may move to another thread, and be used by one at a time. It must not outlive its
// ring. Everything but the batches takes constant time; nothing blocks, allocates or enters the kernel.
//
// A handle may hold no end: the end was claimed already, or the handle was moved from, reset or default-constructed.
// Test it before its first use: `if (rx) ...`. Whatever else is called on an empty handle dereferences a null pointer.
template <class T> class mpsc_consumer {
  static_assert(std::is_nothrow_destructible_v<T>, "T must be nothrow destructible");
  static constexpr const gimmal_shape_t &shape = detail::shape<T, GIMMAL_KIND_MPSC>;

public:
  // The element.
  using value_type = T;

  // Holds no end: nothing but assignment, destruction, reset and the test for it may be called.
  mpsc_consumer() noexcept = default;

  // Takes the end of `other`, which holds none any more.
  mpsc_consumer(mpsc_consumer &&other) noexcept : end_(std::exchange(other.end_, gimmal_many_consumer_t{})) {}

  // Likewise, after giving its own end back.
  mpsc_consumer &operator=(mpsc_consumer &&other) noexcept {
    if (this != &other) {
      reset();
      end_ = std::exchange(other.end_, gimmal_many_consumer_t{});
    }
    return *this;
  }

  ~mpsc_consumer() { reset(); }

  // Whether it holds an end. It does not if the end was claimed already.
  explicit operator bool() const noexcept { return end_.control != nullptr; }

  // The ring's control block, for what stands beside the ring: waiting.
  [[nodiscard]] gimmal_control_t *control() const noexcept { return end_.control; }

  // Gives the end back, if it holds one.
  void reset() noexcept {
    if (end_.control != nullptr) {
      gimmal_give_up_end(&end_.control->consumer_claimed);
      end_ = gimmal_many_consumer_t{};
    }
  }

  // The oldest element, which stays in the ring; nullptr if there is none, or if it is still being pushed.
  [[nodiscard]] T *front() noexcept {
    if (!gimmal_many_find(end_, shape)) {
      return nullptr;
    }
    T *oldest = front_of(end_);
    if (oldest == nullptr) {
      GIMMAL_UNREACHABLE(); // It is not, and callers test it.
    }
    return oldest;
  }

  // Destroys the oldest element and gives its slot back; false if there is none. It need not follow a front().
  bool pop() noexcept {
    const gimmal_many_consumer_t was = end_;
    if (!gimmal_many_find(was, shape)) {
      return false;
    }
    discard(was);
    return true;
  }

  // Moves the oldest element into `value`; false if there is none. If the assignment throws, the element stays.
  [[nodiscard]] bool try_pop(T &value) noexcept(std::is_nothrow_move_assignable_v<T>) {
    const gimmal_many_consumer_t was = end_;
    if (!gimmal_many_find(was, shape)) {
      return false;
    }
    value = std::move(*front_of(was));
    discard(was);
    return true;
  }

  // Moves the oldest element out; nothing if there is none. If the constructor throws, the element stays.
  [[nodiscard]] std::optional<T> try_pop() noexcept(std::is_nothrow_move_constructible_v<T>) {
    const gimmal_many_consumer_t was = end_;
    std::optional<T> value;
    if (gimmal_many_find(was, shape)) {
      value.emplace(std::move(*front_of(was)));
      discard(was);
    }
    return value;
  }

  // Moves up to `count` of the oldest elements into `elements`, and returns how many. If an assignment throws, the
  // elements before it have been taken.
  std::size_t pop_n(T *elements, std::size_t count) noexcept(std::is_nothrow_move_assignable_v<T>) {
    std::size_t popped = 0;
    while (popped < count && try_pop(elements[popped])) {
      ++popped;
    }
    return popped;
  }

  // Calls `use` with the oldest element in place; false, without a call, if there is none. The element is destroyed and
  // its slot given back after the call, also if that throws.
  template <class F> bool consume_one(F &&use) noexcept(std::is_nothrow_invocable_v<F &, T &>) {
    const gimmal_many_consumer_t was = end_;
    if (!gimmal_many_find(was, shape)) {
      return false;
    }
    discarding after{this, was};
    use(*front_of(was));
    return true;
  }

  // Calls `use` with every element in turn, as consume_one does, until the ring is empty or as many have been used as
  // may be in it; returns how many.
  template <class F> std::size_t consume_all(F &&use) noexcept(std::is_nothrow_invocable_v<F &, T &>) {
    const std::size_t most = capacity();
    std::size_t used = 0;
    while (used < most && consume_one(use)) {
      ++used;
    }
    return used;
  }

  // The number of the cell that the consumer waits for, if a producer has claimed it and has not published its element
  // yet; elements behind it wait with it. It counts the cells claimed before, and wraps at half of the word's range.
  // A producer that is merely at work shows here too: only a cell that is named again and again is stalled. The call
  // reads what producers write: make it when there is long nothing to take, not at every pop.
  [[nodiscard]] std::optional<std::size_t> stalled() const noexcept {
    std::size_t number = 0;
    return gimmal_many_stalled(end_.control, shape, &number) ? std::optional<std::size_t>(number) : std::nullopt;
  }

  // Closes the ring: pushes are refused from now on, and what is in it can still be taken.
  void close() noexcept { gimmal_many_close(end_.control); }

  // Whether the ring is closed, by anyone, and every push that began before is done. If the ring is empty *after* this
  // returned true, every element has been seen.
  [[nodiscard]] bool closed() const noexcept { return gimmal_many_is_closed(end_.control, shape); }

  // Elements in the ring, those that are being pushed among them. Producers may push more at any time.
  [[nodiscard]] std::size_t size() const noexcept { return gimmal_len(end_.control, shape); }

  // Whether there is nothing to take. If there is something, that stays so until it is taken.
  [[nodiscard]] bool empty() const noexcept { return !gimmal_many_is_published(end_, shape); }

  // The elements that the ring holds.
  [[nodiscard]] std::size_t capacity() const noexcept { return end_.mask + 1; }

  // Elements dropped by offers since the ring was made, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept { return gimmal_dropped(end_.control); }

private:
  friend class detail::basic_view<T, GIMMAL_KIND_MPSC>;

  explicit mpsc_consumer(gimmal_control_t *control) noexcept {
    if (control != nullptr && gimmal_claim_end(&control->consumer_claimed)) {
      end_ = gimmal_many_consumer(control, shape);
    }
  }

  static T *front_of(const gimmal_many_consumer_t &end) noexcept {
    return std::launder(static_cast<T *>(gimmal_many_front(end, shape)));
  }

  void discard(const gimmal_many_consumer_t &was) noexcept {
    std::destroy_at(front_of(was));
    gimmal_many_release(&end_, was, shape);
  }

  // Discards an element when a scope is left in whatever way.
  struct discarding {
    mpsc_consumer *consumer;
    gimmal_many_consumer_t was;
    ~discarding() { consumer->discard(was); }
  };

  gimmal_many_consumer_t end_{};
};

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_MPSC_CONSUMER_HPP
