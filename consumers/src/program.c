/* Passes messages through a ring of libgimmal: half are taken by a call of the library, half by the inlined functions. */

#include "gimmal_inline.h"
#include <stdio.h>
#include <string.h>

#undef NDEBUG
#include <assert.h>

GIMMAL_LINE_RING_DEFINE(numbers, uint64_t, 100);
GIMMAL_LINE_RING_DECLARE(number_ring, uint64_t);

int main(void) {
  assert(gimmal_abi_version() == GIMMAL_ABI_VERSION);
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", GIMMAL_VERSION_MAJOR, GIMMAL_VERSION_MINOR, GIMMAL_VERSION_PATCH);
  assert(strcmp(gimmal_version(), version) == 0);

  gimmal_line_ring_t *ring = numbers_ring();
  uint64_t taken = 0;
  for (uint64_t sent = 0; sent < 1000; sent += 2) {
    const uint64_t pair[] = {sent, sent + 1};
    assert(gimmal_line_ring_push(ring, &pair[0]) == GIMMAL_OK);
    assert(number_ring_push(ring, &pair[1]) == GIMMAL_OK);
    uint64_t number;
    assert(number_ring_pop(ring, &number) == GIMMAL_OK && number == taken++);
    assert(gimmal_line_ring_pop(ring, &number) == GIMMAL_OK && number == taken++);
    assert(gimmal_line_ring_pop(ring, &number) == GIMMAL_EMPTY);
  }
  printf("gimmal %s: %d messages by C\n", gimmal_version(), (int)taken);
  return 0;
}
