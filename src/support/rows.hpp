// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a few numbers, such as vector clocks, four at a time and without a call: the C library's functions
// for blocks of memory take longer to begin than such a row takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace thrum {

// Of all that is done here, count is a multiple of that.
inline constexpr std::size_t kRowStep = 4;

namespace rows {

using Four [[gnu::vector_size(kRowStep * sizeof(std::uint32_t))]] = std::uint32_t;

inline Four read(const std::uint32_t* from) {
  Four numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  return numbers;
}

// The compiler is not to see what is written, lest it make a call of the loop after all.
inline void write(std::uint32_t* to, Four numbers) {
  asm("" : "+x"(numbers));
  std::memcpy(to, &numbers, sizeof numbers);
}

}  // namespace rows

inline void clear_row(std::uint32_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kRowStep) rows::write(to + i, rows::Four{});
}

inline void copy_row(std::uint32_t* to, const std::uint32_t* from, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kRowStep) rows::write(to + i, rows::read(from + i));
}

// Each number becomes the larger of the two.
inline void take_maxima(std::uint32_t* to, const std::uint32_t* from, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kRowStep) {
    const rows::Four one = rows::read(to + i);
    const rows::Four other = rows::read(from + i);
    rows::write(to + i, one > other ? one : other);
  }
}

}  // namespace thrum
