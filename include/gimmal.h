/* gimmal.h: the C interface of gimmal, lock-free rings with one byte layout for Rust, C and C++.
 *
 * Generated from ffi/src by `cargo xtask header`; change it there.
 *
 * Every ring has one consumer and, but for gimmal_mpsc_t, one producer at a time: two threads, an
 * interrupt handler and its main loop, two processes. Functions marked "Producer" or "Consumer" are for the party at that end;
 * those marked "Anyone" may be called at any time by any party; those that bear no mark lay a ring
 * out or end it. Nothing here allocates. Nothing blocks or enters the kernel, save the functions that
 * wait or notify. All but those, the batches, the initialisation and what gimmal_mpsc_t says of
 * itself take constant time.
 *
 * Every function that takes a ring reports GIMMAL_NULL_POINTER if that or any other pointer is NULL,
 * GIMMAL_UNINITIALISED if its geometry is not published, GIMMAL_WRONG_KIND or GIMMAL_CORRUPT if it
 * is no ring of the kind, and beside these what its description names. A call that fails changes
 * nothing and writes no output; what an offer drops is counted. A batch of no elements may be at
 * NULL, and is no error.
 *
 * Sizes and alignments are in bytes, capacities and counts in elements.
 */

#ifndef GIMMAL_H
#define GIMMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of the control block on this target: docs/LAYOUT.md. No option changes it. */
#if defined(__linux__) || defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
/* There is an operating system. */
#define GIMMAL_HOSTED 1
#endif

#if !defined(GIMMAL_HOSTED) && defined(__riscv) && __riscv_xlen == 32
#define GIMMAL_PACKED 1
#elif !defined(GIMMAL_HOSTED) && defined(__arm__) && defined(__ARM_ARCH_PROFILE)
#if __ARM_ARCH_PROFILE == 'M'
#define GIMMAL_PACKED 1
#endif
#elif !defined(GIMMAL_HOSTED) && defined(__arm__) && __ARM_ARCH <= 6
#define GIMMAL_PACKED 1
#endif

#if defined(GIMMAL_PACKED)
#define GIMMAL_LINE_ALIGNED
#else
#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64) || defined(_M_ARM64) || defined(_M_ARM64EC)
/* How far the groups of a control block are apart. */
#define GIMMAL_LINE 128
#else
#define GIMMAL_LINE 64
#endif
#if defined(__cplusplus)
/* Makes them so. */
#define GIMMAL_LINE_ALIGNED alignas(GIMMAL_LINE)
#else
#define GIMMAL_LINE_ALIGNED _Alignas(GIMMAL_LINE)
#endif
#endif

#if defined(GIMMAL_ENGINE)
/* One in a `price`. */
#define GIMMAL_PRICE_SCALE INT64_C(100000000)
/* One in a `quantity`. */
#define GIMMAL_QUANTITY_SCALE INT64_C(10000)
#endif

// What `magic` holds once the geometry is published.
#define GIMMAL_MAGIC 1280134471

// What `version` holds.
#define GIMMAL_LAYOUT_VERSION 1

// What `kind` holds in a ring published by index.
#define GIMMAL_KIND_INDEX 1

// What `kind` holds in a ring published by line.
#define GIMMAL_KIND_LINE 2

// What `kind` holds in a ring of many producers.
#define GIMMAL_KIND_MPSC 3

#if defined(GIMMAL_ENGINE)
// A score below 250.
#define GIMMAL_TIER_LOW 0
#endif

#if defined(GIMMAL_ENGINE)
// A score from 250 on.
#define GIMMAL_TIER_MEDIUM 1
#endif

#if defined(GIMMAL_ENGINE)
// A score from 500 on.
#define GIMMAL_TIER_HIGH 2
#endif

#if defined(GIMMAL_ENGINE)
// A score from 750 on.
#define GIMMAL_TIER_CRITICAL 3
#endif

// What `kind` holds in a pool.
#define GIMMAL_KIND_POOL 6

// The major version of the library.
#define GIMMAL_VERSION_MAJOR 0

// The minor version of the library.
#define GIMMAL_VERSION_MINOR 1

// The patch version of the library.
#define GIMMAL_VERSION_PATCH 0

// The version of the binary interface: it changes when a function or the layout does.
#define GIMMAL_ABI_VERSION 1

// Polls, with the processor's hint for spinning between. A plain push is enough for it.
#define GIMMAL_WAIT_SPIN 1

// Polls less and less often.
#define GIMMAL_WAIT_BACKOFF 2

// Polls, and lets other threads run between.
#define GIMMAL_WAIT_YIELD 3

// Sleeps in the kernel (Linux). For two parties in one process.
#define GIMMAL_WAIT_PARK 4

// The same for two parties in two processes, which both use it.
#define GIMMAL_WAIT_PARK_SHARED 5

// Sleeps in a callback.
#define GIMMAL_WAIT_CALLBACK 6

// Spins as long as a budget allows and the arrivals are worth it, then sleeps.
#define GIMMAL_WAIT_ADAPTIVE 7

// A wait without end.
#define GIMMAL_WAIT_FOREVER UINT64_MAX

// What a call reports: one of the constants below. New ones are only ever added at the end.
typedef uint32_t gimmal_status_t;

#if defined(GIMMAL_ENGINE)
// The submitter's counts, on a cache line of their own.
typedef struct gimmal_engine_submitter_t {
  GIMMAL_LINE_ALIGNED
  // Events that were submitted and not refused.
  size_t submitted;
  // Events refused.
  size_t refused;
} gimmal_engine_submitter_t;
#endif

#if defined(GIMMAL_ENGINE)
// The worker's counts, on a cache line of their own.
typedef struct gimmal_engine_worker_t {
  GIMMAL_LINE_ALIGNED
  // Events that were evaluated.
  size_t evaluated;
  // Zero.
  size_t reserved;
} gimmal_engine_worker_t;
#endif

#if defined(GIMMAL_ENGINE)
// A pipeline from event to risk score, by the standard rules: one thread, the producer, submits; another, the consumer, evaluates and
// gets the results in a handler. The events' ring follows in memory. Read the counts by gimmal_engine_counters().
typedef struct gimmal_engine_t {
  // The submitter's.
  struct gimmal_engine_submitter_t submitter;
  // The worker's.
  struct gimmal_engine_worker_t worker;
} gimmal_engine_t;
#endif

#if defined(GIMMAL_ENGINE)
// Something to be scored.
typedef struct gimmal_risk_event_t {
  // Whatever tells it from others; it comes back in the result.
  uint64_t id;
  // When it happened, in nanoseconds of the caller's clock. Nobody here looks at it.
  uint64_t timestamp;
  // What it is about. Nobody here looks at it.
  uint8_t instrument[8];
  // The price, in units of 1 / GIMMAL_PRICE_SCALE.
  int64_t price;
  // How much, in units of 1 / GIMMAL_QUANTITY_SCALE.
  int64_t quantity;
} gimmal_risk_event_t;
#endif

#if defined(GIMMAL_ENGINE)
// What an event scores.
typedef struct gimmal_risk_result_t {
  // The event's.
  uint64_t id;
  // 0 to 1000.
  int32_t score;
  // One of the GIMMAL_TIER constants.
  uint32_t tier;
} gimmal_risk_result_t;
#endif

#if defined(GIMMAL_ENGINE)
// Gets each event with what it scores and with the moment that was submitted with it. The pointers are valid until it returns. It must not
// throw, nor leave by longjmp.
typedef void (*gimmal_risk_handler_fn)(void *context,
                                       const struct gimmal_risk_event_t *event,
                                       uint64_t enqueued,
                                       const struct gimmal_risk_result_t *result);
#endif

