// What passes through the queues; the twin of src/message.rs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// Every word holds the sequence number. The first and the last are looked at on arrival: cheap, and on a message over
// two lines it touches both.
template <std::size_t Bytes> struct message {
  static_assert(Bytes % 8 == 0 && Bytes != 0, "a message is made of words");
  static constexpr std::size_t words = Bytes / 8;

  std::uint64_t word[words];

  message() = default;
  explicit message(std::uint64_t sequence) {
    for (auto &each : word) {
      each = sequence;
    }
  }

  // Zero if this is message number `sequence`.
  std::uint64_t differs(std::uint64_t sequence) const { return (word[0] ^ sequence) | (word[words - 1] ^ sequence); }

  std::uint64_t sequence() const { return word[0]; }
};

} // namespace bench
