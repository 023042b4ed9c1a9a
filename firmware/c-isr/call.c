/* By the functions of libgimmal. */

#include "ends.h"

gimmal_status_t ring_push(gimmal_ring_t *ring, const message_t *message) { return gimmal_ring_push(ring, message); }
gimmal_status_t ring_pop(gimmal_ring_t *ring, message_t *message) { return gimmal_ring_pop(ring, message); }
gimmal_status_t mpsc_push(gimmal_mpsc_t *ring, const message_t *message) { return gimmal_mpsc_push(ring, message); }
gimmal_status_t mpsc_pop(gimmal_mpsc_t *ring, message_t *message) { return gimmal_mpsc_pop(ring, message); }
