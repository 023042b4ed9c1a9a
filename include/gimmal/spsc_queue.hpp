// A queue on the heap. Part of gimmal.hpp.

#ifndef GIMMAL_SPSC_QUEUE_HPP
#define GIMMAL_SPSC_QUEUE_HPP

#include <cstdlib>
#include <stdexcept>

#include "bounded.hpp"
#include "ring.hpp"

namespace gimmal {
inline namespace v1 {

// What a blocking call does between two tries: nothing, which gives the shortest round trip.
struct spin {
  // Does nothing.
  void operator()() const noexcept {}
};

// Tells the processor that this is a polling loop: it spends less power and leaves more to the core's other thread.
struct spin_pause {
  // Gives the hint.
  void operator()() const noexcept {
#if defined(GIMMAL_PAUSE)
    GIMMAL_PAUSE();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
  }
};

namespace detail {

[[noreturn]] GIMMAL_COLD void refuse_length() {
#if defined(__cpp_exceptions)
  throw std::length_error("gimmal::spsc_queue: no queue has such a capacity");
#else
  std::abort();
#endif
}

[[noreturn]] GIMMAL_COLD void refuse_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

} // namespace detail

// A queue from one thread to another, published by line, that holds `capacity` elements exactly.
//
// Its interface is that of rigtorp::SPSCQueue: emplace, try_emplace, push, try_push, front, pop, size, empty, capacity.
// push(x) waits for room, and pop() discards the front and returns nothing. A capacity of 0 throws, where rigtorp's
// queue takes 1. T may be move-only, over-aligned, without a default constructor, and may throw; its destructor may
// not.
//
// Beside it are the batches and counts of boost::lockfree::spsc_queue. Where one name means two things, it means what
// it does to rigtorp's queue; code written for boost's changes its calls so:
//
//     boost                                     here
//     push(x)                                   try_push(x)
//     pop()                                     try_pop(), which gives the element
//     pop(x)                                    try_pop(x)
//     front(), a reference                      front(), a pointer: nullptr if there is none
//     push(p, n), pop(p, n)                     the same
//     push(begin, end), pop(iterator)           push(p, n), pop(p, n)
//     consume_one(f), consume_all(f)            the same; consume_all stops after a queueful
//     read_available(), write_available()       the same
//     empty()                                   the same
//     reset()                                   consume_all with a function that does nothing
//
// The thread that may call a function is named with it. Everything but the constructor, the destructor, the batches and
// the functions that block takes constant time, without allocating and without entering the kernel.
template <class T, class Alloc = std::allocator<T>> class spsc_queue {
  static constexpr gimmal_shape_t shape = detail::shape<T, GIMMAL_KIND_LINE>;
  // What is used by one thread alone is kept from other data by so much: two lines, since processors fetch them in
  // pairs.
  static constexpr std::size_t apart = 128;
  static constexpr std::size_t block_size = gimmal_max(apart, gimmal_ring_align(shape));

  struct alignas(block_size) block {
    unsigned char bytes[block_size];
  };

  using block_alloc = typename std::allocator_traits<Alloc>::template rebind_alloc<block>;
  using blocks = std::allocator_traits<block_alloc>;
  template <class Hint> using if_hint = std::enable_if_t<std::is_invocable_v<Hint &>>;

public:
  // The element, and what gives the memory.
  using value_type = T;
  using allocator_type = Alloc;

  // Allocates the queue and touches its memory. Throws std::length_error if the capacity is 0 or its memory cannot be
  // counted, and std::bad_alloc if the allocator gives none or gives it misaligned; without exceptions it aborts.
  explicit spsc_queue(std::size_t capacity, const Alloc &allocator = Alloc()) : alloc_(allocator), capacity_(capacity) {
    gimmal_extent_t extent{};
    if (gimmal_extent_of(shape, capacity, &extent) != GIMMAL_OK) {
      detail::refuse_length();
    }
    count_ = (extent.size - 1) / block_size + 1;
    memory_ = blocks::allocate(alloc_, count_);
    void *const start = std::addressof(*memory_);
    if (reinterpret_cast<std::uintptr_t>(start) % block_size != 0) {
      blocks::deallocate(alloc_, memory_, count_);
      detail::refuse_memory();
    }
    gimmal_control_t *const control = ::new (start) gimmal_control_t{};
    GIMMAL_FILL(start, 0, count_ * block_size);
    gimmal_publish_geometry(control, shape, extent.log2_count);
    ring_ = detail::basic_view<T, GIMMAL_KIND_LINE>(control);
    producer_ = detail::bounded_producer<T>(control, capacity);
    consumer_ = ring_.consumer();
  }

  spsc_queue(const spsc_queue &) = delete;
  spsc_queue &operator=(const spsc_queue &) = delete;

  // Destroys what is left. No other thread may use the queue any more.
  ~spsc_queue() {
    while (consumer_.pop()) {
    }
    consumer_.reset();
    blocks::deallocate(alloc_, memory_, count_);
  }

  // ---- Producer ----

  // Constructs an element in place, once there is room, calling `Hint` while there is none. If the constructor throws,
  // nothing is pushed.
  template <class Hint = spin, class... Args>
  void emplace(Args &&...args) noexcept(std::is_nothrow_constructible_v<T, Args &&...>) {
    while (!producer_.try_emplace(std::forward<Args>(args)...)) {
      Hint{}();
    }
  }

  // Constructs an element in place; false, with nothing constructed, if the queue is full.
  template <class... Args>
  [[nodiscard]] bool try_emplace(Args &&...args) noexcept(std::is_nothrow_constructible_v<T, Args &&...>) {
    return producer_.try_emplace(std::forward<Args>(args)...);
  }

  // Pushes an element, once there is room, calling `hint` while there is none.
  template <class Hint = spin, class = if_hint<Hint>>
  void push(const T &value, Hint hint = {}) noexcept(std::is_nothrow_copy_constructible_v<T>) {
    push_when_free(hint, value);
  }

  // The same, of what a T can be made of; by a move, if it may be moved from.
  template <class P, class Hint = spin, class = if_hint<Hint>,
            class = std::enable_if_t<std::is_constructible_v<T, P &&>>>
  void push(P &&value, Hint hint = {}) noexcept(std::is_nothrow_constructible_v<T, P &&>) {
    push_when_free(hint, std::forward<P>(value));
  }

  // Pushes an element; false, with `value` untouched, if the queue is full.
  [[nodiscard]] bool try_push(const T &value) noexcept(std::is_nothrow_copy_constructible_v<T>) {
    return try_emplace(value);
  }

  // The same, of what a T can be made of; not moved from if it is not pushed.
  template <class P, class = std::enable_if_t<std::is_constructible_v<T, P &&>>>
  [[nodiscard]] bool try_push(P &&value) noexcept(std::is_nothrow_constructible_v<T, P &&>) {
    return try_emplace(std::forward<P>(value));
  }

  // Pushes copies of as many of `count` elements as there is room for, from the first, and returns how many. If a
  // constructor throws, the elements before it have been pushed.
  std::size_t push(const T *elements, std::size_t count) noexcept(std::is_nothrow_copy_constructible_v<T>) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return producer_.push_n(elements, count);
    } else {
      std::size_t pushed = 0;
      while (pushed < count && try_emplace(elements[pushed])) {
        ++pushed;
      }
      return pushed;
    }
  }

