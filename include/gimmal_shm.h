/* gimmal_shm.h: rings in named segments of shared memory, for processes on one Linux machine.
 *
 * Generated from ffi/src/shm by `cargo xtask header`; change it there.
 *
 * A segment is a file in /dev/shm (docs/SEGMENTS.md). One process is its consumer, another its producer, or several are; whoever comes first
 * creates it. An end belongs to one process, and is free as soon as that frees it or ends, in whatever way: the next that
 * asks for it takes it over, and goes on where the last one stopped.
 *
 * What another process writes to the segment is not trusted: no function reads or writes outside of it, whatever that is. Somebody who can
 * truncate the file, its owner and root, can make accesses fatal signals. A child of a process does not inherit its ends, and must not use them; it may free
 * the handles.
 *
 * These functions are in libgimmal if it was built with the feature `shm` (docs/LINKING.md). Every function reports GIMMAL_NULL_POINTER if a pointer is NULL. A call that
 * fails changes nothing and writes no output; what an offer drops is counted. To open, share, inspect and unlink enters the kernel and
 * allocates; nothing else allocates.
 */

#ifndef GIMMAL_SHM_H
#define GIMMAL_SHM_H

#include "gimmal.h"

// One producer and one consumer, by line: the least latency.
#define GIMMAL_SHM_LINE 2

// One producer and one consumer, by index: the least memory.
#define GIMMAL_SHM_INDEX 1

// Many producers and one consumer, in one order.
#define GIMMAL_SHM_MPSC 3

// Many producers, each with a ring by line of its own, and one consumer that takes turns. There is no order between the elements of two producers.
#define GIMMAL_SHM_LANES 18

// Attach to the segment, or create it if it is not there and a capacity is given.
#define GIMMAL_SHM_OPEN 0

// Create the segment; GIMMAL_EXISTS if it is there.
#define GIMMAL_SHM_CREATE 1

// Create the segment in place of one that is there, whatever that is. Its ends get GIMMAL_SUPERSEDED and can attach again.
#define GIMMAL_SHM_REPLACE 2

// Create a segment without a name. The descriptor that its end gives (gimmal_shm_producer_share(), gimmal_shm_consumer_share()) leads another process to it.
#define GIMMAL_SHM_ANONYMOUS 3

// Attach to the segment without a name behind `descriptor`.
#define GIMMAL_SHM_PASSED 4

// Touch every page before the end is handed out, so that no push or pop is the first to.
#define GIMMAL_SHM_TOUCH 1

// Ask the kernel for huge pages.
#define GIMMAL_SHM_HUGE_PAGES 2

// Keep the segment in memory: never swapped out.
#define GIMMAL_SHM_LOCK_MEMORY 4

// Nobody has claimed the end, or whoever did gave it back.
#define GIMMAL_SHM_ABSENT 0

// A live process holds the end.
#define GIMMAL_SHM_ALIVE 1

// A process holds the end that is stopped by a signal or a debugger.
#define GIMMAL_SHM_STOPPED 2

// The holder is gone and has not given the end back. What it pushed is still there, and another may take its place.
#define GIMMAL_SHM_DEAD 3

// A segment's consumer. It may move to another thread, and is used by one at a time.
typedef struct gimmal_shm_consumer_t gimmal_shm_consumer_t;

// A segment's producer, or one of its producers. It may move to another thread, and is used by one at a time.
typedef struct gimmal_shm_producer_t gimmal_shm_producer_t;

// A reader that only watches: it maps the segment read only, and nobody notices it. It copies elements as they pass, from the oldest on, and a copy counts
// only if it was not overwritten meanwhile; it holds nobody up, so it may miss some.
typedef struct gimmal_shm_tap_t gimmal_shm_tap_t;

// Where a segment is, and what it is to be. What is not wanted may be zero.
typedef struct gimmal_shm_options_t {
  // 1 to 240 letters, digits, '-', '_' and '.', the first no '.'; NULL with GIMMAL_SHM_ANONYMOUS and GIMMAL_SHM_PASSED.
  const char *name;
  // GIMMAL_SHM_LINE, GIMMAL_SHM_INDEX, GIMMAL_SHM_MPSC or GIMMAL_SHM_LANES.
  uint32_t kind;
  // GIMMAL_SHM_OPEN, GIMMAL_SHM_CREATE, GIMMAL_SHM_REPLACE, GIMMAL_SHM_ANONYMOUS or GIMMAL_SHM_PASSED.
  uint32_t opening;
  // Bytes of an element, all of which cross to the other process: it should have no padding and no pointers, and be valid whatever its bytes are.
  size_t element_size;
  // The alignment of an element.
  size_t element_align;
  // Elements for which there must be room, in each lane; by index and with GIMMAL_SHM_MPSC a power of two. 0 to attach to a segment of
  // any capacity, and create none.
  size_t capacity;
  // How many producers there may be at a time, with GIMMAL_SHM_MPSC and GIMMAL_SHM_LANES: 1 to 1024; otherwise 0 or 1.
  size_t producers;
  // A number that says what the elements mean; GIMMAL_MISMATCH if the segment has another. 0 takes any.
  uint64_t type_tag;
  // The permissions of the file that is created; 0 for 0600.
  uint32_t mode;
  // GIMMAL_SHM_TOUCH, GIMMAL_SHM_HUGE_PAGES and GIMMAL_SHM_LOCK_MEMORY, or any of them together.
  uint32_t flags;
  // With GIMMAL_SHM_PASSED: a descriptor of the segment in this process, which stays the caller's and may be closed afterwards.
  int32_t descriptor;
} gimmal_shm_options_t;

