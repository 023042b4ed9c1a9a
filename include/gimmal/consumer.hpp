// The consumer's end of a ring. Part of gimmal.hpp.

#ifndef GIMMAL_CONSUMER_HPP
#define GIMMAL_CONSUMER_HPP

#include <memory>
#include <optional>

#include "producer.hpp"

namespace gimmal {
inline namespace v1 {

// A claim on the consumer's end, made by the `consumer()` of a ring or of a view, and given back when it is destroyed.
// It may move to another thread, and be used by one at a time. It must not outlive its ring. Everything but the batches
// takes constant time; nothing blocks, allocates or enters the kernel.
//
// A handle may hold no end: the end was claimed already, or the handle was moved from, reset or default-constructed.
// Test it before its first use: `if (tx) ...`. Whatever else is called on an empty handle dereferences a null pointer.
template <class T, std::uint8_t Kind> class basic_consumer {
  static_assert(std::is_nothrow_destructible_v<T>, "T must be nothrow destructible");
  static constexpr const gimmal_shape_t &shape = detail::shape<T, Kind>;

public:
  // The element.
  using value_type = T;

  // Holds no end: nothing but assignment, destruction, reset and the test for it may be called.
  basic_consumer() noexcept = default;

  // Takes the end of `other`, which holds none any more.
  basic_consumer(basic_consumer &&other) noexcept : end_(std::exchange(other.end_, gimmal_consumer_end_t{})) {}

  // Likewise, after giving its own end back.
  basic_consumer &operator=(basic_consumer &&other) noexcept {
    if (this != &other) {
      reset();
      end_ = std::exchange(other.end_, gimmal_consumer_end_t{});
    }
    return *this;
  }

  ~basic_consumer() { reset(); }

  // Whether it holds an end. It does not if the end was claimed already.
  explicit operator bool() const noexcept { return end_.control != nullptr; }

  // The ring's control block, for what stands beside the ring: waiting.
  [[nodiscard]] gimmal_control_t *control() const noexcept { return end_.control; }

  // Gives the end back, if it holds one.
  void reset() noexcept {
    if (end_.control != nullptr) {
      gimmal_consumer_suspend(&end_, shape);
      gimmal_give_up_end(&end_.control->consumer_claimed);
      end_ = gimmal_consumer_end_t{};
    }
  }

  // The oldest element, which stays in the ring; nullptr if there is none.
  [[nodiscard]] T *front() noexcept {
    const gimmal_consumer_end_t was = end_;
    if (!gimmal_find(&end_, shape)) {
      return nullptr;
    }
    T *oldest = front_of(was);
    if (oldest == nullptr) {
      GIMMAL_UNREACHABLE(); // It is not, and callers test it.
    }
    return oldest;
  }

  // Destroys the oldest element and gives its slot back; false if there is none. It need not follow a front().
  bool pop() noexcept {
    const gimmal_consumer_end_t was = end_;
    if (!gimmal_find(&end_, shape)) {
      return false;
    }
    discard(was);
    return true;
  }

  // Moves the oldest element into `value`; false if there is none. If the assignment throws, the element stays.
  [[nodiscard]] bool try_pop(T &value) noexcept(std::is_nothrow_move_assignable_v<T>) {
    const gimmal_consumer_end_t was = end_;
    if (!gimmal_find(&end_, shape)) {
      return false;
    }
    value = std::move(*front_of(was));
    discard(was);
    return true;
  }

  // Moves the oldest element out; nothing if there is none. If the constructor throws, the element stays.
  [[nodiscard]] std::optional<T> try_pop() noexcept(std::is_nothrow_move_constructible_v<T>) {
    const gimmal_consumer_end_t was = end_;
    std::optional<T> value;
    if (gimmal_find(&end_, shape)) {
      value.emplace(std::move(*front_of(was)));
      discard(was);
    }
    return value;
  }

  // Moves up to `count` of the oldest elements into `elements`, and returns how many. If an assignment throws, the
  // elements before it have been taken.
  std::size_t pop_n(T *elements, std::size_t count) noexcept(std::is_nothrow_move_assignable_v<T>) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return gimmal_pop_n(&end_, shape, elements, count);
    } else {
      std::size_t popped = 0;
      while (popped < count && try_pop(elements[popped])) {
        ++popped;
      }
      return popped;
    }
  }

  // Up to `count` of the oldest elements, to be used in place: by index in two spans, by line in the rest of a cell at
  // most. Empty if there is none. They stay in the ring until they are released.
  [[nodiscard]] spans<T> read(std::size_t count) noexcept {
    const gimmal_spans_t held = gimmal_front_spans(&end_, shape, count);
    return {span<T>(element(held.first), held.first_count), span<T>(element(held.second), held.second_count)};
  }

