// Waiting at a ring: what a consumer does while the ring is empty, and a producer while it is full. Part of gimmal.hpp.
//
//     gimmal::wait::park park;                       // the consumer's
//     gimmal::wait::declare(rx, park);
//     while (gimmal::wait::pop(rx, tick, park) == GIMMAL_OK) { use(tick); }
//
//     gimmal::wait::park park;                       // the producer's
//     if (!gimmal::wait::push_notify(tx, tick, park)) { ... }
//     gimmal::wait::close_notify(tx, park);
//
// spin, backoff     poll; a plain push is enough for them
// yield<F>          calls F between polls
// sleep<F>          sleeps in F, which gets the nanoseconds that it may sleep; woken by wake<F>
// park              sleeps in the kernel (Linux); woken by another park
// adaptive<C, S>    spins under a budget, by the clock C, and sleeps as S (gimmal/adaptive.hpp); woken by what wakes S
//
// A strategy has `template <class D, class P> bool wait(uint32_t *bell, D &left, P &&poll)`: it calls `poll` until that
// returns true, or until `left()`, the nanoseconds left, returns 0, and says whether `poll` did. A notifier has `void
// ring(uint32_t *bell)` and `uint32_t quiet()`, the gimmal_bell_quiet() of whether a sleeper's barriers reach this
// thread. A plain push never wakes; sleepers look again every 100 ms.

#ifndef GIMMAL_WAIT_HPP
#define GIMMAL_WAIT_HPP

#include <cstdint>
#include <utility>