// What code that is inlined, `gimmal/mapped.h`, must know of an end's ring: it asks the segment for none of it.
typedef struct gimmal_shm_ring_t {
  // The ring's control block.
  void *ring;
  // Where the end stands: an index, or by line a cursor.
  size_t place;
  // log2 of the ring's slots or cells.
  uint32_t log2_count;
} gimmal_shm_ring_t;

// How an end fares, and what its holder stated of itself.
typedef struct gimmal_shm_end_t {
  // GIMMAL_SHM_ABSENT, GIMMAL_SHM_ALIVE, GIMMAL_SHM_STOPPED or GIMMAL_SHM_DEAD.
  uint32_t state;
  // The holder's process in its own pid namespace; 0 if there is none, or it gave the end back.
  uint32_t pid;
  // How often the end was claimed, wrapping.
  uint32_t claims;
  // Nanoseconds since the holder last said that it runs; UINT64_MAX if none ever did.
  uint64_t beat_age;
} gimmal_shm_end_t;

// What can be told of a segment: a snapshot.
typedef struct gimmal_shm_inspection_t {
  // One of the GIMMAL_SHM kinds.
  uint32_t kind;
  // Whether nothing more can be pushed.
  bool closed;
  // Bytes of an element.
  size_t element_size;
  // The alignment of an element.
  size_t element_align;
  // Elements that each ring holds for certain.
  size_t capacity;
  // How many producers there may be at a time.
  size_t producers;
  // Bytes of the whole segment.
  size_t size;
  // What its creator said that the elements mean.
  uint64_t type_tag;
  // How often a segment of this name was made, one in place of another.
  uint64_t epoch;
  // Elements in all its rings.
  size_t len;
  // Elements dropped by offers, wrapping.
  size_t dropped;
  // Elements of dead producers among many that the consumer skipped, wrapping.
  size_t skipped;
  // The consumer's end.
  struct gimmal_shm_end_t consumer;
  // The producer's end; of many, the one that fares best.
  struct gimmal_shm_end_t producer;
} gimmal_shm_inspection_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Becomes the consumer of a segment. `*consumer` is for gimmal_shm_consumer_free().
//
// As for gimmal_shm_producer_open().
//
// # Safety
// `options` is NULL or readable, and its name NULL or a string; `consumer` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_open(const struct gimmal_shm_options_t *options,
                                         struct gimmal_shm_consumer_t **consumer);

// Takes the oldest element; with lanes, the oldest of the next lane that has any. Never waits, and never enters the kernel.
//
// GIMMAL_EMPTY; GIMMAL_CLOSED or GIMMAL_SUPERSEDED if it is empty and nothing more will come; GIMMAL_CORRUPT if another process has written to the
// ring what no end writes.
//
// # Safety
// `consumer` is NULL or a consumer; `element` is NULL or room for an element.
gimmal_status_t gimmal_shm_consumer_pop(struct gimmal_shm_consumer_t *consumer,
                                        void *element);

// As gimmal_shm_consumer_pop(), and wakes a producer that waits for room as the strategy does.
//
// Also GIMMAL_BAD_STRATEGY, as for gimmal_shm_producer_push_notify(). Nothing was popped then.
//
// # Safety
// As for gimmal_shm_consumer_pop(); `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_consumer_pop_notify(struct gimmal_shm_consumer_t *consumer,
                                               void *element,
                                               const gimmal_wait_t *wait);

// Wakes a producer that waits for room as the strategy does: after any pops. With lanes, that of the lane popped last.
//
// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// `consumer` is NULL or a consumer; `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_consumer_notify(const struct gimmal_shm_consumer_t *consumer,
                                           const gimmal_wait_t *wait);

// Takes the oldest element, and waits for one as the strategy does, for so many nanoseconds or GIMMAL_WAIT_FOREVER, by the system's clock. Every 50 ms it looks
// whether a producer lives, and skips what dead ones among many have left unfinished.
//
// As for gimmal_shm_consumer_pop(), but GIMMAL_TIMED_OUT in place of GIMMAL_EMPTY, and GIMMAL_PEER_DIED if a producer died, none lives, and nothing is
// left. If none has come yet, or all gave their ends back, the wait goes on. GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// As for gimmal_shm_consumer_pop(); `wait` is NULL or a strategy that nobody else uses.
gimmal_status_t gimmal_shm_consumer_pop_wait(struct gimmal_shm_consumer_t *consumer,
                                             void *element,
                                             gimmal_wait_t *wait,
                                             uint64_t timeout);

// Says how this end will sleep while it waits, so that notifying pushes cost less from the first on.
//
// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// `consumer` is NULL or a consumer; `wait` is NULL or a strategy that nobody else uses.
gimmal_status_t gimmal_shm_consumer_declare(const struct gimmal_shm_consumer_t *consumer,
                                            gimmal_wait_t *wait);

// With GIMMAL_SHM_MPSC: gives up the elements that producers were pushing when they died, where they are in the way, and tells how many. Waiting does it
// too; who only polls calls it when nothing has come for a while. Asks the kernel.
//
// # Safety
// `consumer` is NULL or a consumer; `skipped` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_skip_dead(struct gimmal_shm_consumer_t *consumer,
                                              size_t *skipped);

// Tells whether the other end lives: one of the GIMMAL_SHM states from GIMMAL_SHM_ABSENT on. With many producers, the one that fares best. Asks the kernel.
//
// # Safety
// `consumer` is NULL or a consumer; `state` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_peer(const struct gimmal_shm_consumer_t *consumer,
                                         uint32_t *state);

