/* An interrupt sends to a task, and both to another, which sleep in task notifications while there is nothing to take; and
 * the same from the interrupt by a queue of the kernel.
 *
 *   samples  by index, from the interrupt to the task `gather`
 *   results  of many producers, from the interrupt and from `gather` to the task `store`
 *   queue    a queue of FreeRTOS, from the interrupt to the task `compare`
 */

#include "../board/board.h"

#include "../board/semihosting.h"
#include "../check/random.h"
#include "../check/stream.h"
#include "FreeRTOS.h"
#include "board.h"
#include "gimmal_inline.h"
#include "queue.h"
#include "task.h"

enum { CAPACITY = 16, STACK_WORDS = 512 };
enum { FROM_INTERRUPT = 0, FROM_TASK = 1 };

GIMMAL_RING_DEFINE(samples, message_t, CAPACITY);
GIMMAL_MPSC_DEFINE(results, message_t, CAPACITY);

/* A task, and how it waits. */
typedef struct sleeper_t {
  TaskHandle_t handle;
  gimmal_wait_t wait;
  StaticTask_t task;
  StackType_t stack[STACK_WORDS];
} sleeper_t;

static sleeper_t gather, store, compare;
static QueueHandle_t queue;
static StaticQueue_t queue_object;
static uint8_t queue_storage[CAPACITY * sizeof(message_t)];

static sender_t samples_sender, results_interrupt = {.source = FROM_INTERRUPT}, results_task = {.source = FROM_TASK},
                                queue_sender;
static inbox_t samples_inbox, results_inbox, queue_inbox;

/* Set by a wake in the interrupt: a task of higher priority is ready. */
static BaseType_t switches;

/* ---- Waiting by the kernel ---- */

/* Sleeps until notified; a notification that came before ends the sleep at once. */
static void sleep(void *context, uint64_t nanoseconds) {
  const uint64_t ticks = nanoseconds / (1000000000u / configTICK_RATE_HZ) + 1;
  (void)context;
  ulTaskNotifyTake(pdTRUE, ticks > portMAX_DELAY ? portMAX_DELAY : (TickType_t)ticks);
}

/* Called wherever a push is: in the interrupt, or in a task. */
static void wake(void *context, uint32_t *bell) {
  const sleeper_t *sleeper = context;
  (void)bell;
  if (xPortIsInsideInterrupt() != pdFALSE) {
    vTaskNotifyGiveFromISR(sleeper->handle, &switches);
  } else {
    xTaskNotifyGive(sleeper->handle);
  }
}

static void start(sleeper_t *sleeper, const char *name, TaskFunction_t run, UBaseType_t priority) {
  const gimmal_wait_options_t options = {.sleep = sleep, .wake = wake, .context = sleeper};
  if (gimmal_wait_init(&sleeper->wait, GIMMAL_WAIT_CALLBACK, &options) != GIMMAL_OK) {
    assertion_failed();
  }
  sleeper->handle =
      xTaskCreateStatic(run, name, STACK_WORDS, NULL, priority, sleeper->stack, &sleeper->task);
}

/* ---- The interrupt ---- */

void timer_interrupt(void) {
  static uint32_t random = 0x2545F491;
  const uint32_t number = random_next(&random);
  switches = pdFALSE;
  for (uint32_t count = 4 + (number & 3); count != 0; --count) {
    message_t message = stream_next(&samples_sender);
    if (gimmal_ring_push_notify(samples_ring(), &message, &gather.wait) == GIMMAL_OK) {
      ++samples_sender.sent;
    }
    message = stream_next(&results_interrupt);
    if (gimmal_mpsc_push_notify(results_ring(), &message, &store.wait) == GIMMAL_OK) {
      ++results_interrupt.sent;
    }
    message = stream_next(&queue_sender);
    if (xQueueSendFromISR(queue, &message, &switches) == pdTRUE) {
      ++queue_sender.sent;
    }
  }
  timer_after(1 + (number >> 4) % 16384);
  portYIELD_FROM_ISR(switches);
}

/* ---- The tasks ---- */

static void run_gather(void *unused) {
  message_t message;
  (void)unused;
  while (gimmal_ring_pop_wait(samples_ring(), &message, &gather.wait, GIMMAL_WAIT_FOREVER) == GIMMAL_OK) {
    stream_receive(&samples_inbox, &message);
    message = stream_next(&results_task);
    if (gimmal_mpsc_push_notify(results_ring(), &message, &store.wait) == GIMMAL_OK) {
      ++results_task.sent;
    }
  }
  assertion_failed();
}

static void run_compare(void *unused) {
  message_t message;
  (void)unused;
  for (;;) {
    if (xQueueReceive(queue, &message, portMAX_DELAY) == pdTRUE) {
      stream_receive(&queue_inbox, &message);
    }
  }
}

/* What is left is in the rings when the program ends; that much may be missing and no more. */
static int finish(void) {
  message_t message;
  taskENTER_CRITICAL();
  while (gimmal_ring_pop(samples_ring(), &message) == GIMMAL_OK) {
    stream_receive(&samples_inbox, &message);
  }
  while (gimmal_mpsc_pop(results_ring(), &message) == GIMMAL_OK) {
    stream_receive(&results_inbox, &message);
  }
  while (uxQueueMessagesWaiting(queue) != 0 && xQueueReceive(queue, &message, 0) == pdTRUE) {
    stream_receive(&queue_inbox, &message);
  }
  stream_finish(&samples_inbox, &samples_sender);
  stream_finish(&results_inbox, &results_interrupt);
  stream_finish(&results_inbox, &results_task);
  stream_finish(&queue_inbox, &queue_sender);
  int sound = stream_report("samples", &samples_inbox);
  sound &= stream_report("results", &results_inbox);
  sound &= stream_report("queue", &queue_inbox);
  say(sound ? "passed\n" : "FAILED\n");
  return sound ? 0 : 1;
}

static void run_store(void *unused) {
  message_t message;
  (void)unused;
  while (results_inbox.received < (uint32_t)MESSAGES) {
    if (gimmal_mpsc_pop_wait(results_ring(), &message, &store.wait, GIMMAL_WAIT_FOREVER) != GIMMAL_OK) {
      assertion_failed();
    }
    stream_receive(&results_inbox, &message);
  }
  semihosting_exit(finish());
}

int main(void) {
  samples_ring();
  results_ring();
  queue = xQueueCreateStatic(CAPACITY, sizeof(message_t), queue_storage, &queue_object);
  start(&gather, "gather", run_gather, 3);
  start(&compare, "compare", run_compare, 2);
  start(&store, "store", run_store, 1);
  timer_start();
  timer_after(5000);
  vTaskStartScheduler();
  return 3;
}
