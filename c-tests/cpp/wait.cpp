// Waiting by every strategy at every kind of ring: waits end with an element, with room, with the deadline, with the
// close; no wake is lost, of one producer or of several.

#include "heap_ring.hpp"
#include "slower.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

namespace wait = gimmal::wait;

constexpr std::size_t starts[] = {0, SIZE_MAX - 1, SIZE_MAX / 2 - 1};

// A deadline that passes at the so many-th look.
struct looks {
  int left;
  std::uint64_t operator()() noexcept { return left > 0 ? static_cast<std::uint64_t>(left--) : 0; }
};

// Remembers one wake.
class semaphore {
public:
  void raise() {
    const std::lock_guard<std::mutex> lock(mutex_);
    raised_ = true;
    condition_.notify_one();
  }
  void sleep() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++sleeps;
    condition_.wait(lock, [&] { return raised_; });
    raised_ = false;
  }

  std::size_t sleeps = 0;

private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool raised_ = false;
};

template <std::uint8_t Kind> using ring = heap_ring<std::uint64_t, Kind>;

constexpr std::uint8_t by_index = GIMMAL_KIND_INDEX;
constexpr std::uint8_t by_line = GIMMAL_KIND_LINE;
constexpr std::uint8_t of_many = GIMMAL_KIND_MPSC;

// What every strategy does, alone with its ring.
template <std::uint8_t Kind, class S> void behaves(std::size_t capacity, S &strategy) {
  for (const std::size_t place : starts) {
    const ring<Kind> memory(capacity, place);
    auto tx = memory.view().producer();
    auto rx = memory.view().consumer();
    std::uint64_t value = 77;
    CHECK(wait::pop(rx, value, strategy, looks{3}) == GIMMAL_TIMED_OUT && value == 77);
    std::uint64_t room = memory.view().capacity();
    for (std::uint64_t next = 0; next < room; ++next) {
      CHECK(wait::push(tx, next, strategy) == GIMMAL_OK);
    }
    while (tx.try_push(room)) {
      ++room;
    }
    CHECK(wait::push(tx, room, strategy, looks{3}) == GIMMAL_FULL);
    for (std::uint64_t next = 0; next < room; ++next) {
      CHECK(wait::pop(rx, value, strategy) == GIMMAL_OK && value == next);
    }
    CHECK(wait::push(tx, room, strategy) == GIMMAL_OK);
    tx.close();
    CHECK(wait::push(tx, room, strategy) == GIMMAL_CLOSED);
    CHECK(wait::pop(rx, value, strategy) == GIMMAL_OK && value == room);
    CHECK(wait::pop(rx, value, strategy) == GIMMAL_CLOSED);
    CHECK(wait::pop(rx, value, strategy, looks{3}) == GIMMAL_CLOSED && value == room);
  }
}

template <class S> void behaves_everywhere(S strategy) {
  behaves<by_index>(2, strategy);
  behaves<by_line>(8, strategy);
  behaves<of_many>(2, strategy);
}

// A message is its producer's number times this, and its own number.
constexpr std::uint64_t each = 1 << 20;
constexpr std::uint64_t messages = 2000 / slower;

struct nothing {
  template <class S> void operator()(S &) const noexcept {}
};

