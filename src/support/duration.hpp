// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lengths of time in words.
#pragma once

#include <cstdint>
#include <string>

namespace thrum {

// A length in nanoseconds, rounded down: "3 ms", "60 s", "90 min", "24 h", "49 days", "292 years".
std::string length_words(std::uint64_t ns);

}  // namespace thrum
