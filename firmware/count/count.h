/* What is counted, and the clock. */

#ifndef COUNT_H
#define COUNT_H

#include <stddef.h>
#include <stdint.h>

enum { CAPACITY = 64 };

/* The largest element: smaller ones are its first bytes. */
typedef struct element_t {
  uint32_t words[4];
} element_t;

typedef struct queue_t {
  const char *name;
  const char *element;
  uint32_t by_address; /* a push gets the element's address, not its value */
  uint32_t (*push)(void *end, uintptr_t value);
  uint32_t (*pop)(void *end, void *element);
  void *ends[2];
  uint32_t ram; /* beside the elements */
} queue_t;

/* Measures and prints. */
void count_queue(const queue_t *queue);

void count_gimmal(void);
void count_rust(void);
void count_kernel(void);

/* The clock, and how many tenths of an instruction a tick is when the emulator counts 1 ns for each. */
void count_start(void);
uint32_t count_now(void);
#if defined(__riscv)
#define COUNT_TENTHS 10u
#elif defined(__ARM_ARCH_6M__)
#define COUNT_TENTHS 625u
#else
#define COUNT_TENTHS 400u
#endif

#endif /* COUNT_H */