#if defined(GIMMAL_ENGINE)
// What happened so far. Each number is exact, but they are read one after the other; all wrap.
typedef struct gimmal_engine_counters_t {
  // Events that were submitted and not refused.
  size_t submitted;
  // Events refused, because the ring was full or the engine stopped.
  size_t refused;
  // Events that were evaluated.
  size_t evaluated;
} gimmal_engine_counters_t;
#endif

// The producer's group, on a cache line of its own where there is a cache.
typedef struct gimmal_producer_t {
  GIMMAL_LINE_ALIGNED
  // Where the producer stands: a count by index, a cursor by line; with many producers
  // the number of the next cell, and the top bit once the ring is closed.
  size_t tail;
  // Private to the producer: by line the first cursor at which to look at a stamp, by index a
  // copy of `head`. Not used with many producers.
  size_t stop;
  // Elements refused by an offer, wrapping.
  size_t dropped;
} gimmal_producer_t;

// The consumer's group, on a cache line of its own where there is a cache.
typedef struct gimmal_consumer_t {
  GIMMAL_LINE_ALIGNED
  // Where the consumer stands: a count by index, a cursor by line, a cell number with many
  // producers.
  size_t head;
  // Private to the consumer: by line the cursor after the last element seen, by index a copy
  // of `tail`. Not used with many producers.
  size_t seen;
} gimmal_consumer_t;

// The control block at the start of every ring. All zeros is a valid empty ring whose geometry
// is not published. Read a ring through the functions; the fields are here because the library
// and the inline header share them.
typedef struct gimmal_control_t {
  // GIMMAL_MAGIC, or 0 while the geometry is not published.
  uint32_t magic;
  // GIMMAL_LAYOUT_VERSION.
  uint8_t version;
  // GIMMAL_KIND_INDEX, GIMMAL_KIND_LINE or GIMMAL_KIND_MPSC.
  uint8_t kind;
  // The size of a word: 4 or 8.
  uint8_t word_size;
  // The base-2 logarithm of GIMMAL_LINE, 0 when packed.
  uint8_t log2_line;
  // Bytes in an element.
  uint32_t element_size;
  // Bytes from one slot or cell to the next.
  uint32_t stride;
  // Where the slots or cells begin.
  uint32_t slots_offset;
  // The base-2 logarithm of an element's alignment.
  uint8_t log2_align;
  // The base-2 logarithm of the number of slots or cells.
  uint8_t log2_count;
  // Elements in a cell; 1 by index.
  uint8_t per_cell;
  // Zero.
  uint8_t reserved_geometry;
  // 1 while a producer holds its end. Not used with many producers.
  uint8_t producer_claimed;
  // 1 while a consumer holds its end.
  uint8_t consumer_claimed;
  // 1 once the ring is closed.
  uint8_t closed;
  // Zero.
  uint8_t reserved_state;
  // For a waiting consumer.
  uint32_t consumer_bell;
  // For a waiting producer.
  uint32_t producer_bell;
  // The producer's group.
  struct gimmal_producer_t producer;
  // The consumer's group.
  struct gimmal_consumer_t consumer;
} gimmal_control_t;

// A ring whose elements lie in cells of a cache line, each with a stamp by which its producer tells
// of them. It holds its capacity for certain, and a few more elements at times: a cell can be
// filled again only when all of it was read. The cells follow in memory.
typedef struct gimmal_line_ring_t {
  // The control block.
  struct gimmal_control_t control;
} gimmal_line_ring_t;

// Room for elements, or elements to read, in at most two runs. The second is empty unless the
// elements go past the end of the slots and on from the start, which happens by index only. The
// address of an empty run means nothing.
typedef struct gimmal_spans_t {
  // The first element.
  void *first;
  // Elements in the first run.
  size_t first_count;
  // The element after the first run.
  void *second;
  // Elements in the second run.
  size_t second_count;
} gimmal_spans_t;

// Wakes whoever sleeps behind this bell, in whatever context pushes: in an interrupt handler, too, if that pushes.
typedef void (*gimmal_wake_fn)(void *context, uint32_t *bell);

// A clock that never runs back, in nanoseconds.
typedef uint64_t (*gimmal_clock_fn)(void *context);

// A strategy. One party uses it at a time, and for one end at a time. The first fields are for the inline header.
typedef struct gimmal_wait_t {
  // One of the GIMMAL_WAIT constants; 0 before it is initialised.
  uint32_t strategy;
  // Whether a sleeper's barriers reach the threads of this process.
  uint32_t reached;
  // How it wakes.
  gimmal_wake_fn wake;
  // Handed to `wake`.
  void *context;
  // The clock of timed waits.
  gimmal_clock_fn clock;
  // Private.
  uint64_t state[64];
} gimmal_wait_t;

// A ring of any number of producers and one consumer. Each element has a cell of its own, of a cache
// line or more, with a stamp by which its producer tells of it; it holds its capacity exactly. A
// push claims a cell by compare-and-swap, and tries again only when another producer has claimed
// one. A producer that is interrupted between its claim and its stamp delays what lies behind its
// cell. The cells follow in memory.
typedef struct gimmal_mpsc_t {
  // The control block.
  struct gimmal_control_t control;
} gimmal_mpsc_t;

// A list of free slots, on a cache line of its own where there is a cache.
typedef struct gimmal_pool_list_t {
  GIMMAL_LINE_ALIGNED
  // The first slot, and in the shared list a tag.
  size_t first;
} gimmal_pool_list_t;

// A pool: slots of one size that any party acquires, and any other releases. A slot's number is its
// index, its address that of the element in it. All zeros is a valid pool with every slot free,
// whose geometry is not published. The links of the slots follow in memory, and then the slots.
//
// Acquiring and releasing are lock-free. One party at a time may be the owner of a list of its own, from
// which it acquires at less expense; what others release, it gets when its list is used up.
typedef struct gimmal_pool_t {
  // GIMMAL_MAGIC, or 0 while the geometry is not published.
  uint32_t magic;
  // GIMMAL_LAYOUT_VERSION.
  uint8_t version;
  // GIMMAL_KIND_POOL.
  uint8_t kind;
  // The size of a word: 4 or 8.
  uint8_t word_size;
  // The base-2 logarithm of GIMMAL_LINE, 0 when packed.
  uint8_t log2_line;
  // Bytes in an element.
  uint32_t element_size;
  // Bytes from one slot to the next.
  uint32_t stride;
  // Where the slots begin.
  uint32_t slots_offset;
  // The base-2 logarithm of an element's alignment.
  uint8_t log2_align;
  // Zero.
  uint8_t log2_count;
  // One.
  uint8_t per_cell;
  // Zero.
  uint8_t reserved_geometry;
  // 1 while the owner's list has an owner.
  uint8_t owner_claimed;
  // Zeros.
  uint8_t reserved_state[11];
  // The number of slots.
  uint32_t count;
  // The free slots that are anyone's.
  struct gimmal_pool_list_t shared;
  // The free slots on the owner's list.
  struct gimmal_pool_list_t owned;
} gimmal_pool_t;

// A ring whose elements lie side by side, and whose producer tells of them by its index. Its
// capacity is exact and a power of two. The slots follow in memory.
typedef struct gimmal_ring_t {
  // The control block.
  struct gimmal_control_t control;
} gimmal_ring_t;

// Sleeps until woken, or for so many nanoseconds; may return early. A wake that comes before it sleeps must end it at once.
typedef void (*gimmal_sleep_fn)(void *context, uint64_t nanoseconds);

// Lets other threads run.
typedef void (*gimmal_yield_fn)(void *context);

