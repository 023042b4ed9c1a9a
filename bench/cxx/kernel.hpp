// The benchmarks, one kernel each, over any queue that has an adapter; the twin of src/kernels/.
//
// An adapter for messages M is
//   struct queue {
//     explicit queue(std::size_t capacity);
//     producer produce();   // .push(sequence) -> bool; .push_n(const M *, n) -> count, may be fewer
//     consumer consume();   // .take(visit) -> bool;    .pop_n(M *, n) -> count, may be fewer
//   };
// and, if its memory can be filled and read in place, .fill(n, sequence) -> count and .visit(n, sequence, wrong) ->
// count.
#pragma once

#include "abi.hpp"
#include "message.hpp"
#include "timing.hpp"

namespace bench {

// The messages that a bulk operation is asked for at most.
inline constexpr std::size_t batch = 32;

// Passes messages through every place that the queue has, so that its memory is touched before the clock starts.
template <class Queue> void touch(Queue &queue, std::size_t capacity) {
  auto tx = queue.produce();
  auto rx = queue.consume();
  for (std::uint64_t n = 0; n < 2 * capacity + 64; ++n) {
    while (!tx.push(n)) {
    }
    while (!rx.take([](const auto &) noexcept {})) {
    }
  }
}

// One queue, its memory touched.
template <class Queue> struct single {
  alignas(line) Queue queue;
  explicit single(std::size_t capacity) : queue(capacity) { touch(queue, capacity); }
};

// One queue as it was made: whatever making it did not write to is first written to by its messages.
template <class Queue> struct untouched {
  alignas(line) Queue queue;
  explicit untouched(std::size_t capacity) : queue(capacity) {}
};

// Two, their memory touched.
template <class Queue> struct couple {
  single<Queue> there, back;
  explicit couple(std::size_t capacity) : there(capacity), back(capacity) {}
};

// There through one queue and back through another.
template <class M, class Queue, class Hint> struct round_trip {
  using context = couple<Queue>;

  static void lead(context &c, run &r) {
    auto tx = c.there.queue.produce();
    auto rx = c.back.queue.consume();
    const std::uint64_t per_sample = r.batch;
    const std::uint64_t samples = r.messages / per_sample;
    std::uint64_t sequence = 0;
    std::uint64_t wrong = 0;
    r.await_ready();
    std::uint64_t before = now();
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
      for (std::uint64_t n = 0; n < per_sample; ++n) {
        while (!tx.push(sequence)) {
          Hint::relax();
        }
        while (!rx.take([&](const M &got) noexcept { wrong |= got.differs(sequence); })) {
          Hint::relax();
        }
        ++sequence;
      }
      const std::uint64_t after = now();
      r.samples[sample] = after - before;
      before = after;
    }
    r.wrong_led = wrong;
  }

  static void follow(context &c, run &r) {
    auto rx = c.there.queue.consume();
    auto tx = c.back.queue.produce();
    const std::uint64_t messages = r.messages / r.batch * r.batch;
    std::uint64_t wrong = 0;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      while (!rx.take([&](const M &got) noexcept { wrong |= got.differs(sequence); })) {
        Hint::relax();
      }
      while (!tx.push(sequence)) {
        Hint::relax();
      }
    }
    r.wrong_followed = wrong;
  }
};

// One message at a time, as fast as they go.
template <class M, class Context, class Hint> struct throughput_over {
  using context = Context;

  static void lead(context &c, run &r) {
    auto tx = c.queue.produce();
    const std::uint64_t messages = r.messages;
    r.await_ready();
    const std::uint64_t before = now();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      while (!tx.push(sequence)) {
        Hint::relax();
      }
    }
    r.await_finished();
    r.ticks = now() - before;
  }

  static void follow(context &c, run &r) {
    auto rx = c.queue.consume();
    const std::uint64_t messages = r.messages;
    std::uint64_t wrong = 0;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      while (!rx.take([&](const M &got) noexcept { wrong |= got.differs(sequence); })) {
        Hint::relax();
      }
    }
    r.set_finished();
    r.wrong_followed = wrong;
  }
};

