/* By the inline header, for one core. */

#include "../check/interrupted.h"
#include "ends.h"

GIMMAL_RING_DECLARE_SINGLE_CORE(direct, message_t);
GIMMAL_MPSC_DECLARE(shared, message_t);

PROBED gimmal_status_t ring_push(gimmal_ring_t *ring, const message_t *message) { return direct_push(ring, message); }
PROBED gimmal_status_t ring_pop(gimmal_ring_t *ring, message_t *message) { return direct_pop(ring, message); }
PROBED gimmal_status_t mpsc_push(gimmal_mpsc_t *ring, const message_t *message) { return shared_push(ring, message); }
PROBED gimmal_status_t mpsc_pop(gimmal_mpsc_t *ring, message_t *message) { return shared_pop(ring, message); }
