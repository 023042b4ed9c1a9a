// What the harness and the kernels agree on; the twin of src/abi.rs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bench {

// Two lines: processors fetch them in pairs.
inline constexpr std::size_t line = 128;

// The schedule of one_way, in ticks.
struct pace {
  // From one message to the next.
  std::uint64_t period;
  // By how much a message may be sent late without that being anybody's doing.
  std::uint64_t grain;
  // Not 0: the follower produces.
  std::uint64_t reversed;

  // Where a message's latency begins: when it was sent, but when it was due if its producer came to it late.
  std::uint64_t counted_from(std::uint64_t due, std::uint64_t sent) const { return sent - due > grain ? due : sent; }
};

// One run of a kernel, shared by the thread that leads and the one that follows.
struct run {
  // How many messages pass, and how many of them make one sample or one batch.
  std::uint64_t messages;
  std::uint64_t batch;
  // Where round_trip puts its samples in ticks: messages / batch of them.
  std::uint64_t *samples;
  // From the first message to the last, in ticks.
  std::uint64_t ticks;
  // Bits that differed between what came and what should have; one word a thread.
  std::uint64_t wrong_led;
  // The schedule of one_way; where it puts when each message arrived, while `samples` takes where its latency begins; and how
  // many messages found the queue full.
  pace schedule;
  std::uint64_t *arrivals;
  std::uint64_t dropped;
  alignas(line) std::uint64_t wrong_followed;
  alignas(line) std::atomic<std::uint32_t> ready;
  alignas(line) std::atomic<std::uint32_t> finished;

  // The follower is in place: the clock may start.
  void set_ready() { ready.store(1, std::memory_order_release); }
  void await_ready() const {
    while (ready.load(std::memory_order_acquire) == 0) {
    }
  }

  // The follower has everything: the clock may stop.
  void set_finished() { finished.store(1, std::memory_order_release); }
  void await_finished() const {
    while (finished.load(std::memory_order_acquire) == 0) {
    }
  }
};

static_assert(std::is_standard_layout<run>::value, "run crosses the language boundary");
static_assert(sizeof(run) == 4 * line && alignof(run) == line, "run is laid out as in src/abi.rs");

using side = void (*)(void *context, run *);

// What the two threads do; a kernel for one thread has no follower.
struct sides {
  side lead;
  side follow;
};

// In the order of the --hint option: none, pause, lfence.
inline constexpr std::size_t hints = 3;

// One kernel for one queue, one size of message, and one capacity or any (0).
struct kernel {
  const char *queue;
  const char *benchmark;
  std::uint32_t payload;
  std::uint32_t capacity;
  void *(*create)(std::size_t capacity);
  void (*destroy)(void *context);
  sides by_hint[hints];
};

struct kernels {
  const kernel *first;
  std::size_t count;
};

} // namespace bench
