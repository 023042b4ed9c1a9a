/* Each board's clock. */

#include "count.h"

#if defined(__riscv)

void count_start(void) {}

uint32_t count_now(void) {
  uint32_t now;
  __asm volatile("csrr %0, minstret" : "=r"(now)::"memory");
  return now;
}

#else

#include "../board/cortex-m.h"

#if defined(__ARM_ARCH_6M__)

/* The first timer of the nRF51822, 16 MHz. */
#define TIMER_START REGISTER(0x40008000)
#define TIMER_CAPTURE REGISTER(0x40008040)
#define TIMER_BITS REGISTER(0x40008508)
#define TIMER_PRESCALER REGISTER(0x40008510)
#define TIMER_CAPTURED REGISTER(0x40008540)

void count_start(void) {
  TIMER_BITS = 3;
  TIMER_PRESCALER = 0;
  TIMER_START = 1;
}

uint32_t count_now(void) {
  TIMER_CAPTURE = 1;
  return TIMER_CAPTURED;
}

#else

/* The second of the CMSDK timers, 25 MHz, which counts down. */
#define TIMER_CONTROL REGISTER(0x40001000)
#define TIMER_VALUE REGISTER(0x40001004)
#define TIMER_RELOAD REGISTER(0x40001008)

void count_start(void) {
  TIMER_RELOAD = UINT32_MAX;
  TIMER_VALUE = UINT32_MAX;
  TIMER_CONTROL = 1;
}

uint32_t count_now(void) { return UINT32_MAX - TIMER_VALUE; }

#endif
#endif