// What a strategy needs; what it does not need may be zero.
typedef struct gimmal_wait_options_t {
  // Every timed wait, and GIMMAL_WAIT_ADAPTIVE.
  gimmal_clock_fn clock;
  // GIMMAL_WAIT_CALLBACK, and GIMMAL_WAIT_ADAPTIVE where it shall not park.
  gimmal_sleep_fn sleep;
  // The other half of `sleep`.
  gimmal_wake_fn wake;
  // GIMMAL_WAIT_YIELD; NULL on Linux for the system's.
  gimmal_yield_fn yield_;
  // Handed to every callback.
  void *context;
  // GIMMAL_WAIT_ADAPTIVE: the per cent of a processor that may be spun, 1 to 100.
  uint32_t budget;
  // GIMMAL_WAIT_BACKOFF: the most hints between two polls; 0 for the default.
  uint32_t most;
} gimmal_wait_options_t;

// Done.
#define GIMMAL_OK 0

// No room, not for one element.
#define GIMMAL_FULL 1

// No element to take.
#define GIMMAL_EMPTY 2

// The ring is closed: nothing more is published.
#define GIMMAL_CLOSED 3

// A pointer argument is NULL.
#define GIMMAL_NULL_POINTER 4

// The storage is not aligned as the layout function says.
#define GIMMAL_MISALIGNED 5

// The storage is smaller than the layout function says.
#define GIMMAL_TOO_SMALL 6

// The capacity is 0, or no power of two where it must be one.
#define GIMMAL_BAD_CAPACITY 7

// The element's size is 0, or its alignment not a power of two, or its size no multiple of it.
#define GIMMAL_BAD_ELEMENT 8

// It would be larger than memory, or than the layout can describe.
#define GIMMAL_OVERFLOW 9

// No geometry is published there: no party that knows the element's type claimed an end of the ring, or published the pool.
#define GIMMAL_UNINITIALISED 10

// A ring of another kind, or a pool in place of a ring or the other way round.
#define GIMMAL_WRONG_KIND 11

// Another party holds this end of the ring, or the owner's list of the pool.
#define GIMMAL_BUSY 12

// The element's size or alignment, the word size, line size or layout version, or a pool's slots differ.
#define GIMMAL_MISMATCH 13

// More elements than the ring can ever hold, than there is room to commit, or than there are to release.
#define GIMMAL_TOO_LARGE 14

// The control block contradicts itself.
#define GIMMAL_CORRUPT 15

// No slot of the pool is free.
#define GIMMAL_EXHAUSTED 16

// The address or index is not that of a slot of this pool.
#define GIMMAL_FOREIGN 17

// The slot is not out: it was given back before, or never acquired, or a handle of C++ or Rust has it.
#define GIMMAL_NOT_OUT 18

// The deadline passed first.
#define GIMMAL_TIMED_OUT 19

// No such strategy, or one that was not initialised.
#define GIMMAL_BAD_STRATEGY 20

// It needs what this system does not have.
#define GIMMAL_UNSUPPORTED 21

// The system refuses the core, the priority or the memory that was asked for.
#define GIMMAL_NOT_ALLOWED 22

// No segment can have this name: 1 to 240 letters, digits, '-', '_' and '.'.
#define GIMMAL_BAD_NAME 23

// An option is none of those that there are, or cannot be had with the others.
#define GIMMAL_BAD_OPTION 24

// There is no segment of this name, and no capacity was given with which to create it.
#define GIMMAL_NOT_FOUND 25

// There is a segment of this name already.
#define GIMMAL_EXISTS 26

// The segment was replaced or removed: attach again.
#define GIMMAL_SUPERSEDED 27

// The process at the other end died, and another may take its place. For a consumer: all that it pushed is taken.
#define GIMMAL_PEER_DIED 28

// There is not enough shared memory for the segment, which was not created.
#define GIMMAL_NO_SPACE 29

// The segment's file belongs to another user, who could make every access a fatal signal.
#define GIMMAL_NOT_TRUSTED 30

// The operating system refused.
#define GIMMAL_SYSTEM 31

// Nobody has claimed the owner's list of the pool, so the caller cannot be its owner.
#define GIMMAL_NOT_CLAIMED 32

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

#if defined(GIMMAL_ENGINE)
// Tells the size and alignment of the storage for an engine whose ring holds `capacity` events at least.
//
// GIMMAL_BAD_CAPACITY or GIMMAL_OVERFLOW if there can be no such engine.
//
// # Safety
// `size` and `align` are NULL or writable.
gimmal_status_t gimmal_engine_layout(size_t capacity,
                                     size_t *size,
                                     size_t *align);
#endif

#if defined(GIMMAL_ENGINE)
// Lays out an engine in `storage`, whatever that held, and gives its address: `storage`.
//
// The errors of gimmal_engine_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that does not answer to it.
//
// # Safety
// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `engine` is NULL or writable.
gimmal_status_t gimmal_engine_init(void *storage,
                                   size_t storage_size,
                                   size_t capacity,
                                   struct gimmal_engine_t **engine);
#endif

#if defined(GIMMAL_ENGINE)
// Producer. Submits an event, with the moment at which that is by any clock that the handler understands. What is submitted is
// evaluated. Wait-free.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it is refused, which is counted.
//
// # Safety
// `engine` is NULL or an engine whose producer is the caller; `event` is NULL or an event.
gimmal_status_t gimmal_engine_submit(struct gimmal_engine_t *engine,
                                     const struct gimmal_risk_event_t *event,
                                     uint64_t enqueued);
#endif

#if defined(GIMMAL_ENGINE)
// Producer. Stops the engine, for good: later events are refused, and what was submitted is still evaluated. Where another thread is
// to stop it, that tells the producer's.
//
// # Safety
// `engine` is NULL or an engine whose producer is the caller.
gimmal_status_t gimmal_engine_stop(struct gimmal_engine_t *engine);
#endif

#if defined(GIMMAL_ENGINE)
// Consumer. Evaluates the oldest event, and hands it to the handler.
//
// GIMMAL_EMPTY if there is none; GIMMAL_CLOSED if the engine was stopped and everything is evaluated.
//
// # Safety
// `engine` is NULL or an engine whose consumer is the caller; `handler` is NULL or may be called with `context`.
gimmal_status_t gimmal_engine_step(struct gimmal_engine_t *engine,
                                   gimmal_risk_handler_fn handler,
                                   void *context);
#endif

#if defined(GIMMAL_ENGINE)
// Consumer. Evaluates events until the engine was stopped and everything is evaluated, and polls without a break while there is none.
//
// # Safety
// As for gimmal_engine_step().
gimmal_status_t gimmal_engine_run(struct gimmal_engine_t *engine,
                                  gimmal_risk_handler_fn handler,
                                  void *context);
#endif

#if defined(GIMMAL_ENGINE)
// Anyone. Tells what happened so far.
//
// # Safety
// `engine` is NULL or an engine; `counters` is NULL or writable.
gimmal_status_t gimmal_engine_counters(struct gimmal_engine_t *engine,
                                       struct gimmal_engine_counters_t *counters);
#endif

#if defined(GIMMAL_ENGINE)
// Scores an event by the standard rules.
//
// # Safety
// `event` is NULL or an event; `result` is NULL or writable.
gimmal_status_t gimmal_engine_evaluate(const struct gimmal_risk_event_t *event,
                                       struct gimmal_risk_result_t *result);
#endif

#if defined(GIMMAL_ENGINE)
// Before the engine is used, on the thread that becomes the consumer. Passes through the whole ring once, so that no event waits for its
// memory, and evaluates so many made-up events, of which neither the handler nor the counts learn. 10,000 are enough.
//
// GIMMAL_CLOSED if the engine was stopped.
//
// # Safety
// `engine` is NULL or an engine that nobody else uses.
gimmal_status_t gimmal_engine_warm_up(struct gimmal_engine_t *engine,
                                      size_t events);
#endif

