/* What a program needs of a board: two interrupts, the second of higher priority, and a way out.
 *
 * An interrupt fires once, some time after it was asked for, wherever the program is then: under an emulator that counts
 * instructions (`qemu-system-... -icount`), at any instruction.
 */

#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>
#include <stdnoreturn.h>

typedef enum board_interrupt_t { BOARD_LOW, BOARD_HIGH } board_interrupt_t;

/* Sets both interrupts up; none fires before board_after(). */
void board_start(void);

/* No interrupt from here on. */
void board_stop(void);

/* Has an interrupt fire once, `instructions` from now, more or less. From its own handler, or while it is not due. */
void board_after(board_interrupt_t interrupt, uint32_t instructions);

/* The program's handlers, with the address of the instruction that they interrupted. */
void low_interrupt(uintptr_t interrupted);
void high_interrupt(uintptr_t interrupted);

/* The program. What it returns is the status that the emulator ends with. */
int main(void);

/* Clears .bss, copies .data and runs the program: where a board's reset arrives. */
noreturn void board_run(void);

#endif /* BOARD_H */