// GIMMAL_OK, or GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more will come; there may be elements left.
//
// # Safety
// `consumer` is NULL or a consumer.
gimmal_status_t gimmal_shm_consumer_status(const struct gimmal_shm_consumer_t *consumer);

// Says that this process runs, for those who look at the segment. To open an end and to wait says it too; a push or pop does not.
//
// # Safety
// `consumer` is NULL or a consumer.
gimmal_status_t gimmal_shm_consumer_beat(const struct gimmal_shm_consumer_t *consumer);

// Tells how many elements are in the segment: a snapshot.
//
// # Safety
// `consumer` is NULL or a consumer; `len` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_len(const struct gimmal_shm_consumer_t *consumer, size_t *len);

// Tells how many elements a ring of the segment holds for certain.
//
// # Safety
// `consumer` is NULL or a consumer; `capacity` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_capacity(const struct gimmal_shm_consumer_t *consumer,
                                             size_t *capacity);

// Tells how many elements were dropped by offers since the segment was made, wrapping.
//
// # Safety
// `consumer` is NULL or a consumer; `dropped` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_dropped(const struct gimmal_shm_consumer_t *consumer,
                                            size_t *dropped);

// Tells how often a segment of this name was made, one in place of another.
//
// # Safety
// `consumer` is NULL or a consumer; `epoch` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_epoch(const struct gimmal_shm_consumer_t *consumer,
                                          uint64_t *epoch);

// Closes the segment: nothing more can be pushed, by anyone. What is in it can still be popped. Whoever sleeps is woken.
//
// # Safety
// `consumer` is NULL or a consumer.
gimmal_status_t gimmal_shm_consumer_close(struct gimmal_shm_consumer_t *consumer);

// Gives the end back, unmaps the segment and makes `*consumer` NULL. The segment stays. In a child of the process that opened it, only the
// handle goes.
//
// # Safety
// `consumer` is NULL, or leads to NULL or to a consumer, which is not used any more.
gimmal_status_t gimmal_shm_consumer_free(struct gimmal_shm_consumer_t **consumer);

// Gives a descriptor that leads another process to a segment without a name: sent over a socket, or inherited. It is the caller's to close, holds no lock,
// and is closed on exec unless the caller says otherwise. That of a segment with a name is refused where it is passed, since its file can be truncated.
//
// GIMMAL_SYSTEM if the process has too many open.
//
// # Safety
// `consumer` is NULL or a consumer; `descriptor` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_share(const struct gimmal_shm_consumer_t *consumer,
                                          int32_t *descriptor);

// Tells of the bell behind which this end sleeps, `own`, and of the producer's, with lanes that of the lane popped last: for code that is inlined and waits.
//
// # Safety
// `consumer` is NULL or a consumer; `own` and `other` are NULL or writable.
gimmal_status_t gimmal_shm_consumer_bells(const struct gimmal_shm_consumer_t *consumer,
                                          uint32_t **own,
                                          uint32_t **other);

// Gives the end to code that is inlined: gimmal/mapped.h or gimmal/shm.hpp. From then on that code alone pops; the functions that wait for an
// element or for room, or move one, report GIMMAL_BUSY, and so does this one. GIMMAL_UNSUPPORTED for kinds of many producers.
//
// # Safety
// `consumer` is NULL or a consumer; `ring` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_ring(struct gimmal_shm_consumer_t *consumer,
                                         struct gimmal_shm_ring_t *ring);

// Tells what the last GIMMAL_SHM function that failed in this thread failed at, in a sentence; of those that open, inspect or unlink only. Empty
// if none has. The text is valid until the next of them is called in this thread.
const char *gimmal_shm_error(void);

// Looks at a segment without becoming an end of it, read only.
//
// The errors of gimmal_shm_producer_open() for what is there and for its name, but GIMMAL_BUSY.
//
// # Safety
// `name` is NULL or a string; `inspection` is NULL or writable.
gimmal_status_t gimmal_shm_inspect(const char *name, struct gimmal_shm_inspection_t *inspection);

// Removes a segment; what is in it is lost. Ends that live get GIMMAL_SUPERSEDED, if it is removed by force.
//
// GIMMAL_BUSY if an end has a live holder and it is not by force; GIMMAL_WRONG_KIND, GIMMAL_UNINITIALISED, GIMMAL_MISMATCH or GIMMAL_CORRUPT for a file that is
// no whole segment, which goes by force alone; GIMMAL_NOT_FOUND, GIMMAL_BAD_NAME, GIMMAL_NOT_TRUSTED, GIMMAL_SYSTEM.
//
// # Safety
// `name` is NULL or a string.
gimmal_status_t gimmal_shm_unlink(const char *name,
                                  bool by_force);

// Becomes the producer of a segment, or one of its producers: attaches to it, creates it or replaces it as the options say, and takes the end over
// if its holder died. `*producer` is for gimmal_shm_producer_free().
//
// GIMMAL_BAD_NAME, GIMMAL_BAD_OPTION, GIMMAL_WRONG_KIND, GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY or GIMMAL_OVERFLOW for options of
// which there is no segment; GIMMAL_BUSY if a live process holds the end, or others are replacing the segment; GIMMAL_NOT_FOUND,
// GIMMAL_EXISTS, GIMMAL_SUPERSEDED; GIMMAL_WRONG_KIND, GIMMAL_MISMATCH, GIMMAL_CORRUPT, GIMMAL_UNINITIALISED or GIMMAL_NOT_TRUSTED for what is there;
// GIMMAL_NO_SPACE, GIMMAL_SYSTEM. gimmal_shm_error() tells more.
//
// # Safety
// `options` is NULL or readable, and its name NULL or a string; `producer` is NULL or writable.
gimmal_status_t gimmal_shm_producer_open(const struct gimmal_shm_options_t *options,
                                         struct gimmal_shm_producer_t **producer);