#if defined(GIMMAL_ENGINE)
// Keeps the engine's `size` bytes from being paged out (Linux).
//
// GIMMAL_NOT_ALLOWED if that is more than this process may lock; GIMMAL_UNSUPPORTED elsewhere.
//
// # Safety
// `engine` is NULL or an engine in `size` bytes of storage.
gimmal_status_t gimmal_engine_lock_memory(struct gimmal_engine_t *engine, size_t size);
#endif

#if defined(GIMMAL_ENGINE)
// Keeps the calling thread on a core (Linux).
//
// GIMMAL_NOT_ALLOWED if this process may not use it; GIMMAL_UNSUPPORTED elsewhere.
gimmal_status_t gimmal_engine_pin_thread(size_t core);
#endif

#if defined(GIMMAL_ENGINE)
// Runs the calling thread before all ordinary ones, by SCHED_FIFO with this priority, 1 to 99 (Linux).
//
// GIMMAL_NOT_ALLOWED if this process may not, or there is no such priority; GIMMAL_UNSUPPORTED elsewhere.
gimmal_status_t gimmal_engine_raise_thread(uint8_t priority);
#endif

// Tells the size and alignment of the storage for a ring that holds `capacity` elements for
// certain. Any capacity from 1 on will do; gimmal_line_ring_capacity() may turn out larger.
//
// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such ring.
//
// # Safety
// `size` and `align` are NULL or writable.
gimmal_status_t gimmal_line_ring_layout(size_t element_size,
                                        size_t element_align,
                                        size_t capacity,
                                        size_t *size,
                                        size_t *align);

// Lays out an empty ring in `storage`, whatever that held, and gives its address: `storage`.
// Other parties may use the ring as soon as they learn of it in an orderly way.
//
// The errors of gimmal_line_ring_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
// does not answer to it.
//
// # Safety
// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `ring` is NULL or
// writable.
gimmal_status_t gimmal_line_ring_init(void *storage,
                                      size_t storage_size,
                                      size_t element_size,
                                      size_t element_align,
                                      size_t capacity,
                                      struct gimmal_line_ring_t **ring);

// Finds the ring that another party laid out in `memory`, and checks that it is one by line, for
// such elements, and wholly inside. The functions below trust a ring's geometry once it is
// attached: memory that a hostile party writes needs more than this.
//
// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
//
// # Safety
// `memory` is NULL or `memory_size` readable and writable bytes; `ring` is NULL or writable.
gimmal_status_t gimmal_line_ring_attach(void *memory,
                                        size_t memory_size,
                                        size_t element_size,
                                        size_t element_align,
                                        struct gimmal_line_ring_t **ring);

// Ends the ring: every later call reports GIMMAL_UNINITIALISED, until it is laid out again.
// Elements that are left are forgotten.
//
// # Safety
// `ring` is NULL or a ring that no other call uses.
gimmal_status_t gimmal_line_ring_deinit(struct gimmal_line_ring_t *ring);

// Anyone. Takes the producer's end. A party that is known to be the only producer need not. On a
// processor with no atomic exchange, such as a Cortex-M0, no two may call it at once.
//
// GIMMAL_BUSY if it is taken.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_line_ring_claim_producer(struct gimmal_line_ring_t *ring);

// Producer. Gives the producer's end back, to be taken by another party.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller.
gimmal_status_t gimmal_line_ring_release_producer(struct gimmal_line_ring_t *ring);

// Anyone. Takes the consumer's end. A party that is known to be the only consumer need not. On a
// processor with no atomic exchange, such as a Cortex-M0, no two may call it at once.
//
// GIMMAL_BUSY if it is taken.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_line_ring_claim_consumer(struct gimmal_line_ring_t *ring);

// Consumer. Gives the consumer's end back, to be taken by another party.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller.
gimmal_status_t gimmal_line_ring_release_consumer(struct gimmal_line_ring_t *ring);

// Producer. Copies one element into the ring.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
gimmal_status_t gimmal_line_ring_push(struct gimmal_line_ring_t *ring, const void *element);

// Producer. Copies one element into the ring, or counts it as dropped.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it was dropped.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
gimmal_status_t gimmal_line_ring_offer(struct gimmal_line_ring_t *ring, const void *element);

// Producer. Copies as many of `count` elements into the ring as fit, and tells how many.
//
// GIMMAL_FULL if none fits; GIMMAL_CLOSED.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `elements` is NULL or `count` elements;
// `pushed` is NULL or writable.
gimmal_status_t gimmal_line_ring_push_n(struct gimmal_line_ring_t *ring,
                                        const void *elements,
                                        size_t count,
                                        size_t *pushed);

// Producer. Gives out room for up to `count` elements, at least one, in what is left of one cell,
// to be filled in place and then committed. Until then nothing is published, and reserving again
// gives the same room.
//
// GIMMAL_FULL if there is no room; GIMMAL_CLOSED; GIMMAL_TOO_LARGE if `count` is beyond the
// capacity, so that waiting for it would never end.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `spans` is NULL or writable.
gimmal_status_t gimmal_line_ring_reserve(struct gimmal_line_ring_t *ring,
                                         size_t count,
                                         struct gimmal_spans_t *spans);

// Producer. Publishes the first `count` elements of the room that was reserved.
//
// GIMMAL_TOO_LARGE if there is no room for so many, GIMMAL_CLOSED.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller, who has filled the room.
gimmal_status_t gimmal_line_ring_commit(struct gimmal_line_ring_t *ring, size_t count);

// Consumer. Moves the oldest element out of the ring.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
gimmal_status_t gimmal_line_ring_pop(struct gimmal_line_ring_t *ring, void *element);

// Consumer. Copies the oldest element and leaves it in the ring.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
gimmal_status_t gimmal_line_ring_peek(struct gimmal_line_ring_t *ring, void *element);

// Consumer. Moves up to `count` of the oldest elements out of the ring, and tells how many.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `elements` is NULL or room for `count`;
// `popped` is NULL or writable.
gimmal_status_t gimmal_line_ring_pop_n(struct gimmal_line_ring_t *ring,
                                       void *elements,
                                       size_t count,
                                       size_t *popped);

// Consumer. Gives out up to `count` of the oldest elements, at least one, in one cell, to be read
// in place and then released. Until then they stay in the ring, and reading again gives the same.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `spans` is NULL or writable.
gimmal_status_t gimmal_line_ring_read(struct gimmal_line_ring_t *ring,
                                      size_t count,
                                      struct gimmal_spans_t *spans);

// Consumer. Takes the oldest `count` elements off the ring; their slots are not the caller's any
// more.
//
// GIMMAL_TOO_LARGE if there are fewer.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller.
gimmal_status_t gimmal_line_ring_release(struct gimmal_line_ring_t *ring, size_t count);

// Anyone. How many elements the ring holds: a snapshot, from 0 to what fits, which may be more than
// the capacity. An element may be counted an instant before or after it can be popped.
//
// # Safety
// `ring` is NULL or a ring; `len` is NULL or writable.
gimmal_status_t gimmal_line_ring_len(const struct gimmal_line_ring_t *ring, size_t *len);

// Anyone. Whether the ring holds no element: a snapshot, and for the last element as inexact as
// gimmal_line_ring_len(); gimmal_line_ring_peek() is exact.
//
// # Safety
// `ring` is NULL or a ring; `is_empty` is NULL or writable.
gimmal_status_t gimmal_line_ring_is_empty(const struct gimmal_line_ring_t *ring, bool *is_empty);

// Anyone. Whether the next push would report GIMMAL_FULL: a snapshot. For the producer, false
// stays so until it pushes.
//
// # Safety
// `ring` is NULL or a ring; `is_full` is NULL or writable.
gimmal_status_t gimmal_line_ring_is_full(const struct gimmal_line_ring_t *ring, bool *is_full);

// Anyone. How many elements the ring holds for certain.
//
// # Safety
// `ring` is NULL or a ring; `capacity` is NULL or writable.
gimmal_status_t gimmal_line_ring_capacity(const struct gimmal_line_ring_t *ring, size_t *capacity);

