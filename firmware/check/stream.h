/* Numbered messages, each of whose words follows from its number: what is lost, out of order or torn is seen. */

#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

typedef struct message_t {
  uint32_t number; /* in the upper bits who sent it */
  uint32_t words[3];
} message_t;

/* One who sends. */
typedef struct sender_t {
  uint32_t source;
  uint32_t sent;
} sender_t;

enum { SOURCES = 2 };

/* Where the messages of up to SOURCES senders arrive. */
typedef struct inbox_t {
  uint32_t next[SOURCES];
  uint32_t received;
  uint32_t lost;
  uint32_t reordered;
  uint32_t torn;
} inbox_t;

/* The sender's next message. It is sent once `sent` is counted up. */
message_t stream_next(const sender_t *sender);

/* Checks a message against those that came before. */
void stream_receive(inbox_t *inbox, const message_t *message);

/* Messages that were sent and never came count as lost. */
void stream_finish(inbox_t *inbox, const sender_t *sender);

/* Prints what came; whether all of it was in order and whole. */
int stream_report(const char *name, const inbox_t *inbox);

#endif /* STREAM_H */
