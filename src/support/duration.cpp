// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by duration_test.cpp.
#include "support/duration.hpp"

namespace thrum {

std::string length_words(std::uint64_t ns) {
  struct Unit {
    const char* word;
    std::uint64_t ns;
    std::uint64_t from;  // so many of it, or the next smaller unit is taken
  };
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kDay = 86'400 * kSecond;
  constexpr Unit kUnits[] = {{" years", 365 * kDay, 2},  {" days", kDay, 2}, {" h", 3'600 * kSecond, 2},
                             {" min", 60 * kSecond, 2},  {" s", kSecond, 1}, {" ms", 1'000'000, 1},
                             {" microseconds", 1'000, 1}};
  for (const Unit& unit : kUnits) {
    if (ns / unit.ns >= unit.from) return std::to_string(ns / unit.ns) + unit.word;
  }
  return std::to_string(ns) + " ns";
}

}  // namespace thrum
