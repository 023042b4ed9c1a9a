// One end of a segment, as a process, by the inlined ends: see end.h.

#include "end.h"
#include "gimmal/shm.hpp"

#include <chrono>

namespace shm = gimmal::shm;
namespace wait = gimmal::wait;

namespace {

struct within {
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(END_PATIENCE);

  std::uint64_t operator()() const {
    const auto left = end - std::chrono::steady_clock::now();
    return left.count() > 0 ? static_cast<std::uint64_t>(std::chrono::nanoseconds(left).count()) : 0;
  }
};

template <shm::kind K> shm::segment named(const char *name) {
  shm::segment segment(name);
  segment.capacity(END_CAPACITY).type_tag(END_TAG);
  if (is_many(static_cast<std::uint32_t>(K))) {
    segment.producers(END_PRODUCERS);
  }
  return segment;
}

template <shm::kind K> int push(const char *name, std::uint64_t from, std::uint64_t count, const char *then) {
  shm::producer<message_t, K> tx(named<K>(name));
  opened(tx.status());
  wait::park park(wait::scope::machine);
  for (std::uint64_t id = from; id < from + count; ++id) {
    MUST(tx.push_wait(message_of(id), park, within{}));
    tx.notify(park);
  }
  say("pushed", count, 0);
  if (strcmp(then, "close") == 0) {
    tx.close();
  } else {
    listen();
  }
  return 0;
}

template <shm::kind K> int pop(const char *name, std::uint64_t limit) {
  shm::consumer<message_t, K> rx(named<K>(name));
  opened(rx.status());
  wait::park park(wait::scope::machine);
  rx.declare(park);
  say("ready", 0, 0);
  log_t log{};
  for (message_t message{};;) {
    if (heard(&log, rx.pop_wait(message, park, within{}), &message)) {
      return 0;
    }
    rx.notify(park);
    if (log.count == limit) {
      say("popped", log.first, log.count);
      listen();
    }
  }
}

template <shm::kind K> int play(int argc, char **argv) {
  const std::uint64_t number = std::strtoull(argv[4], nullptr, 10);
  if (strcmp(argv[1], "push") == 0) {
    CHECK(argc == 7);
    return push<K>(argv[2], number, std::strtoull(argv[5], nullptr, 10), argv[6]);
  }
  return pop<K>(argv[2], number);
}

} // namespace

int main(int argc, char **argv) {
  alarm(END_SECONDS);
  CHECK(argc >= 5);
  switch (static_cast<shm::kind>(kind_of(argv[3]))) {
  case shm::kind::line:
    return play<shm::kind::line>(argc, argv);
  case shm::kind::index:
    return play<shm::kind::index>(argc, argv);
  case shm::kind::mpsc:
    return play<shm::kind::mpsc>(argc, argv);
  case shm::kind::lanes:
    return play<shm::kind::lanes>(argc, argv);
  }
}