// Pushes a copy of an element. Never waits, and never enters the kernel.
//
// GIMMAL_FULL, GIMMAL_CLOSED, GIMMAL_SUPERSEDED, or GIMMAL_CORRUPT if another process has written to the ring what no end writes.
//
// # Safety
// `producer` is NULL or a producer; `element` is NULL or an element.
gimmal_status_t gimmal_shm_producer_push(struct gimmal_shm_producer_t *producer,
                                         const void *element);

// As gimmal_shm_producer_push(), and counts the element if it is dropped for want of room.
//
// # Safety
// As for gimmal_shm_producer_push().
gimmal_status_t gimmal_shm_producer_offer(struct gimmal_shm_producer_t *producer,
                                          const void *element);

// As gimmal_shm_producer_push(), and wakes a consumer that sleeps as the strategy does.
//
// Also GIMMAL_BAD_STRATEGY, if it was not initialised, or sleeps where only its own process can wake it: GIMMAL_WAIT_PARK, and GIMMAL_WAIT_ADAPTIVE
// without callbacks. Nothing was pushed then.
//
// # Safety
// As for gimmal_shm_producer_push(); `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_producer_push_notify(struct gimmal_shm_producer_t *producer,
                                                const void *element,
                                                const gimmal_wait_t *wait);

// Wakes a consumer that sleeps as the strategy does: after any pushes.
//
// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// `producer` is NULL or a producer; `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_producer_notify(const struct gimmal_shm_producer_t *producer,
                                           const gimmal_wait_t *wait);

// Pushes a copy of an element, and waits for room as the strategy does, for so many nanoseconds or GIMMAL_WAIT_FOREVER, by the system's clock. Every 50 ms it
// looks whether the consumer lives.
//
// As for gimmal_shm_producer_push(), and GIMMAL_TIMED_OUT, or GIMMAL_PEER_DIED if the consumer died and the ring is full. GIMMAL_BAD_STRATEGY
// as for gimmal_shm_producer_push_notify().
//
// # Safety
// As for gimmal_shm_producer_push(); `wait` is NULL or a strategy that nobody else uses.
gimmal_status_t gimmal_shm_producer_push_wait(struct gimmal_shm_producer_t *producer,
                                              const void *element,
                                              gimmal_wait_t *wait,
                                              uint64_t timeout);

// Tells which of the producers' places this is, from 0; with lanes, the lane.
//
// # Safety
// `producer` is NULL or a producer; `place` is NULL or writable.
gimmal_status_t gimmal_shm_producer_place(const struct gimmal_shm_producer_t *producer,
                                          size_t *place);

// Tells whether the other end lives: one of the GIMMAL_SHM states from GIMMAL_SHM_ABSENT on. Asks the kernel.
//
// # Safety
// `producer` is NULL or a producer; `state` is NULL or writable.
gimmal_status_t gimmal_shm_producer_peer(const struct gimmal_shm_producer_t *producer,
                                         uint32_t *state);

// GIMMAL_OK, or GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more can be pushed.
//
// # Safety
// `producer` is NULL or a producer.
gimmal_status_t gimmal_shm_producer_status(const struct gimmal_shm_producer_t *producer);

// Says that this process runs, for those who look at the segment. To open an end and to wait says it too; a push or pop does not.
//
// # Safety
// `producer` is NULL or a producer.
gimmal_status_t gimmal_shm_producer_beat(const struct gimmal_shm_producer_t *producer);

// Tells how many elements are in this producer's ring: a snapshot.
//
// # Safety
// `producer` is NULL or a producer; `len` is NULL or writable.
gimmal_status_t gimmal_shm_producer_len(const struct gimmal_shm_producer_t *producer, size_t *len);

// Tells how many elements a ring of the segment holds for certain.
//
// # Safety
// `producer` is NULL or a producer; `capacity` is NULL or writable.
gimmal_status_t gimmal_shm_producer_capacity(const struct gimmal_shm_producer_t *producer,
                                             size_t *capacity);

// Tells how many elements were dropped by offers since the segment was made, wrapping.
//
// # Safety
// `producer` is NULL or a producer; `dropped` is NULL or writable.
gimmal_status_t gimmal_shm_producer_dropped(const struct gimmal_shm_producer_t *producer,
                                            size_t *dropped);

// Tells how often a segment of this name was made, one in place of another.
//
// # Safety
// `producer` is NULL or a producer; `epoch` is NULL or writable.
gimmal_status_t gimmal_shm_producer_epoch(const struct gimmal_shm_producer_t *producer,
                                          uint64_t *epoch);

// Closes the segment: nothing more can be pushed, by anyone. What is in it can still be popped. Whoever sleeps is woken.
//
// # Safety
// `producer` is NULL or a producer.
gimmal_status_t gimmal_shm_producer_close(struct gimmal_shm_producer_t *producer);

// Gives the end back, unmaps the segment and makes `*producer` NULL. The segment stays. In a child of the process that opened it, only the
// handle goes.
//
// # Safety
// `producer` is NULL, or leads to NULL or to a producer, which is not used any more.
gimmal_status_t gimmal_shm_producer_free(struct gimmal_shm_producer_t **producer);