  // How many elements can be pushed at least.
  [[nodiscard]] std::size_t write_available() const noexcept { return producer_.room(); }

  // ---- Consumer ----

  // The oldest element, which stays in the queue; nullptr if there is none.
  [[nodiscard]] T *front() noexcept { return consumer_.front(); }

  // Destroys the oldest element, if there is one. It need not follow a front().
  void pop() noexcept { consumer_.pop(); }

  // Moves the oldest element into `value`, once there is one, calling `hint` while there is none. If the assignment
  // throws, the element stays.
  template <class Hint, class = if_hint<Hint>>
  void pop(T &value, Hint hint) noexcept(std::is_nothrow_move_assignable_v<T>) {
    while (!consumer_.try_pop(value)) {
      hint();
    }
  }

  // Moves the oldest element out; false, or nothing, if there is none. If the move throws, the element stays.
  [[nodiscard]] bool try_pop(T &value) noexcept(std::is_nothrow_move_assignable_v<T>) {
    return consumer_.try_pop(value);
  }

  // The same, by value.
  [[nodiscard]] std::optional<T> try_pop() noexcept(std::is_nothrow_move_constructible_v<T>) {
    return consumer_.try_pop();
  }

  // Moves up to `count` of the oldest elements into `elements`, and returns how many. If an assignment throws, the
  // elements before it have been taken.
  std::size_t pop(T *elements, std::size_t count) noexcept(std::is_nothrow_move_assignable_v<T>) {
    return consumer_.pop_n(elements, count);
  }

  // Calls `use` with the oldest element in place; false, without a call, if there is none. The element is destroyed
  // after the call, also if that throws.
  template <class F> bool consume_one(F &&use) noexcept(std::is_nothrow_invocable_v<F &, T &>) {
    return consumer_.consume_one(use);
  }

  // Calls `use` with every element in turn, as consume_one does, until the queue is empty or a queueful is used;
  // returns how many.
  template <class F> std::size_t consume_all(F &&use) noexcept(std::is_nothrow_invocable_v<F &, T &>) {
    return consumer_.consume_all(use);
  }

  // How many elements can be taken at least.
  [[nodiscard]] std::size_t read_available() const noexcept { return consumer_.ready(); }

  // ---- Anyone ----

  // Elements in the queue, 0 to capacity: a snapshot. If the consumer sees some, it can take one.
  [[nodiscard]] std::size_t size() const noexcept {
    if (empty()) {
      return 0;
    }
    return gimmal_min(gimmal_max(ring_.size(), 1), capacity_);
  }

  // Whether there is nothing to take: a snapshot. If the consumer sees something, it can take it.
  [[nodiscard]] bool empty() const noexcept { return ring_.empty(); }

  // What was asked for.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
  template <class Hint, class P> void push_when_free(Hint &hint, P &&value) {
    while (!try_emplace(std::forward<P>(value))) {
      hint();
    }
  }

  block_alloc alloc_;
  std::size_t capacity_;
  std::size_t count_ = 0;
  typename blocks::pointer memory_{};
  line_ring_view<T> ring_;
  alignas(apart) detail::bounded_producer<T> producer_;
  alignas(apart) line_consumer<T> consumer_;
};

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_SPSC_QUEUE_HPP