// Anyone. How many elements were offered and dropped, ever; it wraps.
//
// # Safety
// `ring` is NULL or a ring; `dropped` is NULL or writable.
gimmal_status_t gimmal_line_ring_dropped(const struct gimmal_line_ring_t *ring, size_t *dropped);

// Anyone. Closes the ring for good: a push reports GIMMAL_CLOSED, a pop delivers what is left.
// Closing twice is the same as once. A push that another thread has begun may still go through.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_line_ring_close(struct gimmal_line_ring_t *ring);

// Anyone. Whether the ring is closed. A consumer that learns this from a producer's close, and
// then finds the ring empty, has had every element.
//
// # Safety
// `ring` is NULL or a ring; `is_closed` is NULL or writable.
gimmal_status_t gimmal_line_ring_is_closed(const struct gimmal_line_ring_t *ring, bool *is_closed);

// Consumer. Moves the oldest element out of the ring, and waits for one as `wait` does, for `timeout` nanoseconds at most
// or GIMMAL_WAIT_FOREVER.
//
// GIMMAL_CLOSED if the ring is closed and empty, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is
// timed and the strategy has no clock.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
// initialised, that nobody else uses.
gimmal_status_t gimmal_line_ring_pop_wait(struct gimmal_line_ring_t *ring,
                                          void *element,
                                          struct gimmal_wait_t *wait,
                                          uint64_t timeout);

// Producer. Copies one element into the ring, and waits for room as `wait` does, for `timeout` nanoseconds at most or
// GIMMAL_WAIT_FOREVER.
//
// GIMMAL_CLOSED, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is timed and the strategy has no clock.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or initialised,
// that nobody else uses.
gimmal_status_t gimmal_line_ring_push_wait(struct gimmal_line_ring_t *ring,
                                           const void *element,
                                           struct gimmal_wait_t *wait,
                                           uint64_t timeout);

// Producer. Copies one element into the ring, and wakes a consumer that sleeps as `wait` does.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in, GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or
// initialised.
gimmal_status_t gimmal_line_ring_push_notify(struct gimmal_line_ring_t *ring,
                                             const void *element,
                                             const struct gimmal_wait_t *wait);

// Consumer. Moves the oldest element out of the ring, and wakes a producer that sleeps as `wait` does until there is room.
//
// GIMMAL_EMPTY if there is none, GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
// initialised.
gimmal_status_t gimmal_line_ring_pop_notify(struct gimmal_line_ring_t *ring,
                                            void *element,
                                            const struct gimmal_wait_t *wait);

// Anyone. Closes the ring for good, and wakes whoever sleeps at it as `wait` does.
//
// GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring; `wait` is NULL or a strategy, zeroed or initialised.
gimmal_status_t gimmal_line_ring_close_notify(struct gimmal_line_ring_t *ring,
                                              const struct gimmal_wait_t *wait);

// Consumer. Declares how it will sleep, so that pushes that notify cost less from the first on.
//
// GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `wait` is NULL or a strategy, zeroed or initialised, that nobody else
// uses.
gimmal_status_t gimmal_line_ring_declare_wait(struct gimmal_line_ring_t *ring,
                                              struct gimmal_wait_t *wait);

// Tells the size and alignment of the storage for a ring that holds `capacity` elements, a power of
// two.
//
// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such ring.
//
// # Safety
// `size` and `align` are NULL or writable.
gimmal_status_t gimmal_mpsc_layout(size_t element_size,
                                   size_t element_align,
                                   size_t capacity,
                                   size_t *size,
                                   size_t *align);

// Lays out an empty ring in `storage`, whatever that held, and gives its address: `storage`.
// Other parties may use the ring as soon as they learn of it in an orderly way.
//
// The errors of gimmal_mpsc_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
// does not answer to it.
//
// # Safety
// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `ring` is NULL or
// writable.
gimmal_status_t gimmal_mpsc_init(void *storage,
                                 size_t storage_size,
                                 size_t element_size,
                                 size_t element_align,
                                 size_t capacity,
                                 struct gimmal_mpsc_t **ring);

// Finds the ring that another party laid out in `memory`, and checks that it is one of many
// producers, for such elements, and wholly inside. The functions below trust a ring's geometry once it is
// attached: memory that a hostile party writes needs more than this.
//
// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
//
// # Safety
// `memory` is NULL or `memory_size` readable and writable bytes; `ring` is NULL or writable.
gimmal_status_t gimmal_mpsc_attach(void *memory,
                                   size_t memory_size,
                                   size_t element_size,
                                   size_t element_align,
                                   struct gimmal_mpsc_t **ring);

// Ends the ring: every later call reports GIMMAL_UNINITIALISED, until it is laid out again.
// Elements that are left are forgotten.
//
// # Safety
// `ring` is NULL or a ring that no other call uses.
gimmal_status_t gimmal_mpsc_deinit(struct gimmal_mpsc_t *ring);

// Anyone. Takes the consumer's end. A party that is known to be the only consumer need not.
// Producers claim nothing: any number of them may push at any time.
//
// GIMMAL_BUSY if it is taken.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_mpsc_claim_consumer(struct gimmal_mpsc_t *ring);

// Consumer. Gives the consumer's end back, to be taken by another party.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller.
gimmal_status_t gimmal_mpsc_release_consumer(struct gimmal_mpsc_t *ring);

// Anyone, any number at once. Copies one element into the ring. Elements of one thread keep their
// order.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in.
//
// # Safety
// `ring` is NULL or a ring; `element` is NULL or an element.
gimmal_status_t gimmal_mpsc_push(struct gimmal_mpsc_t *ring, const void *element);

// Anyone, any number at once. Copies one element into the ring, or counts it as dropped.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it was dropped.
//
// # Safety
// `ring` is NULL or a ring; `element` is NULL or an element.
gimmal_status_t gimmal_mpsc_offer(struct gimmal_mpsc_t *ring, const void *element);

// Consumer. Moves the oldest element out of the ring.
//
// GIMMAL_EMPTY if there is none, or its producer has not finished: see gimmal_mpsc_stalled().
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
gimmal_status_t gimmal_mpsc_pop(struct gimmal_mpsc_t *ring, void *element);

// Consumer. Copies the oldest element and leaves it in the ring.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
gimmal_status_t gimmal_mpsc_peek(struct gimmal_mpsc_t *ring, void *element);

// Consumer. Moves up to `count` of the oldest elements out of the ring, and tells how many.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `elements` is NULL or room for `count`;
// `popped` is NULL or writable.
gimmal_status_t gimmal_mpsc_pop_n(struct gimmal_mpsc_t *ring,
                                  void *elements,
                                  size_t count,
                                  size_t *popped);

// Consumer. Names the cell that keeps gimmal_mpsc_pop() from the elements behind it: its producer has
// claimed it and not published it yet. `number` counts the cells claimed before it, and wraps at
// half of the range of size_t; modulo the capacity it is the cell's place.
//
// In passing, every push is in that state. If the same cell is named again and again, its producer
// was interrupted, or is gone.
//
// GIMMAL_EMPTY if there is no such cell: an element can be popped, or nothing was pushed.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `number` is NULL or writable.
gimmal_status_t gimmal_mpsc_stalled(const struct gimmal_mpsc_t *ring,
                                    size_t *number);

// Anyone. How many elements the ring holds: a snapshot, from 0 to the capacity. An element counts
// from the moment when its producer has claimed its cell.
//
// # Safety
// `ring` is NULL or a ring; `len` is NULL or writable.
gimmal_status_t gimmal_mpsc_len(const struct gimmal_mpsc_t *ring, size_t *len);

