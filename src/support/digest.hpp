// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A digest of 64 bits, fast and without secrets: to see whether memory has changed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace thrum {

class Digest {
 public:
  void add(const char* bytes, std::size_t size) {
    for (; size >= sizeof(std::uint64_t); bytes += sizeof(std::uint64_t), size -= sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes, sizeof word);
      add_word(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes, size);
    add_word(rest);
  }

  // Never 0.
  std::uint64_t value() const { return state_ | 1; }

 private:
  void add_word(std::uint64_t word) {
    constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
    state_ = std::rotl((state_ ^ word) * kOdd, 29);
  }
  std::uint64_t state_ = 0x243f'6a88'85a3'08d3;
};

}  // namespace thrum
