/* Arm's MPS2 board with a Cortex-M3 under FreeRTOS: the kernel has SysTick, and a timer interrupts above it. */

#include "../board/cortex-m.h"

#include "../board/board.h"
#include "../board/semihosting.h"
#include "FreeRTOS.h"
#include "board.h"

#define TIMER_CONTROL REGISTER(0x40000000)
#define TIMER_VALUE REGISTER(0x40000004)
#define TIMER_RELOAD REGISTER(0x40000008)
#define TIMER_CLEAR REGISTER(0x4000000C)
#define TIMER_INTERRUPT 8

void service_call(void);
void switch_context(void);
void kernel_tick(void);

static void timer_handler(void) {
  TIMER_CONTROL = 0;
  TIMER_CLEAR = 1;
  timer_interrupt();
}

void assertion_failed(void) {
  say("an assertion of the kernel failed\n");
  semihosting_exit(3);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 16])(void) = {
    stack_top,
    reset,
    fault,
    fault,
    fault,
    fault,
    fault,
    [11] = service_call,
    [12] = fault,
    [14] = switch_context,
    [15] = kernel_tick,
    [16 + TIMER_INTERRUPT] = timer_handler,
};

void timer_start(void) {
  NVIC_PRIORITY(TIMER_INTERRUPT / 4) = (uint32_t)configMAX_SYSCALL_INTERRUPT_PRIORITY << 8 * (TIMER_INTERRUPT % 4);
  NVIC_ENABLE = 1u << TIMER_INTERRUPT;
}

void timer_after(uint32_t instructions) {
  TIMER_RELOAD = instructions;
  TIMER_VALUE = instructions;
  TIMER_CONTROL = 9;
}
