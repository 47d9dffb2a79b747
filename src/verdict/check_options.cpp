// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/check_options.hpp"

#include <cmath>

namespace thrum {

std::uint64_t nanoseconds_of(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

double seconds_of(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

const char* races_word(Races races) {
  return races == Races::report ? "report" : races == Races::explore ? "explore" : "ignore";
}

}  // namespace thrum
