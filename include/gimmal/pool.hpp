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

// N slots for objects of type T, handed out one by one to any thread and given back by any other, in place of new and
// delete. All zeros, in .bss if static; nothing to initialise.
//
//     static gimmal::pool<frame, 64> frames;
//
//     auto f = frames.emplace(...);      // empty if no slot is free
//     if (f) { use(*f); }                // at the end of its scope the object is destroyed and the slot given back
//
// To pass an object to another thread, move the handle, or pass what its release() gives through a ring and adopt()
// that. Taking a slot and giving it back are lock-free. A pool must not be destroyed before its handles.
template <class T, std::size_t N, spacing Spacing = spacing::padded> class pool {
  static_assert(N > 0 && N <= (sizeof(std::size_t) == 4 ? (std::size_t{1} << 24) - 1 : std::size_t{1} << 30),
                "no pool has so many slots");

  static constexpr std::size_t slot_align = Spacing == spacing::padded && alignof(T) < 64 ? 64 : alignof(T);
  struct alignas(slot_align) slot {
    unsigned char bytes[(sizeof(T) + slot_align - 1) / slot_align * slot_align];
  };

public:
  // An object in a slot, and the only way to it. Move-only.
  class handle {
  public:
    handle() noexcept = default;
    handle(handle &&other) noexcept : pool_(other.pool_), object_(std::exchange(other.object_, nullptr)) {}
    handle &operator=(handle &&other) noexcept {
      if (this != &other) {
        reset();
        pool_ = other.pool_;
        object_ = std::exchange(other.object_, nullptr);
      }
      return *this;
    }
    ~handle() { reset(); }

    explicit operator bool() const noexcept { return object_ != nullptr; }
    [[nodiscard]] T *get() const noexcept { return object_; }
    T &operator*() const noexcept { return *object_; }
    T *operator->() const noexcept { return object_; }

    // Destroys the object and gives the slot back, if there is one.
    void reset() noexcept {
      if (object_ != nullptr) {
        T *const object = std::exchange(object_, nullptr);
        object->~T();
        pool_->put(object);
      }
    }

    // The object, which stays, and whose slot is out of the pool until it is adopted again.
    [[nodiscard]] T *release() noexcept { return std::exchange(object_, nullptr); }

  private:
    friend class pool;
    handle(pool *from, T *object) noexcept : pool_(from), object_(object) {}

    pool *pool_ = nullptr;
    T *object_ = nullptr;
  };

  // The owner of a list of free slots of its own: for the one thread that takes most. It takes a slot with no atomic
  // exchange; when its list is used up, it moves all the slots that were given back meanwhile to it. Move-only.
  class owner {
  public:
    owner(owner &&other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
    owner &operator=(owner &&) = delete;
    ~owner() {
      if (pool_ != nullptr) {
        gimmal_pool_disown(pool_->c_pool(), N);
      }
    }

    // Whether the list is this one's: it had no other owner.
    explicit operator bool() const noexcept { return pool_ != nullptr; }

    // Makes an object in a free slot; the handle is empty if there is none.
    template <class... Args> [[nodiscard]] handle emplace(Args &&...args) {
      return pool_->construct(gimmal_pool_take_owned(pool_->c_pool(), N), std::forward<Args>(args)...);
    }

    // Destroys an object of this pool, and puts its slot on the list.
    void give_back(handle object) noexcept {
      if (T *const at = object.release()) {
        at->~T();
        if (object.pool_ == pool_) {
          gimmal_pool_put_owned(pool_->c_pool(), N, pool_->index_of(at));
        } else {
          object.pool_->put(at);
        }
      }
    }

  private:
    friend class pool;
    explicit owner(pool *of) noexcept : pool_(of) {}

    pool *pool_;
  };

  constexpr pool() noexcept = default;
  pool(const pool &) = delete;
  pool &operator=(const pool &) = delete;

  // Makes an object in a free slot; the handle is empty if there is none. If the constructor throws, the slot goes
  // back. Any thread.
  template <class... Args> [[nodiscard]] handle emplace(Args &&...args) {
    return construct(gimmal_pool_take(c_pool(), N), std::forward<Args>(args)...);
  }

  // The handle of an object that was released from one. Any thread.
  [[nodiscard]] handle adopt(T *object) noexcept { return handle(this, object); }

  // Claims the owner's list; the owner is empty if the list has one. Any thread.
  [[nodiscard]] owner claim_owner() noexcept {
    return owner(gimmal_claim_end(&control_.owner_claimed) ? this : nullptr);
  }

  // How many slots are free. Exact while nobody takes or gives back any, and else a guess. Takes time in proportion.
  [[nodiscard]] std::size_t available() noexcept { return gimmal_pool_count_free(c_pool(), N); }
  static constexpr std::size_t capacity() noexcept { return N; }

  // The pool for the functions of gimmal.h and for Rust, its geometry published.
  [[nodiscard]] gimmal_pool_t *publish() noexcept {
    gimmal_pool_publish(c_pool(), sizeof(T), alignof(T), sizeof(slot), offsetof(pool, slots_), N);
    return c_pool();
  }

private:
  // The whole pool, and not only the control block that it begins with.
  gimmal_pool_t *c_pool() noexcept { return static_cast<gimmal_pool_t *>(static_cast<void *>(this)); }

  std::size_t index_of(const T *object) const noexcept {
    return static_cast<std::size_t>(reinterpret_cast<const slot *>(object) - slots_);
  }

  void put(const T *object) noexcept { gimmal_pool_put(c_pool(), N, index_of(object)); }

  template <class... Args> handle construct(std::size_t index, Args &&...args) {
    if (index == GIMMAL_NO_SLOT) {
      return {};
    }
    // Gives the slot back if the constructor throws.
    struct guard {
      pool *from;
      std::size_t index;
      ~guard() {
        if (from != nullptr) {
          gimmal_pool_put(from->c_pool(), N, index);
        }
      }
    } slot_guard{this, index};
    T *const object = ::new (static_cast<void *>(&slots_[index])) T(std::forward<Args>(args)...);
    slot_guard.from = nullptr;
    return handle(this, object);
  }

  gimmal_pool_t control_{};
  std::uint32_t links_[N]{};
  slot slots_[N]{};
};

} // namespace v1
} // namespace gimmal

#endif // GIMMAL_POOL_HPP
