// Rings in named segments of shared memory, for processes on one Linux machine. Not part of gimmal.hpp: it needs
// libgimmal, built with the feature `shm` (docs/LINKING.md), which opens segments; elements pass inlined.
//
//     gimmal::shm::producer<tick> tx(gimmal::shm::segment("ticks").capacity(1024));   // one process
//     if (!tx) { std::puts(gimmal::shm::error()); }
//     tx.push(tick{...});
//
//     gimmal::shm::consumer<tick> rx(gimmal::shm::segment("ticks").capacity(1024));   // another
//     gimmal::wait::park park(gimmal::wait::scope::machine);
//     while (rx.pop_wait(t, park) == GIMMAL_OK) { use(t); }
//
// An end gives its place back when it is destroyed, and when its process ends in whatever way. The next process that
// asks for it takes it over. What another process writes to the segment is not trusted: whatever it is, nothing outside
// of the segment is touched, and elements are copied. Strategies and notifiers are those of gimmal/wait.hpp; a `park`
// must be of `scope::machine`.

#ifndef GIMMAL_SHM_HPP
#define GIMMAL_SHM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <time.h>
#include <type_traits>
#include <utility>

#include "../gimmal_shm.h"
#include "mapped.h"
#include "wait.hpp"

namespace gimmal {
inline namespace v1 {
namespace shm {

// How a segment carries elements.
enum class kind : std::uint32_t {
  line = GIMMAL_SHM_LINE,   // one producer, one consumer: the least latency
  index = GIMMAL_SHM_INDEX, // the same with the least memory
  mpsc = GIMMAL_SHM_MPSC,   // many producers, in one order
  lanes = GIMMAL_SHM_LANES, // many producers, each in a ring of its own
};

// How an end's holder fares.
enum class peer : std::uint32_t {
  absent = GIMMAL_SHM_ABSENT,
  alive = GIMMAL_SHM_ALIVE,
  stopped = GIMMAL_SHM_STOPPED,
  dead = GIMMAL_SHM_DEAD,
};

// What the last open, inspection or removal that failed in this thread failed at, in a sentence.
inline const char *error() noexcept { return gimmal_shm_error(); }

// Whether elements may cross to another process: none of their bytes is padding, which would carry what the sender's
// memory held. The compiler tells it of numbers and of structs of integers. Of a struct with a float or a double in it
// it cannot: who has made sure specialises this. Nor does it find a pointer, a bool or an enumeration in a struct, which
// no element may have either.
//
//     template <> struct gimmal::shm::is_plain<tick> : std::true_type {};
template <class T> struct is_plain : std::bool_constant<std::has_unique_object_representations_v<T>> {};
template <> struct is_plain<float> : std::true_type {};
template <> struct is_plain<double> : std::true_type {};

// A segment, as one end of it describes it. Whoever comes first creates it; without a capacity it is attached to only.
class segment {
public:
  // 1 to 240 letters, digits, '-', '_' and '.', the first no '.'; the string is not copied.
  explicit segment(const char *name) noexcept { options_.name = name; }

  // A new segment without a name: an end's share() gives the descriptor that leads another process to it.
  static segment anonymous() noexcept { return segment(GIMMAL_SHM_ANONYMOUS, 0); }
  // The segment without a name behind a descriptor of this process, which may be closed once an end is opened.
  static segment passed(int descriptor) noexcept { return segment(GIMMAL_SHM_PASSED, descriptor); }

  // Elements for which there must be room: by index and with many producers in one ring a power of two, else rounded
  // up to what fits. 0, as if it were not said: attach to one of any capacity, create none.
  segment &capacity(std::size_t elements) noexcept { return options_.capacity = elements, *this; }
  // How many producers there may be at a time: kind::mpsc and kind::lanes.
  segment &producers(std::size_t count) noexcept { return options_.producers = count, *this; }
  // Create it; GIMMAL_EXISTS if it is there.
  segment &create() noexcept { return options_.opening = GIMMAL_SHM_CREATE, *this; }
  // Create it in place of one that is there.
  segment &replace() noexcept { return options_.opening = GIMMAL_SHM_REPLACE, *this; }
  // What the elements mean; GIMMAL_MISMATCH if the segment has another tag.
  segment &type_tag(std::uint64_t tag) noexcept { return options_.type_tag = tag, *this; }
  // The permissions of the file that is created.
  segment &mode(std::uint32_t permissions) noexcept { return options_.mode = permissions, *this; }
  // GIMMAL_SHM_TOUCH, GIMMAL_SHM_HUGE_PAGES, GIMMAL_SHM_LOCK_MEMORY.
  segment &flags(std::uint32_t flags) noexcept { return options_.flags = flags, *this; }

  // What can be told of it, read only. The errors of gimmal_shm_inspect().
  gimmal_status_t inspect(gimmal_shm_inspection_t &inspection) const noexcept {
    return gimmal_shm_inspect(options_.name, &inspection);
  }

  // Removes it. The errors of gimmal_shm_unlink().
  gimmal_status_t unlink(bool by_force = false) const noexcept { return gimmal_shm_unlink(options_.name, by_force); }

  // What was said of it, for the functions of gimmal_shm.h.
  [[nodiscard]] gimmal_shm_options_t options() const noexcept { return options_; }

private:
  segment(std::uint32_t opening, int descriptor) noexcept {
    options_.opening = opening;
    options_.descriptor = descriptor;
  }

  gimmal_shm_options_t options_{};
};

namespace detail {

struct freer {
  void operator()(gimmal_shm_producer_t *producer) const noexcept { gimmal_shm_producer_free(&producer); }
  void operator()(gimmal_shm_consumer_t *consumer) const noexcept { gimmal_shm_consumer_free(&consumer); }
  void operator()(gimmal_shm_tap_t *tap) const noexcept { gimmal_shm_tap_free(&tap); }
};

template <class T> struct element {
  static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>, "an element is an object");
  static_assert(std::is_trivially_copyable_v<T>, "elements cross processes as bytes: they must be trivially copyable");
  static_assert(!std::is_pointer_v<T> && !std::is_member_pointer_v<T>, "a pointer means nothing in another process");
  static_assert(!std::is_same_v<T, bool> && !std::is_enum_v<T>,
                "another process may write any bytes: elements must be valid whatever they are");
  static_assert(!std::is_trivially_copyable_v<T> || is_plain<T>::value,
                "an element must have no padding: specialise gimmal::shm::is_plain for one with floats that has none");
};

template <class T> gimmal_shm_options_t of(const segment &where, kind which) noexcept {
  gimmal_shm_options_t options = where.options();
  options.kind = static_cast<std::uint32_t>(which);
  options.element_size = sizeof(T);
  options.element_align = alignof(T);
  return options;
}

// The shape of a ring in a segment of this kind; of those whose ends are inlined.
template <class T> constexpr gimmal_shape_t shape_of(kind which) noexcept {
  return which == kind::index ? gimmal_shape_by_index(sizeof(T), alignof(T))
                              : gimmal_shape_by_line(sizeof(T), alignof(T));
}

// How long a waiting end goes without looking whether its peer lives, in nanoseconds.
inline constexpr std::uint64_t slice_length = 50000000;

inline std::uint64_t now() noexcept {
  ::timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U + static_cast<std::uint64_t>(time.tv_nsec);
}

// A part of a wait.
template <class D> struct slice {
  D &left;
  std::uint64_t end = now() + slice_length;

  std::uint64_t operator()() {
    const std::uint64_t time = now();
    const std::uint64_t rest = time < end ? end - time : 0;
    const std::uint64_t whole = rest == 0 ? 0 : left();
    return rest < whole ? rest : whole;
  }
};

} // namespace detail

// A segment's producer, or one of its producers. It may move to another thread, and be used by one at a time. An end
// may be empty: it could not be had, or was moved from, reset or default-constructed; then nothing may be called but
// status(), assignment, reset and the test for it.
template <class T, kind K = kind::line> class producer : detail::element<T> {
  // The claims of one among many must be declared: the library does it.
  static constexpr bool is_inlined = K != kind::mpsc;
  static constexpr gimmal_shape_t shape = detail::shape_of<T>(K);

public:
  // The element.
  using value_type = T;

  producer() noexcept = default;

  // Takes the end; status() tells whether it could, with the errors of gimmal_shm_producer_open().
  explicit producer(const segment &where) noexcept {
    const gimmal_shm_options_t options = detail::of<T>(where, K);
    gimmal_shm_producer_t *opened = nullptr;
    status_ = gimmal_shm_producer_open(&options, &opened);
    handle_.reset(opened);
    if (opened != nullptr) {
      gimmal_shm_producer_bells(opened, &own_bell_, &consumer_bell_);
      if constexpr (is_inlined) {
        gimmal_shm_ring_t ring{};
        gimmal_shm_producer_ring(opened, &ring);
        end_ = gimmal_mapped_producer(ring.ring, shape, ring.log2_count, ring.place);
      }
    }
  }

  // Whether it holds an end.
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // Why it holds none.
  [[nodiscard]] gimmal_status_t status() const noexcept { return status_; }

  // Gives the end back, if it holds one.
  void reset() noexcept { handle_.reset(); }

  // Pushes a copy of `value`. GIMMAL_FULL, GIMMAL_CLOSED, GIMMAL_SUPERSEDED or GIMMAL_CORRUPT.
  GIMMAL_INLINE gimmal_status_t push(const T &value) noexcept {
    if constexpr (is_inlined) {
      const gimmal_status_t status = gimmal_mapped_push(&end_, shape, &value);
      return GIMMAL_UNLIKELY(status == GIMMAL_CLOSED) ? why_closed() : status;
    } else {
      return gimmal_shm_producer_push(handle_.get(), &value);
    }
  }

  // The same; whether it was pushed.
  [[nodiscard]] GIMMAL_INLINE bool try_push(const T &value) noexcept { return push(value) == GIMMAL_OK; }

  // Pushes a copy of `value`, or counts it as dropped if the ring is full.
  gimmal_status_t offer(const T &value) noexcept {
    if constexpr (is_inlined) {
      const gimmal_status_t status = push(value);
      if (status == GIMMAL_FULL) {
        gimmal_count_dropped(end_.end.control);
      }
      return status;
    } else {
      return gimmal_shm_producer_offer(handle_.get(), &value);
    }
  }

  // Wakes a consumer that sleeps: after any pushes.
  template <class N> GIMMAL_INLINE void notify(const N &notifier) const {
    wait::detail::ring(consumer_bell_, notifier);
  }

  // Pushes a copy of `value` and wakes a consumer that sleeps.
  template <class N> GIMMAL_INLINE gimmal_status_t push_notify(const T &value, const N &notifier) {
    // Read before the push, which has the compiler forget what it knows of memory.
    std::uint32_t *const bell = consumer_bell_;
    const std::uint32_t quiet = notifier.quiet();
    const gimmal_status_t status = push(value);
    if (status == GIMMAL_OK) {
      wait::detail::ring(bell, quiet, notifier);
    }
    return status;
  }

  // Pushes a copy of `value`, and waits for room as `strategy` does, until `left()` returns 0: GIMMAL_TIMED_OUT.
  // GIMMAL_PEER_DIED if the consumer died and the ring is full. Every 50 ms it looks whether the consumer lives.
  template <class S, class D = wait::never> gimmal_status_t push_wait(const T &value, S &strategy, D &&left = D{}) {
    gimmal_status_t status = push(value);
    const auto attempt = [&] { return (status = push(value)) != GIMMAL_FULL; };
    while (status == GIMMAL_FULL) {
      beat();
      detail::slice<std::remove_reference_t<D>> part{left};
      if (strategy.wait(own_bell_, part, attempt)) {
        break;
      }
      if (left() == 0) {
        return GIMMAL_TIMED_OUT;
      }
      if (peer() == shm::peer::dead && !attempt()) {
        return GIMMAL_PEER_DIED;
      }
    }
    return status;
  }

  // How the consumer fares.
  [[nodiscard]] shm::peer peer() const noexcept {
    std::uint32_t state = GIMMAL_SHM_ABSENT;
    gimmal_shm_producer_peer(handle_.get(), &state);
    return static_cast<shm::peer>(state);
  }

  // Says that this process runs, for those who look. Opening and waiting say it too; a push or pop does not.
  void beat() const noexcept { gimmal_shm_producer_beat(handle_.get()); }

  // Closes the segment, and wakes whoever sleeps.
  void close() noexcept { gimmal_shm_producer_close(handle_.get()); }

  // The elements that a ring holds for certain.
  [[nodiscard]] std::size_t capacity() const noexcept {
    std::size_t capacity = 0;
    gimmal_shm_producer_capacity(handle_.get(), &capacity);
    return capacity;
  }

  // Elements dropped by offers to this ring, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept {
    std::size_t dropped = 0;
    gimmal_shm_producer_dropped(handle_.get(), &dropped);
    return dropped;
  }

  // How often a segment of this name was made.
  [[nodiscard]] std::uint64_t epoch() const noexcept {
    std::uint64_t epoch = 0;
    gimmal_shm_producer_epoch(handle_.get(), &epoch);
    return epoch;
  }

  // Gives a descriptor that leads another process to a segment without a name; the caller closes it. GIMMAL_SYSTEM.
  gimmal_status_t share(int &descriptor) const noexcept {
    return gimmal_shm_producer_share(handle_.get(), &descriptor);
  }

private:
  __attribute__((noinline, cold)) gimmal_status_t why_closed() const noexcept {
    const gimmal_status_t status = gimmal_shm_producer_status(handle_.get());
    return status == GIMMAL_OK ? GIMMAL_CLOSED : status;
  }

  gimmal_mapped_producer_t end_{};
  std::uint32_t *own_bell_ = nullptr;
  std::uint32_t *consumer_bell_ = nullptr;
  std::unique_ptr<gimmal_shm_producer_t, detail::freer> handle_;
  gimmal_status_t status_ = GIMMAL_UNINITIALISED;
};

// A segment's consumer. As for `producer`.
template <class T, kind K = kind::line> class consumer : detail::element<T> {
  // One ring of one producer; where there are many the library takes turns, and skips what dead ones left.
  static constexpr bool is_inlined = K == kind::line || K == kind::index;
  static constexpr gimmal_shape_t shape = detail::shape_of<T>(K);

public:
  // The element.
  using value_type = T;

  consumer() noexcept = default;

  // Takes the end; status() tells whether it could, with the errors of gimmal_shm_consumer_open().
  explicit consumer(const segment &where) noexcept {
    const gimmal_shm_options_t options = detail::of<T>(where, K);
    gimmal_shm_consumer_t *opened = nullptr;
    status_ = gimmal_shm_consumer_open(&options, &opened);
    handle_.reset(opened);
    if constexpr (is_inlined) {
      if (opened != nullptr) {
        gimmal_shm_ring_t ring{};
        gimmal_shm_consumer_ring(opened, &ring);
        end_ = gimmal_mapped_consumer(ring.ring, shape, ring.log2_count, ring.place);
      }
    }
  }

  // Whether it holds an end.
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // Why it holds none.
  [[nodiscard]] gimmal_status_t status() const noexcept { return status_; }

  // Gives the end back, if it holds one.
  void reset() noexcept { handle_.reset(); }

  // Takes the oldest element. GIMMAL_EMPTY; GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more will come;
  // GIMMAL_CORRUPT. `value` is untouched then.
  GIMMAL_INLINE gimmal_status_t pop(T &value) noexcept {
    if constexpr (is_inlined) {
      const gimmal_status_t status = gimmal_mapped_pop(&end_, shape, &value);
      if (GIMMAL_UNLIKELY(status == GIMMAL_EMPTY) && gimmal_is_closed(end_.end.control)) {
        return last(value);
      }
      return status;
    } else {
      return gimmal_shm_consumer_pop(handle_.get(), &value);
    }
  }

  // The same; whether there was one.
  [[nodiscard]] GIMMAL_INLINE bool try_pop(T &value) noexcept { return pop(value) == GIMMAL_OK; }

  // Wakes a producer that waits for room: after any pops. With lanes, that of the lane popped last.
  template <class N> void notify(const N &notifier) const { wait::detail::ring(bell(false), notifier); }

  // Takes the oldest element, and waits for one as `strategy` does, until `left()` returns 0: GIMMAL_TIMED_OUT.
  // GIMMAL_PEER_DIED if a producer died, none lives, and nothing is left. Every 50 ms it looks whether one lives, and
  // skips what dead ones among many left unfinished.
  template <class S, class D = wait::never> gimmal_status_t pop_wait(T &value, S &strategy, D &&left = D{}) {
    gimmal_status_t status = pop(value);
    const auto attempt = [&] { return (status = pop(value)) != GIMMAL_EMPTY; };
    while (status == GIMMAL_EMPTY) {
      beat();
      detail::slice<std::remove_reference_t<D>> part{left};
      if (strategy.wait(bell(true), part, attempt)) {
        break;
      }
      const bool is_last = left() == 0;
      // Before the look at what is left: a dead producer may have pushed, or be in the way.
      const bool is_dead = peer() == shm::peer::dead;
      if constexpr (K == kind::mpsc) {
        std::size_t skipped = 0;
        gimmal_shm_consumer_skip_dead(handle_.get(), &skipped);
      }
      if (attempt()) {
        break;
      }
      if (is_last || is_dead) {
        return is_last ? GIMMAL_TIMED_OUT : GIMMAL_PEER_DIED;
      }
    }
    return status;
  }

  // Declares how this end will sleep, so that notifying pushes cost less from the first on.
  template <class S> void declare(S &strategy) const { strategy.declare(bell(true)); }

  // How the producer fares; of many, the one that fares best.
  [[nodiscard]] shm::peer peer() const noexcept {
    std::uint32_t state = GIMMAL_SHM_ABSENT;
    gimmal_shm_consumer_peer(handle_.get(), &state);
    return static_cast<shm::peer>(state);
  }

  // Says that this process runs, for those who look. Opening and waiting say it too; a push or pop does not.
  void beat() const noexcept { gimmal_shm_consumer_beat(handle_.get()); }

  // Closes the segment, and wakes whoever sleeps. What is in it can still be popped.
  void close() noexcept { gimmal_shm_consumer_close(handle_.get()); }

  // The elements that each ring holds for certain.
  [[nodiscard]] std::size_t capacity() const noexcept {
    std::size_t capacity = 0;
    gimmal_shm_consumer_capacity(handle_.get(), &capacity);
    return capacity;
  }

  // Elements dropped by offers, wrapping.
  [[nodiscard]] std::size_t dropped() const noexcept {
    std::size_t dropped = 0;
    gimmal_shm_consumer_dropped(handle_.get(), &dropped);
    return dropped;
  }

  // How often a segment of this name was made.
  [[nodiscard]] std::uint64_t epoch() const noexcept {
    std::uint64_t epoch = 0;
    gimmal_shm_consumer_epoch(handle_.get(), &epoch);
    return epoch;
  }

  // Gives a descriptor that leads another process to a segment without a name; the caller closes it. GIMMAL_SYSTEM.
  gimmal_status_t share(int &descriptor) const noexcept {
    return gimmal_shm_consumer_share(handle_.get(), &descriptor);
  }

private:
  // The closed ring was found empty before it was found closed: nothing is left if it is empty now.
  __attribute__((noinline, cold)) gimmal_status_t last(T &value) noexcept {
    const gimmal_status_t status = gimmal_mapped_pop(&end_, shape, &value);
    if (status != GIMMAL_EMPTY) {
      return status;
    }
    const gimmal_status_t why = gimmal_shm_consumer_status(handle_.get());
    return why == GIMMAL_OK ? GIMMAL_CLOSED : why;
  }

  [[nodiscard]] std::uint32_t *bell(bool is_own) const noexcept {
    std::uint32_t *own = nullptr;
    std::uint32_t *other = nullptr;
    gimmal_shm_consumer_bells(handle_.get(), &own, &other);
    return is_own ? own : other;
  }

  gimmal_mapped_consumer_t end_{};
  std::unique_ptr<gimmal_shm_consumer_t, detail::freer> handle_;
  gimmal_status_t status_ = GIMMAL_UNINITIALISED;
};

// Watches a segment's elements pass, read only and noticed by nobody: from the oldest on, and it may miss some. Empty
// as the ends may be.
template <class T, kind K = kind::line> class tap : detail::element<T> {
public:
  // The element.
  using value_type = T;

  tap() noexcept = default;

  // Begins to watch; status() tells whether it could, with the errors of gimmal_shm_tap_open().
  explicit tap(const segment &where) noexcept {
    const gimmal_shm_options_t options = detail::of<T>(where, K);
    gimmal_shm_tap_t *opened = nullptr;
    status_ = gimmal_shm_tap_open(&options, &opened);
    handle_.reset(opened);
  }

  // Whether it watches a segment.
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // Why it watches none.
  [[nodiscard]] gimmal_status_t status() const noexcept { return status_; }

  // Watches no more.
  void reset() noexcept { handle_.reset(); }

  // Copies the next element, and with lanes tells the producer's place. GIMMAL_EMPTY, and `value` may be written then.
  gimmal_status_t next(T &value, std::size_t *ring = nullptr) noexcept {
    return gimmal_shm_tap_next(handle_.get(), &value, ring);
  }

  // The same; whether there was one.
  [[nodiscard]] bool try_next(T &value) noexcept { return next(value) == GIMMAL_OK; }

  // Elements that passed before they could be copied, wrapping.
  [[nodiscard]] std::size_t missed() const noexcept {
    std::size_t missed = 0;
    gimmal_shm_tap_missed(handle_.get(), &missed);
    return missed;
  }

  // Whether the segment was neither replaced nor removed.
  [[nodiscard]] bool is_current() const noexcept { return gimmal_shm_tap_status(handle_.get()) == GIMMAL_OK; }

private:
  std::unique_ptr<gimmal_shm_tap_t, detail::freer> handle_;
  gimmal_status_t status_ = GIMMAL_UNINITIALISED;
};

} // namespace shm
} // namespace v1
} // namespace gimmal

#endif // GIMMAL_SHM_HPP