template <class M, class Queue, class Hint> struct throughput : throughput_over<M, single<Queue>, Hint> {};
template <class M, class Queue, class Hint> struct throughput_untouched : throughput_over<M, untouched<Queue>, Hint> {};

// A batch is made in an array, copied in, copied out and looked at.
template <class M, class Queue, class Hint> struct bulk_copied {
  using context = single<Queue>;

  static void lead(context &c, run &r) {
    auto tx = c.queue.produce();
    const std::uint64_t messages = r.messages;
    M out[batch];
    r.await_ready();
    const std::uint64_t before = now();
    for (std::uint64_t sequence = 0; sequence < messages; sequence += batch) {
      for (std::size_t n = 0; n < batch; ++n) {
        out[n] = M(sequence + n);
      }
      for (std::size_t sent = 0; sent < batch;) {
        const std::size_t count = tx.push_n(out + sent, batch - sent);
        if (count == 0) {
          Hint::relax();
        }
        sent += count;
      }
    }
    r.await_finished();
    r.ticks = now() - before;
  }

  static void follow(context &c, run &r) {
    auto rx = c.queue.consume();
    const std::uint64_t messages = r.messages;
    M in[batch];
    std::uint64_t wrong = 0;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages;) {
      const std::size_t count = rx.pop_n(in, batch);
      if (count == 0) {
        Hint::relax();
      }
      for (std::size_t n = 0; n < count; ++n) {
        wrong |= in[n].differs(sequence + n);
      }
      sequence += count;
    }
    r.set_finished();
    r.wrong_followed = wrong;
  }
};

// A batch is made in the queue's own memory and looked at there.
template <class M, class Queue, class Hint> struct bulk_in_place {
  using context = single<Queue>;

  static void lead(context &c, run &r) {
    auto tx = c.queue.produce();
    const std::uint64_t messages = r.messages;
    r.await_ready();
    const std::uint64_t before = now();
    for (std::uint64_t sequence = 0; sequence < messages;) {
      const std::size_t count = tx.fill(batch, sequence);
      if (count == 0) {
        Hint::relax();
      }
      sequence += count;
    }
    r.await_finished();
    r.ticks = now() - before;
  }

  static void follow(context &c, run &r) {
    auto rx = c.queue.consume();
    const std::uint64_t messages = r.messages;
    std::uint64_t wrong = 0;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages;) {
      const std::size_t count = rx.visit(batch, sequence, wrong);
      if (count == 0) {
        Hint::relax();
      }
      sequence += count;
    }
    r.set_finished();
    r.wrong_followed = wrong;
  }
};

// Push and pop by turns on one thread.
template <class M, class Queue, class> struct single_thread {
  using context = single<Queue>;

  static void lead(context &c, run &r) {
    auto tx = c.queue.produce();
    auto rx = c.queue.consume();
    const std::uint64_t messages = r.messages;
    std::uint64_t wrong = 0;
    const std::uint64_t before = now();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      const bool pushed = tx.push(sequence);
      const bool taken = rx.take([&](const M &got) noexcept { wrong |= got.differs(sequence); });
      wrong |= !pushed | !taken;
    }
    r.ticks = now() - before;
    r.wrong_led = wrong;
  }
};

// What it costs to find nothing.
template <class M, class Queue, class> struct pop_empty {
  using context = single<Queue>;

  static void lead(context &c, run &r) {
    auto rx = c.queue.consume();
    const std::uint64_t messages = r.messages;
    std::uint64_t wrong = 0;
    const std::uint64_t before = now();
    for (std::uint64_t n = 0; n < messages; ++n) {
      wrong |= rx.take([](const M &) noexcept {});
    }
    r.ticks = now() - before;
    r.wrong_led = wrong;
  }
};

} // namespace bench