// Gives a descriptor that leads another process to a segment without a name: sent over a socket, or inherited. It is the caller's to close, holds no lock,
// and is closed on exec unless the caller says otherwise. That of a segment with a name is refused where it is passed, since its file can be truncated.
//
// GIMMAL_SYSTEM if the process has too many open.
//
// # Safety
// `producer` is NULL or a producer; `descriptor` is NULL or writable.
gimmal_status_t gimmal_shm_producer_share(const struct gimmal_shm_producer_t *producer,
                                          int32_t *descriptor);

// Tells of the bell behind which this end sleeps, `own`, and of the consumer's: for code that is inlined and waits.
//
// # Safety
// `producer` is NULL or a producer; `own` and `other` are NULL or writable.
gimmal_status_t gimmal_shm_producer_bells(const struct gimmal_shm_producer_t *producer,
                                          uint32_t **own,
                                          uint32_t **other);

// Gives the end to code that is inlined: gimmal/mapped.h or gimmal/shm.hpp. From then on that code alone pushes; the functions that wait for an
// element or for room, or move one, report GIMMAL_BUSY, and so does this one. GIMMAL_UNSUPPORTED with GIMMAL_SHM_MPSC.
//
// # Safety
// `producer` is NULL or a producer; `ring` is NULL or writable.
gimmal_status_t gimmal_shm_producer_ring(struct gimmal_shm_producer_t *producer,
                                         struct gimmal_shm_ring_t *ring);

// Begins to watch a segment: that of the options' name, or with GIMMAL_SHM_PASSED that behind their descriptor. Of the rest kind, element and type tag are
// looked at. `*tap` is for gimmal_shm_tap_free().
//
// GIMMAL_BAD_OPTION for an opening that creates; GIMMAL_UNSUPPORTED by index with a capacity of 1, whose one slot is always the next to be written; the errors
// of gimmal_shm_producer_open() for what is there and for its name, but GIMMAL_BUSY.
//
// # Safety
// `options` is NULL or readable, and its name NULL or a string; `tap` is NULL or writable.
gimmal_status_t gimmal_shm_tap_open(const struct gimmal_shm_options_t *options,
                                    struct gimmal_shm_tap_t **tap);

// Copies the next element, and tells its ring: 0, or with lanes the producer's place; the lanes take turns. Never waits, and never enters the kernel. `ring` may be NULL.
//
// GIMMAL_EMPTY if there is nothing new, or what is new passes too fast: ask again. The element may be written then.
//
// # Safety
// `tap` is NULL or a tap; `element` is NULL or room for an element; `ring` is NULL or writable.
gimmal_status_t gimmal_shm_tap_next(struct gimmal_shm_tap_t *tap,
                                    void *element,
                                    size_t *ring);

// Tells how many elements passed before they could be copied, wrapping.
//
// # Safety
// `tap` is NULL or a tap; `missed` is NULL or writable.
gimmal_status_t gimmal_shm_tap_missed(const struct gimmal_shm_tap_t *tap, size_t *missed);

// GIMMAL_OK, or GIMMAL_SUPERSEDED if the segment was replaced or removed: what is left in it can still be watched. Asks the kernel.
//
// # Safety
// `tap` is NULL or a tap.
gimmal_status_t gimmal_shm_tap_status(const struct gimmal_shm_tap_t *tap);

// Watches no more, unmaps the segment and makes `*tap` NULL.
//
// # Safety
// `tap` is NULL, or leads to NULL or to a tap, which is not used any more.
gimmal_status_t gimmal_shm_tap_free(struct gimmal_shm_tap_t **tap);

// Becomes the producer of a segment, or one of its producers: attaches to it, creates it or replaces it as the options say, and takes the end over
// if its holder died. `*producer` is for gimmal_shm_producer_free().
//
// GIMMAL_BAD_NAME, GIMMAL_BAD_OPTION, GIMMAL_WRONG_KIND, GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY or GIMMAL_OVERFLOW for options of
// which there is no segment; GIMMAL_BUSY if a live process holds the end, or others are replacing the segment; GIMMAL_NOT_FOUND,
// GIMMAL_EXISTS, GIMMAL_SUPERSEDED; GIMMAL_WRONG_KIND, GIMMAL_MISMATCH, GIMMAL_CORRUPT, GIMMAL_UNINITIALISED or GIMMAL_NOT_TRUSTED for what is there;
// GIMMAL_NO_SPACE, GIMMAL_SYSTEM. gimmal_shm_error() tells more.
//
// # Safety
// `options` is NULL or readable, and its name NULL or a string; `producer` is NULL or writable.
gimmal_status_t gimmal_shm_producer_open(const struct gimmal_shm_options_t *options,
                                         struct gimmal_shm_producer_t **producer);

// Pushes a copy of an element. Never waits, and never enters the kernel.
//
// GIMMAL_FULL, GIMMAL_CLOSED, GIMMAL_SUPERSEDED, or GIMMAL_CORRUPT if another process has written to the ring what no end writes.
//
// # Safety
// `producer` is NULL or a producer; `element` is NULL or an element.
gimmal_status_t gimmal_shm_producer_push(struct gimmal_shm_producer_t *producer,
                                         const void *element);

// As gimmal_shm_producer_push(), and counts the element if it is dropped for want of room.
//
// # Safety
// As for gimmal_shm_producer_push().
gimmal_status_t gimmal_shm_producer_offer(struct gimmal_shm_producer_t *producer,
                                          const void *element);

