/* Random numbers: xorshift, of Marsaglia (2003). Each context that needs some keeps a state of its own, never 0. */

#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint32_t random_next(uint32_t *state) {
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x;
}

#endif /* RANDOM_H */
