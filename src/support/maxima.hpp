// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of numbers, such as vector clocks, of which each becomes the larger of two, four at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace thrum {

inline constexpr std::size_t kMaximaAtATime = 4;

// REQUIRES: count is a multiple of kMaximaAtATime.
inline void take_maxima(std::uint32_t* to, const std::uint32_t* from, std::size_t count) {
  using Four [[gnu::vector_size(kMaximaAtATime * sizeof(std::uint32_t))]] = std::uint32_t;
  for (std::size_t i = 0; i < count; i += kMaximaAtATime) {
    Four mine;
    Four others;
    std::memcpy(&mine, to + i, sizeof mine);
    std::memcpy(&others, from + i, sizeof others);
    mine = mine > others ? mine : others;
    std::memcpy(to + i, &mine, sizeof mine);
  }
}

}  // namespace thrum
