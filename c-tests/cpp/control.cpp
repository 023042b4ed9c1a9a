// Two threads over a small ring, for ThreadSanitizer. As it is, it is clean. Built with one of the orderings of
// gimmal_inline.h weakened, or with RELEASE_EARLY, it must be reported.

#include "heap_ring.hpp"
#include "payload.hpp"

#include <cstdio>
#include <thread>

#if defined(BY_LINE)
using ring = heap_ring<payload<24>, GIMMAL_KIND_LINE>;
#else
using ring = heap_ring<payload<24>, GIMMAL_KIND_INDEX>;
#endif

int main() {
  constexpr std::uint64_t messages = 20000;
  ring r(4);
  std::thread producer([&] {
    auto tx = r.view().producer();
    for (std::uint64_t i = 0; i < messages;) {
      if (tx.try_emplace(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  gimmal_consumer_end_t end = gimmal_consumer_enter(r.control(), ring::shape);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < messages;) {
    const gimmal_consumer_end_t was = end;
    if (!gimmal_find(&end, ring::shape)) {
      std::this_thread::yield();
      continue;
    }
    const auto *value = static_cast<const payload<24> *>(gimmal_front(was, ring::shape));
#if defined(RELEASE_EARLY)
    gimmal_release(&end, was, ring::shape, 1);
    sum += value->number();
#else
    sum += value->number();
    gimmal_release(&end, was, ring::shape, 1);
#endif
    ++i;
  }
  producer.join();
  // What was read too late may be anything.
#if !defined(RELEASE_EARLY)
  CHECK(sum == messages * (messages - 1) / 2);
#endif
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