// As gimmal_shm_producer_push(), and wakes a consumer that sleeps as the strategy does.
//
// Also GIMMAL_BAD_STRATEGY, if it was not initialised, or sleeps where only its own process can wake it: GIMMAL_WAIT_PARK, and GIMMAL_WAIT_ADAPTIVE
// without callbacks. Nothing was pushed then.
//
// # Safety
// As for gimmal_shm_producer_push(); `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_producer_push_notify(struct gimmal_shm_producer_t *producer,
                                                const void *element,
                                                const gimmal_wait_t *wait);

// Wakes a consumer that sleeps as the strategy does: after any pushes.
//
// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// `producer` is NULL or a producer; `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_producer_notify(const struct gimmal_shm_producer_t *producer,
                                           const gimmal_wait_t *wait);

// Pushes a copy of an element, and waits for room as the strategy does, for so many nanoseconds or GIMMAL_WAIT_FOREVER, by the system's clock. Every 50 ms it
// looks whether the consumer lives.
//
// As for gimmal_shm_producer_push(), and GIMMAL_TIMED_OUT, or GIMMAL_PEER_DIED if the consumer died and the ring is full. GIMMAL_BAD_STRATEGY
// as for gimmal_shm_producer_push_notify().
//
// # Safety
// As for gimmal_shm_producer_push(); `wait` is NULL or a strategy that nobody else uses.
gimmal_status_t gimmal_shm_producer_push_wait(struct gimmal_shm_producer_t *producer,
                                              const void *element,
                                              gimmal_wait_t *wait,
                                              uint64_t timeout);

// Tells which of the producers' places this is, from 0; with lanes, the lane.
//
// # Safety
// `producer` is NULL or a producer; `place` is NULL or writable.
gimmal_status_t gimmal_shm_producer_place(const struct gimmal_shm_producer_t *producer,
                                          size_t *place);

// Tells whether the other end lives: one of the GIMMAL_SHM states from GIMMAL_SHM_ABSENT on. Asks the kernel.
//
// # Safety
// `producer` is NULL or a producer; `state` is NULL or writable.
gimmal_status_t gimmal_shm_producer_peer(const struct gimmal_shm_producer_t *producer,
                                         uint32_t *state);

// GIMMAL_OK, or GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more can be pushed.
//
// # Safety
// `producer` is NULL or a producer.
gimmal_status_t gimmal_shm_producer_status(const struct gimmal_shm_producer_t *producer);

// Says that this process runs, for those who look at the segment. To open an end and to wait says it too; a push or pop does not.
//
// # Safety
// `producer` is NULL or a producer.
gimmal_status_t gimmal_shm_producer_beat(const struct gimmal_shm_producer_t *producer);

// Tells how many elements are in this producer's ring: a snapshot.
//
// # Safety
// `producer` is NULL or a producer; `len` is NULL or writable.
gimmal_status_t gimmal_shm_producer_len(const struct gimmal_shm_producer_t *producer, size_t *len);

// Tells how many elements a ring of the segment holds for certain.
//
// # Safety
// `producer` is NULL or a producer; `capacity` is NULL or writable.
gimmal_status_t gimmal_shm_producer_capacity(const struct gimmal_shm_producer_t *producer,
                                             size_t *capacity);

// Tells how many elements were dropped by offers since the segment was made, wrapping.
//
// # Safety
// `producer` is NULL or a producer; `dropped` is NULL or writable.
gimmal_status_t gimmal_shm_producer_dropped(const struct gimmal_shm_producer_t *producer,
                                            size_t *dropped);

// Tells how often a segment of this name was made, one in place of another.
//
// # Safety
// `producer` is NULL or a producer; `epoch` is NULL or writable.
gimmal_status_t gimmal_shm_producer_epoch(const struct gimmal_shm_producer_t *producer,
                                          uint64_t *epoch);

// Closes the segment: nothing more can be pushed, by anyone. What is in it can still be popped. Whoever sleeps is woken.
//
// # Safety
// `producer` is NULL or a producer.
gimmal_status_t gimmal_shm_producer_close(struct gimmal_shm_producer_t *producer);

// Gives the end back, unmaps the segment and makes `*producer` NULL. The segment stays. In a child of the process that opened it, only the
// handle goes.
//
// # Safety
// `producer` is NULL, or leads to NULL or to a producer, which is not used any more.
gimmal_status_t gimmal_shm_producer_free(struct gimmal_shm_producer_t **producer);

// Gives a descriptor that leads another process to a segment without a name: sent over a socket, or inherited. It is the caller's to close, holds no lock,
// and is closed on exec unless the caller says otherwise. That of a segment with a name is refused where it is passed, since its file can be truncated.
//
// GIMMAL_SYSTEM if the process has too many open.
//
// # Safety
// `producer` is NULL or a producer; `descriptor` is NULL or writable.
gimmal_status_t gimmal_shm_producer_share(const struct gimmal_shm_producer_t *producer,
                                          int32_t *descriptor);

// Tells of the bell behind which this end sleeps, `own`, and of the consumer's: for code that is inlined and waits.
//
// # Safety
// `producer` is NULL or a producer; `own` and `other` are NULL or writable.
gimmal_status_t gimmal_shm_producer_bells(const struct gimmal_shm_producer_t *producer,
                                          uint32_t **own,
                                          uint32_t **other);

