/* The processor of both Cortex-M boards. */

#ifndef CORTEX_M_H
#define CORTEX_M_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define NVIC_ENABLE REGISTER(0xE000E100)
#define NVIC_PRIORITY(four) REGISTER(0xE000E400 + 4 * (four))

/* A handler that calls `handler(interrupted)`: the processor has pushed eight words, the seventh of them the address. */
#define CORTEX_M_HANDLER(name, handler)                                                                                \
  __attribute__((naked, used)) void name(void) { __asm volatile("ldr r0, [sp, #24]\n\tldr r1, =" #handler "\n\tbx r1"); } \
  _Static_assert(sizeof(&handler) == 4, "the handler exists")

/* No function, but an address among those of functions. */
void stack_top(void);

/* Where any fault ends: the emulator's status is 3. */
void fault(void);
void reset(void);

#endif /* CORTEX_M_H */
