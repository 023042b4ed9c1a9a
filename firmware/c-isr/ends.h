/* The four functions under test, out of line so that the instructions of each can be told. */

#ifndef ENDS_H
#define ENDS_H

#include "../check/stream.h"
#include "gimmal_inline.h"

/* Small, so that they are full or empty most of the time. */
enum { RING_CAPACITY = 8 };

gimmal_status_t ring_push(gimmal_ring_t *ring, const message_t *message);
gimmal_status_t ring_pop(gimmal_ring_t *ring, message_t *message);
gimmal_status_t mpsc_push(gimmal_mpsc_t *ring, const message_t *message);
gimmal_status_t mpsc_pop(gimmal_mpsc_t *ring, message_t *message);

#endif /* ENDS_H */