// Gives the end to code that is inlined: gimmal/mapped.h or gimmal/shm.hpp. From then on that code alone pushes; the functions that wait for an
// element or for room, or move one, report GIMMAL_BUSY, and so does this one. GIMMAL_UNSUPPORTED with GIMMAL_SHM_MPSC.
//
// # Safety
// `producer` is NULL or a producer; `ring` is NULL or writable.
gimmal_status_t gimmal_shm_producer_ring(struct gimmal_shm_producer_t *producer,
                                         struct gimmal_shm_ring_t *ring);

// Becomes the consumer of a segment. `*consumer` is for gimmal_shm_consumer_free().
//
// As for gimmal_shm_producer_open().
//
// # Safety
// `options` is NULL or readable, and its name NULL or a string; `consumer` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_open(const struct gimmal_shm_options_t *options,
                                         struct gimmal_shm_consumer_t **consumer);

// Takes the oldest element; with lanes, the oldest of the next lane that has any. Never waits, and never enters the kernel.
//
// GIMMAL_EMPTY; GIMMAL_CLOSED or GIMMAL_SUPERSEDED if it is empty and nothing more will come; GIMMAL_CORRUPT if another process has written to the
// ring what no end writes.
//
// # Safety
// `consumer` is NULL or a consumer; `element` is NULL or room for an element.
gimmal_status_t gimmal_shm_consumer_pop(struct gimmal_shm_consumer_t *consumer,
                                        void *element);

// As gimmal_shm_consumer_pop(), and wakes a producer that waits for room as the strategy does.
//
// Also GIMMAL_BAD_STRATEGY, as for gimmal_shm_producer_push_notify(). Nothing was popped then.
//
// # Safety
// As for gimmal_shm_consumer_pop(); `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_consumer_pop_notify(struct gimmal_shm_consumer_t *consumer,
                                               void *element,
                                               const gimmal_wait_t *wait);

// Wakes a producer that waits for room as the strategy does: after any pops. With lanes, that of the lane popped last.
//
// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// `consumer` is NULL or a consumer; `wait` is NULL or a strategy.
gimmal_status_t gimmal_shm_consumer_notify(const struct gimmal_shm_consumer_t *consumer,
                                           const gimmal_wait_t *wait);

// Takes the oldest element, and waits for one as the strategy does, for so many nanoseconds or GIMMAL_WAIT_FOREVER, by the system's clock. Every 50 ms it looks
// whether a producer lives, and skips what dead ones among many have left unfinished.
//
// As for gimmal_shm_consumer_pop(), but GIMMAL_TIMED_OUT in place of GIMMAL_EMPTY, and GIMMAL_PEER_DIED if a producer died, none lives, and nothing is
// left. If none has come yet, or all gave their ends back, the wait goes on. GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// As for gimmal_shm_consumer_pop(); `wait` is NULL or a strategy that nobody else uses.
gimmal_status_t gimmal_shm_consumer_pop_wait(struct gimmal_shm_consumer_t *consumer,
                                             void *element,
                                             gimmal_wait_t *wait,
                                             uint64_t timeout);

// Says how this end will sleep while it waits, so that notifying pushes cost less from the first on.
//
// GIMMAL_BAD_STRATEGY as for gimmal_shm_producer_push_notify().
//
// # Safety
// `consumer` is NULL or a consumer; `wait` is NULL or a strategy that nobody else uses.
gimmal_status_t gimmal_shm_consumer_declare(const struct gimmal_shm_consumer_t *consumer,
                                            gimmal_wait_t *wait);

// With GIMMAL_SHM_MPSC: gives up the elements that producers were pushing when they died, where they are in the way, and tells how many. Waiting does it
// too; who only polls calls it when nothing has come for a while. Asks the kernel.
//
// # Safety
// `consumer` is NULL or a consumer; `skipped` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_skip_dead(struct gimmal_shm_consumer_t *consumer,
                                              size_t *skipped);

// Tells whether the other end lives: one of the GIMMAL_SHM states from GIMMAL_SHM_ABSENT on. With many producers, the one that fares best. Asks the kernel.
//
// # Safety
// `consumer` is NULL or a consumer; `state` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_peer(const struct gimmal_shm_consumer_t *consumer,
                                         uint32_t *state);

// GIMMAL_OK, or GIMMAL_CLOSED or GIMMAL_SUPERSEDED if nothing more will come; there may be elements left.
//
// # Safety
// `consumer` is NULL or a consumer.
gimmal_status_t gimmal_shm_consumer_status(const struct gimmal_shm_consumer_t *consumer);

// Says that this process runs, for those who look at the segment. To open an end and to wait says it too; a push or pop does not.
//
// # Safety
// `consumer` is NULL or a consumer.
gimmal_status_t gimmal_shm_consumer_beat(const struct gimmal_shm_consumer_t *consumer);

// Tells how many elements are in the segment: a snapshot.
//
// # Safety
// `consumer` is NULL or a consumer; `len` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_len(const struct gimmal_shm_consumer_t *consumer, size_t *len);

// Tells how many elements a ring of the segment holds for certain.
//
// # Safety
// `consumer` is NULL or a consumer; `capacity` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_capacity(const struct gimmal_shm_consumer_t *consumer,
                                             size_t *capacity);

// Tells how many elements were dropped by offers since the segment was made, wrapping.
//
// # Safety
// `consumer` is NULL or a consumer; `dropped` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_dropped(const struct gimmal_shm_consumer_t *consumer,
                                            size_t *dropped);

// Tells how often a segment of this name was made, one in place of another.
//
// # Safety
// `consumer` is NULL or a consumer; `epoch` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_epoch(const struct gimmal_shm_consumer_t *consumer,
                                          uint64_t *epoch);

