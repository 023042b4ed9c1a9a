// A producer by line with an exact bound. Part of gimmal.hpp.

#ifndef GIMMAL_BOUNDED_HPP
#define GIMMAL_BOUNDED_HPP

#include "producer.hpp"

namespace gimmal {
inline namespace v1 {
namespace detail {

// The only producer of a ring by line, which never has more than `capacity` elements on their way. It looks at the
// consumer's place only when the limit that followed from the last look is reached.
template <class T> class bounded_producer {
  static constexpr gimmal_shape_t shape = detail::shape<T, GIMMAL_KIND_LINE>;

public:
  bounded_producer() noexcept = default;

  bounded_producer(gimmal_control_t *control, std::size_t capacity) noexcept
      : end_(gimmal_producer_enter(control, shape)), limit_(end_.tail), won_(end_.tail), capacity_(capacity) {}

  // Constructs an element in place; false, with nothing constructed, if the bound is reached.
  template <class... Args>
  GIMMAL_INLINE bool try_emplace(Args &&...args) noexcept(std::is_nothrow_constructible_v<T, Args &&...>) {
    static_assert(std::is_constructible_v<T, Args &&...>, "T must be constructible from the arguments");
    const gimmal_producer_end_t was = end_;
    if (!claim()) {
      return false;
    }
    ::new (gimmal_claimed(was, shape)) T(std::forward<Args>(args)...);
    gimmal_publish(&end_, was, shape, 1);
    return true;
  }

  // Pushes copies of as many of `count` elements as there is room for, and returns how many.
  std::size_t push_n(const T *elements, std::size_t count) noexcept {
    std::size_t pushed = 0;
    while (pushed < count && claim()) {
      // `stop` is in the cell of `tail`, or at the start of the next.
      const std::size_t rest = shape.per_cell == 1 ? 1 : gimmal_elements_between(end_.tail, end_.stop, shape.per_cell);
      const std::size_t run = gimmal_min(rest, count - pushed);
      gimmal_copy(gimmal_claimed(end_, shape), elements + pushed, shape, run);
      gimmal_publish(&end_, end_, shape, run);
      pushed += run;
    }
    return pushed;
  }

  // How many elements can be pushed at least. `head` may be seen before the cells that were handed back with it: cells
  // are handed back in order, so the last one that will be needed tells of those before it.
  std::size_t room() const noexcept {
    const std::size_t held = gimmal_len(end_.control, shape);
    std::size_t room = held < capacity_ ? capacity_ - held : 0;
    while (room > 0) {
      const std::size_t last = gimmal_advance(end_.tail, room - 1, shape.per_cell);
      const bool here = gimmal_cell_start(last) == gimmal_cell_start(end_.tail);
      const std::size_t from = here ? end_.tail : gimmal_cell_start(last);
      if (gimmal_stamp_at(end_.control, shape, end_.mask, from) == gimmal_stamp(from, end_.mask)) {
        break;
      }
      room -= last - from + 1;
    }
    return room;
  }

private:
  // Whether there is a slot for the next element.
  bool claim() noexcept {
    if constexpr (shape.per_cell == 1) {
      return (!GIMMAL_UNLIKELY(end_.tail == limit_) || move_limit()) && gimmal_claim(&end_, shape);
    } else {
      return !GIMMAL_UNLIKELY(end_.tail == end_.stop) || go_on();
    }
  }

  // Looks at what ended the last stretch of slots: the limit, the end of a cell, or both.
  bool go_on() noexcept {
    if (end_.tail == limit_ && !move_limit()) {
      return false;
    }
    if (end_.tail == won_) {
      if (!gimmal_line_win(&end_, shape)) {
        return false;
      }
      won_ = end_.stop;
    }
    // Both lie ahead of `tail`; distances tell which comes first across the wrap of a word.
    end_.stop = limit_ - end_.tail < won_ - end_.tail ? limit_ : won_;
    return true;
  }

  // Looks how far the consumer has come. False if the bound is reached still.
  GIMMAL_COLD bool move_limit() noexcept {
    if (shape.per_cell == 1 && capacity_ == gimmal_count(end_.control)) {
      // The cells are the bound.
      limit_ = end_.tail - GIMMAL_CELL;
      return true;
    }
    limit_ = gimmal_advance(gimmal_head(end_.control), capacity_, shape.per_cell);
    return limit_ != end_.tail;
  }

  gimmal_producer_end_t end_{};
  std::size_t limit_ = 0; // the cursor at which the bound is reached, as far as this end knows
  std::size_t won_ = 0;   // the end of the cell that is the producer's
  std::size_t capacity_ = 0;
};

} // namespace detail
} // namespace v1
} // namespace gimmal

#endif // GIMMAL_BOUNDED_HPP