// Messages pass from all producers while the consumer waits as `strategy` does, woken as `notifier` does; the last
// producer to be done closes. `before` is called with the handle of the consumer.
template <std::uint8_t Kind, class S, class N, class B = nothing>
void pass(std::size_t capacity, std::size_t producers, S strategy, const N &notifier, B &&before = B{}) {
  for (const std::size_t place : starts) {
    const ring<Kind> memory(capacity, place);
    std::atomic<std::size_t> at_work{producers};
    std::vector<std::thread> threads;
    for (std::size_t producer = 0; producer < producers; ++producer) {
      threads.emplace_back([&, producer, tx = memory.view().producer()]() mutable {
        for (std::uint64_t n = 0; n < messages; ++n) {
          while (!wait::push_notify(tx, producer * each + n, notifier)) {
            std::this_thread::yield();
          }
          // The consumer finds the ring empty now and then.
          if (n % 3 == producer) {
            std::this_thread::yield();
          }
        }
        if (at_work.fetch_sub(1) == 1) {
          wait::close_notify(tx, notifier);
        }
      });
    }
    std::vector<std::uint64_t> next(producers, 0);
    auto rx = memory.view().consumer();
    before(rx);
    std::uint64_t value = 0;
    while (wait::pop(rx, value, strategy) == GIMMAL_OK) {
      CHECK(value % each == next[static_cast<std::size_t>(value / each)]++);
    }
    for (const std::uint64_t count : next) {
      CHECK(count == messages);
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
  }
}

template <class S, class N, class B = nothing> void pass_everywhere(S strategy, const N &notifier, B &&before = B{}) {
  pass<by_index>(1, 1, strategy, notifier, before);
  pass<by_line>(8, 1, strategy, notifier, before);
  pass<of_many>(1, 2, strategy, notifier, before);
  pass<of_many>(64, 3, strategy, notifier, before);
}

// Sleeps without a limit, and so never finds by itself what it was not woken for.
template <std::uint8_t Kind> void callbacks_wake(std::size_t capacity, std::size_t producers) {
  semaphore awake;
  wait::sleep sleep{[&](std::uint64_t nanoseconds) {
    CHECK(nanoseconds == wait::longest_sleep);
    awake.sleep();
  }};
  pass<Kind>(capacity, producers, sleep, wait::wake{[&] { awake.raise(); }});
  CHECK(awake.sleeps > 0);
}

// The consumer closes, and a producer that sleeps is told; so is a consumer.
template <std::uint8_t Kind> void a_close_wakes() {
  semaphore awake;
  wait::sleep sleep{[&](std::uint64_t) { awake.sleep(); }};
  const wait::wake wake{[&] { awake.raise(); }};
  {
    const ring<Kind> memory(1);
    auto tx = memory.view().producer();
    auto rx = memory.view().consumer();
    while (tx.try_push(1)) {
    }
    std::thread closer([&] { wait::close_notify(rx, wake); });
    CHECK(wait::push(tx, std::uint64_t{2}, sleep) == GIMMAL_CLOSED);
    closer.join();
  }
  const ring<Kind> memory(1);
  auto tx = memory.view().producer();
  auto rx = memory.view().consumer();
  std::thread closer([&] { wait::close_notify(tx, wake); });
  std::uint64_t value = 0;
  CHECK(wait::pop(rx, value, sleep) == GIMMAL_CLOSED);
  closer.join();
}

// A consumer that is asleep when the room comes, and producers that wait for it: both ends sleep and wake.
template <std::uint8_t Kind> void both_ends_sleep(std::size_t capacity) {
  semaphore taker;
  semaphore giver;
  const ring<Kind> memory(capacity, SIZE_MAX / 2 - 1);
  std::thread producer([&, tx = memory.view().producer()]() mutable {
    wait::sleep sleep{[&](std::uint64_t) { giver.sleep(); }};
    const wait::wake wake{[&] { taker.raise(); }};
    for (std::uint64_t n = 0; n < messages; ++n) {
      CHECK(wait::push(tx, n, sleep) == GIMMAL_OK);
      wait::notify_consumer(tx, wake);
    }
    wait::close_notify(tx, wake);
  });
  wait::sleep sleep{[&](std::uint64_t) { taker.sleep(); }};
  const wait::wake wake{[&] { giver.raise(); }};
  auto rx = memory.view().consumer();
  std::uint64_t value = 0;
  for (std::uint64_t n = 0; n < messages; ++n) {
    CHECK(wait::pop(rx, value, sleep) == GIMMAL_OK && value == n);
    wait::notify_producer(rx, wake);
  }
  CHECK(wait::pop(rx, value, sleep) == GIMMAL_CLOSED);
  producer.join();
}

// A push that is under way keeps the consumer from believing that nothing is left, and no producer from being refused.
void a_close_amid_a_push() {
  constexpr gimmal_shape_t shape = ring<of_many>::shape;
  const ring<of_many> memory(2);
  auto tx = memory.view().producer();
  auto rx = memory.view().consumer();
  auto slow = gimmal_many_producer(tx.control(), shape);
  CHECK(gimmal_many_claim(&slow, shape) == GIMMAL_OK);
  tx.close();
  wait::spin spin;
  std::uint64_t value = 0;
  CHECK(wait::push(tx, std::uint64_t{2}, spin, looks{3}) == GIMMAL_CLOSED);
  CHECK(wait::pop(rx, value, spin, looks{3}) == GIMMAL_TIMED_OUT);
  ::new (gimmal_many_claimed(slow, shape)) std::uint64_t(1);
  gimmal_many_publish(&slow, slow, shape);
  CHECK(wait::pop(rx, value, spin) == GIMMAL_OK && value == 1);
  CHECK(wait::pop(rx, value, spin) == GIMMAL_CLOSED);
}

// A ringer does nothing at one value of the bell alone, and at none if no sleeper's barrier reaches it: then it must
// fence.
void no_ringer_skips_its_fence() {
  for (const std::uint32_t bell :
       {0u, GIMMAL_BELL_ARMED, GIMMAL_BELL_DECLARED, GIMMAL_BELL_ARMED | GIMMAL_BELL_DECLARED}) {
    CHECK(gimmal_bell_quiet(false) != bell);
    CHECK((gimmal_bell_quiet(true) == bell) == (bell == GIMMAL_BELL_DECLARED));
  }
  const wait::wake wake{[] {}};
  CHECK(wake.quiet() == gimmal_bell_quiet(false));
#if defined(__linux__)
  CHECK(wait::park(wait::scope::process, false).quiet() == gimmal_bell_quiet(false));
#endif
}

void naps(std::uint64_t nanoseconds) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds < 1000 ? nanoseconds : 1000));
}

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

