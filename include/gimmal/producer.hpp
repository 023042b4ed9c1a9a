// The producer's end of a ring. Part of gimmal.hpp.

#ifndef GIMMAL_PRODUCER_HPP
#define GIMMAL_PRODUCER_HPP

#include <new>
#include <type_traits>
#include <utility>

#include "span.hpp"

namespace gimmal {
inline namespace v1 {

namespace detail {

template <class T, std::uint8_t Kind>
inline constexpr gimmal_shape_t shape = Kind == GIMMAL_KIND_LINE   ? gimmal_shape_by_line(sizeof(T), alignof(T))
                                        : Kind == GIMMAL_KIND_MPSC ? gimmal_shape_mpsc(sizeof(T), alignof(T))
                                                                   : gimmal_shape_by_index(sizeof(T), alignof(T));

template <class T, std::uint8_t Kind> class basic_view;

} // namespace detail

// A claim on the producer's end, made by the `producer()` of a ring or of a view, and given back when it is destroyed.
// It may move to another thread, and be used by one at a time. It must not outlive its ring. Everything but the batches
// takes constant time; nothing blocks, allocates or enters the kernel.
//
// A handle may hold no end: the end was claimed already, or the handle was moved from, reset or default-constructed.
// Test it before its first use: `if (tx) ...`. Whatever else is called on an empty handle dereferences a null pointer.
template <class T, std::uint8_t Kind> class basic_producer {
  static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>, "an element is an object");
  static constexpr const gimmal_shape_t &shape = detail::shape<T, Kind>;

public:
  // The element.
  using value_type = T;

  // Holds no end: nothing but assignment, destruction, reset and the test for it may be called.
  basic_producer() noexcept = default;

  // Takes the end of `other`, which holds none any more.
  basic_producer(basic_producer &&other) noexcept : end_(std::exchange(other.end_, gimmal_producer_end_t{})) {}

  // Likewise, after giving its own end back.
  basic_producer &operator=(basic_producer &&other) noexcept {
    if (this != &other) {
      reset();
      end_ = std::exchange(other.end_, gimmal_producer_end_t{});
    }
    return *this;
  }

  ~basic_producer() { reset(); }

  // Whether it holds an end. It does not if the end was claimed already.
  explicit operator bool() const noexcept { return end_.control != nullptr; }

  // The ring's control block, for what stands beside the ring: waiting.
  [[nodiscard]] gimmal_control_t *control() const noexcept { return end_.control; }

  // Gives the end back, if it holds one.
  void reset() noexcept {
    if (end_.control != nullptr) {
      gimmal_producer_suspend(&end_, shape);
      gimmal_give_up_end(&end_.control->producer_claimed);
      end_ = gimmal_producer_end_t{};
    }
  }

  // Constructs an element in place. False, with nothing constructed, if the ring is full or closed. If the constructor
  // throws, nothing is published.
  template <class... Args>
  [[nodiscard]] bool try_emplace(Args &&...args) noexcept(std::is_nothrow_constructible_v<T, Args &&...>) {
    static_assert(std::is_constructible_v<T, Args &&...>, "T must be constructible from the arguments");
    if (gimmal_refuses(end_.control)) {
      return false;
    }
    const gimmal_producer_end_t was = end_;
    if (!gimmal_claim(&end_, shape)) {
      return false;
    }
    ::new (gimmal_claimed(was, shape)) T(std::forward<Args>(args)...);
    gimmal_publish(&end_, was, shape, 1);
    return true;
  }

  // Pushes an element. False, with `value` untouched, if the ring is full or closed.
  [[nodiscard]] bool try_push(const T &value) noexcept(std::is_nothrow_copy_constructible_v<T>) {
    return try_emplace(value);
  }

  // The same, by a move; `value` is not moved from if it is not pushed.
  [[nodiscard]] bool try_push(T &&value) noexcept(std::is_nothrow_move_constructible_v<T>) {
    return try_emplace(std::move(value));
  }

  // Pushes an element, or counts it as dropped. False if it was dropped.
  bool offer(const T &value) noexcept(std::is_nothrow_copy_constructible_v<T>) { return counted(try_emplace(value)); }

  // The same, by a move.
  bool offer(T &&value) noexcept(std::is_nothrow_move_constructible_v<T>) {
    return counted(try_emplace(std::move(value)));
  }

  // Pushes copies of as many of `count` elements as there is room for, from the first, and returns how many; 0 if the
  // ring is closed. If a constructor throws, the elements before it have been pushed.
  std::size_t push_n(const T *elements, std::size_t count) noexcept(std::is_nothrow_copy_constructible_v<T>) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return gimmal_refuses(end_.control) ? 0 : gimmal_push_n(&end_, shape, elements, count);
    } else {
      std::size_t pushed = 0;
      while (pushed < count && try_emplace(elements[pushed])) {
        ++pushed;
      }
      return pushed;
    }
  }

  // Room for up to `count` elements, at least one, to be written in place and then committed: by index in two spans, by
  // line in the rest of a cell at most. Nothing if there is no room, if the ring is closed, or if `count` is beyond the
  // capacity; then `status` says which. Reserving again without committing gives the same room.
  [[nodiscard]] grant<T> reserve(std::size_t count) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable elements can be assigned to raw room");
    grant<T> room;
    if (gimmal_refuses(end_.control)) {
      room.status = GIMMAL_CLOSED;
    } else if (count > capacity()) {
      room.status = GIMMAL_TOO_LARGE;
    } else {
      const gimmal_spans_t claimed = gimmal_claim_spans(&end_, shape, count);
      room.first = span<T>(static_cast<T *>(claimed.first), claimed.first_count);
      room.second = span<T>(static_cast<T *>(claimed.second), claimed.second_count);
      room.status = claimed.first_count == 0 && count != 0 ? GIMMAL_FULL : GIMMAL_OK;
    }
    return room;
  }

  // Publishes the first `count` elements of what was reserved last. False, and nothing changes, if there is no room for
  // so many, by line in the cell. What was reserved is not remembered: committing more than was written, but within the
  // room, publishes what is no element. What was reserved before the ring was closed may still be committed.
  bool commit(std::size_t count) noexcept {
    const gimmal_producer_end_t was = end_;
    if (count != 0) {
      const gimmal_spans_t room = gimmal_claim_spans(&end_, shape, count);
      if (GIMMAL_UNLIKELY(room.first_count + room.second_count < count)) {
        return false;
      }
      gimmal_publish(&end_, was, shape, count);
    }
    return true;
  }

  // Closes the ring: pushes are refused from now on, and what is in it can still be taken.
  void close() noexcept { gimmal_close(end_.control); }

  // Whether either end has closed the ring.
  [[nodiscard]] bool closed() const noexcept { return gimmal_is_closed(end_.control); }

  // Whether the consumer's end is claimed: not before there is a consumer, nor after it gave the end back. C code that
  // does not claim its end is not seen.
  [[nodiscard]] bool has_consumer() const noexcept { return gimmal_is_claimed(&end_.control->consumer_claimed); }

  // Elements in the ring. The consumer may take some at any time: there may be fewer by now, never more.
  [[nodiscard]] std::size_t size() const noexcept { return gimmal_len(end_.control, shape); }

  // Whether the next push would be refused for want of room. If not, that stays so until the next push.
  [[nodiscard]] bool full() const noexcept { return gimmal_is_full(end_.control, shape); }

  // The elements that the ring holds for certain.
  [[nodiscard]] std::size_t capacity() const noexcept { return gimmal_capacity(end_.control, shape); }

  // Elements dropped by offer since the ring was made, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept { return gimmal_dropped(end_.control); }

private:
  friend class detail::basic_view<T, Kind>;

  explicit basic_producer(gimmal_control_t *control) noexcept {
    if (control != nullptr && gimmal_claim_end(&control->producer_claimed)) {
      end_ = gimmal_producer_enter(control, shape);
    }
  }

  bool counted(bool pushed) noexcept {
    if (GIMMAL_UNLIKELY(!pushed)) {
      gimmal_count_dropped(end_.control);
    }
    return pushed;
  }

  gimmal_producer_end_t end_{};
};

// The producer of a ring by index, and by line.
template <class T> using producer = basic_producer<T, GIMMAL_KIND_INDEX>;
template <class T> using line_producer = basic_producer<T, GIMMAL_KIND_LINE>;

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_PRODUCER_HPP