// Anyone. Whether the ring holds no element: a snapshot, of what gimmal_mpsc_len() counts. Whether
// there is one to pop, gimmal_mpsc_peek() tells.
//
// # Safety
// `ring` is NULL or a ring; `is_empty` is NULL or writable.
gimmal_status_t gimmal_mpsc_is_empty(const struct gimmal_mpsc_t *ring, bool *is_empty);

// Anyone. Whether the next push would report GIMMAL_FULL: a snapshot.
//
// # Safety
// `ring` is NULL or a ring; `is_full` is NULL or writable.
gimmal_status_t gimmal_mpsc_is_full(const struct gimmal_mpsc_t *ring, bool *is_full);

// Anyone. How many elements the ring holds, at most and for certain.
//
// # Safety
// `ring` is NULL or a ring; `capacity` is NULL or writable.
gimmal_status_t gimmal_mpsc_capacity(const struct gimmal_mpsc_t *ring, size_t *capacity);

// Anyone. How many elements were offered and dropped, ever; it wraps.
//
// # Safety
// `ring` is NULL or a ring; `dropped` is NULL or writable.
gimmal_status_t gimmal_mpsc_dropped(const struct gimmal_mpsc_t *ring, size_t *dropped);

// Anyone. Closes the ring for good: a push reports GIMMAL_CLOSED, a pop delivers what is left.
// Closing twice is the same as once. A push that another thread has begun may still go through, and
// is delivered.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_mpsc_close(struct gimmal_mpsc_t *ring);

// Anyone. Whether the ring is closed and no push is under way any more. A consumer that learns this,
// whoever closed, and then finds the ring empty, has had every element. Once the ring is closed, it
// takes a look at each element left.
//
// # Safety
// `ring` is NULL or a ring; `is_closed` is NULL or writable.
gimmal_status_t gimmal_mpsc_is_closed(const struct gimmal_mpsc_t *ring,
                                      bool *is_closed);

// Consumer. Moves the oldest element out of the ring, and waits for one as `wait` does, for `timeout` nanoseconds at most
// or GIMMAL_WAIT_FOREVER.
//
// GIMMAL_CLOSED if the ring is closed and empty, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is
// timed and the strategy has no clock.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
// initialised, that nobody else uses.
gimmal_status_t gimmal_mpsc_pop_wait(struct gimmal_mpsc_t *ring,
                                     void *element,
                                     struct gimmal_wait_t *wait,
                                     uint64_t timeout);

// Producer. Copies one element into the ring, and waits for room as `wait` does, for `timeout` nanoseconds at most or
// GIMMAL_WAIT_FOREVER. Of several producers that sleep, some may look again only after 100 ms.
//
// GIMMAL_CLOSED, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is timed and the strategy has no clock.
//
// # Safety
// `ring` is NULL or a ring; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or initialised,
// that nobody else uses.
gimmal_status_t gimmal_mpsc_push_wait(struct gimmal_mpsc_t *ring,
                                      const void *element,
                                      struct gimmal_wait_t *wait,
                                      uint64_t timeout);

// Producer. Copies one element into the ring, and wakes a consumer that sleeps as `wait` does.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in, GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or
// initialised.
gimmal_status_t gimmal_mpsc_push_notify(struct gimmal_mpsc_t *ring,
                                        const void *element,
                                        const struct gimmal_wait_t *wait);

// Consumer. Moves the oldest element out of the ring, and wakes a producer that sleeps as `wait` does until there is room.
//
// GIMMAL_EMPTY if there is none, GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
// initialised.
gimmal_status_t gimmal_mpsc_pop_notify(struct gimmal_mpsc_t *ring,
                                       void *element,
                                       const struct gimmal_wait_t *wait);

// Anyone. Closes the ring for good, and wakes whoever sleeps at it as `wait` does.
//
// GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring; `wait` is NULL or a strategy, zeroed or initialised.
gimmal_status_t gimmal_mpsc_close_notify(struct gimmal_mpsc_t *ring,
                                         const struct gimmal_wait_t *wait);

// Consumer. Declares how it will sleep, so that pushes that notify cost less from the first on.
//
// GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `wait` is NULL or a strategy, zeroed or initialised, that nobody else
// uses.
gimmal_status_t gimmal_mpsc_declare_wait(struct gimmal_mpsc_t *ring,
                                         struct gimmal_wait_t *wait);

// Tells the size and alignment of the storage for a pool of `capacity` slots. If `padded`, each slot
// has cache lines of its own, of 64 bytes; else slots lie side by side.
//
// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such pool.
//
// # Safety
// `size` and `align` are NULL or writable.
gimmal_status_t gimmal_pool_layout(size_t element_size,
                                   size_t element_align,
                                   size_t capacity,
                                   bool padded,
                                   size_t *size,
                                   size_t *align);

// Lays out a pool with every slot free in `storage`, whatever that held, and gives its address:
// `storage`. Takes time in proportion to the capacity. Other parties may use the pool as soon as
// they learn of it in an orderly way.
//
// The errors of gimmal_pool_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
// does not answer to it.
//
// # Safety
// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `pool` is NULL or
// writable.
gimmal_status_t gimmal_pool_init(void *storage,
                                 size_t storage_size,
                                 size_t element_size,
                                 size_t element_align,
                                 size_t capacity,
                                 bool padded,
                                 struct gimmal_pool_t **pool);

// Finds the pool that another party laid out in `memory`, and checks that it is one of slots for
// such elements, and wholly inside. The functions below trust a pool's geometry once it is
// attached: memory that a hostile party writes needs more than this.
//
// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
//
// # Safety
// `memory` is NULL or `memory_size` readable and writable bytes; `pool` is NULL or writable.
gimmal_status_t gimmal_pool_attach(void *memory,
                                   size_t memory_size,
                                   size_t element_size,
                                   size_t element_align,
                                   struct gimmal_pool_t **pool);

// Ends the pool: every later call reports GIMMAL_UNINITIALISED, until it is laid out again. Slots
// that are out are forgotten.
//
// # Safety
// `pool` is NULL or a pool that no other call uses.
gimmal_status_t gimmal_pool_deinit(struct gimmal_pool_t *pool);

// Anyone. Acquires a slot: its index, and the address of the element in it, which is left over from
// its last use or zeros.
//
// GIMMAL_EXHAUSTED if no slot is free.
//
// # Safety
// `pool` is NULL or a pool; `index` and `element` are NULL or writable.
gimmal_status_t gimmal_pool_acquire(struct gimmal_pool_t *pool, uint32_t *index, void **element);

// Anyone. Releases the slot at this address. If two parties release it, one of them is told, whatever
// their timing; but not if the slot was acquired anew between the two.
//
// GIMMAL_FOREIGN if no slot of this pool begins there, GIMMAL_NOT_OUT if the slot is free.
//
// # Safety
// `pool` is NULL or a pool. The caller acquired the slot, or was given it, and does not use it any more.
gimmal_status_t gimmal_pool_release(struct gimmal_pool_t *pool,
                                    void *element);

// Anyone. Releases the slot of this index: as gimmal_pool_release(), and a little faster.
//
// GIMMAL_FOREIGN if the pool has no slot of this index, GIMMAL_NOT_OUT if the slot is free.
//
// # Safety
// As for gimmal_pool_release().
gimmal_status_t gimmal_pool_release_index(struct gimmal_pool_t *pool, uint32_t index);

// Anyone. The address of the element in the slot of this index, for who was given the index by
// another party.
//
// GIMMAL_FOREIGN if the pool has no slot of this index.
//
// # Safety
// `pool` is NULL or a pool; `element` is NULL or writable.
gimmal_status_t gimmal_pool_element(const struct gimmal_pool_t *pool,
                                    uint32_t index,
                                    void **element);

