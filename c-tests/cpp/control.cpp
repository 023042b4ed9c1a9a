// Two threads over a small ring, or three with two producers, for ThreadSanitizer. As it is, it is clean. Built with
// one of the orderings of gimmal_inline.h weakened, or with RELEASE_EARLY, it must be reported.

#include "heap_ring.hpp"
#include "payload.hpp"

#include <cstdio>
#include <thread>
#include <vector>

constexpr std::uint64_t messages = 20000;

#if defined(BY_MANY)
constexpr std::uint8_t kind = GIMMAL_KIND_MPSC;
constexpr int producers = 2;
#elif defined(BY_LINE)
constexpr std::uint8_t kind = GIMMAL_KIND_LINE;
constexpr int producers = 1;
#else
constexpr std::uint8_t kind = GIMMAL_KIND_INDEX;
constexpr int producers = 1;
#endif

using message = payload<24>;
using ring = heap_ring<message, kind>;
constexpr gimmal_shape_t shape = ring::shape;

#if defined(BY_MANY)
using consumer_end = gimmal_many_consumer_t;
consumer_end enter(const ring &r) { return gimmal_many_consumer(r.control(), shape); }
bool find(consumer_end *end) { return gimmal_many_find(*end, shape); }
const void *front(const consumer_end &end) { return gimmal_many_front(end, shape); }
void release(consumer_end *end, const consumer_end &was) { gimmal_many_release(end, was, shape); }
#else
using consumer_end = gimmal_consumer_end_t;
consumer_end enter(const ring &r) { return gimmal_consumer_enter(r.control(), shape); }
bool find(consumer_end *end) { return gimmal_find(end, shape); }
const void *front(const consumer_end &end) { return gimmal_front(end, shape); }
void release(consumer_end *end, const consumer_end &was) { gimmal_release(end, was, shape, 1); }
#endif

int main() {
  ring r(4);
  std::vector<std::thread> threads;
  for (int producer = 0; producer < producers; ++producer) {
    threads.emplace_back([&] {
      auto tx = r.view().producer();
      for (std::uint64_t i = 0; i < messages;) {
        if (tx.try_emplace(i)) {
          ++i;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  consumer_end end = enter(r);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < messages * producers;) {
    const consumer_end was = end;
    if (!find(&end)) {
      std::this_thread::yield();
      continue;
    }
    const auto *value = static_cast<const message *>(front(was));
#if defined(RELEASE_EARLY)
    release(&end, was);
    sum += value->number();
#else
    sum += value->number();
    release(&end, was);
#endif
    ++i;
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  // What was read too late may be anything.
#if !defined(RELEASE_EARLY)
  CHECK(sum == producers * (messages * (messages - 1) / 2));
#endif
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
