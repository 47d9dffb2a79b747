// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers by which the environment makes the short runs of the default tests long ones.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace thrum {

// That of an environment variable, or the fallback where it is not set.
inline std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

}  // namespace thrum
