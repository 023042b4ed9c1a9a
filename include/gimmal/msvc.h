/* What the headers need of Microsoft's compiler, for x86, x64 and ARM64, with /std:c11 or /std:c++17. Part of
 * gimmal_inline.h.
 *
 * Written after the compiler's documentation. It has not met the compiler itself: c-tests/msvc runs the tests over it
 * with the intrinsics stood in for by gcc's.
 *
 * Loads and stores are volatile, which makes each one access of its width, and fences order them: C has no other
 * atomics without an experimental option, and in C++ std::atomic is no plain word. The _Interlocked functions are full
 * barriers.
 */

#ifndef GIMMAL_MSVC_H
#define GIMMAL_MSVC_H

#include <intrin.h>
#include <string.h>
#if defined(__cplusplus)
#include <atomic>
#endif

#if defined(_M_ARM64) || defined(_M_ARM64EC)
#define GIMMAL_MSVC_ARM64 1
#endif

#if defined(__cplusplus)
#define GIMMAL_INLINE __forceinline
#define GIMMAL_COLD inline __declspec(noinline)
#else
#define GIMMAL_INLINE static __forceinline
#define GIMMAL_COLD static __declspec(noinline)
#endif
#define GIMMAL_UNUSED

#define GIMMAL_UNLIKELY(condition) (!!(condition))
#define GIMMAL_UNREACHABLE() __assume(0)
#define GIMMAL_ASSUME_ALIGNED(pointer, align) (pointer)
#define GIMMAL_COPY(to, from, size) memcpy(to, from, size)
#define GIMMAL_FILL(to, byte, size) memset(to, byte, size)
#define GIMMAL_HIDE(value) ((void)0)

#define GIMMAL_RELAXED 0
#define GIMMAL_ACQUIRE 1
#define GIMMAL_RELEASE 2
#define GIMMAL_ACQUIRE_RELEASE 3
#define GIMMAL_SEQ_CST 4

/* Binds the compiler. */
GIMMAL_INLINE void gimmal_msvc_signal_fence(void) {
#if defined(__cplusplus)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  _ReadWriteBarrier();
#endif
}

/* Binds the compiler, and the processor as far as `order` asks: on x86 only a load after a store needs that. */
GIMMAL_INLINE void gimmal_msvc_thread_fence(int order) {
  if (order == GIMMAL_RELAXED) {
    return;
  }
  gimmal_msvc_signal_fence();
#if defined(GIMMAL_MSVC_ARM64)
  __dmb(_ARM64_BARRIER_ISH);
#else
  if (order == GIMMAL_SEQ_CST) {
    _mm_mfence();
  }
#endif
  gimmal_msvc_signal_fence();
}

#define GIMMAL_THREAD_FENCE(order) gimmal_msvc_thread_fence(order)
#define GIMMAL_SIGNAL_FENCE(order) ((void)(order), gimmal_msvc_signal_fence())

/* Loads of each width that the control block has. A fence behind a relaxed load makes an acquire of it. */
#define GIMMAL_MSVC_LOAD(name, type)                                                                                   \
  GIMMAL_INLINE type name(const type *object, int order) {                                                             \
    const type loaded = *(const volatile type *)object;                                                                \
    gimmal_msvc_thread_fence(order);                                                                                   \
    return loaded;                                                                                                     \
  }

#if defined(__cplusplus)
GIMMAL_MSVC_LOAD(gimmal_msvc_load, uint8_t)
GIMMAL_MSVC_LOAD(gimmal_msvc_load, uint32_t)
#if SIZE_MAX > UINT32_MAX
GIMMAL_MSVC_LOAD(gimmal_msvc_load, size_t)
#endif
#define GIMMAL_LOAD(object, order) gimmal_msvc_load(&(object), order)
#else
GIMMAL_MSVC_LOAD(gimmal_msvc_load_byte, uint8_t)
GIMMAL_MSVC_LOAD(gimmal_msvc_load_half, uint32_t)
#if SIZE_MAX > UINT32_MAX
GIMMAL_MSVC_LOAD(gimmal_msvc_load_word, size_t)
#define GIMMAL_MSVC_WORD , const size_t * : gimmal_msvc_load_word, size_t * : gimmal_msvc_load_word
#else
#define GIMMAL_MSVC_WORD
#endif
#define GIMMAL_LOAD(object, order)                                                                                     \
  _Generic(&(object),                                                                                                  \
      const uint8_t *: gimmal_msvc_load_byte,                                                                          \
      uint8_t *: gimmal_msvc_load_byte,                                                                                \
      const uint32_t *: gimmal_msvc_load_half,                                                                         \
      uint32_t *: gimmal_msvc_load_half GIMMAL_MSVC_WORD)(&(object), order)
