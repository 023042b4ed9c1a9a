#include "interrupted.h"

#include <stddef.h>

#include "../board/semihosting.h"

/* The linker's, around what is probed. Instructions are two bytes apart at least. */
extern const unsigned char probed_start[], probed_end[];

static uint8_t counts[8192 / 2];

void interrupted_at(uintptr_t address) {
  const uintptr_t start = (uintptr_t)probed_start;
  if (address >= start && address < (uintptr_t)probed_end) {
    uint8_t *count = &counts[(address - start) / 2];
    /* One of higher priority may come between, and its count be lost; that there was one is not. */
    if (*count != UINT8_MAX) {
      *count = (uint8_t)(*count + 1);
    }
  }
}

void interrupted_report(void) {
  const uintptr_t start = (uintptr_t)probed_start;
  for (size_t index = 0; index < sizeof counts / sizeof counts[0]; ++index) {
    if (counts[index] != 0) {
      char address[9];
      uintptr_t rest = start + 2 * index;
      address[8] = '\0';
      for (int digit = 7; digit >= 0; --digit, rest >>= 4) {
        address[digit] = "0123456789abcdef"[rest & 15];
      }
      say("at ");
      say(address);
      say_number("count", counts[index]);
      say("\n");
    }
  }
}
