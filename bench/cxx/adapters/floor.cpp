// The least round trip between the two processors: a number goes there and back, with no queue between. It is the twin
// of src/kernels/floor.rs: where the two differ, so would everything else that the two languages are compared on.
#include "../register.hpp"

namespace bench {

struct two_lines {
  alignas(line) std::atomic<std::uint64_t> there{0};
  alignas(line) std::atomic<std::uint64_t> back{0};
  explicit two_lines(std::size_t) {}
};

// Both directions through one line: it changes hands with every message.
struct one_line {
  alignas(line) std::atomic<std::uint64_t> there{0};
  std::atomic<std::uint64_t> back{0};
  explicit one_line(std::size_t) {}
};

// Messages count from 1, since memory begins at 0.
template <class, class Lines, class Hint> struct bare_round_trip {
  using context = Lines;

  static void lead(context &c, run &r) {
    const std::uint64_t per_sample = r.batch;
    const std::uint64_t samples = r.messages / per_sample;
    std::uint64_t sequence = c.back.load(std::memory_order_relaxed);
    r.await_ready();
    std::uint64_t before = now();
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
      for (std::uint64_t n = 0; n < per_sample; ++n) {
        ++sequence;
        c.there.store(sequence, std::memory_order_release);
        while (c.back.load(std::memory_order_acquire) != sequence) {
          Hint::relax();
        }
      }
      const std::uint64_t after = now();
      r.samples[sample] = after - before;
      before = after;
    }
    r.wrong_led = 0;
  }

  static void follow(context &c, run &r) {
    const std::uint64_t messages = r.messages / r.batch * r.batch;
    std::uint64_t sequence = c.back.load(std::memory_order_relaxed);
    r.set_ready();
    for (std::uint64_t n = 0; n < messages; ++n) {
      ++sequence;
      while (c.there.load(std::memory_order_acquire) != sequence) {
        Hint::relax();
      }
      c.back.store(sequence, std::memory_order_release);
    }
    r.wrong_followed = 0;
  }
};

kernels floor_kernels() {
  static constexpr std::array<kernel, 2> list{
      entry<bare_round_trip, message<8>, one_line>("floor-cpp-one", "round_trip"),
      entry<bare_round_trip, message<8>, two_lines>("floor-cpp-two", "round_trip")};
  return {list.data(), list.size()};
}

} // namespace bench
