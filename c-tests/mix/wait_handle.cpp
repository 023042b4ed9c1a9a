// Ends in C++ that sleep.

#include "wait.h"

#include "gimmal.hpp"

namespace {

template <class View> struct ends {
  static gimmal::wait::park park(bool shared) {
    return gimmal::wait::park(shared ? gimmal::wait::scope::machine : gimmal::wait::scope::process);
  }

  static std::uint64_t consume(void *memory, std::size_t size, bool shared) {
    auto rx = View(memory, size).consumer();
    if (!rx) {
      return 0;
    }
    auto strategy = park(shared);
    gimmal::wait::declare(rx, strategy);
    std::uint64_t next[WAIT_PRODUCERS] = {};
    std::uint64_t value = 0;
    std::uint64_t taken = 0;
    while (gimmal::wait::pop(rx, value, strategy) == GIMMAL_OK) {
      if (static_cast<std::uint32_t>(value) != next[value >> 32]++) {
        return 0;
      }
      gimmal::wait::notify_producer(rx, strategy);
      ++taken;
    }
    return taken;
  }

  static bool produce(void *memory, std::size_t size, std::uint64_t producer, std::uint64_t count, bool shared,
                      bool closes) {
    auto tx = View(memory, size).producer();
    if (!tx) {
      return false;
    }
    auto strategy = park(shared);
    for (std::uint64_t n = 0; n < count; ++n) {
      const std::uint64_t value = producer << 32 | n;
      if (gimmal::wait::push_notify(tx, value, strategy)) {
        continue;
      }
      if (gimmal::wait::push(tx, value, strategy) != GIMMAL_OK) {
        return false;
      }
      gimmal::wait::notify_consumer(tx, strategy);
    }
    if (closes) {
      gimmal::wait::close_notify(tx, strategy);
    }
    return true;
  }
};

} // namespace

#define WAIT_ROW(kind)                                                                                                 \
  {ends<gimmal::kind##_view<std::uint64_t>>::consume, ends<gimmal::kind##_view<std::uint64_t>>::produce},

extern "C" {
extern const wait_ends_t WAIT_TABLE(cpp)[WAIT_KIND_COUNT];
const wait_ends_t WAIT_TABLE(cpp)[WAIT_KIND_COUNT] = {WAIT_KINDS(WAIT_ROW)};
}
