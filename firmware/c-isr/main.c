/* Two interrupts and a main loop send to each other, over rings that are full or empty most of the time.
 *
 *   up       by index, from the low interrupt to the main loop
 *   down     by index, from the main loop to the high interrupt
 *   merged   of many producers: from both interrupts to the main loop
 *   reports  of many producers: from the main loop and the low interrupt to the high interrupt
 *
 * So every push, and every pop, is interrupted by the other end.
 */

#include "../board/board.h"
#include "../board/semihosting.h"
#include "../check/interrupted.h"
#include "../check/random.h"
#include "../check/stream.h"
#include "ends.h"

enum { REFUSALS = 200000 };

GIMMAL_RING_DEFINE(up, message_t, RING_CAPACITY);
GIMMAL_RING_DEFINE(down, message_t, RING_CAPACITY);
GIMMAL_MPSC_DEFINE(merged, message_t, RING_CAPACITY);
GIMMAL_MPSC_DEFINE(reports, message_t, RING_CAPACITY);

GIMMAL_RING_DECLARE(direct, message_t);
GIMMAL_MPSC_DECLARE(shared, message_t);

static sender_t up_low, down_main;
static sender_t merged_low = {.source = 0}, merged_high = {.source = 1};
static sender_t reports_main = {.source = 0}, reports_low = {.source = 1};
static inbox_t up_inbox, down_inbox, merged_inbox, reports_inbox;
/* Pushes refused after the close; of those in an interrupt one may go uncounted. */
static volatile uint32_t refusals;
static volatile uint32_t mistakes;

/* After the close nothing may go in. */
static void judge(sender_t *sender, gimmal_status_t status) {
  if (status == GIMMAL_OK) {
    ++sender->sent;
  } else if (status == GIMMAL_CLOSED) {
    refusals = refusals + 1;
  } else if (status != GIMMAL_FULL) {
    mistakes = mistakes + 1;
  }
}

static void send(gimmal_ring_t *ring, sender_t *sender) {
  const message_t message = stream_next(sender);
  judge(sender, ring_push(ring, &message));
}

static void send_shared(gimmal_mpsc_t *ring, sender_t *sender) {
  const message_t message = stream_next(sender);
  judge(sender, mpsc_push(ring, &message));
}

static void receive(gimmal_ring_t *ring, inbox_t *inbox, uint32_t most) {
  message_t message;
  while (most-- != 0 && ring_pop(ring, &message) == GIMMAL_OK) {
    stream_receive(inbox, &message);
  }
}

static void receive_shared(gimmal_mpsc_t *ring, inbox_t *inbox, uint32_t most) {
  message_t message;
  while (most-- != 0 && mpsc_pop(ring, &message) == GIMMAL_OK) {
    stream_receive(inbox, &message);
  }
}

void low_interrupt(uintptr_t interrupted) {
  static uint32_t random = 0x2545F491;
  const uint32_t number = random_next(&random);
  interrupted_at(interrupted);
  for (uint32_t count = 4 + (number & 3); count != 0; --count) {
    send(up_ring(), &up_low);
  }
  for (uint32_t count = number >> 2 & 3; count != 0; --count) {
    send_shared(merged_ring(), &merged_low);
    send_shared(reports_ring(), &reports_low);
  }
  board_after(BOARD_LOW, 1 + (number >> 4) % 4096);
}

void high_interrupt(uintptr_t interrupted) {
  static uint32_t random = 0x9E3779B9;
  const uint32_t number = random_next(&random);
  interrupted_at(interrupted);
  for (uint32_t count = 4 + (number & 3); count != 0; --count) {
    send_shared(merged_ring(), &merged_high);
  }
  receive(down_ring(), &down_inbox, RING_CAPACITY);
  receive_shared(reports_ring(), &reports_inbox, RING_CAPACITY);
  /* At times at once, for what happens only after an interrupt. */
  board_after(BOARD_HIGH, 1 + (number >> 4) % (number >> 30 == 0 ? 64 : 2048));
}

/* The interrupts count meanwhile. */
static uint32_t received(const inbox_t *inbox) { return __atomic_load_n(&inbox->received, __ATOMIC_RELAXED); }

static bool enough(void) {
  const uint32_t each[4] = {received(&up_inbox), received(&down_inbox), received(&merged_inbox),
                            received(&reports_inbox)};
  uint32_t sum = 0;
  for (int ring = 0; ring < 4; ++ring) {
    if (each[ring] < (uint32_t)MESSAGES / 8) {
      return false;
    }
    sum += each[ring];
  }
  return sum >= (uint32_t)MESSAGES;
}

static void exchange(void) {
  static uint32_t random = 0x1B873593;
  const uint32_t number = random_next(&random);
  for (uint32_t count = number & 15; count != 0; --count) {
    send(down_ring(), &down_main);
    send_shared(reports_ring(), &reports_main);
  }
  receive(up_ring(), &up_inbox, number >> 4 & 15);
  receive_shared(merged_ring(), &merged_inbox, number >> 8 & 15);
}

/* With the interrupts stopped, all that is left. */
static void drain(void) {
  receive(up_ring(), &up_inbox, UINT32_MAX);
  receive(down_ring(), &down_inbox, UINT32_MAX);
  receive_shared(merged_ring(), &merged_inbox, UINT32_MAX);
  receive_shared(reports_ring(), &reports_inbox, UINT32_MAX);
  stream_finish(&up_inbox, &up_low);
  stream_finish(&down_inbox, &down_main);
  stream_finish(&merged_inbox, &merged_low);
  stream_finish(&merged_inbox, &merged_high);
  stream_finish(&reports_inbox, &reports_main);
  stream_finish(&reports_inbox, &reports_low);
}

static int verdict(void) {
  int sound = mistakes == 0;
  sound &= stream_report("up", &up_inbox);
  sound &= stream_report("down", &down_inbox);
  sound &= stream_report("merged", &merged_inbox);
  sound &= stream_report("reports", &reports_inbox);
  interrupted_report();
  say(sound ? "passed\n" : "FAILED\n");
  return sound ? 0 : 1;
}

int main(void) {
  /* Whoever comes first finds the geometry published. */
  up_ring();
  down_ring();
  merged_ring();
  reports_ring();
  board_start();
  board_after(BOARD_LOW, 100);
  board_after(BOARD_HIGH, 150);
  while (!enough()) {
    exchange();
  }
  direct_close(up_ring());
  direct_close(down_ring());
  shared_close(merged_ring());
  shared_close(reports_ring());
  while (refusals < REFUSALS) {
    exchange();
  }
  board_stop();
  drain();
  return verdict();
}
