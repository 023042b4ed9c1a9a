/* QEMU's `virt` machine with a RISC-V core that has no atomic instructions: the machine's timer and, below it, the software
 * interrupt, which the timer's handler raises.
 */

#include <stdbool.h>

#include "board.h"
#include "semihosting.h"

#define SOFTWARE_INTERRUPT (*(volatile uint32_t *)0x02000000)
#define TIMER_COMPARE_LOW (*(volatile uint32_t *)0x02004000)
#define TIMER_COMPARE_HIGH (*(volatile uint32_t *)0x02004004)
#define TIMER_LOW (*(volatile uint32_t *)0x0200BFF8)
#define TIMER_HIGH (*(volatile uint32_t *)0x0200BFFC)

enum { MSTATUS_MIE = 8, MIE_SOFTWARE = 8, MIE_TIMER = 128 };
enum { CAUSE_SOFTWARE = 3, CAUSE_TIMER = 7 };

#define CSR_READ(name)                                                                                                 \
  (__extension__({                                                                                                     \
    uintptr_t read_;                                                                                                   \
    __asm volatile("csrr %0, " #name : "=r"(read_)::"memory");                                                         \
    read_;                                                                                                             \
  }))
#define CSR_WRITE(name, value) __asm volatile("csrw " #name ", %0" ::"r"(value) : "memory")
#define CSR_SET(name, bits) __asm volatile("csrs " #name ", %0" ::"r"(bits) : "memory")
#define CSR_CLEAR(name, bits) __asm volatile("csrc " #name ", %0" ::"r"(bits) : "memory")

/* The low interrupt is due when the high one ends. */
static bool low_is_due;

__attribute__((section(".text.reset"), naked, used)) void reset(void) {
  __asm volatile(
      ".option push\n\t.option norelax\n\tla gp, __global_pointer$\n\t.option pop\n\t"
      "la sp, stack_top\n\tj board_run");
}

static void timer(uintptr_t interrupted) {
  TIMER_COMPARE_HIGH = UINT32_MAX;
  high_interrupt(interrupted);
  if (low_is_due) {
    low_is_due = false;
    SOFTWARE_INTERRUPT = 1;
  }
}

/* Lets the timer in meanwhile. */
static void software(uintptr_t interrupted) {
  const uintptr_t status = CSR_READ(mstatus);
  SOFTWARE_INTERRUPT = 0;
  CSR_CLEAR(mie, MIE_SOFTWARE);
  CSR_SET(mstatus, MSTATUS_MIE);
  low_interrupt(interrupted);
  CSR_CLEAR(mstatus, MSTATUS_MIE);
  CSR_SET(mie, MIE_SOFTWARE);
  CSR_WRITE(mepc, interrupted);
  CSR_WRITE(mstatus, status);
}

__attribute__((interrupt("machine"), aligned(4))) static void trap(void) {
  const uintptr_t cause = CSR_READ(mcause);
  const uintptr_t interrupted = CSR_READ(mepc);
  if (cause == ((uintptr_t)1 << 31 | CAUSE_TIMER)) {
    timer(interrupted);
  } else if (cause == ((uintptr_t)1 << 31 | CAUSE_SOFTWARE)) {
    software(interrupted);
  } else {
    say("fault\n");
    semihosting_exit(3);
  }
}

void board_start(void) {
  TIMER_COMPARE_HIGH = UINT32_MAX;
  CSR_WRITE(mtvec, (uintptr_t)trap);
  CSR_SET(mie, MIE_SOFTWARE | MIE_TIMER);
  CSR_SET(mstatus, MSTATUS_MIE);
}

void board_stop(void) { CSR_CLEAR(mstatus, MSTATUS_MIE); }

void board_after(board_interrupt_t interrupt, uint32_t instructions) {
  if (interrupt == BOARD_LOW) {
    low_is_due = true;
  } else {
    /* A tick is 100 ns and an instruction 128; the upper half stays 0 for minutes. */
    const uint32_t at = TIMER_LOW + instructions;
    TIMER_COMPARE_LOW = at;
    TIMER_COMPARE_HIGH = TIMER_HIGH;
  }
}

uint32_t _critical_section_1_0_acquire(void);
void _critical_section_1_0_release(uint32_t enabled);

uint32_t _critical_section_1_0_acquire(void) {
  uint32_t status;
  __asm volatile("csrrci %0, mstatus, 8" : "=r"(status)::"memory");
  return status & MSTATUS_MIE;
}

void _critical_section_1_0_release(uint32_t enabled) { CSR_SET(mstatus, enabled); }
