/* Bytes from a UART by DMA into a ring of bytes, as a driver does it, on a board that has neither: an interrupt plays the DMA
 * controller, which fills one contiguous run of memory a few bytes at a time.
 *
 * The driver reserves room and gives the controller its first span: up to the end of the slots, and after that from their start. When
 * the span is full, or the line has been idle, it commits what came and reserves again. If there is no room the line does not wait:
 * bytes are lost, and counted.
 */

#include "../board/board.h"
#include "../board/semihosting.h"
#include "../check/random.h"
#include "gimmal_inline.h"

enum { CAPACITY = 64 };

GIMMAL_RING_DEFINE(received, uint8_t, CAPACITY);
GIMMAL_RING_DECLARE_SINGLE_CORE(bytes, uint8_t);

/* Where the controller writes next, and how much room it was given. */
static uint8_t *target;
static size_t room;
/* What of the room it has filled. */
static size_t filled;

/* The line: every byte follows from its number, and after lost ones comes a mark, so that the receiver can go on. */
static uint32_t line_bytes;
static uint32_t overruns;
static uint32_t transfers, wraps;

static uint8_t byte_of(uint32_t number) { return (uint8_t)(number * 167 >> 3 ^ number); }

/* Lost bytes, in the order in which they were lost: where, and how many. The receiver looks them up. */
enum { LOSSES = 256 };
typedef struct loss_t {
  uint32_t before; /* how many bytes had been stored */
  uint32_t count;
} loss_t;
GIMMAL_RING_DEFINE(losses, loss_t, LOSSES);
GIMMAL_RING_DECLARE_SINGLE_CORE(loss, loss_t);

static uint32_t stored;

static void start_transfer(void) {
  gimmal_spans_t spans;
  filled = 0;
  room = 0;
  if (bytes_reserve(received_ring(), CAPACITY / 2, &spans) == GIMMAL_OK) {
    target = spans.first;
    room = spans.first_count;
    ++transfers;
    wraps += spans.second_count != 0;
  }
}

static int end_transfer(void) {
  const gimmal_status_t status = bytes_commit(received_ring(), filled);
  start_transfer();
  return status == GIMMAL_OK;
}

static int mistakes;

/* Some bytes come over the line. */
void high_interrupt(uintptr_t interrupted) {
  static uint32_t random = 0x9E3779B9;
  const uint32_t number = random_next(&random);
  uint32_t lost = 0;
  (void)interrupted;
  for (uint32_t count = 1 + number % 16; count != 0; --count, ++line_bytes) {
    if (filled == room) {
      mistakes += !end_transfer();
    }
    if (filled < room) {
      target[filled++] = byte_of(line_bytes);
      ++stored;
    } else {
      ++lost;
    }
    if (lost != 0 && (count == 1 || filled < room)) {
      const loss_t loss = {stored, lost};
      overruns += lost;
      mistakes += loss_push(losses_ring(), &loss) != GIMMAL_OK;
      lost = 0;
    }
  }
  if ((number >> 8) % 4 == 0) {
    mistakes += !end_transfer(); /* the line is idle */
  }
  board_after(BOARD_HIGH, 1 + (number >> 10) % 8192);
}

void low_interrupt(uintptr_t interrupted) { (void)interrupted; }

/* Takes what has come, in place, and checks it; how much that was. */
static size_t take(uint32_t *expected, uint32_t *read, uint32_t *wrong) {
  gimmal_spans_t spans;
  if (bytes_read(received_ring(), CAPACITY, &spans) != GIMMAL_OK) {
    return 0;
  }
  const uint8_t *runs[2] = {spans.first, spans.second};
  const size_t counts[2] = {spans.first_count, spans.second_count};
  for (int run = 0; run < 2; ++run) {
    for (size_t index = 0; index < counts[run]; ++index, ++*read, ++*expected) {
      loss_t loss;
      while (loss_peek(losses_ring(), &loss) == GIMMAL_OK && loss.before == *read) {
        *expected += loss.count;
        loss_pop(losses_ring(), &loss);
      }
      *wrong += runs[run][index] != byte_of(*expected);
    }
  }
  if (bytes_release(received_ring(), counts[0] + counts[1]) != GIMMAL_OK) {
    ++*wrong;
  }
  return counts[0] + counts[1];
}

int main(void) {
  static uint32_t random = 0x1B873593;
  uint32_t expected = 0;
  uint32_t read = 0;
  uint32_t wrong = 0;
  received_ring();
  losses_ring();
  start_transfer();
  board_start();
  board_after(BOARD_HIGH, 100);
  while (read < (uint32_t)MESSAGES) {
    take(&expected, &read, &wrong);
    /* Now and then the program has something else to do for so long that bytes are lost. */
    for (volatile uint32_t wait = random_next(&random) % 64 == 0 ? 4000 : 0; wait != 0; --wait) {
    }
  }
  board_stop();
  end_transfer();
  while (take(&expected, &read, &wrong) != 0) {
  }
  say("bytes:");
  say_number("received", read);
  say_number("lost", stored - read);
  say_number("torn", wrong + (uint32_t)mistakes);
  say("\ndma:");
  say_number("overruns", overruns);
  say_number("transfers", transfers);
  say_number("wraps", wraps);
  say("\n");
  return stored == read && wrong == 0 && mistakes == 0 && overruns != 0 && wraps != 0 ? 0 : 1;
}
