/* What firmware does with a ring, without a C library. With ONE_PRODUCER defined, with no ring of many. */

#include "gimmal_inline.h"

GIMMAL_RING_DEFINE(samples, uint32_t, 16);
GIMMAL_RING_DECLARE(sample, uint32_t);

#if !defined(ONE_PRODUCER)
GIMMAL_MPSC_DEFINE(events, uint32_t, 16);
GIMMAL_MPSC_DECLARE(event, uint32_t);
#endif

bool start(void);
bool interrupt(uint32_t value);
bool main_loop(uint32_t *value);
bool any_interrupt(uint32_t value);
bool next_event(uint32_t *value);
void no_more_events(void);

bool start(void) { return sample_claim_producer(samples_ring()) == GIMMAL_OK; }

bool interrupt(uint32_t value) { return sample_offer(samples_ring(), &value) == GIMMAL_OK; }

bool main_loop(uint32_t *value) { return sample_pop(samples_ring(), value) == GIMMAL_OK; }

#if !defined(ONE_PRODUCER)
bool any_interrupt(uint32_t value) { return event_offer(events_ring(), &value) == GIMMAL_OK; }

bool next_event(uint32_t *value) { return event_pop(events_ring(), value) == GIMMAL_OK; }

void no_more_events(void) { event_close(events_ring()); }
#endif
