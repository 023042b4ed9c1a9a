// The limit of throughput: whole blocks of 4 KiB cross, each behind one flag. Nothing that hands over single messages
// can move them faster than this between the same two processors.
#include "../register.hpp"

#include <algorithm>
#include <vector>

namespace bench {

inline constexpr std::size_t block_bytes = 4096;

template <class M> struct blocks {
  static constexpr std::size_t per_block = block_bytes / sizeof(M);
  struct block {
    alignas(line) std::atomic<std::uint32_t> full{0};
    alignas(line) M messages[per_block];
  };
  std::vector<block> ring;

  // As many bytes as a queue of that capacity holds, but enough blocks for both ends to be busy.
  explicit blocks(std::size_t capacity) : ring(std::max<std::size_t>(4, capacity / per_block)) {}
};

template <class M, class, class Hint> struct block_throughput {
  using context = blocks<M>;

  static void lead(context &c, run &r) {
    const std::uint64_t messages = r.messages;
    r.await_ready();
    const std::uint64_t before = now();
    std::size_t at = 0;
    for (std::uint64_t sequence = 0; sequence < messages;) {
      auto &block = c.ring[at];
      while (block.full.load(std::memory_order_acquire) != 0) {
        Hint::relax();
      }
      const std::uint64_t count = std::min<std::uint64_t>(context::per_block, messages - sequence);
      for (std::uint64_t n = 0; n < count; ++n) {
        block.messages[n] = M(sequence + n);
      }
      block.full.store(1, std::memory_order_release);
      sequence += count;
      at = at + 1 == c.ring.size() ? 0 : at + 1;
    }
    r.await_finished();
    r.ticks = now() - before;
  }

  static void follow(context &c, run &r) {
    const std::uint64_t messages = r.messages;
    std::uint64_t wrong = 0;
    std::size_t at = 0;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages;) {
      auto &block = c.ring[at];
      while (block.full.load(std::memory_order_acquire) == 0) {
        Hint::relax();
      }
      const std::uint64_t count = std::min<std::uint64_t>(context::per_block, messages - sequence);
      for (std::uint64_t n = 0; n < count; ++n) {
        wrong |= block.messages[n].differs(sequence + n);
      }
      block.full.store(0, std::memory_order_release);
      sequence += count;
      at = at + 1 == c.ring.size() ? 0 : at + 1;
    }
    r.set_finished();
    r.wrong_followed = wrong;
  }
};

template <std::size_t... Bytes> constexpr auto block_list(sizes<Bytes...>) {
  return std::array<kernel, 2 * sizeof...(Bytes)>{
      entry<block_throughput, message<Bytes>, void>("block", "throughput")...,
      entry<block_throughput, message<Bytes>, void>("block", "bulk_throughput")...};
}

kernels block_kernels() {
  static constexpr auto list = block_list(all_sizes);
  return {list.data(), list.size()};
}

} // namespace bench
