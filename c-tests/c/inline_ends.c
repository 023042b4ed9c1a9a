/* Every macro and typed function of the inline header, on one thread; compiled as C11 and as C++17. */

#include "gimmal_inline.h"

#include "check.h"
#include "start_at.h"

#include <string.h>

typedef struct message_t {
  uint64_t number;
  uint32_t parts[4];
} message_t;

static message_t make(uint64_t number) {
  message_t message;
  message.number = number;
  for (unsigned i = 0; i < 4; ++i) {
    message.parts[i] = (uint32_t)(number * 2654435761u + i);
  }
  return message;
}

static void expect(message_t message, uint64_t number) {
  const message_t whole = make(number);
  CHECK(memcmp(&message, &whole, sizeof whole) == 0);
}

GIMMAL_RING_DECLARE(by_index_message, message_t);
GIMMAL_RING_DEFINE(by_index_1, message_t, 1);
GIMMAL_RING_DEFINE(by_index_2, message_t, 2);
GIMMAL_RING_DEFINE(by_index_64, message_t, 64);
GIMMAL_RING_DEFINE(by_index_4096, message_t, 4096);

#define KIND by_index
#define OBJECT gimmal_ring_t
#include "inline_suite.h"
#undef OBJECT
#undef KIND

GIMMAL_LINE_RING_DECLARE(by_line_message, message_t);
GIMMAL_LINE_RING_DEFINE(by_line_1, message_t, 1);
GIMMAL_LINE_RING_DEFINE(by_line_2, message_t, 2);
GIMMAL_LINE_RING_DEFINE(by_line_64, message_t, 64);
GIMMAL_LINE_RING_DEFINE(by_line_4096, message_t, 4096);

#define KIND by_line
#define OBJECT gimmal_line_ring_t
#include "inline_suite.h"
#undef OBJECT
#undef KIND

int main(void) {
  gimmal_line_ring_t *other = NULL;
  by_index_suite(gimmal_shape_by_index(sizeof(message_t), GIMMAL_ALIGNOF(message_t)));
  by_line_suite(gimmal_shape_by_line(sizeof(message_t), GIMMAL_ALIGNOF(message_t)));
  CHECK(by_line_message_attach(by_index_64_ring(), SIZE_MAX, &other) == GIMMAL_WRONG_KIND && other == NULL);
  puts("ok");
  return 0;
}
