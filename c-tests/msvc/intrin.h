/* Stands in for the header of the same name of Microsoft's compiler, by gcc's means, so that gimmal/msvc.h can be tried without that compiler. It
 * is no stronger than what it stands for on x86-64, but for the barriers, which bind gcc alone. */

#ifndef STAND_IN_FOR_INTRIN_H
#define STAND_IN_FOR_INTRIN_H

#include <immintrin.h>

#define __forceinline inline __attribute__((always_inline, unused))
#define __declspec(attribute) __attribute__((attribute, unused))
#define __assume(condition) __builtin_unreachable()
#define __int64 long

#define _ReadWriteBarrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define _m_prefetchw(address) __builtin_prefetch(address, 1)

/* Their `long` has 32 bits. */
#define _InterlockedExchange8(target, value) __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST)
#define _InterlockedCompareExchange64(target, value, expected) __sync_val_compare_and_swap(target, expected, value)
#define _InterlockedCompareExchange(target, value, expected)                                                           \
  __sync_val_compare_and_swap((volatile int *)(target), (int)(expected), (int)(value))
#define _InterlockedExchangeAdd64(target, value) __atomic_fetch_add(target, value, __ATOMIC_SEQ_CST)
#define _InterlockedOr64(target, value) __atomic_fetch_or(target, value, __ATOMIC_SEQ_CST)

#endif
