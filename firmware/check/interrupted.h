/* A histogram of the instructions that interrupts came before, of those between `probed_start` and `probed_end`. */

#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include <stdint.h>

/* Has a function counted. */
#define PROBED __attribute__((section(".text.probed"), noinline, used))

/* Interrupt handlers only. */
void interrupted_at(uintptr_t address);

/* Prints a line for each address that was interrupted: `at ADDRESS COUNT`, the address in hexadecimal. */
void interrupted_report(void);

#endif /* INTERRUPTED_H */
