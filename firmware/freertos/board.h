/* The board's timer, whose interrupt may call the kernel. */

#ifndef FREERTOS_BOARD_H
#define FREERTOS_BOARD_H

#include <stdint.h>

void timer_start(void);

/* The timer fires once, so many instructions from now, more or less. */
void timer_after(uint32_t instructions);

/* The program's handler. */
void timer_interrupt(void);

#endif /* FREERTOS_BOARD_H */
