// A message at a time, sent on a schedule whether or not the reader keeps up; the twin of src/kernels/one_way.rs.
#pragma once

#include "kernel.hpp"

namespace bench {

template <class M, class Queue, class Hint> struct one_way {
  using context = single<Queue>;

  static void lead(context &c, run &r) {
    if (r.schedule.reversed == 0) {
      produce(c, r);
    } else {
      consume(c, r, r.wrong_led);
    }
  }

  static void follow(context &c, run &r) {
    if (r.schedule.reversed == 0) {
      consume(c, r, r.wrong_followed);
    } else {
      produce(c, r);
    }
  }

private:
  // Sends each message when it is due. One that finds the queue full is counted as dropped, and sent when it fits, so that
  // the reader does not wait for it in vain.
  static void produce(context &c, run &r) {
    auto tx = c.queue.produce();
    const pace schedule = r.schedule;
    const std::uint64_t messages = r.messages;
    std::uint64_t dropped = 0;
    r.await_ready();
    std::uint64_t due = stamp() + schedule.period;
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      std::uint64_t sent = stamp();
      while (sent < due) {
        sent = stamp();
      }
      if (!tx.push(sequence)) {
        ++dropped;
        while (!tx.push(sequence)) {
          Hint::relax();
        }
      }
      r.samples[sequence] = schedule.counted_from(due, sent);
      due += schedule.period;
    }
    r.dropped = dropped;
  }

  static void consume(context &c, run &r, std::uint64_t &into) {
    auto rx = c.queue.consume();
    const std::uint64_t messages = r.messages;
    std::uint64_t *const arrivals = r.arrivals;
    std::uint64_t wrong = 0;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      while (!rx.take([&](const M &got) noexcept { wrong |= got.differs(sequence); })) {
        Hint::relax();
      }
      arrivals[sequence] = stamp();
    }
    into = wrong;
  }
};

} // namespace bench
