/* Arm's semihosting interface, which RISC-V has adopted. */

#include "semihosting.h"

#include <stddef.h>

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20 };
enum { APPLICATION_EXIT = 0x20026 };

static void call(uintptr_t operation, const void *argument) {
#if defined(__aarch64__)
  register uintptr_t number __asm("x0") = operation;
  register const void *block __asm("x1") = argument;
  __asm volatile("hlt #0xf000" : "+r"(number) : "r"(block) : "memory");
#elif defined(__riscv)
  register uintptr_t number __asm("a0") = operation;
  register const void *block __asm("a1") = argument;
  /* The three instructions are recognised only uncompressed and on one page. */
  __asm volatile(
      ".balign 16\n\t.option push\n\t.option norvc\n\t"
      "slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t.option pop"
      : "+r"(number)
      : "r"(block)
      : "memory");
#else
  register uintptr_t number __asm("r0") = operation;
  register const void *block __asm("r1") = argument;
  __asm volatile("bkpt #0xab" : "+r"(number) : "r"(block) : "memory");
#endif
}

void say(const char *text) { call(WRITE0, text); }

void say_number(const char *name, uint32_t number) {
  char digits[11];
  size_t place = sizeof digits - 1;
  digits[place] = '\0';
  do {
    digits[--place] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  say(" ");
  say(name);
  say("=");
  say(&digits[place]);
}

noreturn void semihosting_exit(int status) {
  const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
  call(EXIT_EXTENDED, block);
  for (;;) {
  }
}
