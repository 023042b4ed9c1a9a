// Messages of any size that show what was lost and what was torn.

#ifndef GIMMAL_TEST_PAYLOAD_HPP
#define GIMMAL_TEST_PAYLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check.h"

// The sequence number, as far as it fits, and bytes that follow from it.
template <std::size_t Size> struct payload {
  static constexpr std::size_t number_size = Size < 8 ? Size : 8;

  unsigned char bytes[Size];

  payload() = default;

  explicit payload(std::uint64_t sequence) {
    std::memcpy(bytes, &sequence, number_size); // On a little-endian machine: the low bytes.
    std::uint64_t state = number();
    for (std::size_t i = number_size; i < Size; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes[i] = static_cast<unsigned char>(state >> 56);
    }
  }

  std::uint64_t number() const {
    std::uint64_t sequence = 0;
    std::memcpy(&sequence, bytes, number_size);
    return sequence;
  }

  // That this is message `sequence`, whole.
  void check(std::uint64_t sequence) const {
    const payload whole(number());
    CHECK(std::memcmp(bytes, whole.bytes, Size) == 0 && "not torn");
    CHECK(number() == payload(sequence).number() && "none lost, none twice");
  }
};

#endif // GIMMAL_TEST_PAYLOAD_HPP
