// gimmal without a queue of many producers: a ring by line for each of them, and a consumer that takes turns. Like
// moodycamel::ConcurrentQueue it keeps the order of each producer's messages, and none between producers.
#include "../many.hpp"
#include "storage.hpp"

#include <gimmal.hpp>

#include <array>
#include <optional>

namespace bench {

template <class M> struct lanes {
  using view_type = gimmal::line_ring_view<M>;
  std::array<storage<by_line, M>, many_producers> memory;
  std::atomic<std::size_t> joined{0};

  // Together they hold what one ring of many producers would.
  explicit lanes(std::size_t capacity) : memory{storage<by_line, M>(share(capacity)), storage<by_line, M>(share(capacity))} {}

  static std::size_t share(std::size_t capacity) { return capacity / many_producers; }

  struct producer {
    typename view_type::producer_type end;
    bool push(std::uint64_t sequence) { return end.try_emplace(sequence); }
  };

  // Stays with a lane as long as it finds something there, up to a lap of 64.
  struct consumer {
    std::array<std::optional<typename view_type::consumer_type>, many_producers> ends;
    std::size_t lane = 0;
    std::size_t left = turn;
    static constexpr std::size_t turn = 64;

    template <class Visit> bool take(Visit visit) {
      for (std::size_t tried = 0; tried <= many_producers; ++tried) {
        if (left > 0 && ends[lane]->consume_one(visit)) {
          --left;
          return true;
        }
        lane = (lane + 1) % many_producers;
        left = turn;
      }
      return false;
    }
  };

  producer produce() {
    auto end = view_type(memory[joined.fetch_add(1, std::memory_order_relaxed) % many_producers].ring()).producer();
    if (!end) {
      std::abort();
    }
    return {std::move(end)};
  }

  consumer consume() {
    consumer all;
    for (std::size_t lane = 0; lane < many_producers; ++lane) {
      auto end = view_type(memory[lane].ring()).consumer();
      if (!end) {
        std::abort();
      }
      all.ends[lane].emplace(std::move(end));
    }
    return all;
  }
};

kernels lanes_kernels() {
  static constexpr auto list = many_only<lanes>("lanes-cpp", 0);
  return {list.data(), list.size()};
}

} // namespace bench
