// A producer of a ring of many producers. Part of gimmal.hpp.

#ifndef GIMMAL_MPSC_PRODUCER_HPP
#define GIMMAL_MPSC_PRODUCER_HPP

#include "producer.hpp"

namespace gimmal {
inline namespace v1 {

// One of the producers of a ring, made by the `producer()` of the ring or of a view, or by copying another. Each is
// used by one thread at a time; any number of them may be used at once. It must not outlive its ring. Elements of one
// producer arrive in the order of their pushes. Nothing blocks, allocates or enters the kernel; a push is lock-free: it
// tries again only when another producer's push has succeeded.
//
// A handle may stand at no ring: it was default-constructed, reset, or made by a view of nothing. Test it before its
// first use: `if (tx) ...`. Whatever else is called on an empty handle dereferences a null pointer.
template <class T> class mpsc_producer {
  static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>, "an element is an object");
  static constexpr const gimmal_shape_t &shape = detail::shape<T, GIMMAL_KIND_MPSC>;

public:
  // The element.
  using value_type = T;

  // Stands at no ring: nothing but assignment, destruction, reset and the test for it may be called.
  mpsc_producer() noexcept = default;

  // Whether it stands at a ring.
  explicit operator bool() const noexcept { return end_.control != nullptr; }

  // The ring's control block, for what stands beside the ring: waiting.
  [[nodiscard]] gimmal_control_t *control() const noexcept { return end_.control; }

  // Leaves the ring.
  void reset() noexcept { end_ = gimmal_many_producer_t{}; }

  // Constructs an element. False if the ring is full or closed.
  //
  // A constructor that cannot throw runs in place. One that may runs before a cell is claimed, and the element is then
  // moved there: if it throws, nothing is published, and no cell is left that others would wait for. Then false may
  // come, if the ring has filled meanwhile, after the arguments were used; the element made of them is destroyed.
  template <class... Args>
  [[nodiscard]] bool try_emplace(Args &&...args) noexcept(std::is_nothrow_constructible_v<T, Args &&...>) {
    static_assert(std::is_constructible_v<T, Args &&...>, "T must be constructible from the arguments");
    if constexpr (std::is_nothrow_constructible_v<T, Args &&...>) {
      // A copy in registers: the handle may be seen from elsewhere, and would be loaded again after every atomic access.
      gimmal_many_producer_t was = end_;
      if (gimmal_many_claim(&was, shape) != GIMMAL_OK) {
        end_.place = was.place;
        return false;
      }
      ::new (gimmal_many_claimed(was, shape)) T(std::forward<Args>(args)...);
      gimmal_many_publish(&end_, was, shape);
      return true;
    } else {
      static_assert(std::is_nothrow_move_constructible_v<T>,
                    "T must be constructible from the arguments, or movable, without a throw");
      if (gimmal_many_look(&end_, shape) != GIMMAL_OK) {
        return false;
      }
      T element(std::forward<Args>(args)...);
      return try_emplace(std::move(element));
    }
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

  // Closes the ring for all: pushes are refused from now on, and what is in it can still be taken.
  void close() noexcept { gimmal_many_close(end_.control); }

  // Whether the ring is closed, and every push that began before is done.
  [[nodiscard]] bool closed() const noexcept { return gimmal_many_is_closed(end_.control, shape); }

  // Whether the consumer's end is claimed: not before there is a consumer, nor after it gave the end back. C code that
  // does not claim its end is not seen.
  [[nodiscard]] bool has_consumer() const noexcept { return gimmal_is_claimed(&end_.control->consumer_claimed); }

  // Elements in the ring, those that are being pushed among them: a snapshot.
  [[nodiscard]] std::size_t size() const noexcept { return gimmal_len(end_.control, shape); }

  // Whether a push would be refused for want of room: a snapshot.
  [[nodiscard]] bool full() const noexcept { return gimmal_is_full(end_.control, shape); }

  // The elements that the ring holds.
  [[nodiscard]] std::size_t capacity() const noexcept { return end_.mask + 1; }

  // Elements dropped by offers since the ring was made, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept { return gimmal_dropped(end_.control); }

private:
  friend class detail::basic_view<T, GIMMAL_KIND_MPSC>;

  explicit mpsc_producer(gimmal_control_t *control) noexcept {
    if (control != nullptr) {
      end_ = gimmal_many_producer(control, shape);
    }
  }

  bool counted(bool pushed) noexcept {
    if (GIMMAL_UNLIKELY(!pushed)) {
      gimmal_add(&end_.control->producer.dropped, 1);
    }
    return pushed;
  }

  gimmal_many_producer_t end_{};
};

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_MPSC_PRODUCER_HPP
