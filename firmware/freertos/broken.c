/* The control: the linker puts these functions in the place of libgimmal's (`--wrap`). Their consumers hand a slot back before
 * they read it, so that the interrupt may write there first. What is lost must be seen.
 */

#include "../c-isr/ends.h"
#include "FreeRTOS.h"
#include "task.h"

gimmal_status_t __wrap_gimmal_ring_pop_wait(gimmal_ring_t *ring, void *element, gimmal_wait_t *wait, uint64_t nanoseconds);
gimmal_status_t __wrap_gimmal_mpsc_pop_wait(gimmal_mpsc_t *ring, void *element, gimmal_wait_t *wait, uint64_t nanoseconds);

gimmal_status_t __wrap_gimmal_ring_pop_wait(gimmal_ring_t *ring, void *element, gimmal_wait_t *wait, uint64_t nanoseconds) {
  (void)wait;
  (void)nanoseconds;
  while (ring_pop(ring, element) != GIMMAL_OK) {
    ulTaskNotifyTake(pdTRUE, 1);
  }
  return GIMMAL_OK;
}

gimmal_status_t __wrap_gimmal_mpsc_pop_wait(gimmal_mpsc_t *ring, void *element, gimmal_wait_t *wait, uint64_t nanoseconds) {
  (void)wait;
  (void)nanoseconds;
  while (mpsc_pop(ring, element) != GIMMAL_OK) {
    ulTaskNotifyTake(pdTRUE, 1);
  }
  return GIMMAL_OK;
}
