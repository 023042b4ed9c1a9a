/* Reset, faults, and the program's critical section. */

#include "cortex-m.h"

#include "board.h"
#include "semihosting.h"

void reset(void) { board_run(); }

void fault(void) {
  say("fault\n");
  semihosting_exit(3);
}

void board_stop(void) { __asm volatile("cpsid i" ::: "memory"); }

#if defined(__ARM_ARCH_6M__)
uint32_t _critical_section_1_0_acquire(void);
void _critical_section_1_0_release(uint32_t primask);

uint32_t _critical_section_1_0_acquire(void) {
  uint32_t primask;
  __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask)::"memory");
  return primask;
}

void _critical_section_1_0_release(uint32_t primask) { __asm volatile("msr primask, %0" ::"r"(primask) : "memory"); }
#endif
