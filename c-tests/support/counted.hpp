// Elements that know how many of them there are, and that can be told to throw.

#ifndef GIMMAL_TEST_COUNTED_HPP
#define GIMMAL_TEST_COUNTED_HPP

#include <set>
#include <utility>

#include "check.h"

// Move-only, without a default constructor, with a destructor that notices to be called twice, and throwing on demand.
struct counted {
  static inline std::set<const counted *> alive;
  static inline bool throws = false;

  explicit counted(int number) : value(number) { born(); }
  counted(counted &&other) noexcept(false) : value(other.value) {
    born();
    other.value = -1;
  }
  counted &operator=(counted &&other) noexcept(false) {
    fail_if_told();
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~counted() { CHECK(alive.erase(this) == 1); }

  int value;

private:
  static void fail_if_told() {
#if defined(__cpp_exceptions)
    if (throws) {
      throw 1;
    }
#endif
  }

  void born() {
    fail_if_told();
    CHECK(alive.insert(this).second);
  }
};

#endif // GIMMAL_TEST_COUNTED_HPP
