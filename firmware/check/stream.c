#include "stream.h"

#include <stddef.h>

#include "../board/semihosting.h"

enum { SOURCE_SHIFT = 28 };

static uint32_t word_of(uint32_t number, uint32_t place) { return (number + place) * 0x9E3779B1u ^ number >> 7; }

message_t stream_next(const sender_t *sender) {
  message_t message;
  message.number = sender->source << SOURCE_SHIFT | sender->sent;
  for (uint32_t place = 0; place < 3; ++place) {
    message.words[place] = word_of(message.number, place);
  }
  return message;
}

void stream_receive(inbox_t *inbox, const message_t *message) {
  const uint32_t source = message->number >> SOURCE_SHIFT;
  const uint32_t sent = message->number & ((1u << SOURCE_SHIFT) - 1);
  ++inbox->received;
  for (uint32_t place = 0; place < 3; ++place) {
    if (message->words[place] != word_of(message->number, place)) {
      ++inbox->torn;
      return;
    }
  }
  if (source >= SOURCES) {
    ++inbox->torn;
    return;
  }
  if (sent < inbox->next[source]) {
    ++inbox->reordered;
    return;
  }
  inbox->lost += sent - inbox->next[source];
  inbox->next[source] = sent + 1;
}

void stream_finish(inbox_t *inbox, const sender_t *sender) {
  inbox->lost += sender->sent - inbox->next[sender->source];
}

int stream_report(const char *name, const inbox_t *inbox) {
  say(name);
  say(":");
  say_number("received", inbox->received);
  say_number("lost", inbox->lost);
  say_number("reordered", inbox->reordered);
  say_number("torn", inbox->torn);
  say("\n");
  return inbox->lost == 0 && inbox->reordered == 0 && inbox->torn == 0;
}