// Closes the segment: nothing more can be pushed, by anyone. What is in it can still be popped. Whoever sleeps is woken.
//
// # Safety
// `consumer` is NULL or a consumer.
gimmal_status_t gimmal_shm_consumer_close(struct gimmal_shm_consumer_t *consumer);

// Gives the end back, unmaps the segment and makes `*consumer` NULL. The segment stays. In a child of the process that opened it, only the
// handle goes.
//
// # Safety
// `consumer` is NULL, or leads to NULL or to a consumer, which is not used any more.
gimmal_status_t gimmal_shm_consumer_free(struct gimmal_shm_consumer_t **consumer);

// Gives a descriptor that leads another process to a segment without a name: sent over a socket, or inherited. It is the caller's to close, holds no lock,
// and is closed on exec unless the caller says otherwise. That of a segment with a name is refused where it is passed, since its file can be truncated.
//
// GIMMAL_SYSTEM if the process has too many open.
//
// # Safety
// `consumer` is NULL or a consumer; `descriptor` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_share(const struct gimmal_shm_consumer_t *consumer,
                                          int32_t *descriptor);

// Tells of the bell behind which this end sleeps, `own`, and of the producer's, with lanes that of the lane popped last: for code that is inlined and waits.
//
// # Safety
// `consumer` is NULL or a consumer; `own` and `other` are NULL or writable.
gimmal_status_t gimmal_shm_consumer_bells(const struct gimmal_shm_consumer_t *consumer,
                                          uint32_t **own,
                                          uint32_t **other);

// Gives the end to code that is inlined: gimmal/mapped.h or gimmal/shm.hpp. From then on that code alone pops; the functions that wait for an
// element or for room, or move one, report GIMMAL_BUSY, and so does this one. GIMMAL_UNSUPPORTED for kinds of many producers.
//
// # Safety
// `consumer` is NULL or a consumer; `ring` is NULL or writable.
gimmal_status_t gimmal_shm_consumer_ring(struct gimmal_shm_consumer_t *consumer,
                                         struct gimmal_shm_ring_t *ring);

// Begins to watch a segment: that of the options' name, or with GIMMAL_SHM_PASSED that behind their descriptor. Of the rest kind, element and type tag are
// looked at. `*tap` is for gimmal_shm_tap_free().
//
// GIMMAL_BAD_OPTION for an opening that creates; GIMMAL_UNSUPPORTED by index with a capacity of 1, whose one slot is always the next to be written; the errors
// of gimmal_shm_producer_open() for what is there and for its name, but GIMMAL_BUSY.
//
// # Safety
// `options` is NULL or readable, and its name NULL or a string; `tap` is NULL or writable.
gimmal_status_t gimmal_shm_tap_open(const struct gimmal_shm_options_t *options,
                                    struct gimmal_shm_tap_t **tap);

// Copies the next element, and tells its ring: 0, or with lanes the producer's place; the lanes take turns. Never waits, and never enters the kernel. `ring` may be NULL.
//
// GIMMAL_EMPTY if there is nothing new, or what is new passes too fast: ask again. The element may be written then.
//
// # Safety
// `tap` is NULL or a tap; `element` is NULL or room for an element; `ring` is NULL or writable.
gimmal_status_t gimmal_shm_tap_next(struct gimmal_shm_tap_t *tap,
                                    void *element,
                                    size_t *ring);

// Tells how many elements passed before they could be copied, wrapping.
//
// # Safety
// `tap` is NULL or a tap; `missed` is NULL or writable.
gimmal_status_t gimmal_shm_tap_missed(const struct gimmal_shm_tap_t *tap, size_t *missed);

// GIMMAL_OK, or GIMMAL_SUPERSEDED if the segment was replaced or removed: what is left in it can still be watched. Asks the kernel.
//
// # Safety
// `tap` is NULL or a tap.
gimmal_status_t gimmal_shm_tap_status(const struct gimmal_shm_tap_t *tap);

// Watches no more, unmaps the segment and makes `*tap` NULL.
//
// # Safety
// `tap` is NULL, or leads to NULL or to a tap, which is not used any more.
gimmal_status_t gimmal_shm_tap_free(struct gimmal_shm_tap_t **tap);

// Looks at a segment without becoming an end of it, read only.
//
// The errors of gimmal_shm_producer_open() for what is there and for its name, but GIMMAL_BUSY.
//
// # Safety
// `name` is NULL or a string; `inspection` is NULL or writable.
gimmal_status_t gimmal_shm_inspect(const char *name, struct gimmal_shm_inspection_t *inspection);

// Removes a segment; what is in it is lost. Ends that live get GIMMAL_SUPERSEDED, if it is removed by force.
//
// GIMMAL_BUSY if an end has a live holder and it is not by force; GIMMAL_WRONG_KIND, GIMMAL_UNINITIALISED, GIMMAL_MISMATCH or GIMMAL_CORRUPT for a file that is
// no whole segment, which goes by force alone; GIMMAL_NOT_FOUND, GIMMAL_BAD_NAME, GIMMAL_NOT_TRUSTED, GIMMAL_SYSTEM.
//
// # Safety
// `name` is NULL or a string.
gimmal_status_t gimmal_shm_unlink(const char *name,
                                  bool by_force);

// Tells what the last GIMMAL_SHM function that failed in this thread failed at, in a sentence; of those that open, inspect or unlink only. Empty
// if none has. The text is valid until the next of them is called in this thread.
const char *gimmal_shm_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* GIMMAL_SHM_H */
