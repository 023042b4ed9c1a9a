// Rings and views of them. Part of gimmal.hpp.

#ifndef GIMMAL_RING_HPP
#define GIMMAL_RING_HPP

#include "consumer.hpp"

namespace gimmal {
inline namespace v1 {

template <class T, class Alloc> class spsc_queue;

namespace detail {

// What a kind of ring is called in C, and who stands at its ends.
template <class T, std::uint8_t Kind> struct ends {
  using producer = basic_producer<T, Kind>;
  using consumer = basic_consumer<T, Kind>;
  using c_object = std::conditional_t<Kind == GIMMAL_KIND_LINE, gimmal_line_ring_t, gimmal_ring_t>;

  static void close(gimmal_control_t *control) noexcept { gimmal_close(control); }
  static bool closed(const gimmal_control_t *control) noexcept { return gimmal_is_closed(control); }
};

// A ring of `T` somewhere in memory. It does not own it, and may be copied.
template <class T, std::uint8_t Kind> class basic_view {
  static constexpr const gimmal_shape_t &shape = detail::shape<T, Kind>;

public:
  using value_type = T;
  using producer_type = typename ends<T, Kind>::producer;
  using consumer_type = typename ends<T, Kind>::consumer;
  using c_type = typename ends<T, Kind>::c_object;

  // Views nothing.
  basic_view() noexcept = default;

  // Views the ring that begins at `memory`, if the `size` bytes there hold a published one, by this kind, of elements
  // of T's size and alignment, laid out for this machine and wholly inside. If not, `status()` says why:
  // GIMMAL_NULL_POINTER, GIMMAL_MISALIGNED, GIMMAL_TOO_SMALL, GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH
  // or GIMMAL_CORRUPT. What is checked is trusted from then on: memory that a hostile party writes needs more than
  // this. Anyone may call it.
  basic_view(void *memory, std::size_t size) noexcept : status_(gimmal_check(memory, size, shape)) {
    static_assert(std::is_trivially_copyable_v<T>, "only bytes can be shared with whoever laid the ring out");
    control_ = status_ == GIMMAL_OK ? static_cast<gimmal_control_t *>(memory) : nullptr;
  }

  // Views a ring that C code hands over, checked likewise but for the size of its memory.
  explicit basic_view(c_type *ring) noexcept : basic_view(ring, SIZE_MAX) {}

  explicit operator bool() const noexcept { return control_ != nullptr; }

  // GIMMAL_OK, or why it views nothing.
  [[nodiscard]] gimmal_status_t status() const noexcept { return status_; }

  // Claims an end, or makes one more producer where there may be many. Anyone may call it; the handle is empty if the
  // end is claimed already, or if this views nothing: it must be tested before use.
  [[nodiscard]] producer_type producer() const noexcept { return producer_type(control_); }
  [[nodiscard]] consumer_type consumer() const noexcept { return consumer_type(control_); }

  // The following need a ring to view. Anyone may call them at any time; they are snapshots.

  // Elements in the ring, 0 to what it can hold.
  [[nodiscard]] std::size_t size() const noexcept { return gimmal_len(control_, shape); }
  [[nodiscard]] bool empty() const noexcept { return gimmal_is_empty(control_, shape); }
  // Whether the next push would be refused for want of room.
  [[nodiscard]] bool full() const noexcept { return gimmal_is_full(control_, shape); }
  // The elements that the ring holds for certain.
  [[nodiscard]] std::size_t capacity() const noexcept { return gimmal_capacity(control_, shape); }
  // Elements dropped by offers since the ring was made, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept { return gimmal_dropped(control_); }
  [[nodiscard]] bool closed() const noexcept { return ends<T, Kind>::closed(control_); }

  // Closes the ring: pushes are refused from now on, and what is in it can still be taken.
  void close() const noexcept { ends<T, Kind>::close(control_); }

  // The ring for the functions of gimmal.h; nullptr if this views nothing.
  [[nodiscard]] c_type *c_ring() const noexcept { return static_cast<c_type *>(static_cast<void *>(control_)); }

private:
  template <class, std::uint8_t, std::size_t> friend class basic_ring;
  template <class, class> friend class v1::spsc_queue;

  explicit basic_view(gimmal_control_t *control) noexcept : control_(control), status_(GIMMAL_OK) {}

  gimmal_control_t *control_ = nullptr;
  gimmal_status_t status_ = GIMMAL_NULL_POINTER;
};

// The slots or cells of a ring that holds `capacity` elements for certain, as a power of two.
constexpr std::uint8_t log2_count_for(const gimmal_shape_t &shape, std::size_t capacity) noexcept {
  // No capacity of 0 gets here but to be refused, which one message does.
  const std::size_t rest = capacity == 0 ? 0 : capacity - 1;
  const std::size_t count =
      shape.kind == GIMMAL_KIND_LINE ? rest / shape.per_cell + (rest % shape.per_cell != 0) + 1 : capacity;
  std::uint8_t log2 = 0;
  while ((std::size_t{1} << log2) < count) {
    ++log2;
  }
  return log2;
}

// The bytes of a ring.
template <class T, std::uint8_t Kind, std::uint8_t Log2Count> struct ring_bytes {
  static constexpr const gimmal_shape_t &shape = detail::shape<T, Kind>;
  static_assert(Log2Count <= gimmal_max_log2_count(shape) && shape.stride <= UINT32_MAX &&
                    shape.slots_offset <= UINT32_MAX,
                "no ring is so large");

  gimmal_control_t control{};
  alignas(shape.slots_align) unsigned char slots[shape.stride << Log2Count]{};

  gimmal_control_t *start() noexcept { return static_cast<gimmal_control_t *>(static_cast<void *>(this)); }
};

// Elements that are left in a ring are destroyed with it; where there is nothing to do, so is the destructor.
template <class T, std::uint8_t Kind, std::uint8_t Log2Count, bool = std::is_trivially_destructible_v<T>>
struct ring_storage {
  ring_bytes<T, Kind, Log2Count> bytes;
};

template <class T, std::uint8_t Kind, std::uint8_t Log2Count> struct ring_storage<T, Kind, Log2Count, false> {
  ring_bytes<T, Kind, Log2Count> bytes;

  constexpr ring_storage() noexcept = default;

  ~ring_storage() {
    gimmal_consumer_end_t end = gimmal_consumer_enter(bytes.start(), detail::shape<T, Kind>);
    // The geometry may never have been published.
    end.mask = ((std::size_t{1} << Log2Count) - 1) * (Kind == GIMMAL_KIND_LINE ? GIMMAL_CELL : 1);
    while (gimmal_find(&end, detail::shape<T, Kind>)) {
      std::destroy_at(std::launder(static_cast<T *>(gimmal_front(end, detail::shape<T, Kind>))));
      gimmal_release(&end, end, detail::shape<T, Kind>, 1);
    }
  }
};

// A ring that is its own storage: what `ring`, `line_ring` and `mpsc` are.
template <class T, std::uint8_t Kind, std::size_t N> class basic_ring {
  static_assert(N > 0, "the capacity of a ring is not 0");
  static_assert(Kind == GIMMAL_KIND_LINE || (N & (N - 1)) == 0,
                "but for a ring by line, the capacity is a power of two");
  static constexpr std::uint8_t log2_count = log2_count_for(detail::shape<T, Kind>, N);

public:
  using value_type = T;
  using view_type = basic_view<T, Kind>;
  using producer_type = typename view_type::producer_type;
  using consumer_type = typename view_type::consumer_type;

  // All zeros: a static ring is in .bss and needs no code to run before main.
  constexpr basic_ring() noexcept = default;

  basic_ring(const basic_ring &) = delete;
  basic_ring &operator=(const basic_ring &) = delete;

  // Claims an end, or makes one more producer where there may be many. Anyone may call it; the handle is empty if the
  // end is claimed already: it must be tested before use.
  [[nodiscard]] producer_type producer() noexcept { return view().producer(); }
  [[nodiscard]] consumer_type consumer() noexcept { return view().consumer(); }

  // The ring without its capacity in the type, for whoever shall not depend on that, and for the observers.
  [[nodiscard]] view_type view() noexcept {
    gimmal_control_t *control = storage_.bytes.start();
    if (GIMMAL_UNLIKELY(gimmal_magic(control) != GIMMAL_MAGIC)) {
      gimmal_publish_geometry(control, detail::shape<T, Kind>, log2_count);
    }
    return view_type(control);
  }

  // The ring for the functions of gimmal.h, and for other languages.
  [[nodiscard]] typename view_type::c_type *c_ring() noexcept { return view().c_ring(); }

  // The elements that the ring holds for certain: N or more.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept {
    const std::size_t count = std::size_t{1} << log2_count;
    return Kind == GIMMAL_KIND_LINE ? (count - 1) * detail::shape<T, Kind>.per_cell + 1 : count;
  }

private:
  ring_storage<T, Kind, log2_count> storage_;
};

} // namespace detail

// A ring published by index: elements lie side by side, its capacity is N exactly, and N is a power of two.
//
// It must not be destroyed while an end of it is held. Elements left in it are destroyed with it.
template <class T, std::size_t N> using ring = detail::basic_ring<T, GIMMAL_KIND_INDEX, N>;

// A ring published by line: a message costs its reader one cache-line transfer. It holds N elements for certain.
template <class T, std::size_t N> using line_ring = detail::basic_ring<T, GIMMAL_KIND_LINE, N>;

// A ring laid out elsewhere, by index and by line.
template <class T> using ring_view = detail::basic_view<T, GIMMAL_KIND_INDEX>;
template <class T> using line_ring_view = detail::basic_view<T, GIMMAL_KIND_LINE>;

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_RING_HPP
