/* Arm's MPS2 board with a Cortex-M3 (application note 385): SysTick and, above it, the first of the CMSDK timers. */

#include "board.h"
#include "cortex-m.h"

#define SYSTICK_CONTROL REGISTER(0xE000E010)
#define SYSTICK_RELOAD REGISTER(0xE000E014)
#define SYSTICK_VALUE REGISTER(0xE000E018)
#define SYSTEM_PRIORITY_3 REGISTER(0xE000ED20)

#define TIMER_CONTROL REGISTER(0x40000000)
#define TIMER_VALUE REGISTER(0x40000004)
#define TIMER_RELOAD REGISTER(0x40000008)
#define TIMER_CLEAR REGISTER(0x4000000C)
#define TIMER_INTERRUPT 8

__attribute__((used)) static void systick(uintptr_t interrupted) {
  SYSTICK_CONTROL = 0;
  low_interrupt(interrupted);
}

__attribute__((used)) static void timer(uintptr_t interrupted) {
  TIMER_CONTROL = 0;
  TIMER_CLEAR = 1;
  high_interrupt(interrupted);
}

CORTEX_M_HANDLER(systick_handler, systick);
CORTEX_M_HANDLER(timer_handler, timer);


/* The processor's own sixteen, and as many of the board's. */
__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 16])(void) = {
    stack_top,
    reset,
    fault,
    fault,
    fault,
    fault,
    fault,
    [11] = fault,
    [12] = fault,
    [14] = fault,
    [15] = systick_handler,
    [16 + TIMER_INTERRUPT] = timer_handler,
};

void board_start(void) {
  SYSTEM_PRIORITY_3 = 0xC0000000;
  NVIC_PRIORITY(TIMER_INTERRUPT / 4) = 0x40u << 8 * (TIMER_INTERRUPT % 4);
  NVIC_ENABLE = 1u << TIMER_INTERRUPT;
}

void board_after(board_interrupt_t interrupt, uint32_t instructions) {
  if (interrupt == BOARD_LOW) {
    SYSTICK_RELOAD = instructions;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 7; /* on, with its interrupt, at the processor's clock */
  } else {
    TIMER_RELOAD = instructions;
    TIMER_VALUE = instructions;
    TIMER_CONTROL = 9; /* on, with its interrupt */
  }
}
