/* What the headers need of a compiler beside the language: gcc's and clang's means here, Microsoft's in gimmal/msvc.h.
 * Part of gimmal_inline.h.
 */

#ifndef GIMMAL_COMPILER_H
#define GIMMAL_COMPILER_H

/* C++ wants one definition in the whole program, C one in every file. */
#if defined(__cplusplus)
#define GIMMAL_ALIGNOF(type) alignof(type)
#define GIMMAL_ALIGNAS(align) alignas(align)
#define GIMMAL_STATIC_ASSERT(condition, message) static_assert(condition, message)
#define GIMMAL_CONSTANT constexpr GIMMAL_INLINE
#else
#define GIMMAL_ALIGNOF(type) _Alignof(type)
#define GIMMAL_ALIGNAS(align) _Alignas(align)
#define GIMMAL_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#define GIMMAL_CONSTANT GIMMAL_INLINE
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include "msvc.h"
#else

#if defined(__cplusplus)
#define GIMMAL_INLINE inline __attribute__((always_inline))
#define GIMMAL_COLD inline __attribute__((noinline, cold))
#else
#define GIMMAL_INLINE static inline __attribute__((always_inline, unused))
#define GIMMAL_COLD static __attribute__((noinline, cold, unused))
#endif
#define GIMMAL_UNUSED __attribute__((unused))

#define GIMMAL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define GIMMAL_UNREACHABLE() __builtin_unreachable()
#define GIMMAL_ASSUME_ALIGNED(pointer, align) __builtin_assume_aligned(pointer, align)
#define GIMMAL_COPY(to, from, size) __builtin_memcpy(to, from, size)
#define GIMMAL_FILL(to, byte, size) __builtin_memset(to, byte, size)
/* Makes a value one that the compiler knows nothing of. */
#define GIMMAL_HIDE(value) __asm__("" : "+r"(value))

#define GIMMAL_RELAXED __ATOMIC_RELAXED
#define GIMMAL_ACQUIRE __ATOMIC_ACQUIRE
#define GIMMAL_RELEASE __ATOMIC_RELEASE
#define GIMMAL_SEQ_CST __ATOMIC_SEQ_CST

/* For all cores, and for one core's interrupts alone. */
#define GIMMAL_THREAD_FENCE(order) __atomic_thread_fence(order)
#define GIMMAL_SIGNAL_FENCE(order) __atomic_signal_fence(order)

#if defined(__clang__) && !defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4)
/* Without compare-and-swap clang calls a library even to load or to store, though the processor does either at once:
 * here fences order them. */
#define GIMMAL_LOAD(object, order)                                                                                     \
  (__extension__({                                                                                                     \
    __typeof__(object) gimmal_loaded = *(const volatile __typeof__(object) *)&(object);                                \
    if ((order) != GIMMAL_RELAXED) {                                                                                   \
      __atomic_thread_fence(order);                                                                                    \
    }                                                                                                                  \
    gimmal_loaded;                                                                                                     \
  }))
#define GIMMAL_STORE(object, value, order)                                                                             \
  do {                                                                                                                 \
    if ((order) != GIMMAL_RELAXED) {                                                                                   \
      __atomic_thread_fence(order);                                                                                    \
    }                                                                                                                  \
    *(volatile __typeof__(object) *)&(object) = (value);                                                               \
  } while (0)
#elif defined(__GNUC__)
#define GIMMAL_LOAD(object, order) __atomic_load_n(&(object), (order))
#define GIMMAL_STORE(object, value, order) __atomic_store_n(&(object), (value), (order))
#else
#error "gimmal_inline.h knows the atomics of gcc, clang and Microsoft's compiler only"
#endif

/* A byte; where the processor has an exchange. */
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_1)
#define GIMMAL_EXCHANGE(object, value, order) __atomic_exchange_n(&(object), (value), (order))
#endif

#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8) ||                                                                     \
    (SIZE_MAX <= UINT32_MAX && defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4))
/* A word: makes it `value` if it is `*expected`, which becomes what it is; may fail for no reason. */
#define GIMMAL_SWAP_WEAK(word, expected, value, success, failure)                                                      \
  __atomic_compare_exchange_n(word, expected, value, true, success, failure)
/* Half a word, relaxed; does not fail for no reason. */
#define GIMMAL_SWAP_HALF(half, expected, value)                                                                        \
  __atomic_compare_exchange_n(half, expected, value, false, GIMMAL_RELAXED, GIMMAL_RELAXED)
/* A word, relaxed. */
#define GIMMAL_FETCH_ADD(word, value) __atomic_fetch_add(word, value, GIMMAL_RELAXED)
#define GIMMAL_FETCH_OR(word, value) __atomic_fetch_or(word, value, GIMMAL_RELAXED)
#define GIMMAL_ACQUIRE_RELEASE __ATOMIC_ACQ_REL
#endif

/* The processor's hints: a prefetch for writing, since the compilers' builtins emit one for reading; an order of loads;
 * a pause in a polling loop. */
#if defined(__x86_64__)
#define GIMMAL_PREFETCH_FOR_WRITING(address) __asm__ volatile("prefetchw %0" : : "m"(*(const char *)(address)))
#define GIMMAL_LOAD_FENCE() __asm__ volatile("lfence")
#elif defined(__aarch64__)
#define GIMMAL_PREFETCH_FOR_WRITING(address) __asm__ volatile("prfm pstl1keep, [%0]" : : "r"(address))
#endif
#if defined(__x86_64__) || defined(__i386__)
#define GIMMAL_PAUSE() __builtin_ia32_pause()
#endif

#endif

#endif /* GIMMAL_COMPILER_H */
