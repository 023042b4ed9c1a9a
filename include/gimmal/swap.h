/* Words that several parties change: by the processor's compare-and-swap, or in a critical section where it has none.
 * Part of gimmal_inline.h.
 */

#ifndef GIMMAL_SWAP_H
#define GIMMAL_SWAP_H

#if defined(GIMMAL_SWAP_WEAK)

/* Makes `*word` `value` if it is `*expected`, and tells whether it did; if not, `*expected` becomes what it is. May
 * fail for no reason. `won` orders a swap, `lost` the load of one that fails. */
#define GIMMAL_SWAP(word, expected, value, won, lost) GIMMAL_SWAP_WEAK(word, expected, value, won, lost)

/* The same for half a word or less, relaxed, and it fails only if `*half` is not `expected`. */
GIMMAL_INLINE bool gimmal_swap_half(uint32_t *half, uint32_t expected, uint32_t value) {
  return GIMMAL_SWAP_HALF(half, &expected, value);
}

/* Relaxed. */
GIMMAL_INLINE void gimmal_add(size_t *word, size_t value) { GIMMAL_FETCH_ADD(word, value); }

GIMMAL_INLINE void gimmal_set_bits(size_t *word, size_t bits) { GIMMAL_FETCH_OR(word, bits); }

#else

/* The critical section of the whole program, which Rust code enters by the same two functions: those of its crate
 * critical-section 1. The program defines them, or a crate of it does, for this state. They nest, and order what comes
 * before one section before what comes after the next. */
#ifndef GIMMAL_RESTORE_STATE
#define GIMMAL_RESTORE_STATE uint32_t
#endif

#if defined(__cplusplus)
extern "C" {
#endif
GIMMAL_RESTORE_STATE _critical_section_1_0_acquire(void);
void _critical_section_1_0_release(GIMMAL_RESTORE_STATE state);
#if defined(__cplusplus)
}
#endif

/* As above; its load and its store order as much as any caller asks for. */
#define GIMMAL_SWAP(word, expected, value, won, lost) gimmal_swap_within(word, expected, value)
GIMMAL_INLINE bool gimmal_swap_within(size_t *word, size_t *expected, size_t value) {
  const GIMMAL_RESTORE_STATE state = _critical_section_1_0_acquire();
  const size_t found = GIMMAL_LOAD(*word, GIMMAL_ACQUIRE);
  const bool swaps = found == *expected;
  if (swaps) {
    /* Release, for those who load outside of the section. */
    GIMMAL_STORE(*word, value, GIMMAL_RELEASE);
  }
  _critical_section_1_0_release(state);
  *expected = found;
  return swaps;
}

GIMMAL_INLINE bool gimmal_swap_half(uint32_t *half, uint32_t expected, uint32_t value) {
  const GIMMAL_RESTORE_STATE state = _critical_section_1_0_acquire();
  const bool swaps = GIMMAL_LOAD(*half, GIMMAL_RELAXED) == expected;
  if (swaps) {
    GIMMAL_STORE(*half, value, GIMMAL_RELAXED);
  }
  _critical_section_1_0_release(state);
  return swaps;
}

GIMMAL_INLINE void gimmal_add(size_t *word, size_t value) {
  const GIMMAL_RESTORE_STATE state = _critical_section_1_0_acquire();
  GIMMAL_STORE(*word, GIMMAL_LOAD(*word, GIMMAL_RELAXED) + value, GIMMAL_RELAXED);
  _critical_section_1_0_release(state);
}

GIMMAL_INLINE void gimmal_set_bits(size_t *word, size_t bits) {
  const GIMMAL_RESTORE_STATE state = _critical_section_1_0_acquire();
  GIMMAL_STORE(*word, GIMMAL_LOAD(*word, GIMMAL_RELAXED) | bits, GIMMAL_RELAXED);
  _critical_section_1_0_release(state);
}

#endif

#endif /* GIMMAL_SWAP_H */
