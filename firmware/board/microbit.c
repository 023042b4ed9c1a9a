/* The BBC micro:bit, a Cortex-M0: two timers of its nRF51822. */

#include "board.h"
#include "cortex-m.h"

/* `timer` is 0 or 1; its interrupt is 8 or 9. */
#define TIMER(timer, offset) REGISTER(0x40008000 + 0x1000 * (timer) + (offset))
#define TIMER_START(timer) TIMER(timer, 0x000)
#define TIMER_STOP(timer) TIMER(timer, 0x004)
#define TIMER_CLEAR(timer) TIMER(timer, 0x00C)
#define TIMER_EVENT(timer) TIMER(timer, 0x140)
#define TIMER_ENABLE_INTERRUPT(timer) TIMER(timer, 0x304)
#define TIMER_BITS(timer) TIMER(timer, 0x508)
#define TIMER_PRESCALER(timer) TIMER(timer, 0x510)
#define TIMER_COMPARE(timer) TIMER(timer, 0x540)
#define TIMER_INTERRUPT(timer) (8u + (timer))

enum { LOW_TIMER, HIGH_TIMER };

__attribute__((used)) static void low(uintptr_t interrupted) {
  TIMER_STOP(LOW_TIMER) = 1;
  TIMER_EVENT(LOW_TIMER) = 0;
  low_interrupt(interrupted);
}

__attribute__((used)) static void high(uintptr_t interrupted) {
  TIMER_STOP(HIGH_TIMER) = 1;
  TIMER_EVENT(HIGH_TIMER) = 0;
  high_interrupt(interrupted);
}

CORTEX_M_HANDLER(low_handler, low);
CORTEX_M_HANDLER(high_handler, high);

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 16])(void) = {
    stack_top,
    reset,
    fault,
    fault,
    [11] = fault,
    [14] = fault,
    [15] = fault,
    [16 + TIMER_INTERRUPT(LOW_TIMER)] = low_handler,
    [16 + TIMER_INTERRUPT(HIGH_TIMER)] = high_handler,
};

static void set_up(uint32_t timer) {
  TIMER_BITS(timer) = 3;
  TIMER_PRESCALER(timer) = 0;
  TIMER_ENABLE_INTERRUPT(timer) = 1u << 16;
}

void board_start(void) {
  set_up(LOW_TIMER);
  set_up(HIGH_TIMER);
  NVIC_PRIORITY(2) = 0xC0 | 0x40 << 8;
  NVIC_ENABLE = 1u << TIMER_INTERRUPT(LOW_TIMER) | 1u << TIMER_INTERRUPT(HIGH_TIMER);
}

void board_after(board_interrupt_t interrupt, uint32_t instructions) {
  const uint32_t timer = interrupt == BOARD_LOW ? LOW_TIMER : HIGH_TIMER;
  TIMER_CLEAR(timer) = 1;
  TIMER_COMPARE(timer) = instructions;
  TIMER_START(timer) = 1;
}
