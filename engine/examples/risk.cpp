// The risk pipeline from C++: one thread submits events, another evaluates them and gets the results.
//
//     cargo build --release --manifest-path ffi/lib/Cargo.toml --features engine
//     c++ -std=c++17 -Iinclude engine/examples/risk.cpp ffi/lib/target/release/libgimmal.a -pthread

#define GIMMAL_ENGINE 1
#include "gimmal.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

struct tally {
  std::size_t tiers[4] = {};
  std::uint64_t next = 0;
  bool in_order = true;
};

void count(void *context, const gimmal_risk_event_t *event, std::uint64_t enqueued,
           const gimmal_risk_result_t *result) {
  auto &seen = *static_cast<tally *>(context);
  ++seen.tiers[result->tier];
  seen.in_order = seen.in_order && event->id == seen.next && result->id == seen.next && enqueued == seen.next + 7;
  ++seen.next;
}

[[noreturn]] void fail(const char *what, gimmal_status_t status) {
  std::fprintf(stderr, "%s: %s\n", what, gimmal_status_str(status));
  std::exit(1);
}

void need(const char *what, gimmal_status_t status) {
  if (status != GIMMAL_OK) {
    fail(what, status);
  }
}

} // namespace

int main() {
  std::size_t size = 0;
  std::size_t align = 0;
  need("layout", gimmal_engine_layout(1024, &size, &align));
  void *const storage = ::operator new(size, std::align_val_t{align});
  gimmal_engine_t *engine = nullptr;
  need("init", gimmal_engine_init(storage, size, 1024, &engine));

  tally seen;
  std::thread worker([engine, &seen] {
    // A real worker would be pinned too, by gimmal_engine_pin_thread.
    need("run", gimmal_engine_run(engine, count, &seen));
  });

  const std::int64_t prices[] = {GIMMAL_PRICE_SCALE / 2, 5 * GIMMAL_PRICE_SCALE, 500 * GIMMAL_PRICE_SCALE, 0};
  for (std::uint64_t id = 0; id < 10000; ++id) {
    const gimmal_risk_event_t event = {id, 0, {'A', 'C', 'M', 'E'}, prices[id % 4], 20000 * GIMMAL_QUANTITY_SCALE};
    gimmal_status_t status;
    while ((status = gimmal_engine_submit(engine, &event, id + 7)) == GIMMAL_FULL) {
      std::this_thread::yield();
    }
    need("submit", status);
  }
  need("stop", gimmal_engine_stop(engine));
  worker.join();

  gimmal_engine_counters_t counters;
  need("counters", gimmal_engine_counters(engine, &counters));
  std::printf("%zu evaluated: %zu low, %zu medium, %zu high, %zu critical%s\n", counters.evaluated, seen.tiers[0],
              seen.tiers[1], seen.tiers[2], seen.tiers[3], seen.in_order ? "" : ", out of order");
  ::operator delete(storage, std::align_val_t{align});
  return counters.submitted == counters.evaluated && seen.in_order ? 0 : 1;
}
