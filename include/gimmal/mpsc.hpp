// Rings of many producers and one consumer. Part of gimmal.hpp.

#ifndef GIMMAL_MPSC_HPP
#define GIMMAL_MPSC_HPP

#include "mpsc_consumer.hpp"
#include "ring.hpp"

namespace gimmal {
inline namespace v1 {

namespace detail {

template <class T> struct ends<T, GIMMAL_KIND_MPSC> {
  using producer = mpsc_producer<T>;
  using consumer = mpsc_consumer<T>;
  using c_object = gimmal_mpsc_t;

  static void close(gimmal_control_t *control) noexcept { gimmal_many_close(control); }
  static bool closed(const gimmal_control_t *control) noexcept {
    return gimmal_many_is_closed(control, shape<T, GIMMAL_KIND_MPSC>);
  }
};

template <class T, std::uint8_t Log2Count> struct ring_storage<T, GIMMAL_KIND_MPSC, Log2Count, false> {
  ring_bytes<T, GIMMAL_KIND_MPSC, Log2Count> bytes;

  constexpr ring_storage() noexcept = default;

  ~ring_storage() {
    constexpr gimmal_shape_t shape = detail::shape<T, GIMMAL_KIND_MPSC>;
    gimmal_many_consumer_t end = gimmal_many_consumer(bytes.start(), shape);
    // The geometry may never have been published.
    end.mask = (std::size_t{1} << Log2Count) - 1;
    while (gimmal_many_find(end, shape)) {
      std::destroy_at(std::launder(static_cast<T *>(gimmal_many_front(end, shape))));
      gimmal_many_release(&end, end, shape);
    }
  }
};

} // namespace detail

// A ring of any number of producers, published by line with one element a cell. Its capacity is N exactly, and N is a
// power of two.
//
// It must not be destroyed while an end of it is used. Elements left in it are destroyed with it. Moving T must not
// throw, or else each constructor that pushes use must not.
template <class T, std::size_t N> using mpsc = detail::basic_ring<T, GIMMAL_KIND_MPSC, N>;

// Such a ring laid out elsewhere.
template <class T> using mpsc_view = detail::basic_view<T, GIMMAL_KIND_MPSC>;

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_MPSC_HPP
