/* What a compiler may call at any time, where there is no C library. */

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  unsigned char *place = to;
  const unsigned char *source = from;
  while (size-- != 0) {
    *place++ = *source++;
  }
  return to;
}

void *memset(void *to, int byte, size_t size) {
  unsigned char *place = to;
  while (size-- != 0) {
    *place++ = (unsigned char)byte;
  }
  return to;
}