// Anyone. The index of the slot at this address, to be passed where addresses differ: another process.
//
// GIMMAL_FOREIGN if no slot of this pool begins there.
//
// # Safety
// `pool` is NULL or a pool; `index` is NULL or writable.
gimmal_status_t gimmal_pool_index(const struct gimmal_pool_t *pool,
                                  const void *element,
                                  uint32_t *index);

// Anyone. Makes the caller the owner of the pool's own list.
//
// GIMMAL_BUSY if it has an owner.
//
// # Safety
// `pool` is NULL or a pool.
gimmal_status_t gimmal_pool_claim_owner(struct gimmal_pool_t *pool);

// Owner. Gives the list up, and what is left on it to anyone. Takes time in proportion to that.
//
// GIMMAL_NOT_CLAIMED if the pool has no owner.
//
// # Safety
// `pool` is NULL or a pool whose owner is the caller.
gimmal_status_t gimmal_pool_release_owner(struct gimmal_pool_t *pool);

// Owner. Acquires a slot as gimmal_pool_acquire() does, from the owner's list or, when that is used
// up, from all that was released meanwhile.
//
// GIMMAL_EXHAUSTED if no slot is free; GIMMAL_NOT_CLAIMED if the pool has no owner.
//
// # Safety
// `pool` is NULL or a pool whose owner is the caller; `index` and `element` are NULL or writable.
gimmal_status_t gimmal_pool_acquire_owned(struct gimmal_pool_t *pool,
                                          uint32_t *index,
                                          void **element);

// Owner. Releases a slot, whoever acquired it, to the owner's list.
//
// As gimmal_pool_release_index(); GIMMAL_NOT_CLAIMED if the pool has no owner.
//
// # Safety
// `pool` is NULL or a pool whose owner is the caller, who does not use the slot any more.
gimmal_status_t gimmal_pool_release_owned(struct gimmal_pool_t *pool, uint32_t index);

// Anyone. How many slots are free: exact while nobody acquires or releases any, and else a guess.
// Takes time in proportion to the answer.
//
// # Safety
// `pool` is NULL or a pool; `count` is NULL or writable.
gimmal_status_t gimmal_pool_available(const struct gimmal_pool_t *pool, size_t *count);

// Anyone. How many slots there are.
//
// # Safety
// `pool` is NULL or a pool; `count` is NULL or writable.
gimmal_status_t gimmal_pool_capacity(const struct gimmal_pool_t *pool, size_t *count);

// Tells the size and alignment of the storage for a ring of `capacity` elements, a power of two.
//
// GIMMAL_BAD_ELEMENT, GIMMAL_BAD_CAPACITY, or GIMMAL_OVERFLOW if there can be no such ring.
//
// # Safety
// `size` and `align` are NULL or writable.
gimmal_status_t gimmal_ring_layout(size_t element_size,
                                   size_t element_align,
                                   size_t capacity,
                                   size_t *size,
                                   size_t *align);

// Lays out an empty ring in `storage`, whatever that held, and gives its address: `storage`.
// Other parties may use the ring as soon as they learn of it in an orderly way.
//
// The errors of gimmal_ring_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that
// does not answer to it.
//
// # Safety
// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `ring` is NULL or
// writable.
gimmal_status_t gimmal_ring_init(void *storage,
                                 size_t storage_size,
                                 size_t element_size,
                                 size_t element_align,
                                 size_t capacity,
                                 struct gimmal_ring_t **ring);

// Finds the ring that another party laid out in `memory`, and checks that it is one by index, for
// such elements, and wholly inside. The functions below trust a ring's geometry once it is
// attached: memory that a hostile party writes needs more than this.
//
// GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_MISMATCH or GIMMAL_CORRUPT for what the memory
// holds, GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for the memory itself.
//
// # Safety
// `memory` is NULL or `memory_size` readable and writable bytes; `ring` is NULL or writable.
gimmal_status_t gimmal_ring_attach(void *memory,
                                   size_t memory_size,
                                   size_t element_size,
                                   size_t element_align,
                                   struct gimmal_ring_t **ring);

// Ends the ring: every later call reports GIMMAL_UNINITIALISED, until it is laid out again.
// Elements that are left are forgotten.
//
// # Safety
// `ring` is NULL or a ring that no other call uses.
gimmal_status_t gimmal_ring_deinit(struct gimmal_ring_t *ring);

// Anyone. Takes the producer's end. A party that is known to be the only producer need not. On a
// processor with no atomic exchange, such as a Cortex-M0, no two may call it at once.
//
// GIMMAL_BUSY if it is taken.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_ring_claim_producer(struct gimmal_ring_t *ring);

// Producer. Gives the producer's end back, to be taken by another party.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller.
gimmal_status_t gimmal_ring_release_producer(struct gimmal_ring_t *ring);

// Anyone. Takes the consumer's end. A party that is known to be the only consumer need not. On a
// processor with no atomic exchange, such as a Cortex-M0, no two may call it at once.
//
// GIMMAL_BUSY if it is taken.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_ring_claim_consumer(struct gimmal_ring_t *ring);

// Consumer. Gives the consumer's end back, to be taken by another party.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller.
gimmal_status_t gimmal_ring_release_consumer(struct gimmal_ring_t *ring);

// Producer. Copies one element into the ring.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
gimmal_status_t gimmal_ring_push(struct gimmal_ring_t *ring, const void *element);

// Producer. Copies one element into the ring, or counts it as dropped.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it was dropped.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element.
gimmal_status_t gimmal_ring_offer(struct gimmal_ring_t *ring, const void *element);

// Producer. Copies as many of `count` elements into the ring as fit, and tells how many.
//
// GIMMAL_FULL if none fits; GIMMAL_CLOSED.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `elements` is NULL or `count` elements;
// `pushed` is NULL or writable.
gimmal_status_t gimmal_ring_push_n(struct gimmal_ring_t *ring,
                                   const void *elements,
                                   size_t count,
                                   size_t *pushed);

// Producer. Gives out room for up to `count` elements, at least one, to be filled in place and
// then committed. Until then nothing is published, and reserving again gives the same room.
//
// GIMMAL_FULL if there is no room; GIMMAL_CLOSED; GIMMAL_TOO_LARGE if `count` is beyond the
// capacity, so that waiting for it would never end.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `spans` is NULL or writable.
gimmal_status_t gimmal_ring_reserve(struct gimmal_ring_t *ring,
                                    size_t count,
                                    struct gimmal_spans_t *spans);

// Producer. Publishes the first `count` elements of the room that was reserved.
//
// GIMMAL_TOO_LARGE if there is no room for so many, GIMMAL_CLOSED.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller, who has filled the room.
gimmal_status_t gimmal_ring_commit(struct gimmal_ring_t *ring, size_t count);

// Consumer. Moves the oldest element out of the ring.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
gimmal_status_t gimmal_ring_pop(struct gimmal_ring_t *ring, void *element);

// Consumer. Copies the oldest element and leaves it in the ring.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one.
gimmal_status_t gimmal_ring_peek(struct gimmal_ring_t *ring, void *element);

// Consumer. Moves up to `count` of the oldest elements out of the ring, and tells how many.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `elements` is NULL or room for `count`;
// `popped` is NULL or writable.
gimmal_status_t gimmal_ring_pop_n(struct gimmal_ring_t *ring,
                                  void *elements,
                                  size_t count,
                                  size_t *popped);

// Consumer. Gives out up to `count` of the oldest elements, at least one, to be read in place and
// then released. Until then they stay in the ring, and reading again gives the same.
//
// GIMMAL_EMPTY if there is none.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `spans` is NULL or writable.
gimmal_status_t gimmal_ring_read(struct gimmal_ring_t *ring,
                                 size_t count,
                                 struct gimmal_spans_t *spans);

// Consumer. Takes the oldest `count` elements off the ring; their slots are not the caller's any
// more.
//
// GIMMAL_TOO_LARGE if there are fewer.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller.
gimmal_status_t gimmal_ring_release(struct gimmal_ring_t *ring, size_t count);

