// The adaptive strategy of C++ in a world whose time is counted, to be compared with Rust's in the same world.

#include "gimmal.hpp"

#define ADAPTIVE_NAMED(compiler) adaptive_spins_##compiler
#define ADAPTIVE_OF(compiler) ADAPTIVE_NAMED(compiler)

namespace {

struct world {
  std::uint64_t now = 1000;
  std::uint64_t next = 1000;
};

// Wakes 8 microseconds after the message.
struct asleep {
  world *in;

  template <class D, class P> bool wait(std::uint32_t *, D &, P &&poll) {
    if (in->next > in->now) {
      in->now = in->next + 8000;
    }
    return poll();
  }
};

} // namespace

extern "C" void ADAPTIVE_OF(MIX_COMPILER)(std::uint32_t percent, const std::uint64_t *gaps, std::size_t count,
                                          std::uint64_t *spins);

// A message comes at each of the gaps, and a poll takes 100 ns. Writes what a wait was worth spinning for after each.
extern "C" void ADAPTIVE_OF(MIX_COMPILER)(std::uint32_t percent, const std::uint64_t *gaps, std::size_t count,
                                          std::uint64_t *spins) {
  world in;
  gimmal::wait::adaptive strategy(percent, [&in] { return in.now; }, asleep{&in});
  std::uint32_t bell = 0;
  gimmal::wait::never left;
  for (std::size_t n = 0; n < count; ++n) {
    in.next += gaps[n];
    strategy.wait(&bell, left, [&in] {
      in.now += 100;
      return in.now >= in.next;
    });
    spins[n] = strategy.spin();
  }
}
