/* Text and a status for whoever holds the board's debugger: here the emulator. */

#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>
#include <stdnoreturn.h>

void say(const char *text);

/* " name=number" */
void say_number(const char *name, uint32_t number);

/* Ends the emulator with this status. */
noreturn void semihosting_exit(int status);

#endif /* SEMIHOSTING_H */
