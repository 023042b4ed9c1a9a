/* What firmware does with a ring, without a C library. */

#include "gimmal_inline.h"

GIMMAL_RING_DEFINE(samples, uint32_t, 16);
GIMMAL_RING_DECLARE(sample, uint32_t);

bool start(void);
bool interrupt(uint32_t value);
bool main_loop(uint32_t *value);

bool start(void) { return sample_claim_producer(samples_ring()) == GIMMAL_OK; }

bool interrupt(uint32_t value) { return sample_offer(samples_ring(), &value) == GIMMAL_OK; }

bool main_loop(uint32_t *value) { return sample_pop(samples_ring(), value) == GIMMAL_OK; }