  // Destroys the oldest `count` elements, and gives their slots back: no more than were read last. False, and nothing
  // changes, if there are not so many, or by line not in the cell of the oldest.
  bool release(std::size_t count) noexcept {
    const gimmal_consumer_end_t was = end_;
    if (count != 0) {
      const spans<T> held = read(count);
      if (GIMMAL_UNLIKELY(held.size() < count)) {
        return false;
      }
      std::destroy(held.first.begin(), held.first.end());
      std::destroy(held.second.begin(), held.second.end());
      gimmal_release(&end_, was, shape, count);
    }
    return true;
  }

  // Calls `use` with the oldest element in place; false, without a call, if there is none. The element is destroyed and
  // its slot given back after the call, also if that throws.
  template <class F> bool consume_one(F &&use) noexcept(std::is_nothrow_invocable_v<F &, T &>) {
    const gimmal_consumer_end_t was = end_;
    if (!gimmal_find(&end_, shape)) {
      return false;
    }
    discarding after{this, was};
    use(*front_of(was));
    return true;
  }

  // Calls `use` with every element in turn, as consume_one does, until the ring is empty or as many have been used as
  // may be in it; returns how many.
  template <class F> std::size_t consume_all(F &&use) noexcept(std::is_nothrow_invocable_v<F &, T &>) {
    const std::size_t most = gimmal_most(end_.mask, shape);
    std::size_t used = 0;
    while (used < most && consume_one(use)) {
      ++used;
    }
    return used;
  }

  // Closes the ring: pushes are refused from now on, and what is in it can still be taken.
  void close() noexcept { gimmal_close(end_.control); }

  // Whether either end has closed the ring. If the producer has, and the ring is empty *after* this returned true,
  // every element has been seen.
  [[nodiscard]] bool closed() const noexcept { return gimmal_is_closed(end_.control); }

  // Whether the producer's end is claimed: not before there is a producer, nor after it gave the end back. If the ring
  // is empty *after* this returned false, every element of the producers so far has been seen, also of one that left
  // without closing. C code that does not claim its end is not seen.
  [[nodiscard]] bool has_producer() const noexcept { return gimmal_is_claimed(&end_.control->producer_claimed); }

  // Elements in the ring. The producer may push more at any time. By index so many can be taken at least; by line the
  // last few may still be on their way.
  [[nodiscard]] std::size_t size() const noexcept { return gimmal_len(end_.control, shape); }

  // How many elements can be taken at least.
  [[nodiscard]] std::size_t ready() const noexcept {
    std::size_t ready = size();
    if constexpr (Kind == GIMMAL_KIND_LINE) {
      // `tail` may be seen before the stamps that were published with it: cells are published in order, so the last
      // element's cell tells of those before it.
      while (ready > 0) {
        const std::size_t last = gimmal_advance(end_.head, ready - 1, shape.per_cell);
        const std::size_t end =
            gimmal_published(gimmal_stamp_at(end_.control, shape, end_.mask, last), last, end_.mask);
        if (end - last - 1 < shape.per_cell) {
          break;
        }
        const bool here = gimmal_cell_start(last) == gimmal_cell_start(end_.head);
        ready -= last - (here ? end_.head : gimmal_cell_start(last)) + 1;
      }
      ready = gimmal_max(ready, empty() ? 0 : 1);
    }
    return ready;
  }

  // Whether there is nothing to take. If there is something, that stays so until it is taken.
  [[nodiscard]] bool empty() const noexcept { return gimmal_is_empty(end_.control, shape); }

  // The elements that the ring holds for certain.
  [[nodiscard]] std::size_t capacity() const noexcept { return gimmal_capacity(end_.control, shape); }

  // Elements dropped by offers since the ring was made, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept { return gimmal_dropped(end_.control); }

private:
  friend class detail::basic_view<T, Kind>;

  explicit basic_consumer(gimmal_control_t *control) noexcept {
    if (control != nullptr && gimmal_claim_end(&control->consumer_claimed)) {
      end_ = gimmal_consumer_enter(control, shape);
    }
  }

  static T *element(void *slot) noexcept { return std::launder(static_cast<T *>(slot)); }

  static T *front_of(const gimmal_consumer_end_t &end) noexcept { return element(gimmal_front(end, shape)); }

  void discard(const gimmal_consumer_end_t &was) noexcept {
    std::destroy_at(front_of(was));
    gimmal_release(&end_, was, shape, 1);
  }

  // Discards an element when a scope is left in whatever way.
  struct discarding {
    basic_consumer *consumer;
    gimmal_consumer_end_t was;
    ~discarding() { consumer->discard(was); }
  };

  gimmal_consumer_end_t end_{};
};

// The consumer of a ring by index, and by line.
template <class T> using consumer = basic_consumer<T, GIMMAL_KIND_INDEX>;
template <class T> using line_consumer = basic_consumer<T, GIMMAL_KIND_LINE>;

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_CONSUMER_HPP