// Anyone. How many elements the ring holds: a snapshot, from 0 to the capacity. The consumer may
// rely on at least so many, the producer on at most so many.
//
// # Safety
// `ring` is NULL or a ring; `len` is NULL or writable.
gimmal_status_t gimmal_ring_len(const struct gimmal_ring_t *ring, size_t *len);

// Anyone. Whether the ring holds no element: a snapshot. For the consumer, false stays so until it
// pops.
//
// # Safety
// `ring` is NULL or a ring; `is_empty` is NULL or writable.
gimmal_status_t gimmal_ring_is_empty(const struct gimmal_ring_t *ring, bool *is_empty);

// Anyone. Whether the next push would report GIMMAL_FULL: a snapshot. For the producer, false
// stays so until it pushes.
//
// # Safety
// `ring` is NULL or a ring; `is_full` is NULL or writable.
gimmal_status_t gimmal_ring_is_full(const struct gimmal_ring_t *ring, bool *is_full);

// Anyone. How many elements the ring holds when it is full.
//
// # Safety
// `ring` is NULL or a ring; `capacity` is NULL or writable.
gimmal_status_t gimmal_ring_capacity(const struct gimmal_ring_t *ring, size_t *capacity);

// Anyone. How many elements were offered and dropped, ever; it wraps.
//
// # Safety
// `ring` is NULL or a ring; `dropped` is NULL or writable.
gimmal_status_t gimmal_ring_dropped(const struct gimmal_ring_t *ring, size_t *dropped);

// Anyone. Closes the ring for good: a push reports GIMMAL_CLOSED, a pop delivers what is left.
// Closing twice is the same as once. A push that another thread has begun may still go through.
//
// # Safety
// `ring` is NULL or a ring.
gimmal_status_t gimmal_ring_close(struct gimmal_ring_t *ring);

// Anyone. Whether the ring is closed. A consumer that learns this from a producer's close, and
// then finds the ring empty, has had every element.
//
// # Safety
// `ring` is NULL or a ring; `is_closed` is NULL or writable.
gimmal_status_t gimmal_ring_is_closed(const struct gimmal_ring_t *ring, bool *is_closed);

// Consumer. Moves the oldest element out of the ring, and waits for one as `wait` does, for `timeout` nanoseconds at most
// or GIMMAL_WAIT_FOREVER.
//
// GIMMAL_CLOSED if the ring is closed and empty, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is
// timed and the strategy has no clock.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
// initialised, that nobody else uses.
gimmal_status_t gimmal_ring_pop_wait(struct gimmal_ring_t *ring,
                                     void *element,
                                     struct gimmal_wait_t *wait,
                                     uint64_t timeout);

// Producer. Copies one element into the ring, and waits for room as `wait` does, for `timeout` nanoseconds at most or
// GIMMAL_WAIT_FOREVER.
//
// GIMMAL_CLOSED, GIMMAL_TIMED_OUT, GIMMAL_BAD_STRATEGY; GIMMAL_NULL_POINTER also if the wait is timed and the strategy has no clock.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or initialised,
// that nobody else uses.
gimmal_status_t gimmal_ring_push_wait(struct gimmal_ring_t *ring,
                                      const void *element,
                                      struct gimmal_wait_t *wait,
                                      uint64_t timeout);

// Producer. Copies one element into the ring, and wakes a consumer that sleeps as `wait` does.
//
// GIMMAL_FULL or GIMMAL_CLOSED if it does not go in, GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose producer is the caller; `element` is NULL or an element; `wait` is NULL or a strategy, zeroed or
// initialised.
gimmal_status_t gimmal_ring_push_notify(struct gimmal_ring_t *ring,
                                        const void *element,
                                        const struct gimmal_wait_t *wait);

// Consumer. Moves the oldest element out of the ring, and wakes a producer that sleeps as `wait` does until there is room.
//
// GIMMAL_EMPTY if there is none, GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `element` is NULL or room for one; `wait` is NULL or a strategy, zeroed or
// initialised.
gimmal_status_t gimmal_ring_pop_notify(struct gimmal_ring_t *ring,
                                       void *element,
                                       const struct gimmal_wait_t *wait);

// Anyone. Closes the ring for good, and wakes whoever sleeps at it as `wait` does.
//
// GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring; `wait` is NULL or a strategy, zeroed or initialised.
gimmal_status_t gimmal_ring_close_notify(struct gimmal_ring_t *ring,
                                         const struct gimmal_wait_t *wait);

// Consumer. Declares how it will sleep, so that pushes that notify cost less from the first on.
//
// GIMMAL_BAD_STRATEGY.
//
// # Safety
// `ring` is NULL or a ring whose consumer is the caller; `wait` is NULL or a strategy, zeroed or initialised, that nobody else
// uses.
gimmal_status_t gimmal_ring_declare_wait(struct gimmal_ring_t *ring,
                                         struct gimmal_wait_t *wait);

// Describes a status in a few words. The text is static and never NULL, whatever the value.
const char *gimmal_status_str(gimmal_status_t status);

// The version of the library that is linked, such as "1.2.3".
const char *gimmal_version(void);

// The GIMMAL_ABI_VERSION of the library that is linked. A program may compare it with its own.
uint32_t gimmal_abi_version(void);

// Makes a strategy. What it is to use must stay valid as long as it is used; the options may go. `options` may be NULL where a
// strategy needs none.
//
// GIMMAL_BAD_STRATEGY if there is none such or its budget is not 1 to 100, GIMMAL_NULL_POINTER also if it lacks a callback that it
// needs, GIMMAL_UNSUPPORTED if it is to park and the system cannot.
//
// # Safety
// `wait` is NULL or writable; `options` is NULL or readable, and its callbacks may be called with its context.
gimmal_status_t gimmal_wait_init(struct gimmal_wait_t *wait,
                                 uint32_t strategy,
                                 const struct gimmal_wait_options_t *options);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#if defined(__cplusplus)
/* That the compiler lays a control block out as the layout says. */
#define GIMMAL_ASSERT_LAYOUT(condition) static_assert(condition, "the layout of a control block")
#else
#define GIMMAL_ASSERT_LAYOUT(condition) _Static_assert(condition, "the layout of a control block")
#endif

GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, version) == 4);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, element_size) == 8);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, slots_offset) == 16);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, log2_align) == 20);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, producer_claimed) == 24);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, closed) == 26);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, producer_bell) == 32);
#if defined(GIMMAL_PACKED)
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, producer) == 36);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, consumer) == 36 + 3 * sizeof(size_t));
GIMMAL_ASSERT_LAYOUT(sizeof(gimmal_control_t) == 36 + 5 * sizeof(size_t));
#else
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, producer) == GIMMAL_LINE);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_control_t, consumer) == (size_t)2 * GIMMAL_LINE);
GIMMAL_ASSERT_LAYOUT(sizeof(gimmal_control_t) == (size_t)3 * GIMMAL_LINE);
#endif

GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_pool_t, owner_claimed) == 24);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_pool_t, count) == 36);
#if defined(GIMMAL_PACKED)
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_pool_t, shared) == 40);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_pool_t, owned) == 40 + sizeof(size_t));
GIMMAL_ASSERT_LAYOUT(sizeof(gimmal_pool_t) == 40 + 2 * sizeof(size_t));
#else
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_pool_t, shared) == GIMMAL_LINE);
GIMMAL_ASSERT_LAYOUT(offsetof(gimmal_pool_t, owned) == (size_t)2 * GIMMAL_LINE);
GIMMAL_ASSERT_LAYOUT(sizeof(gimmal_pool_t) == (size_t)3 * GIMMAL_LINE);
#endif

#undef GIMMAL_ASSERT_LAYOUT

#endif /* GIMMAL_H */