#endif

/* A fence before a relaxed store makes a release of it. */
GIMMAL_INLINE void gimmal_msvc_store_byte(uint8_t *object, size_t value) {
  *(volatile uint8_t *)object = (uint8_t)value;
}
GIMMAL_INLINE void gimmal_msvc_store_half(uint32_t *object, size_t value) {
  *(volatile uint32_t *)object = (uint32_t)value;
}
GIMMAL_INLINE void gimmal_msvc_store_word(size_t *object, size_t value) { *(volatile size_t *)object = value; }
#define GIMMAL_STORE(object, value, order)                                                                             \
  (gimmal_msvc_thread_fence(order), sizeof(object) == 1 ? gimmal_msvc_store_byte((uint8_t *)(void *)&(object), value)  \
                                    : sizeof(object) == 4                                                              \
                                        ? gimmal_msvc_store_half((uint32_t *)(void *)&(object), value)                 \
                                        : gimmal_msvc_store_word((size_t *)(void *)&(object), value))

/* A byte. */
#define GIMMAL_EXCHANGE(object, value, order)                                                                          \
  ((void)(order), (uint8_t)_InterlockedExchange8((volatile char *)&(object), (char)(value)))

#if SIZE_MAX > UINT32_MAX
typedef __int64 gimmal_msvc_word_t;
#define GIMMAL_MSVC_INTERLOCKED(function) function##64
#else
typedef long gimmal_msvc_word_t;
#define GIMMAL_MSVC_INTERLOCKED(function) function
#endif

GIMMAL_INLINE bool gimmal_msvc_swap(size_t *word, size_t *expected, size_t value) {
  const size_t found = (size_t)GIMMAL_MSVC_INTERLOCKED(_InterlockedCompareExchange)(
      (volatile gimmal_msvc_word_t *)word, (gimmal_msvc_word_t)value, (gimmal_msvc_word_t)*expected);
  const bool swapped = found == *expected;
  *expected = found;
  return swapped;
}

GIMMAL_INLINE bool gimmal_msvc_swap_half(uint32_t *half, const uint32_t *expected, uint32_t value) {
  return (uint32_t)_InterlockedCompareExchange((volatile long *)half, (long)value, (long)*expected) == *expected;
}

#define GIMMAL_SWAP_WEAK(word, expected, value, success, failure) gimmal_msvc_swap(word, expected, value)
#define GIMMAL_SWAP_HALF(half, expected, value) gimmal_msvc_swap_half(half, expected, value)
#define GIMMAL_FETCH_ADD(word, value)                                                                                  \
  ((void)GIMMAL_MSVC_INTERLOCKED(_InterlockedExchangeAdd)((volatile gimmal_msvc_word_t *)(word),                       \
                                                          (gimmal_msvc_word_t)(value)))
#define GIMMAL_FETCH_OR(word, value)                                                                                   \
  ((void)GIMMAL_MSVC_INTERLOCKED(_InterlockedOr)((volatile gimmal_msvc_word_t *)(word), (gimmal_msvc_word_t)(value)))

#if defined(_M_X64)
#define GIMMAL_PREFETCH_FOR_WRITING(address) _m_prefetchw(address)
#define GIMMAL_LOAD_FENCE() _mm_lfence()
#elif defined(GIMMAL_MSVC_ARM64)
#define GIMMAL_PREFETCH_FOR_WRITING(address) __prefetch2(address, 16)
#endif
#if defined(_M_X64) || defined(_M_IX86)
#define GIMMAL_PAUSE() _mm_pause()
#endif

#endif /* GIMMAL_MSVC_H */