#include "mpsc.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace gimmal {
inline namespace v1 {
namespace wait {

// The longest sleep before a waiter looks again, in nanoseconds.
inline constexpr std::uint64_t longest_sleep = 100000000;

// No deadline.
struct never {
  // Nanoseconds left.
  std::uint64_t operator()() const noexcept { return UINT64_MAX; }
};

// The processor's hint for spinning.
inline void relax() noexcept {
#if defined(GIMMAL_PAUSE)
  GIMMAL_PAUSE();
#elif defined(__aarch64__)
  __asm__ volatile("isb" : : : "memory");
#else
  GIMMAL_SIGNAL_FENCE(GIMMAL_SEQ_CST);
#endif
}

// Polls without a break.
struct spin {
  // Waits, as every strategy does.
  template <class D, class P> bool wait(std::uint32_t *, D &left, P &&poll) {
    for (;;) {
      for (int polls = 0; polls < 64; ++polls) {
        if (poll()) {
          return true;
        }
        relax();
      }
      if (left() == 0) {
        return false;
      }
    }
  }
};

// Polls with more and more hints between, up to `most`.
struct backoff {
  // Hints between two polls, at most.
  std::uint32_t most = 64;

  // Waits, as every strategy does.
  template <class D, class P> bool wait(std::uint32_t *, D &left, P &&poll) {
    for (std::uint32_t hints = 1;; hints = hints < most / 2 ? hints * 2 : (most != 0 ? most : 1)) {
      if (poll()) {
        return true;
      }
      if (left() == 0) {
        return false;
      }
      for (std::uint32_t hint = 0; hint < hints; ++hint) {
        relax();
      }
    }
  }
};

// Polls, and lets other threads run between.
template <class F> struct yield {
  // What is called.
  F function;

  // Waits, as every strategy does.
  template <class D, class P> bool wait(std::uint32_t *, D &left, P &&poll) {
    for (;;) {
      if (poll()) {
        return true;
      }
      if (left() == 0) {
        return false;
      }
      function();
    }
  }
};
// By its function.
template <class F> yield(F) -> yield<F>;

namespace detail {

// Polls, and sleeps between polls behind an armed bell.
template <class S, class D, class P> bool asleep(S &sleeper, std::uint32_t *bell, D &left, P &poll) {
  for (;;) {
    if (poll()) {
      return true;
    }
    const std::uint64_t rest = left();
    if (rest == 0) {
      return false;
    }
    sleeper.arm(bell);
    // What was published by somebody who did not see the bell armed is seen now.
    const bool found = poll();
    if (!found) {
      sleeper.doze(bell, rest < longest_sleep ? rest : longest_sleep);
    }
    sleeper.disarm(bell);
    if (found) {
      return true;
    }
  }
}

#if defined(__linux__)
inline bool barrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

// Orders whoever still relies on another sleeper's barriers.
inline void withdraw() noexcept {
  barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  barrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
#else
inline void withdraw() noexcept {}
#endif

// Arms a bell with a fence on both sides.
inline void arm_fenced(std::uint32_t *bell) noexcept {
  const bool declared = gimmal_bell_is_declared(bell);
  gimmal_bell_arm(bell, 0);
  if (declared) {
    withdraw();
  }
}

} // namespace detail

// Sleeps in `function`, which gets the nanoseconds that it may sleep at most. A wake that comes before the sleep must
// end it at once.
template <class F> struct sleep {
  // What is called.
  F function;

  // Waits, as every strategy does.
  template <class D, class P> bool wait(std::uint32_t *bell, D &left, P &&poll) {
    return detail::asleep(*this, bell, left, poll);
  }
  // What the wait is made of.
  void arm(std::uint32_t *bell) noexcept { detail::arm_fenced(bell); }
  void doze(std::uint32_t *, std::uint64_t nanoseconds) { function(nanoseconds); }
  void disarm(std::uint32_t *bell) noexcept { gimmal_bell_disarm(bell, 0); }
};
// By its function.
template <class F> sleep(F) -> sleep<F>;

// Wakes by `function`.
template <class F> struct wake {
  // What is called.
  F function;

  // Wakes, as every notifier does.
  void ring(std::uint32_t *) const { function(); }
  [[nodiscard]] std::uint32_t quiet() const noexcept { return gimmal_bell_quiet(false); }
};
// By its function.
template <class F> wake(F) -> wake<F>;

#if defined(__linux__)
// Who uses a ring.
enum class scope { process, machine };

// Sleeps in the kernel, on the bell as a futex; wakes it too. `scope::machine` is for two ends in two processes, which
// both use it. Without `barriers`, or where the kernel has none, both ends fence.
class park {
public:
  // For the ends in one process, or in two.
  explicit park(scope who = scope::process, bool barriers = true) noexcept
      : machine_(who == scope::machine),
        declares_(barriers && detail::barrier(machine_ ? MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
                                                       : MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)),
        quiet_(gimmal_bell_quiet(declares_)) {}

  // Waits, as every strategy does.
  template <class D, class P> bool wait(std::uint32_t *bell, D &left, P &&poll) {
    return detail::asleep(*this, bell, left, poll);
  }

  // Says in the bell how it will sleep.
  void declare(std::uint32_t *bell) noexcept { gimmal_bell_disarm(bell, mode()); }

  // What the wait is made of.
  void arm(std::uint32_t *bell) noexcept {
    if (declares_) {
      gimmal_bell_arm(bell, GIMMAL_BELL_DECLARED);
      declares_ = detail::barrier(machine_ ? MEMBARRIER_CMD_GLOBAL_EXPEDITED : MEMBARRIER_CMD_PRIVATE_EXPEDITED);
      quiet_ = gimmal_bell_quiet(declares_);
    }
    if (!declares_) {
      detail::arm_fenced(bell);
    }
  }

  void doze(std::uint32_t *bell, std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t second = 1000000000;
    ::timespec limit{};
    limit.tv_sec = static_cast<decltype(limit.tv_sec)>(nanoseconds / second);
    limit.tv_nsec = static_cast<decltype(limit.tv_nsec)>(nanoseconds % second);
    // However it ends, the caller polls.
    ::syscall(SYS_futex, bell, machine_ ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, GIMMAL_BELL_ARMED | mode(), &limit);
  }

  // After a sleep.
  void disarm(std::uint32_t *bell) noexcept { declare(bell); }

  // Wakes, as every notifier does.
  void ring(std::uint32_t *bell) const noexcept {
    ::syscall(SYS_futex, bell, machine_ ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT32_MAX);
  }

  // The bell of a sleeper that is awake and reached.
  [[nodiscard]] std::uint32_t quiet() const noexcept { return quiet_; }

private:
  [[nodiscard]] std::uint32_t mode() const noexcept { return declares_ ? GIMMAL_BELL_DECLARED : 0; }

  bool machine_;
  bool declares_;
  std::uint32_t quiet_;
};
#endif

namespace detail {

template <class N> GIMMAL_INLINE void ring(std::uint32_t *bell, std::uint32_t quiet, const N &notifier) {
  if (gimmal_bell_ring(bell, quiet)) {
    notifier.ring(bell);
  }
}

template <class N> GIMMAL_INLINE void ring(std::uint32_t *bell, const N &notifier) {
  ring(bell, notifier.quiet(), notifier);
}

} // namespace detail

// The consumer's: moves the oldest element into `value`, and waits for one as `strategy` does. GIMMAL_CLOSED if the
// ring is closed and empty, GIMMAL_TIMED_OUT if `left()` returned 0 first.
template <class Rx, class S, class D = never>
gimmal_status_t pop(Rx &rx, typename Rx::value_type &value, S &strategy, D &&left = D{}) {
  if (rx.try_pop(value)) {
    return GIMMAL_OK;
  }
  gimmal_status_t status = GIMMAL_TIMED_OUT;
  strategy.wait(&rx.control()->consumer_bell, left, [&] {
    if (rx.try_pop(value)) {
      status = GIMMAL_OK;
    } else if (rx.closed()) {
      // Closed, and only then found empty: nothing is left.
      status = rx.try_pop(value) ? GIMMAL_OK : GIMMAL_CLOSED;
    }
    return status != GIMMAL_TIMED_OUT;
  });
  return status;
}

// A producer's: pushes an element, and waits for room as `strategy` does. GIMMAL_CLOSED if the ring is closed,
// GIMMAL_FULL if `left()` returned 0 first; `value` is untouched then.
template <class Tx, class T, class S, class D = never>
gimmal_status_t push(Tx &tx, T &&value, S &strategy, D &&left = D{}) {
  gimmal_status_t status = GIMMAL_FULL;
  const auto attempt = [&] {
    if (tx.try_push(std::forward<T>(value))) {
      status = GIMMAL_OK;
    } else if (gimmal_is_closed(tx.control())) {
      // Not `tx.closed()`: no push of others that is under way need be waited for.
      status = GIMMAL_CLOSED;
    }
    return status != GIMMAL_FULL;
  };
  if (!attempt()) {
    strategy.wait(&tx.control()->producer_bell, left, attempt);
  }
  return status;
}

// A producer's: wakes a consumer that sleeps. After any pushes.
template <class Tx, class N> GIMMAL_INLINE void notify_consumer(const Tx &tx, const N &notifier) {
  detail::ring(&tx.control()->consumer_bell, notifier);
}

// The consumer's: wakes a producer that waits for room. After any pops.
template <class Rx, class N> GIMMAL_INLINE void notify_producer(const Rx &rx, const N &notifier) {
  detail::ring(&rx.control()->producer_bell, notifier);
}

// A producer's: pushes an element and wakes a consumer that sleeps. False if the ring is full or closed.
template <class Tx, class T, class N>
[[nodiscard]] GIMMAL_INLINE bool push_notify(Tx &tx, T &&value, const N &notifier) {
  // Read before the push, which has the compiler forget what it knows of memory.
  std::uint32_t *const bell = &tx.control()->consumer_bell;
  const std::uint32_t quiet = notifier.quiet();
  if (!tx.try_push(std::forward<T>(value))) {
    return false;
  }
  detail::ring(bell, quiet, notifier);
  return true;
}

// Either end's: closes the ring and wakes whoever sleeps.
template <class End, class N> void close_notify(End &end, const N &notifier) {
  end.close();
  detail::ring(&end.control()->consumer_bell, notifier);
  detail::ring(&end.control()->producer_bell, notifier);
}

// The consumer's: declares how it will sleep, so that notifying pushes cost less from the first on.
template <class Rx, class S> void declare(const Rx &rx, S &strategy) { strategy.declare(&rx.control()->consumer_bell); }

} // namespace wait
} // namespace v1
} // namespace gimmal

#endif // GIMMAL_WAIT_HPP
