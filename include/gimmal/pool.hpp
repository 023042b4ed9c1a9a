// A pool of slots. Part of gimmal.hpp.

#ifndef GIMMAL_POOL_HPP
#define GIMMAL_POOL_HPP

#include "../gimmal_inline.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gimmal {
inline namespace v1 {

// How far a pool's slots lie apart: each on cache lines of its own, of 64 bytes, or side by side.
enum class spacing { padded, dense };

namespace detail {

// An object in a slot, and the only way to it. Move-only. `Home` is the pool: it knows its slots.
template <class T, class Home> class pool_handle {
public:
  pool_handle() noexcept = default;
  pool_handle(Home home, T *object) noexcept : home_(home), object_(object) {}
  pool_handle(pool_handle &&other) noexcept : home_(other.home_), object_(std::exchange(other.object_, nullptr)) {}
  pool_handle &operator=(pool_handle &&other) noexcept {
    if (this != &other) {
      reset();
      home_ = other.home_;
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~pool_handle() { reset(); }

  explicit operator bool() const noexcept { return object_ != nullptr; }
  [[nodiscard]] T *get() const noexcept { return object_; }
  T &operator*() const noexcept { return *object_; }
  T *operator->() const noexcept { return object_; }

  // Destroys the object and gives the slot back, if there is one.
  void reset() noexcept {
    if (object_ != nullptr) {
      T *const object = std::exchange(object_, nullptr);
      object->~T();
      gimmal_pool_put(home_.control(), home_.count(), home_.index_of(object));
    }
  }

  // The object, which stays, and whose slot is out of the pool until it is adopted again.
  [[nodiscard]] T *release() noexcept { return std::exchange(object_, nullptr); }

  // The number of the slot, under which C, Rust or another process can have the object, which stays; the slot is out of
  // the pool until the number comes back. The handle must not be empty.
  [[nodiscard]] std::uint32_t release_index() noexcept {
    const std::size_t index = home_.index_of(std::exchange(object_, nullptr));
    gimmal_pool_hand_out(home_.control(), index);
    return static_cast<std::uint32_t>(index);
  }

  // The pool that the slot belongs to.
  [[nodiscard]] Home home() const noexcept { return home_; }

private:
  Home home_{};
  T *object_ = nullptr;
};

// Makes an object in a slot that was taken, if one was; if the constructor throws, the slot goes back.
template <class T, class Home, class... Args>
pool_handle<T, Home> construct(Home home, std::size_t index, Args &&...args) {
  if (index == GIMMAL_NO_SLOT) {
    return {};
  }
  struct guard {
    Home home;
    std::size_t index;
    ~guard() {
      if (index != GIMMAL_NO_SLOT) {
        gimmal_pool_put(home.control(), home.count(), index);
      }
    }
  } slot_guard{home, index};
  T *const object = ::new (home.at(index)) T(std::forward<Args>(args)...);
  slot_guard.index = GIMMAL_NO_SLOT;
  return {home, object};
}

// The handle of the object in the slot that is out under this number; empty if no slot is.
template <class T, class Home> pool_handle<T, Home> adopt(Home home, std::uint32_t index) noexcept {
  if (!gimmal_pool_take_back(home.control(), home.count(), index)) {
    return {};
  }
  return {home, std::launder(static_cast<T *>(home.at(index)))};
}

// The owner of a list of free slots of its own: for the one thread that takes most. It takes a slot with no atomic
// exchange; when its list is used up, it moves all the slots that were given back meanwhile to it. Move-only.
template <class T, class Home> class pool_owner {
public:
  // Claims the list, if the pool is there and its list has no owner.
  explicit pool_owner(Home home) noexcept {
    if (home.control() != nullptr && gimmal_claim_end(&home.control()->owner_claimed)) {
      home_ = home;
    }
  }
  pool_owner(pool_owner &&other) noexcept : home_(std::exchange(other.home_, Home{})) {}
  pool_owner &operator=(pool_owner &&) = delete;
  ~pool_owner() {
    if (home_.control() != nullptr) {
      gimmal_pool_disown(home_.control(), home_.count());
    }
  }

  // Whether the list is this one's: it had no other owner.
  explicit operator bool() const noexcept { return home_.control() != nullptr; }

  // Makes an object in a free slot; the handle is empty if there is none.
  template <class... Args> [[nodiscard]] pool_handle<T, Home> emplace(Args &&...args) {
    return construct<T>(home_, gimmal_pool_take_owned(home_.control(), home_.count()), std::forward<Args>(args)...);
  }

  // Destroys an object, and puts its slot on the list; one of another pool goes back to that.
  void give_back(pool_handle<T, Home> object) noexcept {
    if (object && object.home().control() == home_.control()) {
      T *const at = object.release();
      at->~T();
      gimmal_pool_put_owned(home_.control(), home_.count(), home_.index_of(at));
    }
  }

private:
  Home home_{};
};

} // namespace detail

// N slots for objects of type T, handed out one by one to any thread and given back by any other, in place of new and
// delete. All zeros, in .bss if static; nothing to initialise.
//
//     static gimmal::pool<frame, 64> frames;
//
//     auto f = frames.emplace(...);      // empty if no slot is free
//     if (f) { use(*f); }                // at the end of its scope the object is destroyed and the slot given back
//
// To pass an object to another thread, move the handle, or pass what its release() gives through a ring and adopt()
// that; to another language or process, what its release_index() gives. Taking a slot and giving it back are lock-free.
// A pool must not be destroyed before its handles.
template <class T, std::size_t N, spacing Spacing = spacing::padded> class pool {
  static_assert(N > 0 && N <= (sizeof(std::size_t) == 4 ? (std::size_t{1} << 24) - 1 : std::size_t{1} << 30),
                "a pool has from 1 to 2^30 slots, 2^24 where words have 32 bits");

  static constexpr std::size_t slot_align = Spacing == spacing::padded && alignof(T) < 64 ? 64 : alignof(T);
  struct alignas(slot_align) slot {
    unsigned char bytes[(sizeof(T) + slot_align - 1) / slot_align * slot_align];
  };

  // The pool as its handles know it.
  class home {
  public:
    home() noexcept = default;
    explicit home(pool *of) noexcept : pool_(of) {}

    // The whole pool, and not only the control block that it begins with.
    [[nodiscard]] gimmal_pool_t *control() const noexcept {
      return static_cast<gimmal_pool_t *>(static_cast<void *>(pool_));
    }
    [[nodiscard]] static constexpr std::size_t count() noexcept { return N; }
    [[nodiscard]] void *at(std::size_t index) const noexcept { return &pool_->slots_[index]; }
    [[nodiscard]] std::size_t index_of(const T *object) const noexcept {
      return static_cast<std::size_t>(reinterpret_cast<const slot *>(object) - pool_->slots_);
    }

  private:
    pool *pool_ = nullptr;
  };

public:
  // Who holds a slot, and who takes slots without a compare-and-swap.
  using handle = detail::pool_handle<T, home>;
  using owner = detail::pool_owner<T, home>;

  constexpr pool() noexcept = default;
  pool(const pool &) = delete;
  pool &operator=(const pool &) = delete;

  // Makes an object in a free slot; the handle is empty if there is none. If the constructor throws, the slot goes
  // back. Any thread.
  template <class... Args> [[nodiscard]] handle emplace(Args &&...args) {
    return detail::construct<T>(home(this), gimmal_pool_take(c_pool(), N), std::forward<Args>(args)...);
  }

  // The handle of an object that was released from one. Any thread.
  [[nodiscard]] handle adopt(T *object) noexcept { return handle(home(this), object); }

  // The handle of the object in the slot that is out under this number, by release_index() or by C or Rust; empty if no
  // slot is: it came back before. Any thread, which is entitled to the object.
  [[nodiscard]] handle adopt_index(std::uint32_t index) noexcept { return detail::adopt<T>(home(this), index); }

  // Claims the owner's list; the owner is empty if the list has one. Any thread.
  [[nodiscard]] owner claim_owner() noexcept { return owner(home(this)); }

  // How many slots are free. Exact while nobody takes or gives back any, and else a guess. Takes time in proportion.
  [[nodiscard]] std::size_t available() noexcept { return gimmal_pool_count_free(c_pool(), N); }
  static constexpr std::size_t capacity() noexcept { return N; }

  // The pool for the functions of gimmal.h and for Rust, its geometry published.
  [[nodiscard]] gimmal_pool_t *publish() noexcept {
    gimmal_pool_publish(c_pool(), sizeof(T), alignof(T), sizeof(slot), offsetof(pool, slots_), N);
    return c_pool();
  }

private:
  gimmal_pool_t *c_pool() noexcept { return home(this).control(); }

  gimmal_pool_t control_{};
  std::uint32_t links_[N]{};
  slot slots_[N]{};
};

// A pool of slots for `T` that was laid out elsewhere: by Rust, by C, in shared memory. It does not own it, and may be
// copied. T is plain data, since others see its bytes.
template <class T> class pool_view {
  static_assert(std::is_trivially_copyable_v<T>, "only bytes can be shared with whoever laid the pool out");

  // The pool as its handles know it.
  class home {
  public:
    home() noexcept = default;
    explicit home(gimmal_pool_t *control) noexcept
        : control_(control), count_(gimmal_stated_half(&control->count)),
          stride_(gimmal_stated_half(&control->stride)) {}

    [[nodiscard]] gimmal_pool_t *control() const noexcept { return control_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] void *at(std::size_t index) const noexcept { return gimmal_pool_slot(control_, index); }
    [[nodiscard]] std::size_t index_of(const T *object) const noexcept {
      const auto *const first = static_cast<const unsigned char *>(at(0));
      return static_cast<std::size_t>(reinterpret_cast<const unsigned char *>(object) - first) / stride_;
    }

  private:
    gimmal_pool_t *control_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t stride_ = 1;
  };

public:
  // What is in the slots, who holds one of them, and who takes slots without a compare-and-swap.
  using value_type = T;
  using handle = detail::pool_handle<T, home>;
  using owner = detail::pool_owner<T, home>;

  // Views nothing.
  pool_view() noexcept = default;

  // Views the pool that begins at `memory`, if the `size` bytes there hold a published one of slots for elements of T's
  // size and alignment, laid out for this machine and wholly inside. If not, `status()` says why: GIMMAL_NULL_POINTER,
  // GIMMAL_MISALIGNED, GIMMAL_TOO_SMALL, GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT.
  // What is checked is trusted from then on: memory that a hostile party writes needs more than this. Anyone may call
  // it.
  pool_view(void *memory, std::size_t size) noexcept : status_(gimmal_pool_check(memory, size, sizeof(T), alignof(T))) {
    if (status_ == GIMMAL_OK) {
      home_ = home(static_cast<gimmal_pool_t *>(memory));
    }
  }

  // Views a pool that C code hands over, checked likewise but for the size of its memory.
  explicit pool_view(gimmal_pool_t *pool) noexcept : pool_view(pool, SIZE_MAX) {}

  // Whether it views one.
  explicit operator bool() const noexcept { return home_.control() != nullptr; }

  // GIMMAL_OK, or why it views nothing.
  [[nodiscard]] gimmal_status_t status() const noexcept { return status_; }

  // The following need a pool to view, but for claim_owner(). They are those of `pool`; any thread may call them. The
  // handles may outlive the view.
  template <class... Args> [[nodiscard]] handle emplace(Args &&...args) const {
    return detail::construct<T>(home_, gimmal_pool_take(c_pool(), home_.count()), std::forward<Args>(args)...);
  }
  [[nodiscard]] handle adopt(T *object) const noexcept { return handle(home_, object); }
  [[nodiscard]] handle adopt_index(std::uint32_t index) const noexcept { return detail::adopt<T>(home_, index); }
  [[nodiscard]] owner claim_owner() const noexcept { return owner(home_); }
  [[nodiscard]] std::size_t available() const noexcept { return gimmal_pool_count_free(c_pool(), home_.count()); }
  [[nodiscard]] std::size_t capacity() const noexcept { return home_.count(); }

  // The pool for the functions of gimmal.h; nullptr if this views nothing.
  [[nodiscard]] gimmal_pool_t *c_pool() const noexcept { return home_.control(); }

private:
  home home_;
  gimmal_status_t status_ = GIMMAL_NULL_POINTER;
};

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_POOL_HPP
