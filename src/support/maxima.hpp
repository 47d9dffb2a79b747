// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of numbers, such as vector clocks, of which each becomes the larger of two, four at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace thrum {

inline constexpr std::size_t kMaximaAtATime = 4;

// Each becomes the larger of the two others. REQUIRES: count is a multiple of kMaximaAtATime.
inline void put_maxima(std::uint32_t* to, const std::uint32_t* a, const std::uint32_t* b, std::size_t count) {
  using Four [[gnu::vector_size(kMaximaAtATime * sizeof(std::uint32_t))]] = std::uint32_t;
  for (std::size_t i = 0; i < count; i += kMaximaAtATime) {
    Four one;
    Four other;
    std::memcpy(&one, a + i, sizeof one);
    std::memcpy(&other, b + i, sizeof other);
    one = one > other ? one : other;
    std::memcpy(to + i, &one, sizeof one);
  }
}

inline void take_maxima(std::uint32_t* to, const std::uint32_t* from, std::size_t count) {
  put_maxima(to, to, from, count);
}

}  // namespace thrum