#if defined(__linux__)
// Parks without a limit.
struct untimed {
  wait::park park = wait::park();

  template <class D, class P> bool wait(std::uint32_t *bell, D &left, P &&poll) {
    return gimmal::wait::detail::asleep(*this, bell, left, poll);
  }
  void declare(std::uint32_t *bell) noexcept { park.declare(bell); }
  void arm(std::uint32_t *bell) noexcept { park.arm(bell); }
  void doze(std::uint32_t *bell, std::uint64_t) noexcept { park.doze(bell, UINT64_MAX); }
  void disarm(std::uint32_t *bell) noexcept { park.disarm(bell); }
};

void parks(wait::scope who, bool sleeper, bool ringer) {
  const untimed strategy{wait::park(who, sleeper)};
  pass_everywhere(strategy, wait::park(who, ringer), [&](auto &rx) {
    untimed same = strategy;
    wait::declare(rx, same);
  });
}
#endif

} // namespace

int main() {
#if !defined(_WIN32)
  // A wake that is lost would have the test wait for ever.
  alarm(600);
#endif
  behaves_everywhere(wait::spin{});
  behaves_everywhere(wait::backoff{});
  behaves_everywhere(wait::backoff{0});
  behaves_everywhere(wait::yield{std::this_thread::yield});
  behaves_everywhere(wait::sleep{naps});
  for (const std::uint32_t percent : {0u, 50u, 1000u}) {
    behaves_everywhere(wait::adaptive(percent, now, wait::sleep{naps}));
  }
  pass_everywhere(wait::yield{std::this_thread::yield}, wait::wake{[] { CHECK(false); }});
  callbacks_wake<by_index>(1, 1);
  callbacks_wake<by_line>(8, 1);
  callbacks_wake<of_many>(4, 3);
  a_close_wakes<by_index>();
  a_close_wakes<by_line>();
  a_close_wakes<of_many>();
  both_ends_sleep<by_index>(2);
  both_ends_sleep<by_line>(8);
  both_ends_sleep<of_many>(2);
  a_close_amid_a_push();
  no_ringer_skips_its_fence();
#if defined(__linux__)
  behaves_everywhere(wait::park());
  behaves_everywhere(wait::park(wait::scope::machine));
  behaves_everywhere(wait::park(wait::scope::process, false));
  pass_everywhere(untimed{}, wait::park());
  parks(wait::scope::process, true, true);
  parks(wait::scope::process, true, false);
  parks(wait::scope::process, false, true);
  parks(wait::scope::machine, true, true);
  pass_everywhere(wait::adaptive(50, now, untimed{}), wait::park(), [](auto &rx) {
    wait::adaptive same(50, now, wait::park());
    wait::declare(rx, same);
  });
#endif
}
