/* FreeRTOS's queue, from a task and from an interrupt, and its stream buffer; nobody waits at any of them. */

#include "FreeRTOS.h"
#include "count.h"
#include "queue.h"
#include "stream_buffer.h"
#include "task.h"

static uint8_t storage[CAPACITY * sizeof(element_t) + 1];

static const void *address_of(const uintptr_t *value, size_t size) {
  return size > sizeof *value ? (const void *)*value : value;
}

#define FUNCTIONS(type, size)                                                                                          \
  static uint32_t queue_push_##type(void *end, uintptr_t value) {                                                      \
    return xQueueSend((QueueHandle_t)end, address_of(&value, size), 0) == pdTRUE;                                      \
  }                                                                                                                    \
  static uint32_t queue_pop_##type(void *end, void *element) {                                                         \
    return xQueueReceive((QueueHandle_t)end, element, 0) == pdTRUE;                                                    \
  }                                                                                                                    \
  static uint32_t isr_push_##type(void *end, uintptr_t value) {                                                        \
    BaseType_t switches = pdFALSE;                                                                                     \
    return xQueueSendFromISR((QueueHandle_t)end, address_of(&value, size), &switches) == pdTRUE;                       \
  }                                                                                                                    \
  static uint32_t isr_pop_##type(void *end, void *element) {                                                           \
    BaseType_t switches = pdFALSE;                                                                                     \
    return xQueueReceiveFromISR((QueueHandle_t)end, element, &switches) == pdTRUE;                                     \
  }                                                                                                                    \
  static uint32_t stream_push_##type(void *end, uintptr_t value) {                                                     \
    return xStreamBufferSend((StreamBufferHandle_t)end, address_of(&value, size), size, 0) == size;                    \
  }                                                                                                                    \
  static uint32_t stream_pop_##type(void *end, void *element) {                                                        \
    return xStreamBufferReceive((StreamBufferHandle_t)end, element, size, 0) == size;                                  \
  }

FUNCTIONS(u8, 1)
FUNCTIONS(u32, 4)
FUNCTIONS(b16, 16)

#define COUNT(type, size)                                                                                              \
  do {                                                                                                                 \
    StaticQueue_t queue;                                                                                               \
    StaticStreamBuffer_t buffer;                                                                                       \
    void *end = xQueueCreateStatic(CAPACITY, size, storage, &queue);                                                   \
    count_queue(&(queue_t){"freertos_queue", #type, size > 4, queue_push_##type, queue_pop_##type, {end, end},         \
                           sizeof queue});                                                                             \
    count_queue(&(queue_t){"freertos_queue_isr", #type, size > 4, isr_push_##type, isr_pop_##type, {end, end},         \
                           sizeof queue});                                                                             \
    end = xStreamBufferCreateStatic(CAPACITY * size + 1, 1, storage, &buffer);                                         \
    count_queue(&(queue_t){"freertos_stream", #type, size > 4, stream_push_##type, stream_pop_##type, {end, end},      \
                           sizeof buffer + 1});                                                                        \
  } while (0)

void count_kernel(void) {
  COUNT(u8, 1);
  COUNT(u32, 4);
  COUNT(b16, 16);
}
