// The clock and the spin hints; the twin of src/clock.rs and src/hint.rs.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench {

// The invariant counter, neither before what precedes it nor after what follows.
inline std::uint64_t now() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
  return ticks;
#else
#error "no invariant counter is known for this architecture"
#endif
}

// The counter, not before what precedes it: what follows need not wait for the reading.
inline std::uint64_t stamp() {
#if defined(__x86_64__)
  _mm_lfence();
  return __rdtsc();
#else
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
#endif
}

struct no_hint {
  static void relax() {}
};

struct pause_hint {
  static void relax() {
#if defined(__x86_64__)
    _mm_pause();
#else
    asm volatile("isb" ::: "memory");
#endif
  }
};

struct lfence_hint {
  static void relax() {
#if defined(__x86_64__)
    _mm_lfence();
#else
    asm volatile("dsb sy" ::: "memory");
#endif
  }
};

} // namespace bench
