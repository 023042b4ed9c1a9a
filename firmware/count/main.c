/* How many instructions a push and a pop take, of gimmal's rings and of other queues: a line for each queue and element.
 *
 * An emulator that counts instructions is the clock. A push and a pop are called through pointers; what the call and the
 * loop take is measured with functions that do nothing, and left out.
 */

#include "count.h"

#include "../board/board.h"
#include "../board/semihosting.h"

enum { ROUNDS = 64 };

/* What a queue is filled with and emptied by. */
static uintptr_t value_of(const queue_t *queue, const element_t *element) {
  return queue->by_address ? (uintptr_t)element : element->words[0];
}

static __attribute__((noinline)) uint32_t push_nothing(void *end, uintptr_t value) {
  (void)end;
  return (uint32_t)value;
}

static __attribute__((noinline)) uint32_t pop_nothing(void *end, void *element) {
  (void)end;
  (void)element;
  return 0;
}

/* Times CAPACITY / 2 pushes and as many pops, ROUNDS times over. */
static void measure(const queue_t *queue, uint32_t *push, uint32_t *pop) {
  element_t element = {{1, 2, 3, 4}};
  *push = 0;
  *pop = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    /* So that the rounds begin anywhere between two ticks. */
    for (volatile int wait = round; wait != 0; --wait) {
    }
    uint32_t start = count_now();
    for (int count = 0; count < CAPACITY / 2; ++count) {
      queue->push(queue->ends[0], value_of(queue, &element));
    }
    *push += count_now() - start;
    start = count_now();
    for (int count = 0; count < CAPACITY / 2; ++count) {
      queue->pop(queue->ends[1], &element);
    }
    *pop += count_now() - start;
  }
}

/* Tenths of an instruction, of one of a measurement's calls. A function that does nothing has two, which were taken off with it:
 * one for its result, and its return. */
static uint32_t each(uint32_t ticks, uint32_t without) {
  const uint32_t calls = ROUNDS * (CAPACITY / 2);
  return (uint32_t)((uint64_t)(ticks - without) * COUNT_TENTHS / calls) + 20;
}

void count_queue(const queue_t *queue) {
  queue_t nothing = *queue;
  uint32_t push;
  uint32_t pop;
  uint32_t no_push;
  uint32_t no_pop;
  nothing.push = push_nothing;
  nothing.pop = pop_nothing;
  measure(&nothing, &no_push, &no_pop);
  measure(queue, &push, &pop);
  say("count ");
  say(queue->name);
  say(" element=");
  say(queue->element);
  say_number("push", each(push, no_push));
  say_number("pop", each(pop, no_pop));
  say_number("ram", queue->ram);
  say("\n");
}

void low_interrupt(uintptr_t interrupted) { (void)interrupted; }
void high_interrupt(uintptr_t interrupted) { (void)interrupted; }

void assertion_failed(void);
void assertion_failed(void) {
  say("an assertion failed\n");
  semihosting_exit(3);
}

int main(void) {
  count_start();
  count_gimmal();
  count_rust();
  count_kernel();
  return 0;
}
